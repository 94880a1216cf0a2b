//! The interleavings of two and three threads through the pool and the stages, with a bounded number of preemptions.
//! Run with `.ci/loom`; without `--cfg loom` there is nothing here.
#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::thread;
use tombolo_threads::{ClaimOrder, Executor, Pool, StageRunner};

/// Checks a model with a bound on preemptions.
fn check(preemptions_max: Option<usize>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions_max;
    builder.check(model);
}

/// A pool's run: the task is called for each worker, its writes are seen after the run, and the threads end.
#[test]
fn a_pool_of_two_runs_twice_and_shuts_down() {
    check(Some(2), || {
        let pool = Pool::with_thread_for_each(2).unwrap();
        for round in 1..=2 {
            let calls: Vec<_> = (0..2).map(|_| UnsafeCell::new(0)).collect();
            let shared = Shared(&calls);
            // SAFETY: each worker index is called once, which loom checks.
            pool.run(&|worker| shared.cell(worker).with_mut(|calls| unsafe { *calls += round }));
            // SAFETY: the run is over.
            assert!(
                calls
                    .iter()
                    .all(|calls| calls.with(|calls| unsafe { *calls }) == round)
            );
        }
    });
}

#[test]
fn a_pool_of_three_runs_once() {
    check(Some(1), || {
        let pool = Pool::with_thread_for_each(3).unwrap();
        let calls: Vec<_> = (0..3).map(|_| UnsafeCell::new(0)).collect();
        let shared = Shared(&calls);
        // SAFETY: each worker index is called once, which loom checks.
        pool.run(&|worker| shared.cell(worker).with_mut(|calls| unsafe { *calls += 1 }));
        // SAFETY: the run is over.
        assert!(
            calls
                .iter()
                .all(|calls| calls.with(|calls| unsafe { *calls }) == 1)
        );
    });
}

struct Shared<'a>(&'a [UnsafeCell<usize>]);

// SAFETY: each cell is touched by who claimed it, which is what loom checks.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    fn cell(&self, index: usize) -> &UnsafeCell<usize> {
        &self.0[index]
    }
}

/// Threads of the model's own as an executor: the stages without the pool.
struct Threads(usize);

impl Executor for Threads {
    fn worker_count(&self) -> usize {
        self.0
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        // SAFETY: the threads are joined before the borrow ends; loom has no scoped threads.
        let task: &'static (dyn Fn(usize) + Sync) = unsafe { std::mem::transmute(task) };
        let others: Vec<_> = (1..self.0)
            .map(|worker| thread::spawn(move || task(worker)))
            .collect();
        task(0);
        others.into_iter().for_each(|other| other.join().unwrap());
    }
}

/// Each block of a stage reads what all blocks of the one before wrote, without any other order than the gate's.
fn stages_hand_on(threads: usize, preemptions_max: Option<usize>, stages: usize, order: ClaimOrder) {
    check(preemptions_max, move || {
        let cells: Vec<_> = (0..2 * stages).map(|_| UnsafeCell::new(0)).collect();
        let shared = Shared(&cells);
        let mut runner = StageRunner::with_order(order);
        runner.run(&Threads(threads), &vec![2; stages], &|_worker, stage, block| {
            // SAFETY: the stage before is done, and this block is claimed once, which loom checks.
            let sum = match stage {
                0 => 1,
                _ => (0..2)
                    .map(|other| {
                        shared
                            .cell(2 * (stage - 1) + other)
                            .with(|value| unsafe { *value })
                    })
                    .sum(),
            };
            // SAFETY: as above.
            shared
                .cell(2 * stage + block)
                .with_mut(|value| unsafe { *value += sum });
        });
        // SAFETY: the run is over.
        let last = cells[2 * stages - 1].with(|value| unsafe { *value });
        assert_eq!(last, 1 << (stages - 1));
    });
}

#[test]
fn two_workers_through_two_stages() {
    stages_hand_on(2, Some(4), 2, ClaimOrder::Affine);
}

#[test]
fn two_workers_through_three_shuffled_stages() {
    stages_hand_on(2, Some(3), 3, ClaimOrder::Shuffled(3));
}
