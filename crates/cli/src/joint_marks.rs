//! What the replay page draws of a joint: [`JointMarks`] of physics as the page reads it, and how hard the joint is strained.

use serde::Serialize;
use tombolo::physics::{JointKind, JointRef, Vec2};

/// How many steps of strain are told apart: 0 for none, the last one for what breaks.
pub(crate) const STRAINS: u8 = 8;

/// What the page shows of a joint beside where its two points are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct JointMarks {
    /// The kind in a word, as in scene files.
    pub(crate) kind: &'static str,
    pub(crate) angle: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<[f32; 2]>,
    pub(crate) spring: bool,
    pub(crate) motor: i8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) heading: Option<[f32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wheels: Option<[[f32; 2]; 2]>,
}

impl JointMarks {
    pub(crate) fn of(joint: &JointRef<'_>) -> Self {
        let marks = joint.marks();
        Self {
            kind: match marks.kind {
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
            angle: marks.angle,
            limit: marks.limit,
            spring: marks.spring,
            motor: marks.motor,
            heading: marks.heading.map(Vec2::into),
            wheels: marks.wheels.map(|wheels| wheels.map(Vec2::into)),
        }
    }
}

/// How hard a joint is strained, from 0 to `STRAINS - 1`.
pub(crate) fn strain(joint: &JointRef<'_>) -> u8 {
    (joint.strain() * f32::from(STRAINS - 1)).round() as u8
}
