//! Recordings of whole worlds: every call that changes one, with its arguments, the commands of the inbox, and
//! changes through `physics_mut`, `manager_mut` and `random`.
//!
//! [`WorldCall`] lists the calls; each public method that changes a world reports itself before it does anything, and
//! a test (`crates/cli/tests/recorded_worlds.rs`) finds methods that do not. Calls inside a call are not recorded:
//! the log is set aside while the outermost one is made.
//!
//! | file | contents |
//! | --- | --- |
//! | `calls.rs` | the table of calls |
//! | `data.rs` | how arguments are written |
//! | `origin.rs`, `start.rs` | what a recording begins with |
//! | `definitions.rs` | what no save has: resources, scripts and scenes |
//! | `log.rs` | the switch, and how calls are reported |
//! | `play.rs` | a world as a player has it |
//! | `difference.rs`, `compare.rs` | where two worlds differ |
//!
//! The file is that of physics' recordings. Why: `docs/decisions.md#a-world-of-entities-records-its-outermost-calls`.

mod calls;
mod compare;
mod data;
mod definitions;
mod difference;
mod log;
mod origin;
mod play;
mod start;

pub use calls::WorldCall;
use calls::calls;
pub use data::{RecordedAsset, RecordedDefinitions, RecordedScene, RecordedValue, Resources, Sent};
pub use difference::{ActionDifference, EntityDifference, WorldDifference};
pub(super) use origin::Origin;

use alloc::collections::BTreeSet;

use tombolo_physics::recording::Log;

use super::random::Random;

/// The log of a world's calls.
pub(super) type WorldLog = Log<WorldCall>;

/// The objects that were handed out for changes since the last call was recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct HandedOut {
    physics: bool,
    managers: BTreeSet<u16>,
    /// The random numbers before they were handed out.
    random: Option<Random>,
}
