//! An [`Executor`] over a rayon pool, for programs that use rayon already.

use crate::Executor;
use crate::unwind::{Panic, catch, discard, resume, run_alone};
use core::cell::Cell;
use std::sync::{Mutex, PoisonError};

/// Runs tasks on the threads of a rayon pool, with as many workers as it has threads. Worker 0 is the calling thread,
/// as in every executor, also when it is not one of the pool's.
///
/// Rayon allocates for each task it spawns, so a step on it is not free of allocation. A step from inside the pool does
/// not deadlock: rayon's threads work on other tasks while they wait.
///
/// A run inside a run makes all its calls on the calling thread, as in [`Pool`](crate::Pool), whichever pool it is for: a
/// thread that waited for it could take another call of the outer run meanwhile, and that would wait for the thread's own.
/// For the same reason a task, and a callback of a step, must not wait for rayon work of its own (`join`, `scope`,
/// parallel iterators), which the executor cannot see.
///
/// ```
/// use tombolo_threads::{RayonExecutor, parallel_chunks};
///
/// let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let mut numbers = [1.0_f32; 100];
/// parallel_chunks(&RayonExecutor::new(&threads), &mut numbers, 10, &|_worker, _first, chunk| chunk.fill(2.0));
/// assert_eq!(numbers, [2.0; 100]);
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RayonExecutor<'a> {
    threads: &'a rayon::ThreadPool,
}

std::thread_local! {
    /// Whether the thread is inside a call of a run.
    static IN_CALL: Cell<bool> = const { Cell::new(false) };
}

impl<'a> RayonExecutor<'a> {
    /// Wraps a rayon pool.
    pub fn new(threads: &'a rayon::ThreadPool) -> Self {
        Self { threads }
    }
}

impl Executor for RayonExecutor<'_> {
    fn worker_count(&self) -> usize {
        self.threads.current_num_threads().max(1)
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        if IN_CALL.get() {
            return run_alone(self.worker_count(), task);
        }
        // Rayon's scope drops a second panic's payload where a panic of that drop would leave the scope before the other
        // calls have ended. So no panic reaches it.
        let first_panic = Mutex::new(None::<Panic>);
        let call = &|worker| {
            let was_in_call = IN_CALL.replace(true);
            let panic = catch(task, worker);
            IN_CALL.set(was_in_call);
            let Some(panic) = panic else { return };
            let mut first = first_panic.lock().unwrap_or_else(PoisonError::into_inner);
            if first.is_none() {
                *first = Some(panic);
            } else {
                // Outside the lock: the payload's drop is a user's code, and may run tasks.
                drop(first);
                discard(panic);
            }
        };
        self.threads.in_place_scope(|scope| {
            for worker in 1..self.worker_count() {
                scope.spawn(move |_| call(worker));
            }
            call(0);
        });
        resume(first_panic.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
}
