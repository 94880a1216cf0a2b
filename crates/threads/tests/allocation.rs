//! Running stages allocates nothing once the pool exists: a world steps sixty times a second.
#![cfg(not(any(loom, shuttle)))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use tombolo_threads::{Executor, Pool, StageRunner, parallel_chunks, run_stages};

/// The system's allocator, with a count of what was asked of it by any thread.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of(run: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    run();
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

/// The only test here: another would allocate meanwhile.
#[test]
fn stages_and_loops_allocate_nothing() {
    let pool = Pool::with_thread_for_each(3).unwrap();
    let many = Pool::new(40).unwrap();
    let mut items = vec![0_u32; 10_000];
    let mut runner = StageRunner::new();
    // Workers make their thread's own state on their first run.
    let mut work = |pool: &dyn Executor| {
        for _ in 0..50 {
            runner.run(pool, &[7, 0, 3, 20], &|_worker, _stage, _block| {});
        }
    };
    work(&pool);
    work(&many);
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(allocations_of(|| work(&pool)), 0);
    assert_eq!(allocations_of(|| work(&many)), 0);
    assert_eq!(
        allocations_of(|| run_stages(&pool, &[5; 10], &|_worker, _stage, _block| {})),
        0
    );
    let chunks = || parallel_chunks(&pool, &mut items, 100, &|_worker, _first, chunk| chunk.fill(1));
    assert_eq!(allocations_of(chunks), 0);
    assert_eq!(items.iter().sum::<u32>(), 10_000);
}
