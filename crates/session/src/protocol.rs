//! What page and session say to each other: JSON texts both ways, and frames to the page as bytes: the length of a JSON text in
//! four bytes (little-endian), the text, then the frame as `frames/mod.rs` describes it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tombolo::SceneAction;
use tombolo::scene::{GamepadButton, Pointer, Stick};

use crate::action::{Action, Key};
use crate::frames::LiveFrame;
use crate::inspector::{EntityView, ListedEntity};
use crate::session::Row;

/// What a page asks for; read from JSON such as `{"do":"speed","speed":0.5}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Request(pub(crate) Asked);

/// What only the program around a session can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand<'r> {
    /// Gives control to the page that asks.
    Control,
    /// Begins a scene of the gallery.
    Open(&'r str),
    /// Writes what was edited into the scene's file.
    Write,
    /// Begins the scene again, from its file if that has changed; else [`Playback`](crate::Playback) can do it, too.
    Reset,
}

/// What there is to be asked for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Asked {
    /// A frame was drawn: there is room for another.
    Ready {},
    /// What frames are to tell of.
    Layers {
        contacts: bool,
        boxes: bool,
        cells: bool,
    },
    /// Tells of an entity from now on, or of none.
    Select {
        entity: Option<Key>,
    },
    /// The entities whose names have a text in them.
    List {
        search: String,
    },
    /// The scene's scripts.
    Scripts {},
    /// The state's hash, and at which step it is so.
    Hash {},
    /// Takes control from whoever has it.
    Control {},
    /// Begins a scene of the gallery.
    Open {
        scene: String,
    },
    Play {},
    Pause {},
    /// Makes one step.
    Step {},
    /// How fast it plays; 1 is as real time.
    Speed {
        speed: f32,
    },
    /// Begins the scene again.
    Reset {},
    /// Goes to a step of the past.
    Seek {
        step: u64,
    },
    /// Does something to the world.
    Act {
        action: Action,
    },
    /// Writes what was edited into the scene's file.
    Write {},
    Undo {},
    Redo {},
}

impl Request {
    /// Whether only the page in control may ask for it.
    pub fn needs_control(&self) -> bool {
        !matches!(
            self.0,
            Asked::Ready {}
                | Asked::Layers { .. }
                | Asked::Select { .. }
                | Asked::List { .. }
                | Asked::Scripts {}
                | Asked::Hash {}
                | Asked::Control {}
        )
    }

    /// What the program around the session has to do for it, if anything.
    pub fn errand(&self) -> Option<Errand<'_>> {
        match &self.0 {
            Asked::Control {} => Some(Errand::Control),
            Asked::Open { scene } => Some(Errand::Open(scene)),
            Asked::Write {} => Some(Errand::Write),
            Asked::Reset {} => Some(Errand::Reset),
            _ => None,
        }
    }
}

/// What a page is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// JSON.
    Text(String),
    /// A frame, with the length of the JSON text before it and that text.
    Frame(Vec<u8>),
}

impl Message {
    /// Tells that something was refused, or that a file is wrong.
    pub fn error(why: &str) -> Self {
        Told::Error { text: why }.message()
    }
}

/// Where messages to a page wait.
pub trait Outbox {
    /// Adds one; what there is no room for is dropped.
    fn push(&self, message: Message);
}

impl<O: Outbox> Outbox for Arc<O> {
    fn push(&self, message: Message) {
        O::push(self, message);
    }
}

/// What a page is told as text.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub(crate) enum Told<'t> {
    /// Which scenes there are to begin.
    Gallery { scenes: &'t [String] },
    /// Frames of a world follow; what was known of another does not count any more.
    Start {
        manifest: serde_json::Value,
        /// What can be dropped.
        resources: Vec<String>,
        /// The kinds of components that can be added.
        kinds: &'t [&'t str],
        /// What players can want, and by which devices.
        actions: Vec<ActionView<'t>>,
    },
    /// Something was refused, or a file is wrong.
    Error { text: &'t str },
    /// The answer to `List`.
    Entities {
        rows: Vec<ListedEntity>,
        /// How many there are, shown or not.
        count: usize,
    },
    /// The selected entity.
    Entity(&'t EntityView),
    /// What scripts have printed, and what went wrong in the world, the newest last.
    Log {
        printed: &'t [Box<str>],
        faults: &'t [Box<str>],
    },
    /// The answer to `Scripts`: names and texts.
    Scripts { scripts: Vec<(String, String)> },
    /// The selected entity is gone.
    Gone {},
    /// The answer to `Write`: what is not in the file, and why.
    Written { left_out: Vec<String> },
    /// The answer to `Hash`.
    Hash { step: u64, hash: String },
}

impl Told<'_> {
    pub(crate) fn message(&self) -> Message {
        // All that is told can be written.
        Message::Text(serde_json::to_string(self).unwrap_or_default())
    }
}

/// An action of the scene, and what gives it.
#[derive(Debug, Serialize)]
pub(crate) struct ActionView<'t> {
    name: &'t str,
    keys: &'t [String],
    less: &'t [String],
    /// Buttons of gamepads by their numbers in the standard mapping.
    buttons: Vec<usize>,
    less_buttons: Vec<usize>,
    /// The number of a gamepad's axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    stick: Option<usize>,
    /// `x`, `y` or `down`.
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

/// What stands before a frame.
#[derive(Debug, Serialize)]
pub(crate) struct FrameHead<'f> {
    pub(crate) step: u64,
    /// How many steps lie between this frame and the one that the page got before.
    pub(crate) steps: u64,
    /// The oldest and newest steps that one can go to.
    pub(crate) oldest: u64,
    pub(crate) newest: u64,
    pub(crate) playing: bool,
    pub(crate) speed: f32,
    pub(crate) has_control: bool,
    pub(crate) watchers: usize,
    /// How many actions can be undone, and how many done again.
    pub(crate) undo: (usize, usize),
    /// Whether something was edited that the scene's file does not have.
    pub(crate) unwritten: bool,
    /// What players want, where it is not 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) inputs: Vec<(&'f str, f32)>,
    /// While it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<&'f str>,
    /// The step of the first of the rows, and figures that the page does not know yet.
    pub(crate) rows_from: u64,
    pub(crate) rows: Vec<Row>,
    #[serde(flatten)]
    pub(crate) frame: &'f LiveFrame<'f>,
}
