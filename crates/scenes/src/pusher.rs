//! [`Pusher`]: the wall of the junkyard, which is moved between steps.

use crate::target::{STEP_S, SceneTarget};
use tombolo_physics::{BodyId, PhysicsError, Vec2};

/// The wall of the junkyard, which swings along x with an amplitude of 60 m.
#[derive(Clone, Debug)]
pub struct Pusher {
    pub(crate) body: BodyId,
    /// The present x coordinate of the wall, in meters.
    pub(crate) x: f32,
}

impl Pusher {
    pub(crate) fn before_step(
        &mut self,
        step: u32,
        target: &mut dyn SceneTarget,
    ) -> Result<(), PhysicsError> {
        let next_x = 60.0 * libm::sinf(0.2 * step as f32 * STEP_S);
        let velocity = Vec2::new((next_x - self.x) / STEP_S, 0.0);
        self.x = next_x;
        target.set_linear_velocity(self.body, velocity)
    }
}
