//! Characters: somebody who walks, moved by geometry and not by forces.
//!
//! A [`Character`] is a value of the caller's: where it is, how fast, and what it stands on. It is no body, and a world
//! does not know of it; [`PhysicsWorld::move_character`](crate::PhysicsWorld::move_character) moves it after a step of the
//! world, among bodies as that step left them. A move has this order:
//!
//! 1. What it stands on has moved and turned: the place of the shape's core that is nearest to the ground goes along exactly.
//! 2. Its velocity changes by what the caller wants, by gravity, by a jump.
//! 3. It goes along its velocity, sliding along what is in the way (`slide.rs`), up steps, and down to the ground again
//!    (`ground.rs`).
//! 4. It pushes dynamic bodies with limited force, presses on what carries it by its weight, and takes the momentum of what
//!    hits it (`push.rs`).
//!
//! `plane.rs` is the solver of planes, `gather.rs` finds planes in a world, `advance.rs` is the move.
//!
//! Methods: planes after Box2D's mover (Catto, 2025), solved exactly instead of by sweeps; riding by the change of pose after
//! Jolt's virtual character and Godot's first move for platforms.

mod advance;
mod gather;
mod ground;
mod plane;
mod push;
mod slide;

pub use plane::{MovePlane, solve_planes};

use crate::body::BodyId;
use crate::error::{Range, finite, mass, non_negative};
use crate::rule::RuleSide;
use crate::shape::ShapeId;
use crate::{PhysicsError, Shape};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::Position;

/// Meters that a character keeps from what it touches, so that it slides and does not stick.
pub const CHARACTER_GAP_M: f32 = 0.002;

/// What a character is, the same from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterDef {
    /// Its shape about its position; it never turns. Any convex shape, as a rule a capsule or a rounded box.
    pub shape: Shape,
    /// Against gravity; a unit vector.
    pub up: Vec2,
    /// The steepest ground that it walks on, in radians; 45° by default.
    pub slope_max: f32,
    /// The highest step that it climbs, in meters; 0.4 by default.
    pub step_height: f32,
    /// How far below its feet ground may be for it to stay on the ground, in meters; 0.3 by default.
    pub snap_distance: f32,
    /// How fast its speed on the ground changes at most, in meters per second squared; 60 by default.
    pub acceleration: f32,
    /// The same in the air; 20 by default.
    pub air_acceleration: f32,
    /// The fastest that it moves by itself, in meters per second, in any direction; 50 by default.
    pub speed_max: f32,
    /// Whether it keeps the velocity of what carried it when it leaves that; true by default.
    pub inherit_velocity: bool,
    /// Kilograms; 80 by default.
    pub mass: f32,
    /// The greatest force with which it pushes bodies out of its way, in newtons; 300 by default.
    pub push_force_max: f32,
    /// How fast it gets out of what overlaps it, beyond the obstacle's own velocity, in meters per second; 1 by default.
    /// Static obstacles push with five times that.
    pub push_out_speed: f32,
    /// The bits that it is, for the masks of others; all by default.
    pub category: u64,
    /// The bits that are in its way; all by default.
    pub mask: u64,
    /// The number of its material, for [rules](crate::ContactRule): what they have it ignore or only sense is not in its way,
    /// and one-way platforms hold it only when it comes from outside; 0 by default, below
    /// [`ANY_MATERIAL`](crate::ANY_MATERIAL).
    pub material: u32,
    /// A body that is its own, for others to touch; never in its way. A dynamic body that hits it gives it its momentum.
    pub body: Option<BodyId>,
}

impl CharacterDef {
    /// A character of this shape; everything else as by default.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            up: Vec2::Y,
            slope_max: core::f32::consts::FRAC_PI_4,
            step_height: 0.4,
            snap_distance: 0.3,
            acceleration: 60.0,
            air_acceleration: 20.0,
            speed_max: 50.0,
            inherit_velocity: true,
            mass: 80.0,
            push_force_max: 300.0,
            push_out_speed: 1.0,
            category: u64::MAX,
            mask: u64::MAX,
            material: 0,
            body: None,
        }
    }

    /// What rules are looked up by.
    fn rule_side(&self) -> RuleSide {
        RuleSide::of_visitor(self.material, self.category)
    }

    /// Checks the numbers, as [`PhysicsWorld::move_character`](crate::PhysicsWorld::move_character) does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range, and what was expected.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        self.shape.validate()?;
        if self.shape.is_chain_segment() || self.shape.is_half_space() {
            return Err(PhysicsError::TooThin);
        }
        let length = self.up.length();
        if !(length > 0.999 && length < 1.001) {
            return Err(PhysicsError::InvalidNumber {
                what: "up",
                got: length,
                expected: "a vector of length 1",
            });
        }
        if !(0.0..=1.56).contains(&self.slope_max) {
            return Err(PhysicsError::InvalidNumber {
                what: "slope_max",
                got: self.slope_max,
                expected: "a number from 0 to 1.56",
            });
        }
        Range::LENGTH.check("step_height", self.step_height)?;
        Range::LENGTH.check("snap_distance", self.snap_distance)?;
        non_negative("acceleration", self.acceleration)?;
        non_negative("air_acceleration", self.air_acceleration)?;
        Range::SPEED.check("speed_max", self.speed_max)?;
        Range::THRESHOLD.check("push_force_max", self.push_force_max)?;
        Range::SPEED.check("push_out_speed", self.push_out_speed)?;
        crate::shape::check_material("material", self.material)?;
        mass("mass", self.mass)
    }

    /// To the right of who stands upright.
    pub(crate) fn right(&self) -> Vec2 {
        Vec2::new(self.up.y, -self.up.x)
    }
}

/// What a character wants in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CharacterInput {
    /// Meters per second to the right, along the ground; below zero to the left.
    pub walk: f32,
    /// Meters per second upward while it climbs.
    pub climb: f32,
    /// Meters per second with which it leaves the ground; 0 for no jump. In the air nothing happens.
    pub jump: f32,
    /// Whether it lets go of the one-way platforms that it stands on and falls through them. Counts when it begins: whoever
    /// still wants it on the next platform stands there.
    pub drop: bool,
    /// Whether it holds on to a ladder or swims with strength: it moves by `walk` and `climb`, and gravity does nothing.
    pub is_climbing: bool,
    /// How much less gravity does, as in a fluid: 0 all of it, 1 nothing, above 1 it rises.
    pub lift: f32,
    /// How fast velocity fades, per second, as in a fluid.
    pub drag: f32,
}

impl CharacterInput {
    fn validate(&self) -> Result<(), PhysicsError> {
        Range::VELOCITY.check("walk", self.walk)?;
        Range::VELOCITY.check("climb", self.climb)?;
        Range::SPEED.check("jump", self.jump)?;
        finite("lift", self.lift)?;
        non_negative("drag", self.drag)
    }
}

/// What carries a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The body.
    pub body: BodyId,
    /// Its shape.
    pub shape: ShapeId,
    /// What goes along with the body, in the body's frame: of the character's core the place nearest to the ground.
    pub anchor: Vec2,
    /// Where that was at the end of the move.
    pub place: Vec2,
    /// Out of the ground; a unit vector.
    pub normal: Vec2,
    /// How fast it moves there, in meters per second.
    pub velocity: Vec2,
}

/// Where a character is and how it moves; all of its state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Character {
    /// Where it is.
    pub position: Position,
    /// Meters per second; on the ground in relation to what carries it.
    pub velocity: Vec2,
    /// What it stands on.
    pub support: Option<Support>,
    /// Out of a slope too steep to stand on that it touched in the last move; zero for none.
    pub steep_normal: Vec2,
    /// Whether it is letting go of a one-way platform, until it has sunk into that.
    pub is_dropping: bool,
    /// Whether it wanted to drop in the last move; to go on wanting does nothing.
    pub wants_drop: bool,
    /// By how many meters obstacles that do not give way overlap it at the end of the move: above a few millimeters it is
    /// being crushed.
    pub crush_m: f32,
}

/// An overlap from which a character counts as crushed, in meters.
pub const CHARACTER_CRUSH_M: f32 = 0.004;

impl Character {
    /// A character at rest, in the air until its first move.
    pub fn new(position: Position) -> Self {
        Self {
            position,
            velocity: Vec2::ZERO,
            support: None,
            steep_normal: Vec2::ZERO,
            is_dropping: false,
            wants_drop: false,
            crush_m: 0.0,
        }
    }

    /// Whether it stands on something.
    pub fn is_grounded(&self) -> bool {
        self.support.is_some()
    }

    /// Whether something that does not give way presses it against something else.
    pub fn is_crushed(&self) -> bool {
        self.crush_m > CHARACTER_CRUSH_M
    }

    /// Meters per second in the world, with what carries it.
    pub fn world_velocity(&self) -> Vec2 {
        self.velocity + self.support.map_or(Vec2::ZERO, |support| support.velocity)
    }

    /// Checks the numbers, as [`PhysicsWorld::move_character`](crate::PhysicsWorld::move_character) does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        crate::body::position_in_range(self.position)?;
        Range::VELOCITY.check_vector("velocity", self.velocity)?;
        Range::VELOCITY.check_vector("steep_normal", self.steep_normal)?;
        finite("crush_m", self.crush_m)?;
        if let Some(support) = &self.support {
            Range::PLACE.check_vector("place", support.place)?;
            Range::PLACE.check_vector("anchor", support.anchor)?;
            Range::VELOCITY.check_vector("velocity", support.velocity)?;
            Range::VELOCITY.check_vector("normal", support.normal)?;
        }
        Ok(())
    }
}

/// What a character touches at the end of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterTouch {
    /// The shape.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// Where.
    pub point: Position,
    /// Out of the shape; a unit vector.
    pub normal: Vec2,
    /// Newton seconds with which the character pushes it in the step, above zero for dynamic bodies only.
    pub impulse: f32,
}

/// Memory that a move uses, and its report. One serves any number of characters in turn; it grows to what the most crowded
/// of them needs, and then no move allocates.
#[derive(Clone, Debug, Default)]
pub struct CharacterScratch {
    candidates: Vec<u32>,
    obstacles: Vec<gather::NearShape>,
    planes: Vec<MovePlane>,
    touches: Vec<CharacterTouch>,
    pushes: Vec<push::BodyPush>,
}

impl CharacterScratch {
    /// What the character touched at the end of the last move, by shape index.
    pub fn touches(&self) -> &[CharacterTouch] {
        &self.touches
    }
}
