//! What page and server say to each other: JSON texts both ways, and frames to the page as bytes: the length of a JSON text in
//! four bytes (little-endian), the text, then the frame as `replay/mod.rs` describes it.

use serde::{Deserialize, Serialize};
use tombolo::SceneAction;
use tombolo::scene::{GamepadButton, Pointer, Stick};

use super::action::{Action, Key};
use super::inspector::{EntityView, ListedEntity};
use super::session::Row;
use crate::replay::LiveFrame;

/// What a page asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Request {
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
    pub(super) fn needs_control(&self) -> bool {
        !matches!(
            self,
            Self::Ready {}
                | Self::Layers { .. }
                | Self::Select { .. }
                | Self::List { .. }
                | Self::Scripts {}
                | Self::Hash {}
                | Self::Control {}
        )
    }
}

/// What a page is told as text.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub(super) enum Told<'t> {
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

/// An action of the scene, and what gives it.
#[derive(Debug, Serialize)]
pub(super) struct ActionView<'t> {
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
    pub(super) fn of(name: &'t str, action: &'t SceneAction) -> Self {
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
pub(super) struct FrameHead<'f> {
    pub(super) step: u64,
    /// How many steps lie between this frame and the one that the page got before.
    pub(super) steps: u64,
    /// The oldest and newest steps that one can go to.
    pub(super) oldest: u64,
    pub(super) newest: u64,
    pub(super) playing: bool,
    pub(super) speed: f32,
    pub(super) has_control: bool,
    pub(super) watchers: usize,
    /// How many actions can be undone, and how many done again.
    pub(super) undo: (usize, usize),
    /// Whether something was edited that the scene's file does not have.
    pub(super) unwritten: bool,
    /// What players want, where it is not 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) inputs: Vec<(&'f str, f32)>,
    /// While it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hash: Option<&'f str>,
    /// The step of the first of the rows, and figures that the page does not know yet.
    pub(super) rows_from: u64,
    pub(super) rows: Vec<Row>,
    #[serde(flatten)]
    pub(super) frame: &'f LiveFrame<'f>,
}
