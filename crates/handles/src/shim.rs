//! The atomic types of this crate: those of the core library, or those of the model checker loom, which tries the
//! interleavings (`--cfg loom`).

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::{AtomicUsize, Ordering};
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicUsize, Ordering};
