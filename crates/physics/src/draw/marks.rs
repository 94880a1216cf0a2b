//! [`JointMarks`]: what a drawing shows of a joint.

use crate::{BodyKind, JointDef, JointKind, JointRef, RigidWeldRef};
use tombolo_geometry::Vec2;
use tombolo_geometry::math::sqrt;

/// What a drawing shows of a joint beside where its two anchors are, for those who draw joints in their own way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMarks {
    /// The kind.
    pub kind: JointKind,
    /// How the first body's frame is turned in it, radians: where a rail points.
    pub angle: f32,
    /// The least and the greatest angle, length or translation.
    pub limit: Option<[f32; 2]>,
    /// Whether a spring pulls.
    pub spring: bool,
    /// Which way a motor turns or pushes; 0 without one, or while it stands.
    pub motor: i8,
    /// Which way a mover drives, along the axes of the world; none where it stands.
    pub heading: Option<Vec2>,
    /// The points of the world over which a pulley's rope leads.
    pub wheels: Option<[Vec2; 2]>,
}

impl JointRef<'_> {
    /// What a drawing shows of it.
    #[must_use]
    pub fn marks(&self) -> JointMarks {
        let def = self.def();
        let speed = self.motor().map_or(0.0, |(speed, _)| speed);
        JointMarks {
            kind: self.kind(),
            angle: self.local_angles()[0],
            limit: self.limit().map(|(lower, upper)| [lower, upper]),
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

    /// How hard it is strained, from 0 to 1: the force and torque of the last step as a share of its thresholds, or, if it has
    /// none, the root of the force as a share of ten times what its bodies weigh at 10 m/s², so that a tenth still shows.
    #[must_use]
    pub fn strain(&self) -> f32 {
        let (most_force, most_torque, _) = self.thresholds();
        let bodies = self.bodies().into_iter();
        let masses = bodies.filter(|body| body.kind() == BodyKind::Dynamic);
        let mass = masses.map(|body| body.mass()).sum();
        strain(self.force(), self.torque(), [most_force, most_torque], mass)
    }
}

impl RigidWeldRef<'_> {
    /// How hard it is strained, from 0 to 1, as [`JointRef::strain`]; what weighs are its two members.
    #[must_use]
    pub fn strain(&self) -> f32 {
        let def = self.def();
        let mass = self.members().map(|member| member.mass()).iter().sum();
        let thresholds = [def.force_threshold, def.torque_threshold];
        strain(self.force(), self.torque(), thresholds, mass)
    }
}

/// How hard what bears this is strained.
fn strain(force: Vec2, torque: f32, [most_force, most_torque]: [f32; 2], mass: f32) -> f32 {
    let share = if most_force.min(most_torque) < f32::INFINITY {
        (force.length() / most_force).max(torque.abs() / most_torque)
    } else {
        sqrt(force.length() / (100.0 * mass))
    };
    // What bears nothing may divide zero by zero.
    if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.0
    }
}
