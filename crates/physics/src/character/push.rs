//! The impulses and forces between a character and dynamic bodies: computed at the end of a move, and applied to the
//! bodies.

use super::def::TOUCH_M;
use super::gather::{NearShape, Sight};
use super::scratch::BodyPush;
use super::{CHARACTER_GAP_M, CharacterInput, CharacterScratch, CharacterTouch};
use crate::body::NONE;
use crate::{BodyKind, PhysicsWorld};
use glam::Vec2;
use tombolo_geometry::math::cross;

/// The fraction of an overlap with a dynamic body that is corrected in a step, and the greatest speed of the
/// correction, in meters per second.
const RECOVERY: f32 = 0.2;
const RECOVERY_MAX_M_S: f32 = 1.0;

/// How the support of the last move has carried a character since.
#[derive(Clone, Copy)]
pub(super) struct Carried {
    /// The body, or `NONE`.
    pub(super) body: u32,
    /// The acceleration of the point that carries, in meters per second squared.
    pub(super) acceleration: Vec2,
    /// The force in newtons with which the character pressed on it.
    pub(super) pressed: f32,
}

impl Carried {
    pub(super) const BY_NOTHING: Self = Self {
        body: NONE,
        acceleration: Vec2::ZERO,
        pressed: 0.0,
    };
}

/// The data of a character that pushes bodies.
#[derive(Clone, Copy)]
pub(super) struct Pusher {
    pub(super) input: CharacterInput,
    /// Its velocity in the world.
    pub(super) velocity: Vec2,
    /// The shape that it stands on, or `NONE`.
    pub(super) ground: u32,
    /// How it was carried in this step.
    pub(super) carried: Carried,
    pub(super) is_grounded: bool,
    pub(super) dt: f32,
    /// The weight, in newtons.
    pub(super) weight: f32,
}

impl Pusher {
    /// The force in newtons with which a character of a mass presses on the body below it, whose inverse mass at the point is
    /// `inverse_mass`: what holds the character up, from none on a body that falls freely to its weight on one at rest.
    ///
    /// By Newton's second law it is `mass * (gravity + acceleration)` along the normal. The acceleration depends on the
    /// force: what the body would have without it is that of the last step less the effect of the force of that step, and
    /// the character adds its mass to the body's. If something else holds the body, the force grows from step to step until
    /// it is the weight: by `1 / (1 + mass * inverse_mass)` of what is left. The weight itself in each step would throw a
    /// light body from under the character, faster than both can fall, and that would carry the character along.
    fn pressing(&self, ground: &NearShape, rise: f32, inverse_mass: f32, mass: f32) -> f32 {
        let weight = self.weight * rise.max(0.0);
        let carried = if self.carried.body == ground.body {
            self.carried
        } else {
            Carried::BY_NOTHING
        };
        let unpressed = carried.acceleration.dot(ground.normal) + inverse_mass * carried.pressed;
        let force = (weight + mass * unpressed) / (1.0 + mass * inverse_mass);
        force.max(0.0).min(weight)
    }
}

impl Sight<'_> {
    /// Lists the shapes that are touched, with the impulses on dynamic bodies; returns the change of the character's
    /// own velocity.
    pub(super) fn touch(&self, pusher: Pusher, scratch: &mut CharacterScratch) -> Vec2 {
        scratch.touches.clear();
        scratch.pushes.clear();
        let mut change = Vec2::ZERO;
        for obstacle in &scratch.obstacles {
            let state = self.state;
            let (Some(shape), Some(body), true) = (
                state.shapes.handle_of_slot(obstacle.shape),
                state.bodies.handle_of_slot(obstacle.body),
                obstacle.separation <= CHARACTER_GAP_M + TOUCH_M,
            ) else {
                continue;
            };
            let (mut force, mut impulse) = (0.0, 0.0);
            if obstacle.kind == BodyKind::Dynamic {
                let taken;
                (force, impulse, taken) = self.exchange(obstacle, pusher);
                change += taken * obstacle.normal;
                scratch.pushes.push(BodyPush {
                    body,
                    point: obstacle.point.into(),
                    force: -force * obstacle.normal,
                    impulse: -impulse * obstacle.normal,
                });
            }
            scratch.touches.push(CharacterTouch {
                shape,
                body,
                point: obstacle.point.into(),
                normal: obstacle.normal,
                impulse: impulse + force * pusher.dt,
            });
        }
        change
    }

    /// The force in newtons and the impulse in newton seconds on the body, and the resulting change of the character's
    /// velocity along the normal.
    fn exchange(&self, obstacle: &NearShape, pusher: Pusher) -> (f32, f32, f32) {
        let (def, normal) = (self.def, obstacle.normal);
        let sim = &self.state.body_sims[obstacle.body];
        let arm = obstacle.point - self.state.body_poses[obstacle.body].center;
        let turn = cross(arm, normal);
        let body = sim.inverse_mass + sim.inverse_inertia * turn * turn;
        let rise = normal.dot(def.up);
        let is_carried = pusher.is_grounded && rise < -0.5;
        let own = if is_carried || def.mass <= 0.0 {
            0.0
        } else {
            1.0 / def.mass
        };
        if body + own <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let away = -obstacle.velocity.dot(normal);
        // A body that it runs into gets the walking force below, and no momentum.
        let closing = -away - pusher.velocity.dot(normal).max(0.0);
        let recovery = (RECOVERY / pusher.dt * (-obstacle.separation).max(0.0)).min(RECOVERY_MAX_M_S);
        let (mut force, mut impulse, mut taken) = (0.0, 0.0, 0.0);
        if closing + recovery > 0.0 && def.body.is_none() {
            impulse = (closing + recovery) / (body + own);
            taken = closing.max(0.0) / (body + own) * own;
        }
        if obstacle.shape == pusher.ground {
            force = pusher.pressing(obstacle, rise, body, def.mass);
        } else {
            // Walking pushes with limited force, and no faster than the target speed.
            let wanted = -normal.dot(def.right()) * pusher.input.walk - away;
            if wanted > 0.0 && rise.abs() < 0.7 {
                force = (wanted / (body + own) / pusher.dt).min(def.push_force_max);
            }
        }
        (force, impulse, taken)
    }

    /// The change of velocity by the impulses of dynamic bodies on the character's own body in the last step of the
    /// world.
    pub(super) fn velocity_change_of_own_body(&self, world: &PhysicsWorld) -> Vec2 {
        let (Some(own), true) = (self.def.body, self.def.mass > 0.0) else {
            return Vec2::ZERO;
        };
        let Some(body) = world.body(own) else {
            return Vec2::ZERO;
        };
        let mut impulse = Vec2::ZERO;
        for contact in body.contacts().filter(|contact| contact.is_touching()) {
            let [a, b] = contact.shapes().map(|shape| shape.body());
            let (is_first, other) = if a.id() == own { (true, b) } else { (false, a) };
            if other.kind() == BodyKind::Dynamic {
                let sum: f32 = contact.points().map(|point| point.2).sum();
                impulse += if is_first { -sum } else { sum } * contact.normal();
            }
        }
        impulse / self.def.mass
    }
}

impl PhysicsWorld {
    /// Pushes the dynamic bodies of a list.
    pub(super) fn push_bodies(&mut self, pushes: &[BodyPush]) {
        let is_one = |push: &&BodyPush| push.force != Vec2::ZERO || push.impulse != Vec2::ZERO;
        for push in pushes.iter().filter(is_one) {
            if let Ok(mut body) = self.body_mut(push.body) {
                // Errors are ignored: a body at the limit of the world's range is not pushed any more.
                drop(body.apply_force_at(push.force, push.point));
                drop(body.apply_impulse_at(push.impulse, push.point));
            }
        }
    }
}
