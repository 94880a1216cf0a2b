//! What is drawn of a joint or a rigid weld, for the picture and the replay page: which marks it has, and how hard it is
//! strained.

use serde::Serialize;
use tombolo::physics::{
    BodyKind, BodyRef, JointDef, JointKind, JointRef, PhysicsWorld, Position, RigidWeldRef,
};

/// How many steps of strain are told apart: 0 for none, the last one for what breaks.
pub(crate) const STRAINS: u8 = 8;

/// What holds bodies, or members of one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tie<'a> {
    /// A joint of two bodies.
    Joint(JointRef<'a>),
    /// A rigid weld within one.
    Weld(RigidWeldRef<'a>),
}

impl<'a> Tie<'a> {
    /// All that there are: the joints, then the welds.
    pub(crate) fn all(world: &'a PhysicsWorld) -> impl Iterator<Item = Self> + 'a {
        let joints = world.joints().map(Self::Joint);
        joints.chain(world.rigid_welds().map(Self::Weld))
    }

    /// Its place in the world's arrays, that of no other, and the bits of its handle.
    pub(crate) fn place(&self) -> (u32, u64) {
        match self {
            Self::Joint(joint) => (2 * joint.id().index(), joint.id().to_bits()),
            Self::Weld(weld) => (2 * weld.id().index() + 1, weld.id().to_bits()),
        }
    }

    /// The two bodies; of a weld the one that there is, twice.
    pub(crate) fn bodies(&self) -> [BodyRef<'a>; 2] {
        match self {
            Self::Joint(joint) => joint.bodies(),
            Self::Weld(weld) => [weld.body(); 2],
        }
    }

    /// The points of both in the world.
    pub(crate) fn anchors(&self) -> [Position; 2] {
        match self {
            Self::Joint(joint) => joint.anchors(),
            Self::Weld(weld) => [weld.point(); 2],
        }
    }

    /// How hard it is strained, from 0 to `STRAINS - 1`: what it bears as a share of its thresholds, or, if it has none, of
    /// ten times what its bodies weigh.
    pub(crate) fn strain(&self) -> u8 {
        let (force, torque, [most_force, most_torque]) = match self {
            Self::Joint(joint) => {
                let (most_force, most_torque, _) = joint.thresholds();
                (joint.force(), joint.torque(), [most_force, most_torque])
            }
            Self::Weld(weld) => {
                let def = weld.def();
                (
                    weld.force(),
                    weld.torque(),
                    [def.force_threshold, def.torque_threshold],
                )
            }
        };
        let (force, torque) = (force.length(), torque.abs());
        let share = if most_force.min(most_torque) < f32::INFINITY {
            (force / most_force).max(torque / most_torque)
        } else {
            let masses: f32 = match self {
                Self::Joint(joint) => {
                    let movers = joint.bodies().into_iter();
                    let movers = movers.filter(|body| body.kind() == BodyKind::Dynamic);
                    movers.map(|body| body.mass()).sum()
                }
                Self::Weld(weld) => weld.members().map(|member| member.mass()).iter().sum(),
            };
            // Ten times their weight at 10 m/s² counts as all; the root, so that a tenth of that still shows.
            (force / (100.0 * masses)).sqrt()
        };
        // What bears nothing may divide zero by zero.
        let share = if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.0
        };
        (share * f32::from(STRAINS - 1)).round() as u8
    }
}

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
