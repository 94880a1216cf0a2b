//! What a character is, and what it wants in a step.

use crate::body::BodyId;
use crate::error::{Range, finite, mass, non_negative};
use crate::rule::RuleSide;
use crate::{PhysicsError, Shape};
use glam::Vec2;

/// Meters that a character keeps from what it touches, so that it slides and does not stick.
pub const CHARACTER_GAP_M: f32 = 0.002;

/// Farther from an obstacle than the gap and this, in meters, a character does not touch it.
pub(super) const TOUCH_M: f32 = 0.001;

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
    pub(super) fn rule_side(&self) -> RuleSide {
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
    pub(super) fn validate(&self) -> Result<(), PhysicsError> {
        Range::VELOCITY.check("walk", self.walk)?;
        Range::VELOCITY.check("climb", self.climb)?;
        Range::SPEED.check("jump", self.jump)?;
        finite("lift", self.lift)?;
        non_negative("drag", self.drag)
    }
}
