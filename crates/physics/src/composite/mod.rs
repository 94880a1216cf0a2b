//! Composites: bodies that were welded into one. A composite is a body whose shapes belong to *members*, and the members
//! hang together by *rigid welds*: the edges of a graph that holds nothing, as the body does that by itself, but that says
//! what each weld bears, and what falls apart where one breaks.
//!
//! Here are the records, the definition of a weld, and the balance that finds the forces in welds from what pushes the
//! members. Who is in which list is in `objects/members.rs`, merging in `objects/merge.rs`, falling apart in
//! `cut/along_welds.rs`, the forces of a step in `step/composites.rs`, and the calls in `world/composites.rs`.
//!
//! Why: `docs/composites.md`.

mod balance;
mod def;
mod record;

pub(crate) use balance::{Balance, Wrench};
pub use def::RigidWeldDef;
pub(crate) use def::check_thresholds;
pub(crate) use record::flag;
pub use record::{MemberId, MemberRecord, RigidWeldId, RigidWeldRecord};
