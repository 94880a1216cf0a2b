//! The pool and the stages on many threads under schedules picked at random. Run with `.ci/shuttle`; without
//! `--cfg shuttle` there is nothing here.
//!
//! Shuttle models only sequential consistency; loom checks the weaker orderings on fewer threads.
#![cfg(shuttle)]

use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::thread;
use tombolo_threads::{ClaimOrder, Pool, StageRunner, parallel_for};

/// Schedules tried for each test; `TOMBOLO_SHUTTLE_SCHEDULES` asks for more.
fn schedules() -> usize {
    std::env::var("TOMBOLO_SHUTTLE_SCHEDULES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(2_000)
}

/// Blocks of a stage see what all of the stage before did, on a pool of four whose threads come and go.
fn pool_goes_through_stages(order: ClaimOrder) {
    let model = move || {
        let pool = Pool::with_thread_for_each(4).unwrap();
        let mut runner = StageRunner::with_order(order);
        for _ in 0..2 {
            let done: [AtomicUsize; 3] = std::array::from_fn(|_| AtomicUsize::new(0));
            runner.run(&pool, &[3, 1, 4], &|_worker, stage, _block| {
                if stage > 0 {
                    assert_eq!(done[stage - 1].load(Ordering::SeqCst), [3, 1, 4][stage - 1]);
                }
                done[stage].fetch_add(1, Ordering::SeqCst);
            });
            assert_eq!(done[2].load(Ordering::SeqCst), 4);
        }
    };
    shuttle::check_random(model, schedules());
}

#[test]
fn a_pool_of_four_goes_through_stages() {
    pool_goes_through_stages(ClaimOrder::Affine);
}

#[test]
fn a_pool_of_four_goes_through_shuffled_stages() {
    pool_goes_through_stages(ClaimOrder::Shuffled(5));
}

#[test]
fn a_pool_shared_by_two_threads_and_nested() {
    let model = || {
        let pool = Arc::new(Pool::with_thread_for_each(3).unwrap());
        let use_it = |pool: &Pool| {
            let sum = AtomicUsize::new(0);
            parallel_for(pool, 3, 1, &|_worker, outer| {
                parallel_for(pool, 2, 1, &|_worker, inner| {
                    sum.fetch_add(2 * outer.start + inner.start, Ordering::SeqCst);
                });
            });
            assert_eq!(sum.load(Ordering::SeqCst), 15);
        };
        let other = {
            let pool = Arc::clone(&pool);
            thread::spawn(move || use_it(&pool))
        };
        use_it(&pool);
        other.join().unwrap();
    };
    shuttle::check_random(model, schedules());
}
