//! Handling of panics in tasks: a panic is caught where the task was called, and resumed in the caller of the run once
//! every call has ended. If several calls panic, one panic is resumed.

use alloc::boxed::Box;
use std::any::Any;
#[cfg(any(feature = "threads", feature = "rayon"))]
use std::panic::resume_unwind;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The payload of a panic.
pub(crate) type Panic = Box<dyn Any + Send>;

/// Calls a task for a worker, and catches its panic.
///
/// Unwind safety is the caller's responsibility, as for a panic in a scoped thread: the panic is resumed in the caller
/// of the run, which owns the data that the task borrowed.
#[cfg(any(feature = "threads", feature = "rayon"))]
pub(crate) fn catch(task: &(dyn Fn(usize) + Sync), worker: usize) -> Option<Panic> {
    catch_unwind(AssertUnwindSafe(|| task(worker))).err()
}

/// Makes all calls of a run on this thread, each of them even if one before it panics.
#[cfg(any(feature = "threads", feature = "rayon"))]
pub(crate) fn run_alone(worker_count: usize, task: &(dyn Fn(usize) + Sync)) {
    let first_panic = (0..worker_count).fold(None, |first, worker| first_of(first, catch(task, worker)));
    resume(first_panic);
}

/// The first panic of two; the second is discarded.
#[cfg(any(feature = "threads", feature = "rayon"))]
pub(crate) fn first_of(first: Option<Panic>, second: Option<Panic>) -> Option<Panic> {
    match (first, second) {
        (Some(first), Some(second)) => {
            discard(second);
            Some(first)
        }
        (first, second) => first.or(second),
    }
}

/// Drops the payload of a panic.
///
/// It is a user's value, and its drop may panic too. That must not unwind the caller, whose task other threads are
/// still calling. So a panic of the drop is caught here, and its payload is leaked: its drop might panic again.
pub(crate) fn discard(panic: Panic) {
    if let Err(thrown) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        core::mem::forget(thrown);
    }
}

/// Resumes a panic in this thread, if there is one.
#[cfg(any(feature = "threads", feature = "rayon"))]
pub(crate) fn resume(panic: Option<Panic>) {
    if let Some(payload) = panic {
        resume_unwind(payload);
    }
}
