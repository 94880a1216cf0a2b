//! `HostWorker`: a worker of a pool whose thread is the host's.
#![allow(unsafe_code)]

use super::shared::Shared;
use std::any::Any;
use std::sync::Arc;

/// A worker of a pool of [`Pool::without_threads`](super::Pool::without_threads), for a thread of the host's.
pub struct HostWorker {
    shared: Arc<Shared>,
    worker: usize,
}

impl HostWorker {
    pub(super) fn new(shared: Arc<Shared>, worker: usize) -> Self {
        Self { shared, worker }
    }

    /// The index of the worker: at least 1.
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// Takes part in the pool's runs until the pool is dropped, as a thread of [`Pool::new`](super::Pool::new) does: polls
    /// for a twentieth of a millisecond after each run, then sleeps. A panic in a task reaches the caller of the run.
    ///
    /// A worker has one thread for good: every call but the first returns at once.
    pub fn work(&self) {
        crate::let_this_thread_sleep();
        self.shared.work(self.worker);
    }

    /// Makes the call that this worker's thread has in progress one that panicked, so that the caller of the run does not wait
    /// for it forever. For hosts where a thread can die within a task, as WebAssembly's do by a trap. On
    /// `wasm32-unknown-unknown` whoever waits for another thread of this memory in any way, as in the stages of
    /// [`run_stages`](crate::run_stages), panics from now on. Elsewhere only the end of the call is told, and nothing if the
    /// thread died outside of a task.
    ///
    /// # Safety
    ///
    /// The thread that called [`work`](Self::work) runs no code of the task any more, now or later, and
    /// calls of this function for one worker are made one after the other.
    pub unsafe fn give_up(&self, panic: Box<dyn Any + Send>) {
        #[cfg(all(target_family = "wasm", target_os = "unknown"))]
        crate::relax::note_trap();
        self.shared.worker_slots[self.worker - 1].end_as_panicked(panic);
    }
}

impl core::fmt::Debug for HostWorker {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter
            .debug_struct("HostWorker")
            .field("worker", &self.worker)
            .finish_non_exhaustive()
    }
}
