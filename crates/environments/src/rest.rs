//! The rule by which bodies count as asleep for a reward. It is that of the engine for which the rewards were
//! designed (Box2D 2.3): half a second below a speed and a spin, all bodies together. The physics' own sleep has
//! another measure and is off.

use tombolo_physics::{BodyId, PhysicsWorld};

/// The speed below which a body rests, in meters per second.
const SPEED_MAX: f32 = 0.01;
/// The spin below which a body rests, in radians per second: two degrees.
const SPIN_MAX: f32 = 2.0 / 180.0 * core::f32::consts::PI;
/// The time of rest after which bodies count as asleep, in seconds.
const TIME_TO_SLEEP_S: f32 = 0.5;

/// Whether all bodies are slow.
fn are_slow(world: &PhysicsWorld, bodies: &[BodyId]) -> bool {
    bodies.iter().filter_map(|&id| world.body(id)).all(|body| {
        body.linear_velocity().length_squared() <= SPEED_MAX * SPEED_MAX
            && body.angular_velocity().abs() <= SPIN_MAX
    })
}

/// Adds a step of `dt` seconds to the time of rest, or resets it; returns whether the bodies count as asleep.
pub(crate) fn sleep_after(rested_s: &mut f32, world: &PhysicsWorld, bodies: &[BodyId], dt: f32) -> bool {
    if are_slow(world, bodies) {
        *rested_s += dt;
    } else {
        *rested_s = 0.0;
    }
    *rested_s >= TIME_TO_SLEEP_S
}
