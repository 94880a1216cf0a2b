//! Recordings of whole worlds: every call that changes one, with its arguments, what the inbox brought, and what was done through
//! `physics_mut`, `manager_mut` and `random`.
//!
//! [`WorldCall`] lists the calls; each public method that changes a world reports itself before it does anything, and a test
//! (`crates/cli/tests/recorded_worlds.rs`) finds those that do not. What a call does by other calls is not recorded: the log is
//! set aside while the outermost one is made.
//!
//! | file | contents |
//! | --- | --- |
//! | `calls.rs` | the table of calls |
//! | `data.rs` | how arguments are written |
//! | `origin.rs`, `start.rs` | what a recording begins with |
//! | `log.rs` | the switch, and how calls are reported |
//! | `play.rs` | a world as a player has it |
//! | `difference.rs`, `compare.rs` | where two worlds differ |
//!
//! The file is that of physics' recordings. Why: `docs/decisions.md#a-world-of-entities-records-its-outermost-calls`.

mod calls;
mod compare;
mod data;
mod difference;
mod log;
mod origin;
mod play;
mod start;

pub use calls::WorldCall;
use calls::calls;
pub use data::{RecordedValue, Resources, Sent};
pub use difference::{ActionDifference, EntityDifference, WorldDifference};
pub(super) use origin::Origin;

use alloc::collections::BTreeSet;

use tombolo_physics::recorded::Log;

use super::random::Random;

/// What the log of a world is of.
pub(super) type WorldLog = Log<WorldCall>;

/// What was handed out to be changed since the last call was recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct HandedOut {
    physics: bool,
    managers: BTreeSet<u16>,
    /// The random numbers as they were.
    random: Option<Random>,
}
