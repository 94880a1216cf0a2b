//! The [`Executor`] trait: the only interface to threads that Tombolo needs, small enough for users to implement with
//! their own (another engine's pool, rayon, a single thread, a browser).

/// Runs one task on several workers.
///
/// An implementation may start workers late, one after another or unfairly; everything in this crate is built so that
/// any single worker that starts can finish the work alone.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use tombolo_threads::Executor;
///
/// /// Four workers, one after the other.
/// struct TakingTurns;
///
/// impl Executor for TakingTurns {
///     fn worker_count(&self) -> usize {
///         4
///     }
///     fn run(&self, task: &(dyn Fn(usize) + Sync)) {
///         (0..4).for_each(task);
///     }
/// }
///
/// let calls = AtomicUsize::new(0);
/// TakingTurns.run(&|_worker| {
///     calls.fetch_add(1, Ordering::Relaxed);
/// });
/// assert_eq!(calls.into_inner(), 4);
/// ```
pub trait Executor: Sync {
    /// The number of workers of a [`run`](Executor::run): at least 1, and the same for the executor's whole lifetime.
    fn worker_count(&self) -> usize;

    /// Calls `task(worker)` exactly once for each `worker` below [`worker_count`](Executor::worker_count), and returns
    /// when all calls have returned.
    ///
    /// Worker 0 runs on the caller's thread. The others may start late, run on the same thread, or one after another,
    /// so a task must never wait for a worker that has not started. A panic in a task must reach the caller, after the
    /// other calls have ended.
    ///
    /// An executor that breaks this contract has a defect, but causes no undefined behavior:
    /// [`run_stages`](crate::run_stages), on which all of Tombolo's parallel work runs, admits one call for each worker
    /// and rejects others, does the work on the caller's thread if no worker was called, and panics if the executor hid
    /// a panic.
    fn run(&self, task: &(dyn Fn(usize) + Sync));
}

/// An executor whose only worker is the caller's thread.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Inline;

impl Executor for Inline {
    fn worker_count(&self) -> usize {
        1
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        task(0);
    }
}
