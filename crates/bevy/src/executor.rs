//! [`ComputePool`]: an executor on Bevy's compute threads; [`Workers`]: the option which threads step a world.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

use bevy_tasks::{ComputeTaskPool, TaskPool};
use tombolo_threads::{Executor, Inline, Pool};

/// The threads that step a world. Results do not depend on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workers {
    /// Bevy's compute threads, which its systems run on too: no thread more than Bevy has.
    #[default]
    Bevy,
    /// The engine's own pool with this number of workers, whose threads come in addition to Bevy's but wait for each
    /// other faster; one worker if the system refuses a thread.
    Own(usize),
    /// The thread that runs the system.
    One,
}

/// The executor of a [`Workers`] option.
#[derive(Debug)]
pub(crate) enum StepExecutor {
    /// Bevy has not made its threads yet.
    Pending,
    Bevy(ComputePool),
    Own(Pool),
    One,
}

impl StepExecutor {
    pub(crate) fn new(workers: Workers) -> Self {
        match workers {
            Workers::Bevy => ComputePool::of_bevy().map_or(Self::Pending, Self::Bevy),
            Workers::Own(count) => Pool::new(count.max(1)).map_or(Self::One, Self::Own),
            Workers::One => Self::One,
        }
    }

    /// Takes Bevy's compute threads if the option needs them and they exist by now.
    pub(crate) fn find_threads(&mut self) {
        if matches!(self, Self::Pending) {
            *self = Self::new(Workers::Bevy);
        }
    }

    pub(crate) fn executor(&self) -> &dyn Executor {
        match self {
            Self::Bevy(pool) => pool,
            Self::Own(pool) => pool,
            Self::Pending | Self::One => &Inline,
        }
    }
}

/// A task pool of Bevy as an executor: one worker for each of its threads.
#[derive(Debug)]
pub struct ComputePool {
    pool: &'static TaskPool,
    worker_count: usize,
}

impl ComputePool {
    /// Bevy's compute threads; `None` before the app's `TaskPoolPlugin` has made them.
    pub fn of_bevy() -> Option<Self> {
        let pool = ComputeTaskPool::try_get()?;
        Some(Self {
            pool,
            worker_count: pool.thread_num().max(1),
        })
    }
}

impl Executor for ComputePool {
    fn worker_count(&self) -> usize {
        self.worker_count
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        if self.worker_count == 1 {
            return task(0);
        }
        // Bevy's scope unwinds at the first panic and leaves other tasks running on borrows that have ended: no panic
        // may reach it.
        let panic = Mutex::new(None);
        let call = |worker| {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| task(worker))) {
                let mut first = panic.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(payload);
            }
        };
        let call = &call;
        self.pool.scope(|scope| {
            for worker in 1..self.worker_count {
                scope.spawn(async move { call(worker) });
            }
            // The caller is one of the pool's threads or waits for them: it is worker 0.
            call(0);
        });
        let panic = panic.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn pool() -> ComputePool {
        ComputeTaskPool::get_or_init(|| bevy_tasks::TaskPoolBuilder::new().num_threads(3).build());
        ComputePool::of_bevy().expect("it was made")
    }

    #[test]
    fn each_worker_is_called_once() {
        let pool = pool();
        assert_eq!(pool.worker_count(), 3);
        let calls = [const { AtomicUsize::new(0) }; 3];
        for _ in 0..100 {
            pool.run(&|worker| {
                calls[worker].fetch_add(1, Ordering::Relaxed);
            });
        }
        assert_eq!(calls.map(AtomicUsize::into_inner), [100; 3]);
    }

    #[test]
    fn a_panic_of_any_worker_reaches_the_caller_after_the_others_have_ended() {
        let pool = pool();
        for bad in 0..3 {
            let ended = AtomicUsize::new(0);
            let run = catch_unwind(AssertUnwindSafe(|| {
                pool.run(&|worker| {
                    assert_ne!(worker, bad, "as the test wants it");
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            }));
            assert!(run.is_err(), "worker {bad}");
            assert_eq!(ended.into_inner(), 2, "worker {bad}");
        }
    }
}
