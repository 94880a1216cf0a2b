//! [`FloatWorkers`]: an executor whose workers calculate in the engine's float environment. Steps run their parallel stages on
//! one.

use crate::{Executor, FloatEnvironment};

/// Another executor, each of whose workers enters the [`FloatEnvironment`] while it takes part in a run, since its threads
/// may be anybody's.
///
/// ```
/// use tombolo_threads::{Executor, FloatWorkers, Inline};
/// let workers = FloatWorkers(&Inline);
/// workers.run(&|worker| assert_eq!(worker, 0));
/// ```
pub struct FloatWorkers<'a>(pub &'a dyn Executor);

impl Executor for FloatWorkers<'_> {
    fn worker_count(&self) -> usize {
        self.0.worker_count()
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        self.0.run(&|worker| {
            let _environment = FloatEnvironment::enter();
            task(worker);
        });
    }
}
