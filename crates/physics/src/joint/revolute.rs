//! The revolute joint: two bodies share a point and turn about it, with a limit, a spring and a motor.

use crate::PhysicsError;
use crate::body::BodyId;
use crate::constants::LIMIT_ANGLE_MAX_RAD;
use crate::error::{Range, finite, hertz, non_negative};
use glam::Vec2;

/// What to create a revolute joint from.
#[derive(Clone, Debug, PartialEq)]
pub struct RevoluteDef {
    /// The first body.
    pub body_a: BodyId,
    /// The second body.
    pub body_b: BodyId,
    /// The shared point in the first body's frame, meters; no farther out than the world goes.
    pub local_anchor_a: Vec2,
    /// The shared point in the second body's frame, meters; no farther out than the world goes.
    pub local_anchor_b: Vec2,
    /// The angle of the second body in the first one's frame that counts as zero, radians. Any finite number.
    pub reference_angle: f32,
    /// Whether the angle is kept between the two limits.
    pub enable_limit: bool,
    /// Smallest angle in radians, from -0.99 π up.
    pub lower_angle: f32,
    /// Largest angle in radians, up to 0.99 π.
    pub upper_angle: f32,
    /// Whether a spring pulls the angle to `target_angle`.
    pub enable_spring: bool,
    /// Where the spring pulls to, radians. Any finite number: whole turns do not count, as in the angle of a body. The
    /// spring pulls the short way round or, with `enable_limit`, the way between the limits; if the target lies beyond
    /// them, to the limit that is nearer to it.
    pub target_angle: f32,
    /// The spring's stiffness as oscillations per second: 0, or 0.001 to 10,000.
    pub spring_hertz: f32,
    /// The spring's damping, 0 to 1,000; 1 is critical.
    pub spring_damping_ratio: f32,
    /// Whether a motor turns the revolute joint.
    pub enable_motor: bool,
    /// Radians per second that the motor aims for, up to a million. With speed 0 the motor acts as friction.
    pub motor_speed: f32,
    /// Newton meters that the motor has at most; any finite number from 0 up.
    pub max_motor_torque: f32,
    /// Stiffness of the shared point as oscillations per second; 60 by default, 0 or 0.001 to 10,000; at most a quarter of
    /// the substep rate has an effect.
    pub constraint_hertz: f32,
    /// Damping of the shared point, 0 to 1,000; 2 by default.
    pub constraint_damping_ratio: f32,
    /// Whether the two bodies' shapes touch each other; false by default.
    pub collide_connected: bool,
    /// The user's own number, kept with the joint and in saves.
    pub user_key: u64,
}

impl RevoluteDef {
    /// A free revolute joint between two bodies at points in their frames.
    pub fn new(body_a: BodyId, local_anchor_a: Vec2, body_b: BodyId, local_anchor_b: Vec2) -> Self {
        Self {
            body_a,
            body_b,
            local_anchor_a,
            local_anchor_b,
            reference_angle: 0.0,
            enable_limit: false,
            lower_angle: 0.0,
            upper_angle: 0.0,
            enable_spring: false,
            target_angle: 0.0,
            spring_hertz: 0.0,
            spring_damping_ratio: 0.0,
            enable_motor: false,
            motor_speed: 0.0,
            max_motor_torque: 0.0,
            constraint_hertz: 60.0,
            constraint_damping_ratio: 2.0,
            collide_connected: false,
            user_key: 0,
        }
    }

    /// Checks the numbers, as whatever takes this does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range, and what was expected.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        Range::PLACE.check_vector("local_anchor_a", self.local_anchor_a)?;
        Range::PLACE.check_vector("local_anchor_b", self.local_anchor_b)?;
        finite("reference_angle", self.reference_angle)?;
        angle_limits(self.lower_angle, self.upper_angle)?;
        finite("target_angle", self.target_angle)?;
        hertz("spring_hertz", self.spring_hertz)?;
        Range::DAMPING_RATIO.check("spring_damping_ratio", self.spring_damping_ratio)?;
        Range::SPIN.check("motor_speed", self.motor_speed)?;
        non_negative("max_motor_torque", self.max_motor_torque)?;
        hertz("constraint_hertz", self.constraint_hertz)?;
        Range::DAMPING_RATIO.check("constraint_damping_ratio", self.constraint_damping_ratio)
    }
}

/// Refuses limits beyond ±0.99 π or in the wrong order.
pub(crate) fn angle_limits(lower: f32, upper: f32) -> Result<(), PhysicsError> {
    if !(-LIMIT_ANGLE_MAX_RAD..=LIMIT_ANGLE_MAX_RAD).contains(&lower) {
        let expected = "an angle between -0.99 π and 0.99 π";
        return Err(PhysicsError::InvalidNumber {
            what: "lower_angle",
            got: lower,
            expected,
        });
    }
    if !(lower..=LIMIT_ANGLE_MAX_RAD).contains(&upper) {
        let expected = "an angle between lower_angle and 0.99 π";
        return Err(PhysicsError::InvalidNumber {
            what: "upper_angle",
            got: upper,
            expected,
        });
    }
    Ok(())
}
