//! The atomics of this crate: those of the core library, or those of a model checker that tries the interleavings
//! (`--cfg loom` tries them all for a few threads, `--cfg shuttle` picks at random for more, and counts the traffic of
//! cache lines).
//!
//! Every atomic of a lock is imported from here, except counters that only measure.

#[cfg(not(any(loom, shuttle)))]
pub(crate) use core::{hint, sync::atomic};
#[cfg(loom)]
pub(crate) use loom::{hint, sync::atomic};
#[cfg(shuttle)]
pub(crate) use {crate::counted::atomic, shuttle::hint};

/// Makes `new` a `const fn`, except under loom, whose atomics register themselves when made.
macro_rules! const_new {
    ($(#[$attribute:meta])* $visibility:vis const fn $name:ident($($argument:ident: $kind:ty),*) -> Self $body:block) => {
        $(#[$attribute])*
        #[cfg(not(loom))]
        $visibility const fn $name($($argument: $kind),*) -> Self $body

        $(#[$attribute])*
        #[cfg(loom)]
        $visibility fn $name($($argument: $kind),*) -> Self $body
    };
}
pub(crate) use const_new;
