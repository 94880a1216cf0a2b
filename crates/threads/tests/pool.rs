//! The pool and the stages against a serial oracle, on every executor and claim order.
#![cfg(not(any(loom, shuttle)))]

#[path = "support/last_first.rs"]
mod last_first;

use last_first::LastFirst;
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread::ThreadId;
use tombolo_threads::{
    ClaimOrder, Executor, HostWorker, Inline, PerWorker, Pool, PoolError, StageRunner, parallel_chunks,
    parallel_for, run_stages,
};

fn executors() -> Vec<Box<dyn Executor>> {
    vec![
        Box::new(Inline),
        Box::new(Pool::new(1).unwrap()),
        Box::new(Pool::new(2).unwrap()),
        Box::new(Pool::new(40).unwrap()),
        Box::new(Pool::with_thread_for_each(3).unwrap()),
        Box::new(Pool::with_thread_for_each(8).unwrap()),
        Box::new(Pool::without_threads(6).unwrap().0),
        Box::new(LastFirst(5)),
        #[cfg(feature = "rayon")]
        Box::new(tombolo_threads::RayonExecutor::new(rayon_threads())),
    ]
}

#[cfg(feature = "rayon")]
fn rayon_threads() -> &'static rayon::ThreadPool {
    static THREADS: std::sync::LazyLock<rayon::ThreadPool> =
        std::sync::LazyLock::new(|| rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap());
    &THREADS
}

#[test]
fn a_pool_of_no_workers_is_refused() {
    let error = Pool::new(0).unwrap_err();
    assert!(matches!(error, PoolError::NoWorkers));
    assert!(error.to_string().contains("at least 1"));
}

#[test]
fn a_pool_of_more_workers_than_there_is_memory_for_is_refused() {
    for wanted in [Pool::WORKERS_MAX + 1, usize::MAX] {
        let error = Pool::new(wanted).unwrap_err();
        assert!(matches!(error, PoolError::TooManyWorkers { wanted: got } if got == wanted));
        assert!(error.to_string().contains("65536"), "{error}");
    }
    assert_eq!(
        Pool::new(Pool::WORKERS_MAX).unwrap().worker_count(),
        Pool::WORKERS_MAX
    );
}

#[test]
fn every_worker_is_called_once_and_worker_0_is_the_caller() {
    for executor in executors() {
        for _ in 0..200 {
            let calls: Vec<AtomicUsize> = (0..executor.worker_count())
                .map(|_| AtomicUsize::new(0))
                .collect();
            let mut threads = PerWorker::new(executor.worker_count(), || None::<ThreadId>);
            executor.run(&|worker| {
                // Two calls of one worker would be counted.
                if calls[worker].fetch_add(1, Ordering::Relaxed) == 0 {
                    // SAFETY: this worker's first call.
                    unsafe { *threads.get_mut(worker) = Some(std::thread::current().id()) };
                }
            });
            assert!(calls.iter().all(|count| count.load(Ordering::Relaxed) == 1));
            let zero = threads.iter_mut().next().expect("there is a worker 0");
            assert_eq!(*zero, Some(std::thread::current().id()));
        }
    }
}

#[test]
fn a_parallel_for_covers_each_index_once_in_blocks_that_do_not_depend_on_the_workers() {
    for (count, block_size) in [(0, 1), (1, 1), (1000, 7), (64, 64), (65, 64), (3, usize::MAX)] {
        let mut expected: Vec<_> = (0..count)
            .step_by(block_size)
            .map(|first: usize| first..count.min(first.saturating_add(block_size)))
            .collect();
        expected.sort_by_key(|range| range.start);
        for executor in executors() {
            let mut ranges = PerWorker::new(executor.worker_count(), Vec::new);
            parallel_for(&*executor, count, block_size, &|worker, range| {
                assert!(worker < executor.worker_count());
                // SAFETY: the worker's own slot, and no run is nested.
                unsafe { ranges.get_mut(worker) }.push(range);
            });
            let mut ranges: Vec<_> = ranges.iter_mut().flat_map(|slot| slot.drain(..)).collect();
            ranges.sort_by_key(|range| range.start);
            assert_eq!(ranges, expected);
        }
    }
}

#[test]
fn chunks_are_written_through() {
    for executor in executors() {
        let mut items = vec![0_usize; 10_001];
        parallel_chunks(&*executor, &mut items, 100, &|_worker, first, chunk| {
            chunk
                .iter_mut()
                .enumerate()
                .for_each(|(offset, item)| *item += first + offset);
        });
        assert!(items.iter().enumerate().all(|(index, &item)| item == index));
    }
}

/// Runs stages whose blocks read what every block of the stage before wrote; true if none saw too little or ran twice.
fn stages_are_in_order(executor: &dyn Executor, order: ClaimOrder, block_counts: &[u32]) -> bool {
    let done: Vec<AtomicU32> = block_counts.iter().map(|_| AtomicU32::new(0)).collect();
    let seen: Vec<Vec<AtomicU32>> = block_counts
        .iter()
        .map(|&count| (0..count).map(|_| AtomicU32::new(0)).collect())
        .collect();
    let early = AtomicUsize::new(0);
    StageRunner::with_order(order).run(executor, block_counts, &|_worker, stage, block| {
        if stage > 0 && done[stage - 1].load(Ordering::Relaxed) != block_counts[stage - 1] {
            early.fetch_add(1, Ordering::Relaxed);
        }
        seen[stage][block].fetch_add(1, Ordering::Relaxed);
        done[stage].fetch_add(1, Ordering::Relaxed);
    });
    early.into_inner() == 0
        && seen
            .iter()
            .flatten()
            .all(|count| count.load(Ordering::Relaxed) == 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn stages_run_each_block_once_and_in_order(
        block_counts in prop::collection::vec(0_u32..20, 0..12),
        seed: u32,
    ) {
        for executor in executors() {
            prop_assert!(stages_are_in_order(&*executor, ClaimOrder::Affine, &block_counts));
            prop_assert!(stages_are_in_order(&*executor, ClaimOrder::Shuffled(seed), &block_counts));
        }
    }
}

#[test]
fn many_short_stages_on_more_threads_than_cores() {
    let pool = Pool::with_thread_for_each(8).unwrap();
    for _ in 0..20 {
        assert!(stages_are_in_order(&pool, ClaimOrder::Affine, &[8; 200]));
        assert!(stages_are_in_order(&pool, ClaimOrder::Shuffled(7), &[3; 200]));
    }
}

#[test]
fn a_panic_reaches_the_caller_and_leaves_the_pool_usable() {
    for executor in executors() {
        for block in [0, 17, 99] {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                parallel_for(&*executor, 100, 1, &|_worker, range| {
                    assert!(range.start != block, "block {block} failed");
                });
            }));
            let message = *caught.unwrap_err().downcast::<String>().unwrap();
            assert_eq!(message, format!("block {block} failed"));
            assert!(stages_are_in_order(&*executor, ClaimOrder::Affine, &[10; 5]));
        }
    }
}

#[test]
fn a_panic_in_one_stage_starts_no_later_one() {
    for executor in executors() {
        let later = AtomicUsize::new(0);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            run_stages(
                &*executor,
                &[4, 4],
                &|_worker, stage, block| match (stage, block) {
                    (0, 2) => panic!("stage 0 failed"),
                    (0, _) => {}
                    _ => _ = later.fetch_add(1, Ordering::Relaxed),
                },
            );
        }));
        assert!(caught.is_err());
        assert_eq!(later.into_inner(), 0);
    }
}

/// What a task throws, whose drop panics in its turn, so many times.
struct PanicsInDrop(u32);

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        if self.0 > 0 {
            panic_any(PanicsInDrop(self.0 - 1));
        }
    }
}

/// The caller drops the second panic while a third worker is still in the task, whose borrows must live until it is out.
#[test]
fn a_panic_in_the_drop_of_a_second_panic_does_not_cut_the_run_short() {
    let mut executors = executors();
    executors.retain(|executor| executor.worker_count() == 3);
    for (executor, times) in executors
        .iter()
        .flat_map(|executor| [(executor, 1), (executor, 3)])
    {
        let (begun, inside) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let caught = catch_unwind(AssertUnwindSafe(|| {
            executor.run(&|worker| {
                begun.fetch_add(1, Ordering::SeqCst);
                inside.fetch_add(1, Ordering::SeqCst);
                while begun.load(Ordering::SeqCst) < 3 {
                    std::thread::yield_now();
                }
                let after = if worker == 2 { 100 } else { 0 };
                std::thread::sleep(std::time::Duration::from_millis(after));
                inside.fetch_sub(1, Ordering::SeqCst);
                if worker < 2 {
                    panic_any(PanicsInDrop(times));
                }
            });
        }));
        assert_eq!(inside.into_inner(), 0, "a worker was still in the task");
        std::mem::forget(caught.unwrap_err());
        // The pool takes another run, and does not think that the last is under way.
        let (arrived, mut threads) = (AtomicUsize::new(0), PerWorker::new(3, || None));
        executor.run(&|worker| {
            // SAFETY: these executors call each worker once.
            unsafe { *threads.get_mut(worker) = Some(std::thread::current().id()) };
            arrived.fetch_add(1, Ordering::SeqCst);
            while arrived.load(Ordering::SeqCst) < 3 {
                std::thread::yield_now();
            }
        });
        let mut threads: Vec<_> = threads.iter_mut().filter_map(|thread| *thread).collect();
        threads.sort_unstable_by_key(|thread| format!("{thread:?}"));
        threads.dedup();
        assert_eq!(threads.len(), 3);
    }
}

/// The same where all calls are made by one thread: none is left out.
#[test]
fn a_panic_in_the_drop_of_a_second_panic_leaves_no_call_out() {
    for executor in executors() {
        let calls = AtomicUsize::new(0);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            executor.run(&|_worker| {
                calls.fetch_add(1, Ordering::Relaxed);
                panic_any(PanicsInDrop(1));
            });
        }));
        std::mem::forget(caught.unwrap_err());
        // `LastFirst` lets the first panic out at once.
        if executor.worker_count() != 5 {
            assert_eq!(calls.into_inner(), executor.worker_count());
        }
    }
}

#[test]
fn a_run_within_a_run_is_made_inline() {
    let pool = Pool::with_thread_for_each(3).unwrap();
    let sum = AtomicUsize::new(0);
    parallel_for(&pool, 16, 1, &|_worker, outer| {
        let thread = std::thread::current().id();
        parallel_for(&pool, 10, 1, &|_worker, inner| {
            assert_eq!(std::thread::current().id(), thread);
            sum.fetch_add(outer.start * 10 + inner.start, Ordering::Relaxed);
        });
    });
    assert_eq!(sum.into_inner(), (0..160).sum());
}

/// Rayon's threads take other calls of the outer run while they wait for an inner one: two of these in one thread waited for
/// each other. From outside the pool, where the calls of a run lie in a queue that the threads look into last.
#[test]
#[cfg(feature = "rayon")]
fn a_run_within_a_run_on_rayon_is_made_inline() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let executor = tombolo_threads::RayonExecutor::new(&threads);
    let count = AtomicUsize::new(0);
    // Long enough for the other threads to wake and to look for work.
    let work = || std::thread::sleep(std::time::Duration::from_micros(500));
    for _ in 0..20 {
        parallel_for(&executor, 8, 1, &|_worker, _outer| {
            let thread = std::thread::current().id();
            parallel_for(&executor, 8, 1, &|_worker, _inner| {
                work();
                assert_eq!(std::thread::current().id(), thread);
                count.fetch_add(1, Ordering::Relaxed);
            });
        });
    }
    assert_eq!(count.into_inner(), 20 * 64);
    let thread = std::thread::current().id();
    let elsewhere = AtomicUsize::new(0);
    parallel_for(&executor, 64, 1, &|_worker, _| {
        work();
        elsewhere.fetch_add(
            usize::from(std::thread::current().id() != thread),
            Ordering::Relaxed,
        );
    });
    assert!(
        elsewhere.into_inner() > 0,
        "a run that is in no other is still divided"
    );
}

#[test]
fn two_threads_may_use_one_pool_at_once() {
    let pool = Pool::with_thread_for_each(3).unwrap();
    std::thread::scope(|scope| {
        let work = || {
            for _ in 0..200 {
                assert!(stages_are_in_order(&pool, ClaimOrder::Affine, &[5, 1, 7]));
            }
        };
        // By hand, because a sanitizer sees a join, and not the end of a scope.
        for thread in [scope.spawn(work), scope.spawn(work)] {
            thread.join().unwrap();
        }
    });
}

#[test]
fn a_pool_that_slept_wakes_up() {
    let pool = Pool::with_thread_for_each(2).unwrap();
    for _ in 0..5 {
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert!(stages_are_in_order(&pool, ClaimOrder::Affine, &[2; 10]));
    }
}

/// A pool whose threads the test starts, and those threads.
fn hosted(workers: usize) -> (Pool, Vec<std::thread::JoinHandle<()>>) {
    let (pool, workers_of_host) = Pool::without_threads(workers).unwrap();
    assert!(workers_of_host.iter().map(HostWorker::worker).eq(1..workers));
    let threads = workers_of_host
        .into_iter()
        .map(|worker| std::thread::spawn(move || worker.work()));
    (pool, threads.collect())
}

/// Makes runs until a call was made on another thread than this one, of a millisecond each and so many at most; whether one
/// was.
fn is_helped(pool: &Pool, runs_max: u32) -> bool {
    let (caller, helped) = (std::thread::current().id(), AtomicUsize::new(0));
    for _ in 0..runs_max {
        pool.run(&|worker| {
            if worker == 0 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            } else if std::thread::current().id() != caller {
                helped.fetch_add(1, Ordering::Relaxed);
            }
        });
        if helped.load(Ordering::Relaxed) > 0 {
            return true;
        }
    }
    false
}

#[test]
fn threads_of_the_host_take_part_and_return_when_the_pool_is_dropped() {
    for workers in [1, 2, 4] {
        let (pool, threads) = hosted(workers);
        assert_eq!(pool.worker_count(), workers);
        // A loaded machine may take seconds to run a thread.
        let runs_max = if workers == 1 { 10 } else { 10_000 };
        assert_eq!(is_helped(&pool, runs_max), workers > 1);
        // They sleep now, and are woken for the end.
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_eq!(is_helped(&pool, runs_max), workers > 1);
        drop(pool);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

#[test]
fn the_caller_makes_the_calls_of_workers_without_a_thread() {
    let (pool, workers_of_host) = Pool::without_threads(5).unwrap();
    let calls = AtomicUsize::new(0);
    let count = |_worker| {
        calls.fetch_add(1, Ordering::Relaxed);
    };
    pool.run(&count);
    drop(workers_of_host);
    pool.run(&count);
    assert_eq!(calls.load(Ordering::Relaxed), 10);
}

#[test]
fn a_worker_of_the_host_has_one_thread() {
    let (pool, workers_of_host) = Pool::without_threads(2).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| workers_of_host[0].work());
        assert!(is_helped(&pool, 10_000));
        workers_of_host[0].work();
        drop(pool);
    });
}

#[test]
fn the_death_of_a_thread_in_a_task_is_a_panic_of_the_run() {
    static WORKERS: std::sync::OnceLock<Vec<HostWorker>> = std::sync::OnceLock::new();
    static DEAD: AtomicUsize = AtomicUsize::new(0);
    let (pool, workers_of_host) = Pool::without_threads(2).unwrap();
    assert!(WORKERS.set(workers_of_host).is_ok());
    let worker_1 = || &WORKERS.get().unwrap()[0];
    // SAFETY: the thread does not work yet.
    unsafe { worker_1().give_up(Box::new("too early")) };
    std::thread::spawn(move || worker_1().work());
    assert!(
        is_helped(&pool, 10_000),
        "what was given up outside of a call is forgotten"
    );
    std::thread::spawn(move || {
        while DEAD.load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
        // SAFETY: the thread only parks from here on.
        unsafe { worker_1().give_up(Box::new("dead")) };
    });
    let caller = std::thread::current().id();
    let dies = catch_unwind(AssertUnwindSafe(|| {
        pool.run(&|worker| {
            if worker == 0 {
                // So that the call of worker 1 is its own thread's.
                while DEAD.load(Ordering::Relaxed) == 0 {
                    std::thread::yield_now();
                }
            } else if std::thread::current().id() != caller {
                DEAD.store(1, Ordering::Release);
                loop {
                    std::thread::park();
                }
            }
        });
    }));
    assert_eq!(dies.unwrap_err().downcast_ref(), Some(&"dead"));
    let calls = AtomicUsize::new(0);
    pool.run(&|_worker| {
        calls.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(
        calls.into_inner(),
        2,
        "the caller makes the calls of the dead one"
    );
}

#[test]
fn pools_come_and_go() {
    for workers in 1..20 {
        let pool = Pool::with_thread_for_each(workers).unwrap();
        if workers % 2 == 0 {
            assert!(stages_are_in_order(&pool, ClaimOrder::Affine, &[4]));
        }
    }
}

/// An executor that breaks its word, in a way of choice.
struct Careless(fn(&(dyn Fn(usize) + Sync)));

impl Executor for Careless {
    fn worker_count(&self) -> usize {
        3
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        (self.0)(task);
    }
}

/// An executor that says that it has no workers, and calls none.
struct Nobody;

impl Executor for Nobody {
    fn worker_count(&self) -> usize {
        0
    }

    fn run(&self, _task: &(dyn Fn(usize) + Sync)) {}
}

/// Runs blocks on an executor and tells how many ran, and whether two of one worker ran at once.
fn blocks_and_meetings(executor: &dyn Executor) -> (usize, bool) {
    let inside: [AtomicUsize; 3] = Default::default();
    let (blocks, met) = (AtomicUsize::new(0), AtomicUsize::new(0));
    parallel_for(executor, 2_000, 1, &|worker, range| {
        met.fetch_add(inside[worker].fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
        blocks.fetch_add(range.len(), Ordering::SeqCst);
        inside[worker].fetch_sub(1, Ordering::SeqCst);
    });
    (blocks.into_inner(), met.into_inner() > 0)
}

#[test]
fn an_executor_that_breaks_its_word_gets_no_worker_twice_and_loses_no_block() {
    type Calls = fn(&(dyn Fn(usize) + Sync));
    let calls: [Calls; 4] = [
        // Two threads are one worker.
        |task| {
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| task(1));
                }
            });
        },
        // Nobody comes.
        |_| {},
        // There is no such worker.
        |task| task(99),
        // One comes again and again.
        |task| (0..5).for_each(|_| task(2)),
    ];
    for call in calls {
        assert_eq!(blocks_and_meetings(&Careless(call)), (2_000, false));
    }
}

/// What a stage keeps for each worker had no place for the one that did the work.
#[test]
fn an_executor_of_no_workers_is_one_of_one() {
    for executor in [&Nobody as &dyn Executor, &tombolo_threads::Deferred::new(&Nobody)] {
        let mut counts = PerWorker::new(executor.worker_count(), || 0);
        parallel_for(executor, 100, 1, &|worker, _| {
            // SAFETY: the worker's own slot, and no run is nested.
            unsafe { *counts.get_mut(worker) += 1 };
        });
        assert_eq!(counts.iter_mut().map(|count| *count).collect::<Vec<_>>(), [100]);
    }
    assert_eq!(tombolo_threads::Deferred::new(&Nobody).worker_count(), 1);
    for order in [ClaimOrder::Affine, ClaimOrder::Shuffled(7)] {
        assert!(stages_are_in_order(&Nobody, order, &[3, 0, 5]), "{order:?}");
    }
}

#[test]
#[should_panic(expected = "the executor kept that to itself")]
fn an_executor_that_hides_a_panic_does_not_pass_for_done() {
    let hides = Careless(|task| {
        for worker in 0..3 {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| task(worker)));
        }
    });
    parallel_for(&hides, 100, 1, &|_worker, range| {
        assert!(range.start != 50, "the block that panics");
    });
}

#[test]
fn a_deferred_panic_of_an_executor_waits_until_the_work_is_done() {
    let panics = Careless(|task| {
        task(1);
        panic!("the executor's own");
    });
    let deferred = tombolo_threads::Deferred::new(&panics);
    for _ in 0..2 {
        assert_eq!(blocks_and_meetings(&deferred), (2_000, false));
    }
    let caught = catch_unwind(AssertUnwindSafe(|| deferred.resume()));
    assert_eq!(
        *caught.unwrap_err().downcast::<&str>().unwrap(),
        "the executor's own"
    );
    // A panic of the work goes on at once, with what it threw.
    let pool = Pool::with_thread_for_each(3).unwrap();
    let deferred = tombolo_threads::Deferred::new(&pool);
    let caught = catch_unwind(AssertUnwindSafe(|| {
        parallel_for(&deferred, 100, 1, &|_worker, range| {
            assert!(range.start != 50, "the block that panics");
        });
    }));
    assert_eq!(
        *caught.unwrap_err().downcast::<&str>().unwrap(),
        "the block that panics"
    );
    deferred.resume();
}
