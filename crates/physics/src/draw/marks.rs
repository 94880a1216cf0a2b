//! [`JointMarks`]: the properties of a joint that a drawing shows, also for drawings of users.

use crate::{BodyKind, JointDef, JointKind, JointRef, JointThresholds, RigidWeldRef};
use tombolo_geometry::Vec2;
use tombolo_geometry::math::sqrt;

/// The properties of a joint that a drawing shows besides its two anchors, for code that draws joints itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMarks {
    /// The joint's kind.
    pub kind: JointKind,
    /// The angle of the joint frame in the first body, in radians: the direction of a rail.
    pub angle: f32,
    /// The lower and the upper limit of angle, length or translation.
    pub limit: Option<[f32; 2]>,
    /// Whether a spring is on.
    pub spring: bool,
    /// The direction in which a motor turns or pushes, -1 or 1; 0 without one, or at speed zero.
    pub motor: i8,
    /// The direction in which a mover drives, along the axes of the world; `None` if it does not move.
    pub heading: Option<Vec2>,
    /// The world positions of the points over which a pulley's rope leads.
    pub wheels: Option<[Vec2; 2]>,
}

impl JointRef<'_> {
    /// The properties of the joint that a drawing shows.
    #[must_use]
    pub fn marks(&self) -> JointMarks {
        let def = self.def();
        let speed = self.motor().map_or(0.0, |motor| motor.speed);
        JointMarks {
            kind: self.kind(),
            angle: self.local_angles()[0],
            limit: self.limit().map(|limit| [limit.lower, limit.upper]),
            spring: match &def {
                JointDef::Motor(motor) => motor.linear_hertz > 0.0 && motor.max_spring_force > 0.0,
                _ => self.spring().is_some(),
            },
            motor: match speed {
                _ if speed > 0.0 => 1,
                _ if speed < 0.0 => -1,
                _ => 0,
            },
            heading: match &def {
                JointDef::Mover(mover) => mover.linear_velocity.try_normalize(),
                _ => None,
            },
            wheels: match &def {
                JointDef::Pulley(rope) => Some([rope.ground_anchor_a, rope.ground_anchor_b]),
                _ => None,
            },
        }
    }

    /// The joint's strain from 0 to 1: the force and torque of the last step as a fraction of its thresholds (any load
    /// is more than a threshold of zero), or, if it has none, the square root of the force as a fraction of ten times the
    /// weight of its bodies at 10 m/s², so that a tenth is still visible.
    #[must_use]
    pub fn strain(&self) -> f32 {
        let JointThresholds { force, torque, .. } = self.thresholds();
        let bodies = self.bodies().into_iter();
        let masses = bodies.filter(|body| body.kind() == BodyKind::Dynamic);
        let mass = masses.map(|body| body.mass()).sum();
        strain(self.force(), self.torque(), [force, torque], mass)
    }
}

impl RigidWeldRef<'_> {
    /// The weld's strain from 0 to 1, like [`JointRef::strain`], with the weight of its two members.
    #[must_use]
    pub fn strain(&self) -> f32 {
        let def = self.def();
        let mass = self.members().map(|member| member.mass()).iter().sum();
        let thresholds = [def.force_threshold, def.torque_threshold];
        strain(self.force(), self.torque(), thresholds, mass)
    }
}

/// The strain of a constraint that bears this load.
fn strain(force: Vec2, torque: f32, [most_force, most_torque]: [f32; 2], mass: f32) -> f32 {
    let share = if most_force.min(most_torque) < f32::INFINITY {
        (force.length() / most_force).max(torque.abs() / most_torque)
    } else {
        sqrt(force.length() / (100.0 * mass))
    };
    // No load beside a threshold of zero, or no weight: zero divided by zero. Any load beside it is infinite, and a one.
    if share.is_nan() {
        0.0
    } else {
        share.clamp(0.0, 1.0)
    }
}
