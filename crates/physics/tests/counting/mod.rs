//! An allocator that counts, for the tests of what allocates. The count is of the whole process: a test that reads it is
//! alone in its program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use tombolo_threads::Executor;

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on; the memory came from `System`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often memory was asked for so far, by all threads.
pub(crate) fn allocation_count() -> usize {
    COUNT.load(Ordering::Relaxed)
}

/// Some workers on one thread, of which each time another comes first, so that all of them have seen all there is.
pub(crate) struct TakingTurns {
    worker_count: usize,
    run_count: AtomicUsize,
}

impl TakingTurns {
    pub(crate) fn new(worker_count: usize) -> Self {
        Self {
            worker_count,
            run_count: AtomicUsize::new(0),
        }
    }
}

impl Executor for TakingTurns {
    fn worker_count(&self) -> usize {
        self.worker_count
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        let first = self.run_count.fetch_add(1, Ordering::Relaxed);
        (0..self.worker_count).for_each(|worker| task((first + worker) % self.worker_count));
    }
}
