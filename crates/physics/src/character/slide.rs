//! Moving along a straight translation as far as obstacles allow, sliding along them; and climbing a step.

use super::def::{CARRY_MAX_M_S, TOUCH_M};
use super::gather::Sight;
use super::plane::{MovePlane, solve_planes};
use super::{CHARACTER_GAP_M, CharacterScratch};
use crate::BodyKind;
use crate::body::NONE;
use glam::Vec2;

/// The greatest number of times that a slide gathers obstacles: each time corners are passed with their new normals.
const ROUNDS: usize = 5;

/// The greatest number of times that a round looks for obstacles: to where it wants to go, to where it is pushed, and to where
/// the obstacles there turn it.
const LOOKS: usize = 3;

/// The distance in meters beyond a move to which obstacles are looked for; the move may be longer by `PUSHED_M`, which leaves
/// what it touches at its end within sight.
const BEYOND_M: f32 = 4.0 * CHARACTER_GAP_M + TOUCH_M;
const PUSHED_M: f32 = BEYOND_M - (CHARACTER_GAP_M + TOUCH_M);

/// The length below which a displacement counts as rounding, in meters.
const NOTHING_M: f32 = 1.0e-5;

impl Sight<'_> {
    /// Moves from `position` along `wanted`; returns the new position. `scratch` then has the obstacles around it.
    pub(super) fn slide(
        &self,
        position: Vec2,
        wanted: Vec2,
        dt: f32,
        are_steep_walls: bool,
        scratch: &mut CharacterScratch,
    ) -> Vec2 {
        let (mut position, mut left) = (position, wanted);
        for round in 0..ROUNDS {
            // What overlaps it pushes it once: after that, only as far as the gap.
            let push_time = if round == 0 { dt } else { 0.0 };
            let moved = self.allowed(position, left, push_time, are_steep_walls, scratch);
            position += moved;
            let is_kept_back = |plane: &MovePlane| plane.normal.dot(moved) < plane.lower + NOTHING_M;
            let mut pairs = scratch.obstacles.iter().zip(&scratch.planes);
            let is_round_corner =
                pairs.any(|(obstacle, plane)| obstacle.corner != NONE && is_kept_back(plane));
            left -= moved;
            // Near a corner the plane at the start is not the plane at the end.
            let goes_on = is_round_corner
                && round + 1 < ROUNDS
                && moved.length_squared() > NOTHING_M * NOTHING_M
                && left.length_squared() > NOTHING_M * NOTHING_M;
            if !goes_on {
                if moved != Vec2::ZERO {
                    let reach = CHARACTER_GAP_M + TOUCH_M;
                    self.look_again(position, reach, &scratch.candidates, &mut scratch.obstacles);
                }
                break;
            }
        }
        position
    }

    /// The straight move from `position` nearest to `wanted` that the obstacles allow, and their pushes; no longer than
    /// obstacles were looked for. `scratch` then has these and their planes.
    fn allowed(
        &self,
        position: Vec2,
        wanted: Vec2,
        dt: f32,
        are_steep_walls: bool,
        scratch: &mut CharacterScratch,
    ) -> Vec2 {
        let mut reach = wanted.length();
        let reach_max = reach + CARRY_MAX_M_S * dt;
        let mut look = 1;
        loop {
            self.gather(
                position,
                reach + BEYOND_M,
                &mut scratch.candidates,
                &mut scratch.obstacles,
            );
            self.planes(&scratch.obstacles, dt, are_steep_walls, &mut scratch.planes);
            let moved = solve_planes(wanted, &scratch.planes);
            // A push may move it farther than it wanted to go, past obstacles that were out of reach.
            if moved.length() <= reach + PUSHED_M {
                return moved;
            }
            if look == LOOKS || reach >= reach_max {
                return moved.clamp_length_max(reach + PUSHED_M);
            }
            reach = moved.length().min(reach_max);
            look += 1;
        }
    }

    /// The position after a step up of a character at `position` whose motion by `lost` (at a right angle to up) a wall
    /// stopped, if the obstacle is a step that it can climb. `scratch` has the obstacles there.
    pub(super) fn climb_step(
        &self,
        position: Vec2,
        lost: Vec2,
        dt: f32,
        scratch: &mut CharacterScratch,
    ) -> Option<Vec2> {
        let def = self.def;
        let rise = (def.step_height + CHARACTER_GAP_M) * def.up;
        let free = self.cast(&def.shape, position, rise).map_or(1.0, |hit| hit.0);
        let raised_by = free * rise.dot(def.up) - CHARACTER_GAP_M;
        if raised_by < NOTHING_M {
            return None;
        }
        let raised = position + raised_by * def.up;
        let top = self.slide(raised, lost, dt, true, scratch);
        let forward = (top - raised).dot(lost.normalize_or_zero());
        if forward < NOTHING_M {
            return None;
        }
        let fall = (top - position).dot(def.up) + CHARACTER_GAP_M;
        let (share, shape) = self.cast(&def.shape, top, -fall * def.up)?;
        let landing = top - (share * fall - CHARACTER_GAP_M) * def.up;
        if (landing - position).dot(def.up) < NOTHING_M {
            return None;
        }
        self.gather(
            landing,
            2.0 * CHARACTER_GAP_M,
            &mut scratch.candidates,
            &mut scratch.obstacles,
        );
        let feet = position.dot(def.up) + self.feet() - CHARACTER_GAP_M;
        let slope_cosine = def.slope_cosine();
        let fits = scratch.obstacles.iter().all(|obstacle| {
            let is_step = obstacle.kind != BodyKind::Dynamic
                && obstacle.face.dot(def.up) >= slope_cosine
                && obstacle.point.dot(def.up) - feet <= def.step_height.min(raised_by) + TOUCH_M;
            let is_in_the_way = obstacle.separation < 0.0;
            if obstacle.shape == shape {
                is_step
            } else {
                !is_in_the_way
            }
        });
        let is_seen = scratch.obstacles.iter().any(|obstacle| obstacle.shape == shape);
        (fits && is_seen).then_some(landing)
    }

    /// The height of the lowest point of the shape above its position; usually negative.
    pub(super) fn feet(&self) -> f32 {
        let shape = &self.def.shape;
        let lowest = shape.vertices().iter().fold(f32::INFINITY, |least: f32, vertex| {
            least.min(vertex.dot(self.def.up))
        });
        lowest - shape.radius()
    }
}
