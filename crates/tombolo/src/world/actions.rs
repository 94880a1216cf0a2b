//! Named actions: the inputs of players as state of the world. Code that has keys, a pointer or a gamepad sets them;
//! scripts and games read them and are independent of devices.

use super::World;
use super::command::Command;
use crate::error::WorldError;

impl World {
    /// Sets an action, a named input of a player, until it is set again. Scripts read it by the functions `action`,
    /// `axis`, `pressed` and `released`. Buttons are 0 or 1, sticks from -1 to 1, and a pointer's coordinates are in
    /// meters of the world. Actions are a part of the state: they are saved, hashed and recorded. They need not be in
    /// the scene's section `actions`, which only describes their devices. O(log actions).
    ///
    /// # Errors
    ///
    /// If the name is empty or has more than [`ACTION_NAME_BYTES_MAX`](crate::ACTION_NAME_BYTES_MAX) bytes, the value
    /// is not a number or beyond [`ACTION_VALUE_MAX`](crate::ACTION_VALUE_MAX), or the world has
    /// [`ACTIONS_MAX`](crate::ACTIONS_MAX) others.
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

    /// Whether an action is held: its absolute value is 0.5 or more.
    pub fn is_action_held(&self, name: &str) -> bool {
        self.actions.of(name).is_held()
    }

    /// Whether an action became held since the last step, even if it was released again.
    pub fn was_action_pressed(&self, name: &str) -> bool {
        self.actions.of(name).pressed
    }

    /// Whether an action was released since the last step.
    pub fn was_action_released(&self, name: &str) -> bool {
        self.actions.of(name).released
    }

    /// The actions that were ever set, with their values, in alphabetic order of their names.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = (&str, f32)> + Clone {
        self.actions.values()
    }
}
