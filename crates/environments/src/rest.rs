//! When bodies count as asleep for a reward. The rule is that of the engine in which the rewards were made up (Box2D 2.3):
//! half a second below a speed and a spin, all bodies together. The physics' own sleep has another measure and is off.

use tombolo_physics::{BodyId, PhysicsWorld};

/// Meters per second.
const SPEED_MAX: f32 = 0.01;
/// Radians per second: two degrees.
const SPIN_MAX: f32 = 2.0 / 180.0 * core::f32::consts::PI;
/// Seconds.
const TIME_TO_SLEEP_S: f32 = 0.5;

/// Whether all bodies are slow.
fn are_slow(world: &PhysicsWorld, bodies: &[BodyId]) -> bool {
    bodies.iter().filter_map(|&id| world.body(id)).all(|body| {
        body.linear_velocity().length_squared() <= SPEED_MAX * SPEED_MAX
            && body.angular_velocity().abs() <= SPIN_MAX
    })
}

/// Counts a step of `dt` seconds in which the bodies rested, or begins anew; whether they sleep now.
pub(crate) fn sleep_after(rested_s: &mut f32, world: &PhysicsWorld, bodies: &[BodyId], dt: f32) -> bool {
    if are_slow(world, bodies) {
        *rested_s += dt;
    } else {
        *rested_s = 0.0;
    }
    *rested_s >= TIME_TO_SLEEP_S
}
