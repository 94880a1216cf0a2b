//! The impulses and forces between a character and dynamic bodies: computed at the end of a move, and applied to the
//! bodies.

use super::def::TOUCH_M;
use super::gather::{NearShape, Sight};
use super::scratch::BodyPush;
use super::{CHARACTER_GAP_M, CharacterInput, CharacterScratch, CharacterTouch};
use crate::{BodyKind, PhysicsWorld};
use glam::Vec2;
use tombolo_geometry::math::cross;

/// The fraction of an overlap with a dynamic body that is corrected in a step, and the greatest speed of the
/// correction, in meters per second.
const RECOVERY: f32 = 0.2;
const RECOVERY_MAX_M_S: f32 = 1.0;

/// The data of a character that pushes bodies.
#[derive(Clone, Copy)]
pub(super) struct Pusher {
    pub(super) input: CharacterInput,
    /// Its velocity in the world.
    pub(super) velocity: Vec2,
    /// The shape that it stands on, or `NONE`.
    pub(super) ground: u32,
    pub(super) is_grounded: bool,
    pub(super) dt: f32,
    /// The weight, in newtons.
    pub(super) weight: f32,
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
            force = pusher.weight * rise.max(0.0);
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
