//! The atomics, cells and threads of this crate: those of the standard library, or those of a model checker that tries
//! the interleavings (`--cfg loom` tries them all for a few threads, `--cfg shuttle` picks at random for more).
//!
//! Every atomic, cell and thread in this crate is imported from here, except counters that only measure.

#[cfg(not(any(loom, shuttle)))]
pub(crate) use core::{hint, sync::atomic};
#[cfg(loom)]
pub(crate) use loom::{hint, sync::atomic};
#[cfg(shuttle)]
pub(crate) use shuttle::{hint, sync::atomic};

#[cfg(all(feature = "threads", loom))]
pub(crate) use loom::thread;
#[cfg(all(feature = "threads", shuttle))]
pub(crate) use shuttle::thread;
#[cfg(all(feature = "threads", not(any(loom, shuttle))))]
pub(crate) use std::thread;

#[cfg(all(loom, feature = "threads"))]
pub(crate) use loom::cell::UnsafeCell;
#[cfg(all(not(loom), feature = "threads"))]
pub(crate) use plain_cell::UnsafeCell;

#[cfg(all(not(loom), feature = "threads"))]
mod plain_cell {
    /// A cell with the interface of loom's, whose closures let loom detect overlapping accesses.
    #[derive(Debug, Default)]
    pub(crate) struct UnsafeCell<T: ?Sized>(core::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(core::cell::UnsafeCell::new(value))
        }
    }

    impl<T: ?Sized> UnsafeCell<T> {
        pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }
}
