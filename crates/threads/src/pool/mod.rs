//! [`Pool`]: Tombolo's own thread pool. A fixed number of workers, of which the caller is worker 0.
//!
//! Runs are numbered. Each worker has a *slot* whose turn word records whether it has begun and ended its call of the
//! run. The first thread that changes the word takes the call: the worker's own, or the caller once its own call is
//! done. So a run never waits for a thread that has not started, only for calls in progress; with more workers than
//! cores, or on a busy machine, the caller makes all calls.
//!
//! `worker_slot.rs` has the turn word and the sleep; this file the pool and the run.
//!
//! The reasons are in `docs/decisions.md#a-thread-pool-of-our-own`.
#![allow(unsafe_code)]

mod worker_slot;

use crate::shim::UnsafeCell;
use crate::shim::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use crate::shim::thread::{Builder, JoinHandle};
use crate::unwind::{catch, first_of, resume, run_alone};
use crate::{Executor, Padded};
use core::fmt;
use std::sync::Arc;
use worker_slot::WorkerSlot;

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
    /// The thread of worker 1 first. Workers above the number of cores have no thread.
    threads: Vec<JoinHandle<()>>,
}

/// The state that the caller and the worker threads share.
///
/// Invariants: `busy` is set from before a run's task is written until after its last slot has ended. `task` is written
/// only by the thread that set `busy`, before the run's number is published; it is read only by a thread that took one of
/// the run's turns. Run numbers grow by one.
struct Shared {
    run: Padded<AtomicU64>,
    task: UnsafeCell<Option<Task>>,
    busy: AtomicBool,
    /// Worker 1 first: worker 0 needs none.
    worker_slots: Box<[Padded<WorkerSlot>]>,
}

/// The run's task with its lifetime erased: it is only called before the caller returns from `run`.
type Task = *const (dyn Fn(usize) + Sync);

/// The run number that makes the worker threads return.
const SHUT_DOWN: u64 = u64::MAX;

// SAFETY: `task` is the only field that is not `Send` and `Sync` by itself. Its pointee is `Sync`, and the invariants
// above order its writes and reads.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

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

    fn start(workers: usize, thread_count: usize) -> Result<Self, PoolError> {
        let worker_slot_count = workers.checked_sub(1).ok_or(PoolError::NoWorkers)?;
        if workers > Self::WORKERS_MAX {
            return Err(PoolError::TooManyWorkers { wanted: workers });
        }
        let shared = Arc::new(Shared {
            run: Padded::new(AtomicU64::new(0)),
            task: UnsafeCell::new(None),
            busy: AtomicBool::new(false),
            worker_slots: (0..worker_slot_count)
                .map(|_| Padded::new(WorkerSlot::new()))
                .collect(),
        });
        // Created before the threads, so that an early return drops it and ends the threads that started.
        let mut pool = Self {
            shared,
            threads: Vec::with_capacity(thread_count.saturating_sub(1)),
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

    /// Wakes the sleeping threads, after a new run number was published.
    fn wake_sleepers(&self) {
        // Pairs with the fence in `WorkerSlot::sleep_until_woken`: either the sleeper sees the new number, or this sees it sleep.
        fence(Ordering::SeqCst);
        for (worker_slot, thread) in self.shared.worker_slots.iter().zip(&self.threads) {
            if worker_slot.is_asleep() {
                thread.thread().unpark();
            }
        }
    }
}

impl Executor for Pool {
    fn worker_count(&self) -> usize {
        self.shared.worker_slots.len() + 1
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        let shared = &*self.shared;
        if self.threads.is_empty() || shared.busy.swap(true, Ordering::Acquire) {
            run_alone(self.worker_count(), task);
            return;
        }
        // From here to the end of the last wait nothing may unwind: the threads have a pointer to the task, which the
        // caller owns.
        let run = shared.publish(task);
        self.wake_sleepers();
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

impl Shared {
    /// Stores the task, publishes the next run's number and returns it. The caller has set `busy`.
    fn publish(&self, task: &(dyn Fn(usize) + Sync)) -> u64 {
        // SAFETY: only the lifetime changes. `run` does not return before every slot has ended this run, and nobody
        // calls the task without holding a slot's turn of it.
        let task = unsafe { core::mem::transmute::<&(dyn Fn(usize) + Sync), Task>(task) };
        // SAFETY: `busy` keeps other callers out, and no thread holds a turn.
        self.task.with_mut(|slot| unsafe { *slot = Some(task) });
        let run = self.run.load(Ordering::Relaxed) + 1;
        self.run.store(run, Ordering::Release);
        run
    }

    /// The main function of a worker thread.
    fn work(&self, worker: usize) {
        let worker_slot = &self.worker_slots[worker - 1];
        let mut last_run = 0;
        loop {
            last_run = worker_slot.wait_for_run(&self.run, last_run);
            if last_run == SHUT_DOWN {
                return;
            }
            if worker_slot.take(last_run) {
                // SAFETY: this thread holds a turn of the run, so the caller is still in `run`, has written the task
                // before it published the number, and will not write it again before the turn has ended.
                let task = self.task.with(|slot| unsafe { (*slot).map(|task| &*task) });
                let panic = task.and_then(|task| catch(task, worker));
                worker_slot.end(last_run, panic);
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.run.store(SHUT_DOWN, Ordering::Release);
        self.wake_sleepers();
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
