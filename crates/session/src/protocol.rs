//! The messages between page and session: JSON texts both ways, and frames to the page as bytes: the length of a JSON
//! text in four bytes (little-endian), the text, then the frame as `frames/mod.rs` describes it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tombolo::SceneAction;
use tombolo::scene::{GamepadButton, Pointer, Stick};

use crate::action::{Action, Key};
use crate::frames::{GraphEntry, LiveFrame};
use crate::graph_runs::NodeRun;
use crate::history::Row;
use crate::inspector::{EntityView, ListedEntity};

/// A request of a page, read from JSON such as `{"do":"speed","speed":0.5}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Request(pub(crate) RequestKind);

/// A request that only the program around a session can carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRequest<'r> {
    /// Gives control to the page that asks.
    Control,
    /// Begins a scene of the gallery.
    Open(&'r str),
    /// Writes the edits into the scene's file.
    Write,
    /// Begins the scene again, from its file if that has changed; else [`Playback`](crate::Playback) can do it, too.
    Reset,
}

/// The kinds of requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum RequestKind {
    /// A frame was drawn: the next may be sent.
    Ready {},
    /// Sets the layers that frames have.
    Layers {
        contacts: bool,
        boxes: bool,
        cells: bool,
        colors: bool,
    },
    /// Selects the entity whose properties are sent from now on, or none.
    Select {
        entity: Option<Key>,
    },
    /// Asks for the entities whose names contain a text.
    List {
        search: String,
    },
    /// Asks for the scene's scripts and node graphs.
    Scripts {},
    /// Asks for the state's hash and its step. Questions within a tenth of a second get one answer while the world plays.
    Hash {},
    /// Selects the node graph whose steps are sent from now on, or none.
    Graph {
        name: Option<String>,
    },
    /// Takes control from the page that has it.
    Control {},
    /// Begins a scene of the gallery.
    Open {
        scene: String,
    },
    Play {},
    Pause {},
    /// Makes one step.
    Step {},
    /// Sets the playing speed; 1 is real time.
    Speed {
        speed: f32,
    },
    /// Begins the scene again.
    Reset {},
    /// Goes to a step of the past.
    Seek {
        step: u64,
    },
    /// Applies an action to the world.
    Act {
        action: Action,
    },
    /// Writes the edits into the scene's file.
    Write {},
    Undo {},
    Redo {},
}

impl Request {
    /// Whether only the page in control may make this request.
    pub fn needs_control(&self) -> bool {
        !matches!(
            self.0,
            RequestKind::Ready {}
                | RequestKind::Layers { .. }
                | RequestKind::Select { .. }
                | RequestKind::List { .. }
                | RequestKind::Scripts {}
                | RequestKind::Hash {}
                | RequestKind::Graph { .. }
                | RequestKind::Control {}
        )
    }

    /// The part of the request that the program around the session has to carry out, if any.
    pub fn host_request(&self) -> Option<HostRequest<'_>> {
        match &self.0 {
            RequestKind::Control {} => Some(HostRequest::Control),
            RequestKind::Open { scene } => Some(HostRequest::Open(scene)),
            RequestKind::Write {} => Some(HostRequest::Write),
            RequestKind::Reset {} => Some(HostRequest::Reset),
            _ => None,
        }
    }
}

/// A message to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// JSON.
    Text(String),
    /// A frame, preceded by the length of its JSON text and that text.
    Frame(Vec<u8>),
}

impl Message {
    /// A message that says that something was refused, or that a file is wrong.
    pub fn error(why: &str) -> Self {
        TextMessage::Error { text: why }.message()
    }
}

/// A queue of messages to a page.
pub trait Outbox {
    /// Adds a message; false if the queue is full, and the message is dropped.
    fn push(&self, message: Message) -> bool;
}

impl<O: Outbox> Outbox for Arc<O> {
    fn push(&self, message: Message) -> bool {
        O::push(self, message)
    }
}

/// The kinds of text messages to a page.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub(crate) enum TextMessage<'t> {
    /// The scenes that can be opened.
    Gallery { scenes: &'t [String] },
    /// The start of a world: its frames follow, and what was sent of another one is void.
    Start {
        /// Whether it is the world that the page shows already: what is gone is left out, and what the page has asked for
        /// beside frames still holds.
        again: bool,
        manifest: serde_json::Value,
        /// The names of resources that can be spawned.
        resources: Vec<String>,
        /// The kinds of components that can be added.
        kinds: &'t [&'t str],
        /// The scene's actions, and the devices that give them.
        actions: Vec<ActionView<'t>>,
    },
    /// Something was refused, or a file is wrong.
    Error { text: &'t str },
    /// The answer to `List`.
    Entities {
        rows: Vec<ListedEntity>,
        /// The number of matches, shown or not.
        count: usize,
    },
    /// The selected entity.
    Entity(&'t EntityView),
    /// Lines that scripts have printed, and faults of the world, the newest last.
    Log {
        printed: Vec<&'t str>,
        faults: Vec<&'t str>,
    },
    /// The answer to `Scripts`: names and texts, also of node graphs.
    Scripts {
        scripts: Vec<(String, String)>,
        graphs: Vec<GraphView>,
    },
    /// The nodes of the selected graph that ever ran, up to a step.
    Ran {
        graph: &'t str,
        step: u64,
        nodes: &'t [NodeRun],
    },
    /// The selected entity is gone.
    Gone {},
    /// The answer to `Write`: the edits that are not in the file, and why.
    Written { left_out: Vec<String> },
    /// The answer to `Hash`.
    Hash { step: u64, hash: &'t str },
}

impl TextMessage<'_> {
    pub(crate) fn message(&self) -> Message {
        // Serialization of these types does not fail.
        Message::Text(serde_json::to_string(self).unwrap_or_default())
    }
}

/// A node graph: as a page draws it, and its text.
#[derive(Debug, Serialize)]
pub(crate) struct GraphView {
    #[serde(flatten)]
    pub(crate) graph: GraphEntry,
    pub(crate) text: String,
}

/// An action of the scene, and the devices that give it.
#[derive(Debug, Serialize)]
pub(crate) struct ActionView<'t> {
    name: &'t str,
    keys: &'t [String],
    less: &'t [String],
    /// The gamepad buttons, by their numbers in the standard mapping.
    buttons: Vec<usize>,
    less_buttons: Vec<usize>,
    /// The number of a gamepad's axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    stick: Option<usize>,
    /// The pointer's part: `x`, `y` or `down`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'static str>,
    is_axis: bool,
}

impl<'t> ActionView<'t> {
    pub(crate) fn of(name: &'t str, action: &'t SceneAction) -> Self {
        let numbers = |buttons: &[GamepadButton]| buttons.iter().map(|button| button.index()).collect();
        Self {
            name,
            keys: &action.keys,
            less: &action.less,
            buttons: numbers(&action.buttons),
            less_buttons: numbers(&action.less_buttons),
            stick: match action.stick {
                Stick::None => None,
                Stick::LeftX => Some(0),
                Stick::LeftY => Some(1),
                Stick::RightX => Some(2),
                Stick::RightY => Some(3),
            },
            pointer: match action.pointer {
                Pointer::None => None,
                Pointer::X => Some("x"),
                Pointer::Y => Some("y"),
                Pointer::Down => Some("down"),
            },
            is_axis: action.is_axis(),
        }
    }
}

/// The JSON text before a frame.
#[derive(Debug, Serialize)]
pub(crate) struct FrameHead<'f> {
    pub(crate) step: u64,
    /// The number of steps between this frame and the last one sent to the page.
    pub(crate) steps: u64,
    /// The oldest and newest steps that can be gone to.
    pub(crate) oldest: u64,
    pub(crate) newest: u64,
    pub(crate) playing: bool,
    pub(crate) speed: f32,
    pub(crate) has_control: bool,
    pub(crate) watchers: usize,
    /// The number of actions that can be undone, and of those that can be redone.
    pub(crate) undo: (usize, usize),
    /// Whether there are edits that the scene's file does not contain.
    pub(crate) unwritten: bool,
    /// The inputs of players that are not 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) inputs: Vec<(&'f str, f32)>,
    /// The hash of the state, while paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<&'f str>,
    /// The step of the first of the rows, and figures that were not sent yet.
    pub(crate) rows_from: u64,
    pub(crate) rows: Vec<Row>,
    #[serde(flatten)]
    pub(crate) frame: &'f LiveFrame<'f>,
}
