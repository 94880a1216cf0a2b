//! The replay page's drawing of a joint or a rigid weld: the marks of physics in the form that the page reads, and the
//! strain.

use serde::Serialize;
use tombolo::physics::{BodyRef, JointRef, PhysicsWorld, Position, RigidWeldRef, Vec2};

/// The farthest limit that is drawn, in meters or radians.
const LIMIT_DRAWN_MAX: f32 = 10_000.0;

/// The number of degrees of strain: 0 for none, the last one for a joint about to break.
pub(crate) const STRAINS: u8 = 8;

/// A constraint that is drawn: a joint of two bodies, or a weld within one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tie<'a> {
    /// A joint of two bodies.
    Joint(JointRef<'a>),
    /// A rigid weld within one body.
    Weld(RigidWeldRef<'a>),
}

impl<'a> Tie<'a> {
    /// All of a world: the joints, then the welds.
    pub(crate) fn all(world: &'a PhysicsWorld) -> impl Iterator<Item = Self> + 'a {
        let joints = world.joints().map(Self::Joint);
        joints.chain(world.rigid_welds().map(Self::Weld))
    }

    /// An index that no other joint or weld has, and the bits of its handle.
    pub(crate) fn place(&self) -> (u32, u64) {
        match self {
            Self::Joint(joint) => (2 * joint.id().index(), joint.id().to_bits()),
            Self::Weld(weld) => (2 * weld.id().index() + 1, weld.id().to_bits()),
        }
    }

    /// The two bodies; for a weld its body twice.
    pub(crate) fn bodies(&self) -> [BodyRef<'a>; 2] {
        match self {
            Self::Joint(joint) => joint.bodies(),
            Self::Weld(weld) => [weld.body(); 2],
        }
    }

    /// Both anchors in the world.
    pub(crate) fn anchors(&self) -> [Position; 2] {
        match self {
            Self::Joint(joint) => joint.anchors(),
            Self::Weld(weld) => [weld.point(); 2],
        }
    }

    /// The strain, from 0 to `STRAINS - 1`.
    pub(crate) fn strain(&self) -> u8 {
        let strain = match self {
            Self::Joint(joint) => joint.strain(),
            Self::Weld(weld) => weld.strain(),
        };
        (strain * f32::from(STRAINS - 1)).round() as u8
    }
}

/// The drawing of a joint beside its two anchors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct JointMarks {
    /// The word for the kind in scene files.
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
    pub(crate) fn of(tie: &Tie<'_>) -> Self {
        match tie {
            Tie::Joint(joint) => Self::of_joint(joint),
            Tie::Weld(_) => Self {
                kind: "RigidWeld",
                angle: 0.0,
                limit: None,
                spring: false,
                motor: 0,
                heading: None,
                wheels: None,
            },
        }
    }

    fn of_joint(joint: &JointRef<'_>) -> Self {
        let marks = joint.marks();
        Self {
            kind: marks.kind.name(),
            angle: marks.angle,
            // An infinite one is no number of JSON; a page draws none that is so far away.
            limit: marks
                .limit
                .map(|limit| limit.map(|end| end.clamp(-LIMIT_DRAWN_MAX, LIMIT_DRAWN_MAX))),
            spring: marks.spring,
            motor: marks.motor,
            heading: marks.heading.map(Vec2::into),
            wheels: marks.wheels.map(|wheels| wheels.map(Vec2::into)),
        }
    }
}
