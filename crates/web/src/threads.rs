//! Exports for worlds that are stepped by several threads: one pool for the module, for which the threads of the host work,
//! each in an instance of its own over the same memory. `packages/js/threads.js` and `thread.js` call these functions.
//!
//! Only the thread that created the module makes calls about worlds. While it waits for others it polls, and sleeps where it
//! may: the main thread of a page must not.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::sync::OnceLock;

use tombolo_threads::{Executor, HostWorker, Inline, Pool, let_this_thread_sleep};

use crate::exchange::exchange;

thread_local! {
    /// The pool of the thread that calls; `None` before it was opened, and in the instances of other threads.
    static POOL: RefCell<Option<Pool>> = const { RefCell::new(None) };
}

/// The workers of the pool but for worker 0, for the instances of all threads.
static WORKERS: OnceLock<Vec<HostWorker>> = OnceLock::new();

/// What memory of threads is aligned to: as much as a stack and vectors need.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Block {
    _bytes: [u8; 16],
}

/// What a task panics with whose thread has trapped.
struct HasTrapped;

/// Calls with the executor of steps: the pool, or the calling thread before one was opened.
pub(crate) fn with_executor<R>(call: impl FnOnce(&dyn Executor) -> R) -> R {
    POOL.with_borrow(|pool| match pool {
        Some(pool) => call(pool),
        None => call(&Inline),
    })
}

/// Opens the pool, once, of so many workers, the calling thread among them; `may_sleep` is 0 if that one must not.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn threads_open(workers: u32, may_sleep: u32) -> i32 {
    exchange(|_, _| {
        if may_sleep != 0 {
            let_this_thread_sleep();
        }
        let (pool, host_workers) = Pool::without_threads(workers as usize)?;
        WORKERS
            .set(host_workers)
            .map_err(|_| "the pool was opened before")?;
        POOL.set(Some(pool));
        Ok(0)
    })
}

/// Reserves memory for the stack and the thread-local values of a thread, for good; returns its address, which is a
/// multiple of 16.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn thread_memory(bytes: usize) -> usize {
    let mut blocks = Vec::<Block>::with_capacity(bytes.div_ceil(size_of::<Block>()));
    let at = blocks.as_mut_ptr() as usize;
    std::mem::forget(blocks);
    at
}

/// Works as worker 1 or above until the module ends. To be called by that worker's thread.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn thread_work(worker: usize) {
    if let Some(worker) = host_worker(worker) {
        worker.work();
    }
}

/// Tells the caller of the run that the thread of a worker has trapped. To be called by that thread, after the trap.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn thread_failed(worker: usize) {
    if let Some(worker) = host_worker(worker) {
        // SAFETY: the thread has left `thread_work` by a trap, so none of the task's code runs on it any more. (Of no size, since
        // there may be no memory left.)
        unsafe { worker.give_up(Box::new(HasTrapped)) };
    }
}

fn host_worker(worker: usize) -> Option<&'static HostWorker> {
    WORKERS.get()?.get(worker.checked_sub(1)?)
}
