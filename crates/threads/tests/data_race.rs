//! A data race on purpose. `.ci/thread-sanitizer` runs it first, since a tool that reports nothing may also be one whose
//! suppressions hide all; nobody else does.

use std::cell::UnsafeCell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use tombolo_threads::{Executor, Pool};

struct Unguarded(UnsafeCell<u64>);

// SAFETY: it is not safe to share, which is what the test is for.
unsafe impl Sync for Unguarded {}

#[test]
#[ignore = "a race on purpose, for ThreadSanitizer alone"]
fn workers_that_write_one_number_without_a_lock() {
    let pool = Pool::with_thread_for_each(2).unwrap();
    let number = Unguarded(UnsafeCell::new(0));
    let number = &number;
    let begun = AtomicU64::new(0);
    // ThreadSanitizer remembers the last accesses of a word by chance: there are many races here.
    for run in 1..=200 {
        pool.run(&|worker| {
            // The caller would make both calls itself if the other thread came late, and then nothing races. It waits
            // in its own call until the thread has begun the other one; relaxed, so that the wait orders no writes.
            if worker == 0 {
                while begun.load(Ordering::Relaxed) < run {
                    std::thread::yield_now();
                }
            } else {
                begun.store(run, Ordering::Relaxed);
            }
            for write in 0..100 {
                // Behind a black box, so that the writes stay as many.
                let place = black_box(number.0.get());
                // SAFETY: none, see above.
                unsafe { *place = write };
            }
        });
    }
    // SAFETY: the run has ended, and so have its workers' writes.
    assert_eq!(unsafe { *number.0.get() }, 99);
}
