//! [`Motion`]: what a scene does to its world between steps.

use crate::pusher::Pusher;
use crate::ragdolls::Rain;
use crate::target::SceneTarget;
use tombolo_physics::PhysicsError;

/// What a scene does to its world between steps.
#[derive(Clone, Debug)]
pub enum Motion {
    /// Nothing.
    None,
    /// Junkyard: pushes a kinematic body to and fro.
    Pusher(Pusher),
    /// Rain: creates ragdolls, and later removes the oldest as it creates new ones.
    Rain(Rain),
}

impl Motion {
    /// To be called before step number `step`, counted from 0.
    ///
    /// # Errors
    /// The target refused a part, or a body that the scene needs is gone.
    pub fn before_step(&mut self, step: u32, target: &mut dyn SceneTarget) -> Result<(), PhysicsError> {
        match self {
            Self::None => Ok(()),
            Self::Pusher(pusher) => pusher.before_step(step, target),
            Self::Rain(rain) => rain.before_step(step, target),
        }
    }
}
