//! Composites: bodies that were welded into one. A composite is a body whose shapes belong to *members*, and the
//! members are connected by *rigid welds*: the edges of a graph that applies no forces, since the members are one body
//! anyway, but that determines the load of each weld, and the parts that come apart where one breaks.
//!
//! Here are the records, the definition of a weld, and the balance that computes the forces in welds from the external
//! loads on the members. The lists of members and welds are in `objects/members.rs`, merging in `objects/merge.rs`,
//! falling apart in `cut/along_welds.rs`, the forces of a step in `step/composites.rs`, and the calls in
//! `world/composites.rs`.
//!
//! The reasons are in `docs/composites.md`.

mod balance;
mod def;
mod record;

pub(crate) use balance::{Balance, Wrench};
pub use def::RigidWeldDef;
pub(crate) use def::check_thresholds;
pub(crate) use record::flag;
pub use record::{MemberId, MemberRecord, RigidWeldId, RigidWeldRecord};
