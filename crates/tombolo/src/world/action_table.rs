//! [`Actions`]: what players want, by name, as it is saved and hashed. `actions.rs` has the world's calls.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

use tombolo_entity::{DataError, Reader, Writer};

use crate::error::WorldError;
use crate::scene::{ACTION_NAME_BYTES_MAX, ACTIONS_MAX};

/// An action's value is at most so much, and at least as much below 0.
pub const ACTION_VALUE_MAX: f32 = 100_000.0;

/// From this value on an action is held, either way.
const HELD: f32 = 0.5;

/// The fewest bytes that an action takes in a save.
const LEAST_BYTES: usize = 15;

/// The actions that were set, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Actions {
    by_name: BTreeMap<Box<str>, ActionState>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ActionState {
    /// Never minus zero, so that equal values have equal bits.
    pub(super) value: f32,
    /// It came to be held since the last step; it may have been let go since.
    pub(super) pressed: bool,
    /// It was let go since the last step.
    pub(super) released: bool,
}

impl ActionState {
    pub(super) fn is_held(self) -> bool {
        self.value.abs() >= HELD
    }
}

impl Actions {
    pub(super) fn of(&self, name: &str) -> ActionState {
        self.by_name.get(name).copied().unwrap_or_default()
    }

    /// An action in words, with all that is saved of it.
    pub(super) fn show(&self, name: &str) -> String {
        let Some(state) = self.by_name.get(name) else {
            return String::from("never set");
        };
        let happened = match (state.pressed, state.released) {
            (false, false) => "",
            (true, false) => ", pressed",
            (false, true) => ", released",
            (true, true) => ", pressed and released",
        };
        format!("{:?}{happened}", state.value)
    }

    /// Whether none was ever set.
    pub(super) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// All of them, with their values, by name.
    pub(super) fn values(&self) -> impl ExactSizeIterator<Item = (&str, f32)> + Clone {
        let actions = self.by_name.iter();
        actions.map(|(name, state)| (&**name, state.value))
    }

    pub(super) fn set(&mut self, name: &str, value: f32) -> Result<(), WorldError> {
        let refused = |why: Box<str>| WorldError::Action {
            name: name.into(),
            why,
        };
        if !is_name(name) {
            return Err(refused(
                format!("a name has 1 to {ACTION_NAME_BYTES_MAX} bytes").into(),
            ));
        }
        if !is_value(value) {
            let why = format!("{value} is no value; give a number within {ACTION_VALUE_MAX} of 0");
            return Err(refused(why.into()));
        }
        let before = self.of(name);
        if !self.by_name.contains_key(name) && self.by_name.len() == ACTIONS_MAX {
            return Err(refused(
                format!("a world has {ACTIONS_MAX} actions at most").into(),
            ));
        }
        let mut now = ActionState {
            value: value + 0.0,
            ..before
        };
        now.pressed |= now.is_held() && !before.is_held();
        now.released |= before.is_held() && !now.is_held();
        self.by_name.insert(name.into(), now);
        Ok(())
    }

    /// A step is over: what happened before it is heard of.
    pub(super) fn end_step(&mut self) {
        for state in self.by_name.values_mut() {
            (state.pressed, state.released) = (false, false);
        }
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.length(self.by_name.len());
        for (name, state) in &self.by_name {
            out.text(name);
            out.f32(state.value);
            out.flag(state.pressed);
            out.flag(state.released);
        }
    }

    /// The actions that were saved.
    pub(super) fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        let mut actions = Self::default();
        let count = from.length(LEAST_BYTES, "actions")?;
        if count > ACTIONS_MAX {
            return Err(DataError::broken("there are too many actions"));
        }
        for _ in 0..count {
            let name = from.text("an action's name")?;
            let value = from.f32("an action's value")?;
            let state = ActionState {
                value,
                pressed: from.flag("an action")?,
                released: from.flag("an action")?,
            };
            let is_sorted = actions
                .by_name
                .last_key_value()
                .is_none_or(|(last, _)| *last < name);
            let is_plain = is_value(value) && (value != 0.0 || value.is_sign_positive());
            if !is_sorted || !is_name(&name) || !is_plain {
                return Err(DataError::broken("an action that no call has made"));
            }
            actions.by_name.insert(name, state);
        }
        Ok(actions)
    }
}

fn is_name(name: &str) -> bool {
    (1..=ACTION_NAME_BYTES_MAX).contains(&name.len())
}

fn is_value(value: f32) -> bool {
    value.abs() <= ACTION_VALUE_MAX
}
