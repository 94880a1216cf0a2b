//! A data race on purpose. `.ci/thread-sanitizer` runs it first, since a tool that reports nothing may also be one whose
//! suppressions hide all; nobody else does.

use std::cell::UnsafeCell;
use std::hint::black_box;

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
    // ThreadSanitizer does not see every race that happens: there are many here.
    for _ in 0..200 {
        pool.run(&|_worker| {
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
