//! [`Actions`]: the actions of players by name, as they are saved and hashed. `actions.rs` has the world's calls.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

use tombolo_entity::{DataError, Reader, Writer};

use crate::error::WorldError;
use crate::scene::{ACTION_NAME_BYTES_MAX, ACTIONS_MAX};

/// The greatest absolute value of an action.
pub const ACTION_VALUE_MAX: f32 = 100_000.0;

/// The absolute value from which an action is held.
const HELD: f32 = 0.5;

/// The least number of bytes of an action in a save.
const LEAST_BYTES: usize = 15;

/// The actions that were set, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Actions {
    by_name: BTreeMap<Box<str>, ActionState>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ActionState {
    /// Never negative zero, so that equal values have equal bits.
    pub(super) value: f32,
    /// Whether it became held since the last step, even if it was released since.
    pub(super) pressed: bool,
    /// Whether it was released since the last step.
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

    /// An action as text, with all of its saved fields.
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

    /// Whether no action was ever set.
    pub(super) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// All actions with their values, by name.
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

    /// Ends a step: clears the presses and releases before it.
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

    /// Restores saved actions.
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
