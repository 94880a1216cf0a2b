//! [`SceneAction`]: the devices of an action, from the section `actions`. The world does not read it: pages and games
//! do.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;
use serde::de::MapAccess;

use super::reader::{EachEntry, Name, Reader};
use crate::error::Subject;

/// The greatest number of actions of a world or a scene.
pub const ACTIONS_MAX: usize = 64;

/// The greatest length of an action's name, in bytes.
pub const ACTION_NAME_BYTES_MAX: usize = 64;

/// The keys, buttons, stick and pointer of an action. With `less`, `less_buttons` or a stick the action has both
/// signs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SceneAction {
    /// Keys that set the value 1, by their codes in browsers: `KeyD`, `ArrowRight`, `Space`.
    pub keys: Vec<String>,
    /// Keys that set the value -1.
    pub less: Vec<String>,
    /// Buttons of a gamepad that set the value 1.
    pub buttons: Vec<GamepadButton>,
    /// Buttons of a gamepad that set the value -1.
    pub less_buttons: Vec<GamepadButton>,
    /// A direction of a gamepad's stick, right and up positive.
    pub stick: Stick,
    /// A coordinate of the pointer, or whether it is pressed.
    pub pointer: Pointer,
}

/// A button of a gamepad, with the numbers of the standard mapping in browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum GamepadButton {
    /// The lower one of the four face buttons at the right.
    A,
    /// The right one of the face buttons.
    B,
    /// The left one of the face buttons.
    X,
    /// The upper one of the face buttons.
    Y,
    /// The upper button at the left front.
    LeftShoulder,
    /// The upper button at the right front.
    RightShoulder,
    /// The lower button at the left front.
    LeftTrigger,
    /// The lower button at the right front.
    RightTrigger,
    /// The left button in the middle.
    Back,
    /// The right button in the middle.
    Start,
    /// The left stick, pressed.
    LeftStick,
    /// The right stick, pressed.
    RightStick,
    /// Up on the directional pad.
    Up,
    /// Down on the directional pad.
    Down,
    /// Left on the directional pad.
    Left,
    /// Right on the directional pad.
    Right,
}

impl GamepadButton {
    /// The number of the button in the standard mapping of browsers.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A direction of a stick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Stick {
    /// No stick.
    #[default]
    None,
    /// The left stick, right positive.
    LeftX,
    /// The left stick, up positive.
    LeftY,
    /// The right stick, right positive.
    RightX,
    /// The right stick, up positive.
    RightY,
}

/// A coordinate or the button of a pointer: a mouse, a pen, a finger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Pointer {
    /// No pointer.
    #[default]
    None,
    /// The x coordinate in the world, in meters.
    X,
    /// The y coordinate in the world, in meters.
    Y,
    /// 1 while the pointer is pressed.
    Down,
}

/// The default devices of an action: name, keys, keys for less, buttons, buttons for less, stick.
type DefaultRow = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [GamepadButton],
    &'static [GamepadButton],
    Stick,
);

use GamepadButton::{A, B, Down, Left, Right, Up, X, Y};

const DEFAULTS: [DefaultRow; 6] = [
    (
        "move",
        &["KeyD", "ArrowRight"],
        &["KeyA", "ArrowLeft"],
        &[Right],
        &[Left],
        Stick::LeftX,
    ),
    (
        "climb",
        &["KeyW", "ArrowUp"],
        &["KeyS", "ArrowDown"],
        &[Up],
        &[Down],
        Stick::LeftY,
    ),
    ("jump", &["Space"], &[], &[A], &[], Stick::None),
    ("crouch", &["KeyC"], &[], &[B], &[], Stick::None),
    ("fire", &["KeyF"], &[], &[X], &[], Stick::None),
    ("use", &["KeyE"], &[], &[Y], &[], Stick::None),
];

impl SceneAction {
    /// Whether the action has both signs.
    pub fn is_axis(&self) -> bool {
        !self.less.is_empty() || !self.less_buttons.is_empty() || self.stick != Stick::None
    }

    /// The default devices of an action with this name, if there are any.
    fn default_of(name: &str) -> Option<Self> {
        let row = DEFAULTS.iter().find(|(known, ..)| *known == name)?;
        let (_, keys, less, buttons, less_buttons, stick) = *row;
        let texts = |keys: &[&str]| keys.iter().map(|key| (*key).to_string()).collect();
        Some(Self {
            keys: texts(keys),
            less: texts(less),
            buttons: buttons.to_vec(),
            less_buttons: less_buttons.to_vec(),
            stick,
            pointer: Pointer::None,
        })
    }
}

/// Reads the section `actions`.
pub(super) struct ActionEntries<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) actions: &'a mut Vec<(String, SceneAction)>,
}

impl EachEntry for ActionEntries<'_> {
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.begin(Subject::Action(name.text.as_str().into()), name.line);
        let mut action: SceneAction = map.next_value()?;
        if action == SceneAction::default() {
            action = SceneAction::default_of(&name.text).ok_or_else(|| {
                let known = DEFAULTS.map(|(name, ..)| format!("{name:?}")).join(", ");
                reader.refuse(format!(
                    "give keys, buttons, a stick or a pointer; only {known} have some anyway"
                ))
            })?;
        }
        if self.actions.iter().any(|(known, _)| *known == name.text) {
            return Err(reader.refuse("defined twice; keep one"));
        }
        if self.actions.len() == ACTIONS_MAX || !(1..=ACTION_NAME_BYTES_MAX).contains(&name.text.len()) {
            let message = format!(
                "there are {ACTIONS_MAX} actions at most, whose names have 1 to {ACTION_NAME_BYTES_MAX} bytes"
            );
            return Err(reader.refuse(message));
        }
        self.actions.push((name.text, action));
        Ok(())
    }
}
