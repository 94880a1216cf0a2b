//! [`Deferred`]: an executor whose own panics wait until the work is done.

use crate::Executor;
#[cfg(feature = "std")]
use crate::unwind::{Panic, discard};
#[cfg(feature = "std")]
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Another executor, for work that must not be left half done: it says one number of workers for its whole life, and a
/// panic of the executor itself waits for [`Deferred::resume`].
///
/// What the executor left undone [`run_stages`](crate::run_stages) does on the caller's thread, so that after a panic that
/// waits the work is whole. A panic of the work itself goes on at once. Without `std` panics are not caught.
pub struct Deferred<'a> {
    executor: &'a dyn Executor,
    worker_count: usize,
    // Not of the shim: it is touched only when an executor has panicked.
    #[cfg(feature = "std")]
    first: Mutex<Option<Panic>>,
}

impl<'a> Deferred<'a> {
    /// Asks the executor for its workers, once.
    pub fn new(executor: &'a dyn Executor) -> Self {
        Self {
            executor,
            worker_count: executor.worker_count(),
            #[cfg(feature = "std")]
            first: Mutex::new(None),
        }
    }

    /// Lets the first panic that waits go on.
    ///
    /// # Panics
    ///
    /// If the executor did.
    pub fn resume(self) {
        #[cfg(feature = "std")]
        if let Some(panic) = self.first.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
    }
}

impl Executor for Deferred<'_> {
    fn worker_count(&self) -> usize {
        self.worker_count
    }

    #[cfg(feature = "std")]
    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        let is_the_task_s = AtomicBool::new(false);
        let run = || {
            self.executor.run(&|worker| {
                let noting = SetOnUnwind(&is_the_task_s);
                task(worker);
                core::mem::forget(noting);
            });
        };
        let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else {
            return;
        };
        if is_the_task_s.load(Ordering::Acquire) {
            resume_unwind(panic);
        }
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = Some(panic);
        } else {
            drop(first);
            discard(panic);
        }
    }

    #[cfg(not(feature = "std"))]
    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        self.executor.run(task);
    }
}

/// Notes that a task panicked.
#[cfg(feature = "std")]
struct SetOnUnwind<'a>(&'a AtomicBool);

#[cfg(feature = "std")]
impl Drop for SetOnUnwind<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl core::fmt::Debug for Deferred<'_> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter
            .debug_struct("Deferred")
            .field("worker_count", &self.worker_count)
            .finish_non_exhaustive()
    }
}
