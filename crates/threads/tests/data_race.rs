//! A data race on purpose. `.ci/thread-sanitizer` runs it first, since a tool that reports nothing may also be one whose
//! suppressions hide all; nobody else does.

use std::cell::UnsafeCell;

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
    pool.run(&|_worker| {
        for _ in 0..10_000 {
            // SAFETY: none, see above.
            unsafe { *number.0.get() += 1 };
        }
    });
    // SAFETY: the run has ended, and so have its workers' writes.
    assert!(unsafe { *number.0.get() } >= 1);
}
