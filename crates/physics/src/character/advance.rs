//! [`PhysicsWorld::move_character`](crate::PhysicsWorld::move_character): the move of a character.

use super::def::{CARRY_MAX_M_S, TOUCH_M};
use super::gather::{Sight, pose_at};
use super::ground::Footing;
use super::plane::{MovePlane, solve_planes};
use super::push::{Carried, Pusher};
use super::{
    CHARACTER_GAP_M, Character, CharacterDef, CharacterInput, CharacterScratch, CharacterTouch, Support,
};
use crate::body::NONE;
use crate::constants::{STEP_MAX_S, STEP_MIN_S, VELOCITY_MAX_M_S};
use crate::error::Range;
use crate::objects::rules::VisitorMove;
use crate::shape::ShapeId;
use crate::{BodyKind, PhysicsError, PhysicsWorld, Shape};
use glam::Vec2;
use tombolo_geometry::Position;
use tombolo_threads::FloatEnvironment;

/// A loss of displacement below this counts as rounding, in meters.
const LOST_M: f32 = 1.0e-4;

/// The state of a character within a move.
struct Move<'a> {
    sight: Sight<'a>,
    input: CharacterInput,
    dt: f32,
    position: Vec2,
    /// The velocity: on the ground relative to the support, otherwise in the world.
    velocity: Vec2,
    support: Option<Support>,
    carried: Carried,
    steep_normal: Vec2,
}

impl PhysicsWorld {
    /// Moves a character by one step of `dt` seconds, among bodies at their present poses: to be called after each step
    /// of the world, with the same `dt`. Bodies that it pushes get impulses at once and forces for the next step. The
    /// shapes that it touched are in `scratch`.
    ///
    /// Several characters are moved one after the other; each collides with the bodies of those before it at their
    /// poses at that time, if their owner moves these along.
    ///
    /// Costs one or two queries of the broad phase, and the shapes near by; does not allocate once `scratch` is large
    /// enough.
    ///
    /// # Errors
    ///
    /// If a number of the definition, the input, the character or `dt` is out of range. Then nothing has changed.
    pub fn move_character(
        &mut self,
        def: &CharacterDef,
        character: &mut Character,
        input: &CharacterInput,
        dt: f32,
        scratch: &mut CharacterScratch,
    ) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        def.validate()?;
        input.validate()?;
        character.validate()?;
        check_step(dt)?;
        // The acceleration that presses it down: below zero it rises.
        let pressing = (1.0 - input.lift) * -self.gravity().dot(def.up);
        let weight = def.mass * pressing.max(0.0);
        let sight = Sight::new(self, def);
        let mut walk = Move {
            sight,
            input: *input,
            dt,
            position: character.position.to_vec2(),
            velocity: character.velocity,
            support: character.support,
            carried: Carried::BY_NOTHING,
            steep_normal: character.steep_normal,
        };
        let may_land = pressing >= 0.0;
        let platform = walk.begin(character, may_land);
        walk.ride(scratch);
        walk.sight.origin = walk.position;
        let mut dropped = core::mem::take(&mut scratch.dropped);
        dropped.clear();
        if let Some(platform) = platform {
            let travel = walk.world_velocity().length() * dt;
            walk.sight
                .list_dropped(platform, travel, &mut scratch.candidates, &mut dropped);
        }
        walk.sight.dropped = &dropped;
        let change = sight.velocity_change_of_own_body(self);
        walk.velocity += change - change.dot(def.up).max(0.0) * f32::from(walk.support.is_some()) * def.up;
        if walk.input.is_climbing {
            walk.climb(scratch);
        } else if walk.support.is_some() && input.jump <= 0.0 && may_land && dropped.is_empty() {
            walk.on_ground(scratch);
        } else {
            walk.leave_ground();
            walk.in_air(self.gravity(), may_land, scratch);
        }
        let pusher = Pusher {
            input: *input,
            velocity: walk.world_velocity(),
            ground: walk.support.map_or(NONE, |support| support.shape.index()),
            carried: walk.carried,
            is_grounded: walk.support.is_some(),
            dt,
            weight,
        };
        let change = sight.touch(pusher, scratch);
        walk.add_velocity_change(change);
        walk.note_pressed(&scratch.touches);
        *character = walk.end(scratch);
        scratch.dropped = dropped;
        self.push_bodies(&scratch.pushes);
        Ok(())
    }

    /// Whether a shape fits at a position, such as that of a character that is about to stand up: it overlaps no shape
    /// that the character of this definition collides with.
    ///
    /// # Errors
    ///
    /// If the shape is invalid or the position out of range.
    pub fn has_room(
        &self,
        def: &CharacterDef,
        shape: &Shape,
        position: Position,
        scratch: &mut CharacterScratch,
    ) -> Result<bool, PhysicsError> {
        let _environment = FloatEnvironment::enter();
        shape.validate()?;
        crate::body::position_in_range(position)?;
        let def = CharacterDef {
            shape: *shape,
            ..def.clone()
        };
        Sight::new(self, &def).with_origin(position.to_vec2()).gather(
            position.to_vec2(),
            0.0,
            &mut scratch.candidates,
            &mut scratch.obstacles,
        );
        Ok(scratch
            .obstacles
            .iter()
            .all(|obstacle| obstacle.separation >= -TOUCH_M))
    }
}

fn check_step(dt: f32) -> Result<(), PhysicsError> {
    if (STEP_MIN_S..=STEP_MAX_S).contains(&dt) {
        return Ok(());
    }
    Err(PhysicsError::InvalidNumber {
        what: "dt",
        got: dt,
        expected: "a number of seconds from 0.000001 to 1",
    })
}

impl Move<'_> {
    /// Sets the parameters of one-way rules for this move. Returns the platform through which it drops: that of the
    /// last move, or if it is asked to let go the one that it stands on. Whoever rises by itself lets go of none.
    fn begin(&mut self, character: &Character, may_land: bool) -> Option<u32> {
        let sight = &mut self.sight;
        sight.origin = self.position;
        sight.motion = VisitorMove::Step {
            velocity: character.world_velocity(),
            dt: self.dt,
        };
        let live = |shape: ShapeId| sight.state.shapes.get(shape).map(|_| shape.index());
        let ground = self.support.and_then(|support| live(support.shape));
        let is_asked = self.input.drop && !character.wants_drop;
        let asked = ground.filter(|_| is_asked);
        let platform = character.dropping.and_then(live).or(asked);
        sight.ground = ground.unwrap_or(NONE);
        let rises = !may_land || self.input.is_climbing && self.input.climb > 0.0;
        platform.filter(|&platform| !rises && sight.is_platform(platform))
    }

    /// Moves along with its support, which is not an obstacle meanwhile.
    fn ride(&mut self, scratch: &mut CharacterScratch) {
        let Some(support) = &mut self.support else {
            return;
        };
        let state = self.sight.state;
        if state.bodies.get(support.body).is_none() {
            self.leave_ground();
            return;
        }
        let body = support.body.index();
        let place = state.body_poses[body].pose.transform_point(support.anchor);
        let carried = place - support.place;
        let velocity = self.sight.velocity_at(body, place);
        self.carried = Carried {
            body,
            acceleration: (velocity - support.velocity) / self.dt,
            pressed: support.pressed,
        };
        support.velocity = velocity;
        let is_too_fast = Range::VELOCITY
            .check_vector("velocity", support.velocity)
            .is_err();
        if is_too_fast || carried.length() > CARRY_MAX_M_S * self.dt {
            self.leave_ground();
            return;
        }
        if carried == Vec2::ZERO {
            return;
        }
        self.sight.skipped = body;
        self.position = self.sight.slide(self.position, carried, self.dt, true, scratch);
        self.sight.skipped = NONE;
    }

    /// Puts the character in the air, with the velocity of its support, if it inherits that.
    fn leave_ground(&mut self) {
        if let Some(support) = self.support.take() {
            self.velocity = self.jumping(self.velocity);
            if self.sight.def.inherit_velocity {
                self.velocity += support.velocity;
            }
        }
    }

    /// A velocity with that of its jump: not above the greatest one of its own motion, unless it was already.
    fn jumping(&self, velocity: Vec2) -> Vec2 {
        if self.input.jump <= 0.0 {
            return velocity;
        }
        let def = self.sight.def;
        let most = def.speed_max.max(velocity.length());
        (velocity + self.input.jump * def.up).clamp_length_max(most)
    }

    fn world_velocity(&self) -> Vec2 {
        self.velocity + self.support.map_or(Vec2::ZERO, |support| support.velocity)
    }

    fn fade(&self) -> f32 {
        1.0 / (1.0 + self.input.drag * self.dt)
    }

    fn on_ground(&mut self, scratch: &mut CharacterScratch) {
        let def = self.sight.def;
        let Some(support) = self.support else {
            return;
        };
        let along = Vec2::new(support.normal.y, -support.normal.x);
        let walk = self.input.walk.clamp(-def.speed_max, def.speed_max);
        let change = def.acceleration * self.dt;
        let speed = self.velocity.dot(along).clamp(-def.speed_max, def.speed_max);
        let mut speed = (speed + (walk - speed).clamp(-change, change)) * self.fade();
        let (start, wanted) = (self.position, speed * self.dt * along);
        self.position = self.sight.slide(start, wanted, self.dt, true, scratch);
        if let Some(kept) = self.step_over(start, wanted, scratch) {
            speed = kept;
        }
        let footing = Footing {
            walk: if speed == 0.0 { walk } else { speed },
            was_grounded: true,
            velocity: Vec2::ZERO,
        };
        let found = self.sight.ground_among(&scratch.obstacles, footing);
        let found = found.or_else(|| {
            let (position, found) = self.sight.snap(self.position, footing, scratch)?;
            self.position = position;
            Some(found)
        });
        let Some((index, normal)) = found else {
            // The obstacles at the present position are needed: snapping may have gathered those of another one.
            self.sight.gather(
                self.position,
                CHARACTER_GAP_M + TOUCH_M,
                &mut scratch.candidates,
                &mut scratch.obstacles,
            );
            self.velocity = speed * along;
            self.leave_ground();
            return;
        };
        let obstacle = scratch.obstacles[index];
        self.support = self.sight.support(&obstacle, normal, self.position);
        self.velocity = speed * Vec2::new(normal.y, -normal.x);
        self.steep_normal = Vec2::ZERO;
    }

    /// If a wall stopped part of the motion, climbs it as a step, or returns the speed that is left.
    fn step_over(&mut self, start: Vec2, wanted: Vec2, scratch: &mut CharacterScratch) -> Option<f32> {
        let (sight, def) = (self.sight, self.sight.def);
        let right = def.right();
        let across = wanted.dot(right);
        let forward = if across < 0.0 { -right } else { right };
        let lost = (wanted - (self.position - start)).dot(forward);
        let slope_cosine = def.slope_cosine();
        let touched = |obstacle: &&super::gather::NearShape| {
            obstacle.separation <= CHARACTER_GAP_M + TOUCH_M
                && obstacle.normal.dot(def.up) < slope_cosine
                && obstacle.normal.dot(forward) < -0.01
        };
        if lost < LOST_M || !scratch.obstacles.iter().any(|one| touched(&one)) {
            return None;
        }
        let is_fixed = |obstacle: &super::gather::NearShape| obstacle.kind != BodyKind::Dynamic;
        if scratch.obstacles.iter().filter(touched).all(is_fixed)
            && let Some(landing) = sight.climb_step(self.position, lost * forward, self.dt, scratch)
        {
            self.position = landing;
            return None;
        }
        // Climbing has gathered the obstacles of another position.
        sight.gather(
            self.position,
            CHARACTER_GAP_M + TOUCH_M,
            &mut scratch.candidates,
            &mut scratch.obstacles,
        );
        let gone = (self.position - start).dot(forward).max(0.0) / self.dt;
        let sign = if across < 0.0 { -1.0 } else { 1.0 };
        Some(sign * gone.min(wanted.length() / self.dt))
    }

    fn in_air(&mut self, gravity: Vec2, may_land: bool, scratch: &mut CharacterScratch) {
        let (def, right) = (self.sight.def, self.sight.def.right());
        let before = self.velocity;
        let mut velocity = before + (1.0 - self.input.lift) * self.dt * gravity;
        let walk = self.input.walk.clamp(-def.speed_max, def.speed_max);
        // A character cannot accelerate up a slope that is too steep.
        if walk != 0.0 && walk * self.steep_normal.dot(right) >= 0.0 {
            let change = def.air_acceleration * self.dt;
            velocity += (walk - velocity.dot(right)).clamp(-change, change) * right;
        }
        velocity *= self.fade();
        // What carried it, or knocked it, may have given it more than it reaches by itself.
        velocity = velocity.clamp_length_max(def.speed_max.max(before.length()));
        let wanted = 0.5 * (before + velocity) * self.dt;
        self.velocity = velocity;
        self.fly(wanted, may_land, scratch);
    }

    fn climb(&mut self, scratch: &mut CharacterScratch) {
        let (def, input) = (self.sight.def, self.input);
        let support = self.support.take().filter(|_| def.inherit_velocity);
        let carried = support.map_or(Vec2::ZERO, |support| support.velocity);
        let wanted = (input.walk * def.right() + input.climb * def.up) * self.fade();
        self.velocity = self.jumping(wanted.clamp_length_max(def.speed_max)) + carried;
        self.fly(wanted.clamp_length_max(def.speed_max) * self.dt, true, scratch);
    }

    /// Moves through the air, loses the velocity into obstacles, and lands unless it rises by itself.
    fn fly(&mut self, wanted: Vec2, may_land: bool, scratch: &mut CharacterScratch) {
        let def = self.sight.def;
        self.position = self.sight.slide(self.position, wanted, self.dt, false, scratch);
        let touched = |separation: f32| separation <= CHARACTER_GAP_M + TOUCH_M;
        let velocity = self.velocity;
        let footing = Footing {
            walk: 0.0,
            was_grounded: false,
            velocity,
        };
        scratch.planes.clear();
        let touching = scratch.obstacles.iter().filter(|one| touched(one.separation));
        scratch.planes.extend(touching.map(|obstacle| MovePlane {
            normal: obstacle.normal,
            lower: obstacle.normal.dot(obstacle.velocity),
            rank: obstacle.kind as u8,
        }));
        self.velocity =
            solve_planes(velocity, &scratch.planes).clamp_length_max(def.speed_max.max(velocity.length()));
        let slope_cosine = def.slope_cosine();
        let steep = scratch.obstacles.iter().find(|obstacle| {
            let rise = obstacle.normal.dot(def.up);
            touched(obstacle.separation) && rise > 0.0 && rise < slope_cosine
        });
        self.steep_normal = steep.map_or(Vec2::ZERO, |obstacle| obstacle.normal);
        if may_land && let Some((index, normal)) = self.sight.ground_among(&scratch.obstacles, footing) {
            let obstacle = scratch.obstacles[index];
            self.support = self.sight.support(&obstacle, normal, self.position);
            let along = Vec2::new(normal.y, -normal.x);
            let carried = self.support.map_or(Vec2::ZERO, |support| support.velocity);
            self.velocity = (self.velocity - carried).dot(along) * along;
            self.steep_normal = Vec2::ZERO;
        }
    }

    /// Adds a change of velocity; on the ground only its component along the ground.
    fn add_velocity_change(&mut self, change: Vec2) {
        self.velocity += match &self.support {
            Some(support) => change - change.dot(support.normal) * support.normal,
            None => change,
        };
    }

    /// Keeps the force with which it pressed on its support.
    fn note_pressed(&mut self, touches: &[CharacterTouch]) {
        let Some(support) = &mut self.support else {
            return;
        };
        let pressed = touches.iter().find(|touch| touch.shape == support.shape);
        support.pressed = pressed.map_or(0.0, |touch| (touch.impulse / self.dt).min(f32::MAX));
    }

    fn end(&self, scratch: &CharacterScratch) -> Character {
        let overlap = |most: f32, obstacle: &super::gather::NearShape| match obstacle.kind {
            BodyKind::Dynamic => most,
            _ => most.max(-obstacle.separation),
        };
        debug_assert!(pose_at(self.position).is_valid(), "planes give finite moves");
        Character {
            position: self.position.into(),
            velocity: self
                .velocity
                .clamp(Vec2::splat(-VELOCITY_MAX_M_S), Vec2::splat(VELOCITY_MAX_M_S)),
            support: self.support,
            steep_normal: self.steep_normal,
            // Whoever stands has dropped.
            dropping: match self.support {
                Some(_) => None,
                None => self.sight.dropped_at(self.position),
            },
            wants_drop: self.input.drop,
            crush_m: scratch.obstacles.iter().fold(0.0, overlap),
        }
    }
}
