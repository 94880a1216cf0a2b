//! The table of all kinds of joints, and [`JointKind`]. A new kind begins with an entry here; the other steps are in
//! `docs/extending.md#a-new-joint`.

use super::parts::Coupling::{Gear, Pulley, Rack};
use super::parts::JointBlockKind::{Axes, Coupling, Revolute};
use super::parts::JointCoordinate::{Along, Angle, Each, Point, PointAndAngle};
use super::parts::JointParts;

/// The table of the kinds: description, name, definition, number in saves and in `JointSim::kind`, and the fields of
/// [`JointParts`]. It is passed to `$then`: here to declare [`JointKind`], in `def.rs` to declare
/// [`JointDef`](super::JointDef), in `recording/definitions.rs` to record it.
///
/// Numbers count from 0 and never change.
macro_rules! joint_kinds {
    ($then:ident) => {
        $then! {
            /// The two bodies share a point and turn about it.
            Revolute(RevoluteDef) = 0 {
                block: Some(Revolute),
                limit: Some(Angle), spring: Some(Angle), motor: Some(Angle), counts_turns: true,
            },
            /// Two points are kept a length apart: a rod, a rope, a spring or a winch.
            Distance(DistanceDef) = 1 {
                block: Some(Axes),
                limit: Some(Along), spring: Some(Along), motor: Some(Along), counts_turns: false,
            },
            /// The second body slides along an axis of the first.
            Prismatic(PrismaticDef) = 2 {
                block: Some(Axes),
                limit: Some(Along), spring: Some(Along), motor: Some(Along), counts_turns: false,
            },
            /// The second frame is kept at the first, rigidly or softly.
            Weld(WeldDef) = 3 {
                block: Some(Axes),
                limit: None, spring: Some(PointAndAngle), motor: None, counts_turns: false,
            },
            /// The second body turns, and is sprung along an axis of the first.
            Wheel(WheelDef) = 4 {
                block: Some(Axes),
                limit: Some(Along), spring: Some(Along), motor: Some(Angle), counts_turns: false,
            },
            /// Bounded forces drive the second body at a velocity, or pull it to a pose, relative to the first.
            Motor(MotorDef) = 5 {
                block: Some(Axes),
                limit: None, spring: Some(PointAndAngle), motor: Some(PointAndAngle), counts_turns: false,
            },
            /// Collision between the shapes of the two bodies is disabled, and nothing else.
            Filter(FilterDef) = 6 {
                block: None,
                limit: None, spring: None, motor: None, counts_turns: false,
            },
            /// Each axis is free, locked, limited, sprung or driven, in any combination.
            Generic(GenericDef) = 7 {
                block: Some(Axes),
                limit: Some(Each), spring: Some(Each), motor: Some(Each), counts_turns: true,
            },
            /// The rotations of the two bodies have a fixed ratio.
            Gear(GearDef) = 8 {
                block: Some(Coupling(Gear)),
                limit: None, spring: None, motor: None, counts_turns: false,
            },
            /// The second body slides as the first one turns.
            Rack(RackDef) = 9 {
                block: Some(Coupling(Rack)),
                limit: None, spring: None, motor: None, counts_turns: false,
            },
            /// A rope from one body over two fixed points to the other.
            Pulley(PulleyDef) = 10 {
                block: Some(Coupling(Pulley)),
                limit: None, spring: None, motor: None, counts_turns: false,
            },
            /// Bounded forces drive the second body at a velocity, along x and along y of the world.
            Mover(MoverDef) = 11 {
                block: Some(Axes),
                limit: None, spring: None, motor: Some(Point), counts_turns: false,
            },
            /// A spring along an axis of the first body carries the second, which slides across it freely.
            Pogo(PogoDef) = 12 {
                block: Some(Axes),
                limit: None, spring: Some(Along), motor: None, counts_turns: false,
            },
        }
    };
}
pub(crate) use joint_kinds;

/// Declares [`JointKind`].
macro_rules! declare {
    ($( $(#[$attribute:meta])* $kind:ident($def:ident) = $number:literal { $($parts:tt)* }, )*) => {
        /// The kinds of joints.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        #[repr(u32)]
        pub enum JointKind {
            $( $(#[$attribute])* $kind = $number, )*
        }

        impl JointKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$( Self::$kind, )*];

            /// The names of all kinds, in the same order.
            pub const NAMES: &'static [&'static str] = &[$( stringify!($kind), )*];

            /// The parts of all kinds, in the same order.
            const PARTS: &'static [JointParts] = &[$( JointParts { $($parts)* }, )*];
        }
    };
}
joint_kinds!(declare);

impl JointKind {
    /// The name of the kind.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// What joints of the kind have: limits, springs, motors.
    #[must_use]
    pub const fn parts(self) -> &'static JointParts {
        &Self::PARTS[self as usize]
    }

    /// The kind that is saved as `number`.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|&kind| kind as u32 == number)
    }
}

#[cfg(test)]
mod tests {
    use super::JointKind;
    use alloc::format;

    #[test]
    fn each_kind_is_found_by_its_number_and_has_its_name() {
        for (number, &kind) in (0..).zip(JointKind::ALL) {
            assert_eq!(JointKind::from_number(number), Some(kind));
            assert_eq!(kind.name(), format!("{kind:?}"));
        }
        assert_eq!(JointKind::from_number(JointKind::ALL.len() as u32), None);
    }
}
