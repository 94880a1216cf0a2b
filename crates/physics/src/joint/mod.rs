//! Joints: the constraints between two bodies other than contacts.
//!
//! A joint is an enum and a `match`, never a trait object: [`JointDef`] names the kinds, each kind has a file here with
//! its options, and [`JointPlan`] lists the constraints that the solver applies. [`Joint`] is the cold record with the
//! links of the bodies' lists; a step reads and writes [`JointSim`]. The steps to add a kind are in
//! `docs/extending.md#a-new-joint`.

mod def;
mod define;
mod distance;
mod filter;
mod gear;
mod generic;
mod kind;
mod measure;
mod motor;
mod mover;
mod options;
mod parts;
mod plan;
mod pogo;
mod prismatic;
mod pulley;
mod rack;
mod record;
mod revolute;
mod track;
mod turns;
mod weld;
mod wheel;

pub use def::JointDef;
pub use distance::DistanceDef;
pub use filter::FilterDef;
pub use gear::GearDef;
pub use generic::GenericDef;
pub use kind::JointKind;
pub(crate) use kind::joint_kinds;
pub(crate) use measure::Measured;
pub use motor::MotorDef;
pub use mover::MoverDef;
pub use options::{JointLimit, JointMotor, JointSpring, JointStiffness, JointThresholds};
pub(crate) use parts::{Coupling, JOINT_BLOCK_KINDS, JointBlockKind};
pub use parts::{JointCoordinate, JointParts};
pub(crate) use plan::{AxisPlan, JointPlan, PositionConstraint};
pub use pogo::PogoDef;
pub use prismatic::PrismaticDef;
pub use pulley::PulleyDef;
pub use rack::RackDef;
pub(crate) use record::{AxisImpulses, AxisOptions, JointSim, JointTrack, axis, flag};
pub use record::{Joint, JointId};
pub use revolute::RevoluteDef;
pub(crate) use turns::nearest as nearest_turn;
pub use weld::WeldDef;
pub use wheel::WheelDef;
