//! Recordings: every call that changes a world, with its arguments, written while the world runs.
//!
//! [`Call`] lists the calls; each public method that changes a world reports itself to the world's [`Log`] before any
//! of its effects, and a test (`crates/cli/tests/recorded.rs`) finds those that do not. `described/` defines how
//! arguments are written, `blocks.rs` the file format; `replay/` reads and plays recordings.
//!
//! Public for worlds that are built on physics and record themselves, like the engine's; not part of the crate's public
//! interface.
//!
//! Why: `docs/decisions.md#recordings-describe-themselves`.

mod blocks;
mod calls;
mod definitions;
mod log;
mod recorded_call;
mod table;

#[cfg(test)]
pub(crate) use blocks::pack;
pub(crate) use blocks::{BlockKind, Scanned, scan};
pub use calls::Call;
pub(crate) use calls::calls;
pub use log::{Log, RecordOptions, Recorded, Start};
pub use recorded_call::{CallRole, RecordedCall};
pub use table::{played_calls, recorded_calls};
