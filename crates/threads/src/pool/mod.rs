//! [`Pool`]: Tombolo's own thread pool. A fixed number of workers, of which the caller is worker 0.
//!
//! Runs are numbered. Each worker has a *slot* whose turn word records whether it has begun and ended its call of the
//! run. The first thread that changes the word takes the call: the worker's own, or the caller once its own call is
//! done. So a run never waits for a thread that has not started, only for calls in progress; with more workers than
//! cores, or on a busy machine, the caller makes all calls.
//!
//! `worker_slot.rs` has the turn word and the sleep; `shared.rs` the loop of a worker thread; `host_worker.rs` a worker
//! whose thread is not started here; this file the pool and the run.
//!
//! The reasons are in `docs/decisions.md#a-thread-pool-of-our-own`.

mod host_worker;
mod shared;
mod worker_slot;

pub use host_worker::HostWorker;

use crate::Executor;
use crate::shim::atomic::Ordering;
use crate::shim::thread::{Builder, JoinHandle};
use crate::unwind::{catch, first_of, resume, run_alone};
use core::fmt;
use shared::Shared;
use std::sync::Arc;

/// A pool of worker threads that run one task together and sleep otherwise.
///
/// Worker 0 is the thread that calls [`run`](Executor::run). The others poll for the next run for a twentieth of a
/// millisecond after the last, then sleep; an idle pool uses no core.
///
/// A pool of more workers than the machine has cores starts only as many threads as there are cores, and the caller
/// makes the calls of the other workers. A run inside a run, or from a second thread during a run, makes all its calls
/// on the calling thread. Neither changes a result, since work is never divided by the number of threads.
///
/// Dropping the pool ends its threads and waits for them.
///
/// ```
/// use tombolo_threads::{Pool, parallel_chunks};
///
/// let pool = Pool::new(2)?;
/// let mut numbers = vec![1_u32; 10_000];
/// parallel_chunks(&pool, &mut numbers, 1000, &|_worker, first, chunk| {
///     chunk.iter_mut().for_each(|number| *number += first as u32);
/// });
/// assert_eq!(numbers[9_999], 9_001);
/// # Ok::<(), tombolo_threads::PoolError>(())
/// ```
pub struct Pool {
    shared: Arc<Shared>,
    /// The threads that were started here, that of worker 1 first. Workers above the number of cores have no thread.
    threads: Vec<JoinHandle<()>>,
    /// Whether some worker has a thread, or may get one.
    is_parallel: bool,
}

impl Pool {
    /// The greatest number of workers of a pool: more than a machine has cores, and 8 MB.
    pub const WORKERS_MAX: usize = 1 << 16;

    /// Starts a pool of `workers` workers, the caller of each run among them, with at most one thread for each core.
    ///
    /// # Errors
    ///
    /// [`PoolError::NoWorkers`] for 0, [`PoolError::TooManyWorkers`] for more than [`Pool::WORKERS_MAX`],
    /// [`PoolError::ThreadNotStarted`] if the system refuses a thread; those already started are ended.
    pub fn new(workers: usize) -> Result<Self, PoolError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::start(workers, workers.min(cores))
    }

    /// Like [`new`](Self::new), with a thread for each worker whatever the number of cores: to provoke every
    /// interleaving in tests, or where the system reports a wrong number of cores.
    ///
    /// # Errors
    ///
    /// In the same cases as [`new`](Self::new).
    pub fn with_thread_for_each(workers: usize) -> Result<Self, PoolError> {
        Self::start(workers, workers)
    }

    /// A pool that starts no threads, and its workers but for worker 0: for hosts that make threads in a way of their own, as a
    /// web page does. The host calls [`HostWorker::work`] on a thread of its own for each, at any time or never: the caller
    /// of a run makes the calls of workers without a thread.
    ///
    /// Dropping the pool ends the calls of `work`, and does not wait for them.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use tombolo_threads::{Executor, Pool};
    ///
    /// let (pool, workers) = Pool::without_threads(3)?;
    /// let threads: Vec<_> = workers
    ///     .into_iter()
    ///     .map(|worker| std::thread::spawn(move || worker.work()))
    ///     .collect();
    /// let calls = AtomicUsize::new(0);
    /// pool.run(&|_worker| {
    ///     calls.fetch_add(1, Ordering::Relaxed);
    /// });
    /// assert_eq!(calls.into_inner(), 3);
    /// drop(pool);
    /// threads.into_iter().for_each(|thread| thread.join().unwrap());
    /// # Ok::<(), tombolo_threads::PoolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PoolError::NoWorkers`] and [`PoolError::TooManyWorkers`], as of [`new`](Self::new).
    pub fn without_threads(workers: usize) -> Result<(Self, Vec<HostWorker>), PoolError> {
        let mut pool = Self::start(workers, 0)?;
        pool.is_parallel = workers > 1;
        let host_workers = (1..workers).map(|worker| HostWorker::new(Arc::clone(&pool.shared), worker));
        let host_workers = host_workers.collect();
        Ok((pool, host_workers))
    }

    fn start(workers: usize, thread_count: usize) -> Result<Self, PoolError> {
        let worker_slot_count = workers.checked_sub(1).ok_or(PoolError::NoWorkers)?;
        if workers > Self::WORKERS_MAX {
            return Err(PoolError::TooManyWorkers { wanted: workers });
        }
        let shared = Arc::new(Shared::new(worker_slot_count));
        // Created before the threads, so that an early return drops it and ends the threads that started.
        let mut pool = Self {
            shared,
            threads: Vec::with_capacity(thread_count.saturating_sub(1)),
            is_parallel: thread_count > 1,
        };
        for worker in 1..thread_count {
            let shared = Arc::clone(&pool.shared);
            let thread = Builder::new()
                .name(format!("tombolo worker {worker}"))
                .spawn(move || shared.work(worker))
                .map_err(|source| PoolError::ThreadNotStarted { worker, source })?;
            pool.threads.push(thread);
        }
        Ok(pool)
    }
}

impl Executor for Pool {
    fn worker_count(&self) -> usize {
        self.shared.worker_slots.len() + 1
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        let shared = &*self.shared;
        if !self.is_parallel || shared.busy.swap(true, Ordering::Acquire) {
            run_alone(self.worker_count(), task);
            return;
        }
        // From here to the end of the last wait nothing may unwind: the threads have a pointer to the task, which the
        // caller owns.
        let run = shared.publish(task);
        shared.wake_sleepers();
        let mut first_panic = catch(task, 0);
        for (worker_slot, worker) in shared.worker_slots.iter().zip(1..) {
            if worker_slot.take(run) {
                let panic = catch(task, worker);
                worker_slot.end(run, None);
                first_panic = first_of(first_panic, panic);
            }
        }
        for worker_slot in &shared.worker_slots {
            first_panic = first_of(first_panic, worker_slot.wait_for_end(run));
        }
        shared.busy.store(false, Ordering::Release);
        resume(first_panic);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.shut_down();
        for thread in self.threads.drain(..) {
            // Tasks cannot unwind a worker thread, so there is no panic to propagate.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Pool")
            .field("worker_count", &self.worker_count())
            .field("thread_count", &(self.threads.len() + 1))
            .finish_non_exhaustive()
    }
}

/// The reason why a [`Pool`] could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum PoolError {
    /// The requested number of workers is 0.
    NoWorkers,
    /// The requested number of workers is above [`Pool::WORKERS_MAX`].
    TooManyWorkers {
        /// The number.
        wanted: usize,
    },
    /// The system refused to start a thread.
    ThreadNotStarted {
        /// The index of its worker.
        worker: usize,
        /// The error of the system.
        source: std::io::Error,
    },
}

impl fmt::Display for PoolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWorkers => formatter.write_str("a pool needs at least 1 worker, and 0 were asked for"),
            Self::TooManyWorkers { wanted } => {
                write!(
                    formatter,
                    "a pool has at most {} workers, and {wanted} were asked for",
                    Pool::WORKERS_MAX
                )
            }
            Self::ThreadNotStarted { worker, source } => {
                write!(
                    formatter,
                    "the thread of worker {worker} could not be started: {source}; ask for fewer workers"
                )
            }
        }
    }
}

impl std::error::Error for PoolError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoWorkers | Self::TooManyWorkers { .. } => None,
            Self::ThreadNotStarted { source, .. } => Some(source),
        }
    }
}
