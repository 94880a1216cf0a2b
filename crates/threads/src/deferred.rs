//! [`Deferred`]: an executor that holds back its own panics until the work is done.

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

/// A wrapper of another executor, for work that must not be left incomplete: the worker count is constant for its whole
/// lifetime, and a panic of the executor itself is held back until [`Deferred::resume`].
///
/// Work that the executor did not do is done by [`run_stages`](crate::run_stages) on the caller's thread, so the work
/// is complete even after a panic that is held back. A panic of the work itself propagates at once. Without `std`
/// panics are not caught.
pub struct Deferred<'a> {
    executor: &'a dyn Executor,
    worker_count: usize,
    // Not from the shim: it is touched only when an executor has panicked.
    #[cfg(feature = "std")]
    first: Mutex<Option<Panic>>,
}

impl<'a> Deferred<'a> {
    /// Wraps an executor and reads its worker count, once; an executor of no workers counts as one of 1.
    pub fn new(executor: &'a dyn Executor) -> Self {
        Self {
            executor,
            worker_count: executor.worker_count().max(1),
            #[cfg(feature = "std")]
            first: Mutex::new(None),
        }
    }

    /// Resumes the first panic that was held back.
    ///
    /// # Panics
    ///
    /// If the executor panicked.
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

/// Records that a task panicked.
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
