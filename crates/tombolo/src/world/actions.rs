//! Named actions: what players want, as state of the world. Whoever has keys, a pointer or a gamepad sets them; scripts and
//! games read them, and so know nothing of devices.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;

use tombolo_entity::{DataError, Reader, Writer};

use super::World;
use super::command::Command;
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
struct ActionState {
    /// Never minus zero, so that equal values have equal bits.
    value: f32,
    /// It came to be held since the last step; it may have been let go since.
    pressed: bool,
    /// It was let go since the last step.
    released: bool,
}

impl World {
    /// Sets an action: what a player wants, from now until it is set again. Scripts read it by the functions `action`, `axis`,
    /// `pressed` and `released`. Buttons are 0 or 1, sticks from -1 to 1, and a pointer's places are in meters of the world.
    /// Actions are a part of the state: they are saved, hashed and recorded. They need not stand in the scene's section
    /// `actions`, which only says how a page gives them. O(log actions).
    ///
    /// # Errors
    ///
    /// If the name is empty or has more than [`ACTION_NAME_BYTES_MAX`](crate::ACTION_NAME_BYTES_MAX) bytes, the value is no number or beyond
    /// [`ACTION_VALUE_MAX`](crate::ACTION_VALUE_MAX), or the world has [`ACTIONS_MAX`](crate::ACTIONS_MAX) others.
    ///
    /// ```
    /// use tombolo::{Settings, World};
    /// let mut world = World::new(&Settings::default())?;
    /// world.set_action("jump", 1.0)?;
    /// world.set_action("jump", 0.0)?; // before the next step, which hears of it all the same
    /// assert!(world.was_action_pressed("jump") && world.was_action_released("jump"));
    /// world.step();
    /// assert!(!world.was_action_pressed("jump"));
    /// # Ok::<(), tombolo::WorldError>(())
    /// ```
    pub fn set_action(&mut self, name: &str, value: f32) -> Result<(), WorldError> {
        self.report_command(|| Command::SetAction {
            name: name.into(),
            value,
        });
        self.actions.set(name, value)
    }

    /// An action's value; 0 if it was never set.
    pub fn action(&self, name: &str) -> f32 {
        self.actions.of(name).value
    }

    /// Whether an action is held: its value is 0.5 or more, either way.
    pub fn is_action_held(&self, name: &str) -> bool {
        self.actions.of(name).is_held()
    }

    /// Whether an action came to be held since the last step, even if it was let go again.
    pub fn was_action_pressed(&self, name: &str) -> bool {
        self.actions.of(name).pressed
    }

    /// Whether an action was let go since the last step.
    pub fn was_action_released(&self, name: &str) -> bool {
        self.actions.of(name).released
    }

    /// The actions that were ever set, with their values, in the order of their names' letters.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = (&str, f32)> + Clone {
        let actions = self.actions.by_name.iter();
        actions.map(|(name, state)| (&**name, state.value))
    }
}

impl ActionState {
    fn is_held(self) -> bool {
        self.value.abs() >= HELD
    }
}

impl Actions {
    fn of(&self, name: &str) -> ActionState {
        self.by_name.get(name).copied().unwrap_or_default()
    }

    /// Whether none was ever set.
    pub(super) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
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
