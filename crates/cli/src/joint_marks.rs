//! What is drawn of a joint, for the picture and the replay page: which marks it has, and how hard it is strained.

use serde::Serialize;
use tombolo::physics::{BodyKind, JointDef, JointKind, JointRef};

/// How many steps of strain are told apart: 0 for none, the last one for what breaks.
pub(crate) const STRAINS: u8 = 8;

/// What a drawing shows of a joint beside where its two points are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct JointMarks {
    /// The kind in a word, as in scene files.
    pub(crate) kind: &'static str,
    /// How the first body's frame is turned in it, radians: where a rail points.
    pub(crate) angle: f32,
    /// The least and the greatest angle, length or translation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<[f32; 2]>,
    /// Whether a spring pulls.
    pub(crate) spring: bool,
    /// Which way a motor turns or pushes; 0 without one, or while it stands.
    pub(crate) motor: i8,
    /// Which way a mover drives, along the axes of the world; none where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) heading: Option<[f32; 2]>,
    /// The points of the world over which a pulley's rope leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wheels: Option<[[f32; 2]; 2]>,
}

impl JointMarks {
    pub(crate) fn of(joint: &JointRef<'_>) -> Self {
        let def = joint.def();
        let speed = joint.motor().map_or(0.0, |(speed, _)| speed);
        Self {
            kind: match joint.kind() {
                JointKind::Revolute => "Revolute",
                JointKind::Distance => "Distance",
                JointKind::Prismatic => "Prismatic",
                JointKind::Weld => "Weld",
                JointKind::Wheel => "Wheel",
                JointKind::Motor => "Motor",
                JointKind::Generic => "Generic",
                JointKind::Gear => "Gear",
                JointKind::Rack => "Rack",
                JointKind::Pulley => "Pulley",
                JointKind::Mover => "Mover",
                JointKind::Pogo => "Pogo",
                _ => "Filter",
            },
            angle: joint.local_angles()[0],
            limit: joint.limit().map(|(lower, upper)| [lower, upper]),
            spring: match &def {
                JointDef::Motor(motor) => motor.linear_hertz > 0.0 && motor.max_spring_force > 0.0,
                _ => joint.spring().is_some(),
            },
            motor: match speed {
                _ if speed > 0.0 => 1,
                _ if speed < 0.0 => -1,
                _ => 0,
            },
            heading: match &def {
                JointDef::Mover(mover) => mover.linear_velocity.try_normalize().map(Into::into),
                _ => None,
            },
            wheels: match &def {
                JointDef::Pulley(rope) => Some([rope.ground_anchor_a, rope.ground_anchor_b].map(Into::into)),
                _ => None,
            },
        }
    }
}

/// How hard a joint is strained, from 0 to `STRAINS - 1`: what it bears as a share of its thresholds, or, if it has none,
/// of ten times what its bodies weigh.
pub(crate) fn strain(joint: &JointRef<'_>) -> u8 {
    let (force, torque) = (joint.force().length(), joint.torque().abs());
    let (most_force, most_torque, _) = joint.thresholds();
    let share = if most_force.min(most_torque) < f32::INFINITY {
        (force / most_force).max(torque / most_torque)
    } else {
        let movers = joint.bodies().into_iter();
        let masses = movers.filter(|body| body.kind() == BodyKind::Dynamic);
        let both: f32 = masses.map(|body| body.mass()).sum();
        // Ten times their weight at 10 m/s² counts as all; the root, so that a tenth of that still shows.
        (force / (100.0 * both)).sqrt()
    };
    // A joint that bears nothing may divide zero by zero.
    let share = if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.0
    };
    (share * f32::from(STRAINS - 1)).round() as u8
}
