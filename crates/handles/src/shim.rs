//! The seam between this crate's counters and what they stand on: the core library, or a model checker that tries the
//! interleavings (`--cfg loom`).

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::{AtomicUsize, Ordering};
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicUsize, Ordering};
