//! Family `pool`: runs, stages and loops on pools of all sizes beside the same work done in order, with panics in
//! tasks, in the drop of a thrown value, in several workers at once, and runs within runs.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use tombolo_threads::{
    ClaimOrder, Executor, Inline, Pool, StageRunner, Stopwatch, parallel_chunks, parallel_for, run_stages,
};

use crate::family::{Family, hold, same};
use crate::harness::panic_text;
use crate::random::Random;

/// The family.
pub(crate) struct Pools;

/// One piece of work for the pool that was chosen last.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Chooses another of the pools.
    Use(usize),
    /// A new pool, used once and dropped.
    Fresh(usize),
    Run(Vec<Throw>),
    For {
        count: usize,
        block: usize,
        throws: Vec<Throw>,
    },
    Chunks {
        count: usize,
        block: usize,
        throw: Option<Throw>,
    },
    Stages {
        blocks: Vec<u32>,
        shuffle: Option<u32>,
        throw: Option<(usize, Throw)>,
    },
    /// A run within a run, and one more within that; the innermost may panic.
    Nested {
        outer: usize,
        inner: usize,
        throw: Option<Throw>,
    },
    /// Two threads use the pool at the same time.
    Twice {
        blocks: u32,
        throw: Option<Throw>,
    },
    /// A task whose value, dropped while a panic unwinds, starts a run of its own.
    RunInDrop,
    /// Worker 0 waits until another worker has begun, which only threads of the pool can do.
    Meet,
}

/// A panic: the worker and block that throws it, and the thrown value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Throw {
    at: usize,
    what: What,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Text,
    /// Its drop panics with a text.
    PanicsInDrop,
    /// Its drop panics with another of its kind, a number of times.
    PanicsAgain(u32),
    /// Its drop uses the pool.
    RunsInDrop,
}

impl Family for Pools {
    const NAME: &'static str = "pool";
    const ABOUT: &'static str = "pools, stages and loops against the same work in order: panics, runs in runs, more workers than cores";
    const CASES: u64 = 40_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let count = random.within(1..10);
        (0..count).map(|_| operation(random)).collect()
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let mut executor = pools()[0].as_ref();
        for (at, operation) in operations.iter().enumerate() {
            if let Operation::Use(pool) = operation {
                executor = pools()[pool % pools().len()].as_ref();
                continue;
            }
            let is_pool = !std::ptr::addr_eq(executor, pools()[INLINE].as_ref());
            apply(executor, is_pool, operation)
                .map_err(|message| format!("{operation:?} (operation {at}): {message}"))?;
        }
        Ok(())
    }
}

/// The place of the executor without a pool.
const INLINE: usize = 5;

/// Pools that exist as long as the program, so that many cases use them.
fn pools() -> &'static [Box<dyn Executor + Send>] {
    static POOLS: OnceLock<Vec<Box<dyn Executor + Send>>> = OnceLock::new();
    POOLS.get_or_init(|| {
        let threads = |count| -> Box<dyn Executor + Send> {
            Box::new(Pool::with_thread_for_each(count).expect("a few threads"))
        };
        let few = |count| -> Box<dyn Executor + Send> { Box::new(Pool::new(count).expect("a few threads")) };
        vec![
            threads(2),
            threads(3),
            threads(4),
            threads(9),
            few(40),
            Box::new(Inline),
        ]
    })
}

fn throw(random: &mut Random, limit: usize) -> Throw {
    let what = match random.below(5) {
        0 | 1 => What::Text,
        2 => What::PanicsInDrop,
        3 => What::PanicsAgain(random.below(3) as u32),
        _ => What::RunsInDrop,
    };
    Throw {
        at: random.below(limit),
        what,
    }
}

fn operation(random: &mut Random) -> Operation {
    let sometimes = |random: &mut Random| random.one_in(3).then(|| throw(random, 12));
    match random.below(16) {
        0..4 => Operation::Use(random.below(6)),
        4 if random.one_in(4) => Operation::Fresh(random.within(1..6)),
        4..8 => {
            let throws = random.below(5);
            Operation::Run((0..throws).map(|_| throw(random, 9)).collect())
        }
        8 | 9 => {
            let throws = random.below(4) * random.below(2);
            Operation::For {
                count: random.below(60),
                block: random.within(1..9),
                throws: (0..throws).map(|_| throw(random, 60)).collect(),
            }
        }
        10 => Operation::Chunks {
            count: random.below(60),
            block: random.within(1..9),
            throw: sometimes(random),
        },
        11 | 12 => Operation::Stages {
            blocks: (0..random.below(8)).map(|_| random.below(9) as u32).collect(),
            shuffle: random.one_in(2).then(|| random.bits() as u32),
            throw: sometimes(random).map(|throw| (random.below(8), throw)),
        },
        13 => Operation::Nested {
            outer: random.below(8),
            inner: random.below(8),
            throw: sometimes(random),
        },
        14 if random.one_in(4) => Operation::Twice {
            blocks: random.below(9) as u32,
            throw: sometimes(random),
        },
        14 => Operation::RunInDrop,
        _ => Operation::Meet,
    }
}

/// The value that a task throws.
struct Thrown {
    what: What,
}

impl Drop for Thrown {
    fn drop(&mut self) {
        match self.what {
            What::Text | What::PanicsAgain(0) => {}
            What::PanicsInDrop => panic!("thrown in the drop of what was thrown"),
            What::PanicsAgain(times) => panic_any(Thrown {
                what: What::PanicsAgain(times - 1),
            }),
            What::RunsInDrop => pools()[0].run(&|_| {}),
        }
    }
}

fn raise(throw: Throw) -> ! {
    match throw.what {
        What::Text => panic!("thrown"),
        what => panic_any(Thrown { what }),
    }
}

/// Runs work that throws on purpose; returns whether it panicked.
fn panics(work: impl FnOnce()) -> bool {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(()) => false,
        Err(payload) => {
            panic_text(payload);
            true
        }
    }
}

fn counters(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

/// Each counter is 1, or at most 1 if a panic ended the work early.
fn each_once(counters: &[AtomicU32], is_cut_short: bool) -> Result<(), String> {
    for (at, counter) in counters.iter().enumerate() {
        let count = counter.load(Ordering::Relaxed);
        hold!(
            count == 1 || (is_cut_short && count == 0),
            "number {at} ran {count} times"
        );
    }
    Ok(())
}

fn apply(executor: &dyn Executor, is_pool: bool, operation: &Operation) -> Result<(), String> {
    match operation {
        Operation::Use(_) => Ok(()),
        Operation::Fresh(workers) => {
            let pool = Pool::with_thread_for_each(*workers).map_err(|error| error.to_string())?;
            run_each(
                &pool,
                &[Throw {
                    at: 1,
                    what: What::PanicsInDrop,
                }],
                true,
            )
        }
        Operation::Run(throws) => run_each(executor, throws, is_pool),
        Operation::For { count, block, throws } => loop_over(executor, *count, *block, throws),
        Operation::Chunks { count, block, throw } => chunks(executor, *count, *block, *throw),
        Operation::Stages {
            blocks,
            shuffle,
            throw,
        } => stages(executor, blocks, *shuffle, *throw),
        Operation::Nested { outer, inner, throw } => nested(executor, *outer, *inner, *throw),
        Operation::Twice { blocks, throw } => twice(executor, *blocks, *throw),
        Operation::RunInDrop => run_in_drop(executor),
        Operation::Meet => meet(executor, is_pool),
    }
}

/// Each worker is called once, whichever throw, and no call is still running when the run has returned.
fn run_each(executor: &dyn Executor, throws: &[Throw], all_are_called: bool) -> Result<(), String> {
    let workers = executor.worker_count();
    let (calls, inside) = (counters(workers), AtomicUsize::new(0));
    let thrown = |worker: usize| throws.iter().find(|throw| throw.at == worker);
    let out = panics(|| {
        executor.run(&|worker| {
            inside.fetch_add(1, Ordering::SeqCst);
            calls[worker].fetch_add(1, Ordering::Relaxed);
            if let Some(throw) = thrown(worker) {
                inside.fetch_sub(1, Ordering::SeqCst);
                raise(*throw);
            }
            // Long enough that an early return of the caller would be noticed.
            std::hint::black_box((0..200).fold(worker, |sum, number| sum ^ number));
            inside.fetch_sub(1, Ordering::SeqCst);
        });
    });
    same!(inside.into_inner(), 0, "calls under way after the run");
    same!(
        out,
        (0..workers).any(|worker| thrown(worker).is_some()),
        "whether a panic came out"
    );
    each_once(&calls, out && !all_are_called)
}

fn loop_over(executor: &dyn Executor, count: usize, block: usize, throws: &[Throw]) -> Result<(), String> {
    let done = counters(count);
    let thrown = |index: usize| throws.iter().find(|throw| throw.at == index);
    let out = panics(|| {
        parallel_for(executor, count, block, &|worker, range| {
            assert!(worker < executor.worker_count());
            for index in range {
                done[index].fetch_add(1, Ordering::Relaxed);
                if let Some(throw) = thrown(index) {
                    raise(*throw);
                }
            }
        });
    });
    same!(
        out,
        (0..count).any(|index| thrown(index).is_some()),
        "whether a panic came out"
    );
    each_once(&done, out)
}

fn chunks(executor: &dyn Executor, count: usize, block: usize, throw: Option<Throw>) -> Result<(), String> {
    let mut items = vec![0_usize; count];
    let out = panics(|| {
        parallel_chunks(executor, &mut items, block, &|_worker, first, chunk| {
            for (offset, item) in chunk.iter_mut().enumerate() {
                *item += first + offset + 1;
            }
            if let Some(throw) = throw.filter(|throw| (first..first + chunk.len()).contains(&throw.at)) {
                raise(throw);
            }
        });
    });
    same!(
        out,
        throw.is_some_and(|throw| throw.at < count),
        "whether a panic came out"
    );
    for (index, item) in items.into_iter().enumerate() {
        hold!(item == index + 1 || (out && item == 0), "item {index} is {item}");
    }
    Ok(())
}

fn stages(
    executor: &dyn Executor,
    blocks: &[u32],
    shuffle: Option<u32>,
    throw: Option<(usize, Throw)>,
) -> Result<(), String> {
    let done: Vec<Vec<AtomicU32>> = blocks.iter().map(|&count| counters(count as usize)).collect();
    let early = AtomicBool::new(false);
    let body = |_worker: usize, stage: usize, block: usize| {
        let before = stage.checked_sub(1).map_or(&[] as &[_], |before| &done[before]);
        if before.iter().any(|counter| counter.load(Ordering::Relaxed) == 0) {
            early.store(true, Ordering::Relaxed);
        }
        done[stage][block].fetch_add(1, Ordering::Relaxed);
        if let Some((_, throw)) = throw.filter(|(at, throw)| *at == stage && throw.at == block) {
            raise(throw);
        }
    };
    let out = panics(|| match shuffle {
        Some(seed) => StageRunner::with_order(ClaimOrder::Shuffled(seed)).run(executor, blocks, &body),
        None => run_stages(executor, blocks, &body),
    });
    let is_thrown =
        throw.is_some_and(|(stage, throw)| blocks.get(stage).is_some_and(|&count| throw.at < count as usize));
    same!(out, is_thrown, "whether a panic came out");
    hold!(
        !early.into_inner(),
        "a block began before the stage before was done"
    );
    for (stage, counters) in done.iter().enumerate() {
        let is_after = throw.is_some_and(|(at, _)| out && stage > at);
        let is_cut = throw.is_some_and(|(at, _)| out && stage == at);
        if is_after {
            let ran = counters.iter().any(|counter| counter.load(Ordering::Relaxed) > 0);
            hold!(!ran, "stage {stage} ran after a panic in an earlier one");
        } else {
            each_once(counters, is_cut)?;
        }
    }
    Ok(())
}

fn nested(executor: &dyn Executor, outer: usize, inner: usize, throw: Option<Throw>) -> Result<(), String> {
    let done = counters(outer * inner * 2);
    let out = panics(|| {
        parallel_for(executor, outer, 1, &|_worker, first| {
            parallel_for(executor, inner, 1, &|_worker, second| {
                run_stages(executor, &[1, 1], &|_worker, third, _| {
                    let index = (first.start * inner + second.start) * 2 + third;
                    done[index].fetch_add(1, Ordering::Relaxed);
                    if let Some(throw) = throw.filter(|throw| throw.at == index) {
                        raise(throw);
                    }
                });
            });
        });
    });
    same!(
        out,
        throw.is_some_and(|throw| throw.at < done.len()),
        "whether a panic came out"
    );
    each_once(&done, out)
}

fn twice(executor: &dyn Executor, blocks: u32, throw: Option<Throw>) -> Result<(), String> {
    std::thread::scope(|scope| {
        let work = || stages(executor, &[blocks, blocks], None, throw.map(|throw| (0, throw)));
        let other = scope.spawn(work);
        let own = work();
        own.and(other.join().map_err(panic_text).and_then(|result| result))
    })
}

/// Uses the executor when it is dropped.
struct RunsInDrop<'a>(&'a dyn Executor, &'a AtomicUsize);

impl Drop for RunsInDrop<'_> {
    fn drop(&mut self) {
        self.0.run(&|_| {
            self.1.fetch_add(1, Ordering::Relaxed);
        });
    }
}

fn run_in_drop(executor: &dyn Executor) -> Result<(), String> {
    let (workers, calls) = (executor.worker_count(), AtomicUsize::new(0));
    let out = panics(|| {
        executor.run(&|worker| {
            let _guard = RunsInDrop(executor, &calls);
            assert!(worker != 0, "thrown");
        });
    });
    hold!(out, "no panic came out");
    same!(
        calls.into_inner(),
        workers * workers,
        "calls of the runs in drops"
    );
    Ok(())
}

/// The time that a thread of the pool may take to begin on a busy machine, in seconds.
const MEET_SECONDS_MAX: f64 = 10.0;

fn meet(executor: &dyn Executor, is_pool: bool) -> Result<(), String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if !is_pool || executor.worker_count() < 2 || (executor.worker_count() == 40 && cores < 2) {
        return Ok(());
    }
    let (came, late) = (AtomicUsize::new(0), AtomicBool::new(false));
    executor.run(&|worker| {
        if worker != 0 {
            came.fetch_add(1, Ordering::Release);
            return;
        }
        let clock = Stopwatch::start();
        while came.load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
            if clock.elapsed_seconds() > MEET_SECONDS_MAX {
                late.store(true, Ordering::Relaxed);
                return;
            }
        }
    });
    hold!(
        !late.into_inner(),
        "no thread of the pool came: it thinks that a run is under way"
    );
    Ok(())
}
