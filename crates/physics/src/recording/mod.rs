//! Recordings: every call that changes a world, with its arguments, written while the world runs.
//!
//! [`Call`] lists the calls; each public method that changes a world reports itself to the world's [`Log`] before it does
//! anything, and a test (`crates/cli/tests/recorded.rs`) finds those that do not. `described/` says how arguments are written,
//! `blocks.rs` is the file, `replay/` reads and plays it.
//!
//! Why: `docs/decisions.md#recordings-describe-themselves`.

mod blocks;
mod calls;
mod definitions;
mod log;
mod recorded_call;

#[cfg(test)]
pub(crate) use blocks::pack;
pub(crate) use blocks::{BlockKind, Scanned, scan};
pub use calls::Call;
pub(crate) use calls::calls;
pub use log::{Log, RecordOptions, Recorded, Start};
pub use recorded_call::{CallRole, RecordedCall};
