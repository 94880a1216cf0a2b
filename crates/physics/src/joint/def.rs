//! [`JointDef`]: the definition of a joint of any kind, and its conversion to and from [`JointSim`]. To add a kind,
//! begin with an entry of `joint_kinds!` in `kind.rs`; `docs/extending.md#a-new-joint` lists the other steps.

use super::distance::DistanceDef;
use super::filter::FilterDef;
use super::gear::GearDef;
use super::generic::GenericDef;
use super::kind::{JointKind, joint_kinds};
use super::motor::MotorDef;
use super::mover::MoverDef;
use super::pogo::PogoDef;
use super::prismatic::PrismaticDef;
use super::pulley::PulleyDef;
use super::rack::RackDef;
use super::record::{JointSim, JointTrack, flag};
use super::revolute::RevoluteDef;
use super::weld::WeldDef;
use super::wheel::WheelDef;
use crate::PhysicsError;
use crate::body::{BodyId, NONE};

/// Declares [`JointDef`], and the functions that dispatch over all kinds.
macro_rules! declare {
    ($( $(#[$attribute:meta])* $kind:ident($def:ident) = $number:literal { $($parts:tt)* }, )*) => {
        /// The definition of a joint.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum JointDef {
            $( $(#[$attribute])* $kind($def), )*
        }

        $(
            impl From<$def> for JointDef {
                fn from(def: $def) -> Self {
                    Self::$kind(def)
                }
            }
        )*

        impl JointDef {
            /// Checks the numbers, as every call that takes a definition does.
            ///
            /// # Errors
            ///
            /// Names the first number that is out of range, and the expected range.
            pub fn validate(&self) -> Result<(), PhysicsError> {
                match self {
                    $( Self::$kind(def) => def.validate(), )*
                }
            }

            /// The kind of the joint.
            pub fn kind(&self) -> JointKind {
                match self {
                    $( Self::$kind(_) => JointKind::$kind, )*
                }
            }

            /// The two bodies.
            pub fn bodies(&self) -> [BodyId; 2] {
                match self {
                    $( Self::$kind(def) => [def.body_a, def.body_b], )*
                }
            }

            /// The user's number.
            pub fn user_key(&self) -> u64 {
                match self {
                    $( Self::$kind(def) => def.user_key, )*
                }
            }

            /// Writes all options to a joint.
            pub(crate) fn write(&self, sim: &mut JointSim) {
                match self {
                    $( Self::$kind(def) => def.write(sim), )*
                }
            }
        }

        impl JointSim {
            /// The definition that would create the joint with its present options.
            pub(crate) fn def(&self, bodies: [BodyId; 2], user_key: u64) -> JointDef {
                match self.kind() {
                    $( JointKind::$kind => $def::read(self, bodies, user_key).into(), )*
                }
            }

            /// Returns an error for options that no definition of the kind may have.
            pub(crate) fn check(&self) -> Result<(), PhysicsError> {
                match self.kind() {
                    $( JointKind::$kind => $def::check(self), )*
                }
            }
        }
    };
}

joint_kinds!(declare);

impl JointSim {
    /// A joint between two body indices, not yet in the constraint graph.
    pub(crate) fn new(def: &JointDef, bodies: [u32; 2]) -> Self {
        let mut sim = Self {
            body_a: bodies[0],
            body_b: bodies[1],
            color: NONE,
            place_in_color: NONE,
            ..Self::default()
        };
        def.write(&mut sim);
        sim
    }

    /// Whether kind, flags and numbers are valid: in the ranges of definitions and calls; impulses and forces may be
    /// arbitrary.
    pub(crate) fn is_sound(&self) -> bool {
        let JointTrack { angle, place, drift } = self.track;
        JointKind::from_number(self.kind).is_some()
            && self.flags & !flag::ALL == 0
            && [angle, place, drift].iter().all(|number| number.is_finite())
            && self.check().is_ok()
    }
}
