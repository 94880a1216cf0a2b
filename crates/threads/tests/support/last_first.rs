//! [`LastFirst`]: an executor for tests of any crate whose stages run on several workers.

use tombolo_threads::Executor;

/// Workers that run one after another on one thread, the last first: as late and as unfair as an executor may be.
pub(crate) struct LastFirst(pub(crate) usize);

impl Executor for LastFirst {
    fn worker_count(&self) -> usize {
        self.0
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        (0..self.0).rev().for_each(task);
    }
}
