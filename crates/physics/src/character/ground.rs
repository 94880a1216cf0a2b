//! The ground of a character: which obstacle it stands on, and snapping to it down steps and slopes.

use super::def::TOUCH_M;
use super::gather::{NearShape, Sight};
use super::{CHARACTER_GAP_M, CharacterScratch, Support};
use crate::body::NONE;
use crate::error::Range;
use crate::{PhysicsError, Shape};
use glam::Vec2;

/// Half the width of the probe that looks for ground below an edge, in meters.
const PROBE_M: f32 = 0.01;

/// The greatest speed at which a character may move off a surface and still land on it, in meters per second: rounding.
const LEAVING_M_S: f32 = 1.0e-2;

/// The parameters of the search for ground.
#[derive(Clone, Copy)]
pub(super) struct Footing {
    /// The speed at which it tries to walk; the sign gives the direction.
    pub(super) walk: f32,
    /// Whether it stood on something before the move.
    pub(super) was_grounded: bool,
    /// Its velocity in the world.
    pub(super) velocity: Vec2,
}

impl Sight<'_> {
    /// The obstacle that the character stands on, if it stands: its index in `obstacles`, and the normal of the ground.
    pub(super) fn ground_among(&self, obstacles: &[NearShape], footing: Footing) -> Option<(usize, Vec2)> {
        let (up, slope_cosine) = (self.def.up, self.def.slope_cosine());
        let touches = |obstacle: &NearShape| {
            let leaving = (footing.velocity - obstacle.velocity).dot(obstacle.normal);
            obstacle.separation <= CHARACTER_GAP_M + TOUCH_M
                && obstacle.normal.dot(up) > 0.0
                && (footing.was_grounded || leaving <= LEAVING_M_S)
        };
        let mut best: Option<(f32, usize)> = None;
        for (index, obstacle) in obstacles.iter().enumerate().filter(|(_, one)| touches(one)) {
            let rise = obstacle.normal.dot(up);
            if rise >= slope_cosine && best.is_none_or(|known| rise > known.0) {
                best = Some((rise, index));
            }
        }
        if let Some((_, index)) = best {
            // On a corner, the normal is that of the face that ends there.
            let NearShape { normal, face, .. } = obstacles[index];
            let is_flat = face.dot(up) >= slope_cosine;
            return Some((index, if is_flat { face } else { normal }));
        }
        let right = self.def.right();
        for (index, obstacle) in obstacles.iter().enumerate().filter(|(_, one)| touches(one)) {
            let across = obstacle.normal.dot(right);
            // Halfway up a step.
            let is_step = obstacle.corner != NONE && obstacle.face.dot(up) >= slope_cosine;
            if footing.was_grounded && is_step && footing.walk * across < 0.0 {
                return Some((index, up));
            }
            // Between two slopes that are too steep, it cannot fall farther.
            let is_opposite = |other: &NearShape| touches(other) && other.normal.dot(right) * across < 0.0;
            if obstacles.iter().any(is_opposite) {
                return Some((index, up));
            }
        }
        None
    }

    /// Moves down to the ground if it is within the snap distance; returns the new position, and the obstacle in
    /// `scratch` that it stands on.
    pub(super) fn snap(
        &self,
        position: Vec2,
        footing: Footing,
        scratch: &mut CharacterScratch,
    ) -> Option<(Vec2, (usize, Vec2))> {
        let def = self.def;
        let fall = def.snap_distance + CHARACTER_GAP_M;
        let (share, shape) = self.cast(&def.shape, position, -fall * def.up)?;
        let landing = position - (share * fall - CHARACTER_GAP_M) * def.up;
        self.gather(
            landing,
            CHARACTER_GAP_M + TOUCH_M,
            &mut scratch.candidates,
            &mut scratch.obstacles,
        );
        if let Some(found) = self.ground_among(&scratch.obstacles, footing) {
            return Some((landing, found));
        }
        let index = scratch
            .obstacles
            .iter()
            .position(|obstacle| obstacle.shape == shape)?;
        let obstacle = scratch.obstacles[index];
        let is_edge = obstacle.corner != NONE && obstacle.face.dot(def.up) >= def.slope_cosine();
        (is_edge && self.is_ground_below(landing, obstacle.point).unwrap_or(false))
            .then_some((landing, (index, def.up)))
    }

    /// Whether there is ground below the middle of the feet, within the snap distance below an edge.
    fn is_ground_below(&self, position: Vec2, edge: Vec2) -> Result<bool, PhysicsError> {
        let probe = Shape::circle(Vec2::ZERO, PROBE_M)?;
        let up = self.def.up;
        let start = position + ((edge - position).dot(up) + PROBE_M) * up;
        Ok(self
            .cast(&probe, start, -(self.def.snap_distance + TOUCH_M) * up)
            .is_some())
    }

    /// The support that an obstacle gives to a character at `position`; `None` too if it cannot be expressed.
    pub(super) fn support(&self, obstacle: &NearShape, normal: Vec2, position: Vec2) -> Option<Support> {
        let state = self.state;
        // The point of the core over the contact point: its distance from the ground is constant however the ground
        // turns.
        let to_core = self.def.shape.radius() + obstacle.separation;
        let place = obstacle.point + to_core * obstacle.normal;
        let pose = state.body_poses[obstacle.body].pose;
        debug_assert!(place.distance(position) < 1.0e5, "the ground is near");
        let anchor = pose.inverse_transform_point(place);
        let velocity = self.velocity_at(obstacle.body, place);
        // Of ground that spins, or whose origin is far off, numbers may be greater than a character may have.
        Range::POSITION.check_vector("anchor", anchor).ok()?;
        Range::VELOCITY.check_vector("velocity", velocity).ok()?;
        Some(Support {
            body: state.bodies.handle_of_slot(obstacle.body)?,
            shape: state.shapes.handle_of_slot(obstacle.shape)?,
            anchor,
            // Rounded as the next move rounds it: ground that stands still carries by nothing.
            place: pose.transform_point(anchor),
            normal,
            velocity,
            pressed: 0.0,
        })
    }
}
