//! [`Motion`]: the changes that a scene makes to its world between steps. Callers run them before each step.

use crate::pusher::Pusher;
use crate::ragdolls::Rain;
use crate::target::SceneTarget;
use tombolo_physics::PhysicsError;

/// The changes that a scene makes to its world between steps.
#[derive(Clone, Debug)]
pub enum Motion {
    /// No changes.
    None,
    /// Junkyard: moves a kinematic body to and fro.
    Pusher(Pusher),
    /// Rain: creates ragdolls, and later removes the oldest as it creates new ones.
    Rain(Rain),
}

impl Motion {
    /// Makes the changes before step number `step`, counted from 0.
    ///
    /// # Errors
    /// The target refused a part, or a body that the scene needs no longer exists.
    pub fn before_step(&mut self, step: u32, target: &mut dyn SceneTarget) -> Result<(), PhysicsError> {
        match self {
            Self::None => Ok(()),
            Self::Pusher(pusher) => pusher.before_step(step, target),
            Self::Rain(rain) => rain.before_step(step, target),
        }
    }
}
