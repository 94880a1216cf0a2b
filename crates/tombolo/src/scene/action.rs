//! [`SceneAction`]: how players give an action, from the section `actions`. The world does not look at it: pages and games do.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;
use serde::de::MapAccess;

use super::reader::{EachEntry, Name, Reader};
use crate::error::Subject;

/// A world has so many actions at most, and a scene too.
pub const ACTIONS_MAX: usize = 64;

/// The name of an action has so many bytes at most.
pub const ACTION_NAME_BYTES_MAX: usize = 64;

/// The keys, buttons, stick and pointer that give an action. One with `less` or `less_buttons`, or with a stick, goes both ways.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SceneAction {
    /// Keys that give 1, by their codes in browsers: `KeyD`, `ArrowRight`, `Space`.
    pub keys: Vec<String>,
    /// Keys that give -1.
    pub less: Vec<String>,
    /// Buttons of a gamepad that give 1.
    pub buttons: Vec<GamepadButton>,
    /// Buttons of a gamepad that give -1.
    pub less_buttons: Vec<GamepadButton>,
    /// A stick of a gamepad, right and up positive.
    pub stick: Stick,
    /// A part of the pointer.
    pub pointer: Pointer,
}

/// A button of a gamepad, as browsers number those of the standard mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum GamepadButton {
    /// The lower one of the four at the right.
    A,
    /// The right one of them.
    B,
    /// The left one.
    X,
    /// The upper one.
    Y,
    /// The upper one at the left front.
    LeftShoulder,
    /// The upper one at the right front.
    RightShoulder,
    /// The lower one at the left front.
    LeftTrigger,
    /// The lower one at the right front.
    RightTrigger,
    /// The left one in the middle.
    Back,
    /// The right one in the middle.
    Start,
    /// The left stick, pressed.
    LeftStick,
    /// The right stick, pressed.
    RightStick,
    /// Of the cross.
    Up,
    /// Of the cross.
    Down,
    /// Of the cross.
    Left,
    /// Of the cross.
    Right,
}

impl GamepadButton {
    /// Its number in the standard mapping of browsers.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A direction of a stick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Stick {
    /// None.
    #[default]
    None,
    /// The left one, right positive.
    LeftX,
    /// The left one, up positive.
    LeftY,
    /// The right one, right positive.
    RightX,
    /// The right one, up positive.
    RightY,
}

/// A part of the pointer: of a mouse, a pen, a finger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Pointer {
    /// None.
    #[default]
    None,
    /// How far right it is in the world, in meters.
    X,
    /// How far up.
    Y,
    /// 1 while it is pressed.
    Down,
}

/// The actions that have devices of their own if the file gives none: name, keys, keys for less, buttons, buttons for less, stick.
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
    /// Whether it goes both ways.
    pub fn is_axis(&self) -> bool {
        !self.less.is_empty() || !self.less_buttons.is_empty() || self.stick != Stick::None
    }

    /// The devices of an action that is called so, if it is one of those that have some.
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

/// Reads the section.
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
