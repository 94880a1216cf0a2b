//! [`CharacterDef`] and [`CharacterInput`]: the properties of a character, and its intentions in a step.

use crate::body::BodyId;
use crate::error::{Range, mass, non_negative};
use crate::rule::RuleSide;
use crate::{PhysicsError, Shape};
use glam::Vec2;

/// The gap in meters that a character keeps from obstacles, so that it slides and does not stick.
pub const CHARACTER_GAP_M: f32 = 0.002;

/// The distance in meters beyond the gap up to which a character touches an obstacle.
pub(super) const TOUCH_M: f32 = 0.001;

/// The greatest speed at which a support carries a character along, or an obstacle pushes it, in meters per second; what moves
/// faster, as when it is teleported, leaves the character behind, or overlaps it meanwhile.
pub(super) const CARRY_MAX_M_S: f32 = 200.0;

/// The properties of a character, the same from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterDef {
    /// The shape about the character's position; it never turns. Any convex shape, usually a capsule or a rounded box.
    pub shape: Shape,
    /// The direction opposite to gravity; a unit vector.
    pub up: Vec2,
    /// The steepest slope that it can walk on, in radians; 45° by default.
    pub slope_max: f32,
    /// The highest step that it can climb, in meters; 0.4 by default.
    pub step_height: f32,
    /// The greatest distance in meters of the ground below its feet at which it stays on the ground; 0.3 by default.
    pub snap_distance: f32,
    /// The greatest acceleration on the ground, in meters per second squared; 60 by default.
    pub acceleration: f32,
    /// The greatest acceleration in the air, likewise; 20 by default.
    pub air_acceleration: f32,
    /// The greatest speed of its own motion, in meters per second, in any direction; 50 by default.
    pub speed_max: f32,
    /// Whether it keeps the velocity of its support when it leaves that; true by default.
    pub inherit_velocity: bool,
    /// The mass in kilograms; 80 by default.
    pub mass: f32,
    /// The greatest force with which it pushes bodies aside, in newtons; 300 by default.
    pub push_force_max: f32,
    /// The speed at which an overlapping obstacle pushes it out, beyond the obstacle's own velocity, in meters per
    /// second; 1 by default. Static obstacles push at five times that speed.
    pub push_out_speed: f32,
    /// The category bits of the character, for the masks of shapes; all by default.
    pub category: u64,
    /// The category bits of the shapes that it collides with; all by default.
    pub mask: u64,
    /// The number of its material, for [rules](crate::ContactRule): shapes that a rule makes it ignore, or only sense,
    /// are no obstacles, and one-way platforms hold it only when it comes from outside; 0 by default, below
    /// [`ANY_MATERIAL`](crate::ANY_MATERIAL).
    pub material: u32,
    /// A body of its own, for others to touch; never its obstacle. A dynamic body that hits it transfers its momentum
    /// to it.
    pub body: Option<BodyId>,
}

impl CharacterDef {
    /// A character of this shape; all other values are the defaults.
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

    /// The keys by which rules are looked up.
    pub(super) fn rule_side(&self) -> RuleSide {
        RuleSide::of_visitor(self.material, self.category)
    }

    /// Checks the numbers, as [`PhysicsWorld::move_character`](crate::PhysicsWorld::move_character) does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range, and the expected range.
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

    /// The least rise of the normals of ground that it walks on. A part in a million below the cosine: of flat ground it would be
    /// 1, which a unit vector need not reach.
    pub(super) fn slope_cosine(&self) -> f32 {
        libm::cosf(self.slope_max) - 1.0e-6
    }

    /// The direction to the right, at a right angle to up.
    pub(crate) fn right(&self) -> Vec2 {
        Vec2::new(self.up.y, -self.up.x)
    }
}

/// The intentions of a character in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CharacterInput {
    /// The target speed to the right along the ground, in meters per second; negative to the left.
    pub walk: f32,
    /// The upward speed in meters per second while it climbs.
    pub climb: f32,
    /// The speed in meters per second at which it jumps off the ground; 0 for no jump. It has no effect in the air.
    pub jump: f32,
    /// Whether it drops through the one-way platforms that it stands on. It takes effect when it begins: a character
    /// that still has it set on the next platform stands there.
    pub drop: bool,
    /// Whether it climbs a ladder or swims with strength: it moves by `walk` and `climb`, without gravity.
    pub is_climbing: bool,
    /// The reduction of gravity, as by buoyancy in a fluid: 0 none, 1 no gravity, above 1 it rises, off the ground too; its weight
    /// on what it stands on is reduced alike. A number from -1,000,000 to 1,000,000.
    pub lift: f32,
    /// The rate at which velocity decays, per second, as in a fluid.
    pub drag: f32,
}

impl CharacterInput {
    pub(super) fn validate(&self) -> Result<(), PhysicsError> {
        Range::VELOCITY.check("walk", self.walk)?;
        Range::VELOCITY.check("climb", self.climb)?;
        Range::SPEED.check("jump", self.jump)?;
        Range::LIFT.check("lift", self.lift)?;
        non_negative("drag", self.drag)
    }
}
