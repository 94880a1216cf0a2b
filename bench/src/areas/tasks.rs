//! Area `tasks`: the cost of distributing work over a pool, beside rayon on as many threads.
//!
//! A stage is empty: its cost is the barrier. Rayon has no stages, so its smallest fork and join is the comparison.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use clap::ArgMatches;
use rayon::prelude::*;
use tombolo_threads::{Executor, Padded, Pool, RayonExecutor, parallel_for, run_stages};

use super::busy::{busy, steps_in_a_microsecond};
use super::{Area, Run, no_options};
use crate::measure::{Contender, interleave, median, time};

pub(super) const AREA: Area = Area {
    name: "tasks",
    description: "The task pool: stages, parallel loops and an idle second, beside rayon",
    options: no_options,
    run,
};

const ROUNDS: usize = 31;
/// The number of stages, forks or loops in one round, so that a reading of the clock does not count.
const REPEATS: usize = 1_000;
const TASKS: usize = 1_000;

fn run(_: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    for workers in [2, 8] {
        let pool = Pool::new(workers)?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(workers).build()?;
        empty(run, &pool, &threads)?;
        if workers == 2 {
            barrier(run, &pool);
        }
        microseconds(run, &pool, &threads)?;
    }
    idle(run)
}

/// Stages, loops and forks without work.
fn empty(run: &mut Run, pool: &Pool, threads: &rayon::ThreadPool) -> anyhow::Result<()> {
    let workers = pool.worker_count();
    let rounds = if run.smoke { 1 } else { ROUNDS };
    let stages = vec![workers as u32; REPEATS];
    let case = format!("{workers} workers");
    let rayon_stages = RayonExecutor::new(threads);
    let through_stages = |executor: &dyn Executor| {
        run_stages(executor, &stages, &|_worker, stage, block| {
            black_box((stage, block));
        });
        REPEATS as u64
    };
    let join = || rayon::join(|| black_box(0), || black_box(0));
    let [ours, adapter, outside, inside] = interleave(
        &format!("{case}, empty stages"),
        rounds,
        [
            Contender::new("ours", || through_stages(pool)),
            Contender::new("our stages on rayon", || through_stages(&rayon_stages)),
            Contender::new("rayon join", || {
                (0..REPEATS).for_each(|_| _ = threads.install(join));
                REPEATS as u64
            }),
            // Mostly on one thread: no thread steals so little work.
            Contender::new("rayon join inside a join", || {
                threads.install(|| (0..REPEATS).for_each(|_| _ = join()));
                REPEATS as u64
            }),
        ],
    )?;
    run.report.compare(
        &case,
        "empty stage",
        "ns",
        REPEATS as f64,
        &ours,
        &[&adapter, &outside, &inside],
    );
    for timing in [&ours, &outside, &inside] {
        let median = median(timing.rounds_ns.clone()) / REPEATS as f64;
        run.report.push(
            &case,
            &format!("median round, {}", timing.name),
            "ns",
            median,
            None,
        );
    }

    let [ours, theirs] = interleave(
        &format!("{case}, empty loops"),
        rounds,
        [
            Contender::new("ours", || {
                (0..REPEATS)
                    .for_each(|_| parallel_for(pool, workers, 1, &|_worker, range| _ = black_box(range)));
                REPEATS as u64
            }),
            Contender::new("rayon par_iter", || {
                threads.install(|| {
                    (0..REPEATS).for_each(|_| {
                        (0..workers)
                            .into_par_iter()
                            .with_max_len(1)
                            .for_each(|i| _ = black_box(i))
                    });
                });
                REPEATS as u64
            }),
        ],
    )?;
    run.report.compare(
        &case,
        "empty parallel-for",
        "ns",
        REPEATS as f64,
        &ours,
        &[&theirs],
    );
    Ok(())
}

/// The barrier alone: empty stages of those rounds in which every worker did at least half its share. On a busy machine
/// they are few, and in the others fewer workers did everything, without waiting for another.
fn barrier(run: &mut Run, pool: &Pool) {
    let workers = pool.worker_count();
    let stages = vec![workers as u32; REPEATS];
    let mut rounds_ns = Vec::new();
    for _ in 0..if run.smoke { 1 } else { 20_000 } {
        let blocks: Vec<_> = (0..workers).map(|_| Padded::new(AtomicUsize::new(0))).collect();
        let (elapsed, ()) = time(|| {
            run_stages(pool, &stages, &|worker, _stage, _block| {
                blocks[worker].store(blocks[worker].load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            });
        });
        if blocks
            .iter()
            .all(|count| 2 * count.load(Ordering::Relaxed) >= REPEATS)
        {
            rounds_ns.push(elapsed.as_nanos() as f64 / REPEATS as f64);
        }
    }
    let case = format!("{workers} workers");
    run.report.push(
        &case,
        "rounds in which all took part",
        "",
        rounds_ns.len() as f64,
        None,
    );
    if !rounds_ns.is_empty() {
        run.report.push(
            &case,
            "empty stage, all took part, median",
            "ns",
            median(rounds_ns),
            None,
        );
    }
}

/// A thousand tasks of about a microsecond each.
fn microseconds(run: &mut Run, pool: &Pool, threads: &rayon::ThreadPool) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { ROUNDS };
    let case = format!("{} workers", pool.worker_count());
    let steps = steps_in_a_microsecond();
    let [ours, theirs, serial] = interleave(
        &format!("{case}, 1 µs tasks"),
        rounds,
        [
            Contender::new("ours", || {
                parallel_for(pool, TASKS, 1, &|_worker, range| range.for_each(|_| busy(steps)));
                TASKS as u64
            }),
            Contender::new("rayon par_iter", || {
                threads.install(|| {
                    (0..TASKS)
                        .into_par_iter()
                        .with_max_len(1)
                        .for_each(|_| busy(steps))
                });
                TASKS as u64
            }),
            Contender::new("one thread", || {
                (0..TASKS).for_each(|_| busy(steps));
                TASKS as u64
            }),
        ],
    )?;
    run.report.compare(
        &case,
        "1000 tasks of 1 µs",
        "ns",
        TASKS as f64,
        &ours,
        &[&theirs, &serial],
    );
    Ok(())
}

/// The share of a core that two pools use in a second without work.
fn idle(run: &mut Run) -> anyhow::Result<()> {
    let second = Duration::from_millis(if run.smoke { 10 } else { 1_000 });
    let pool = Pool::new(2)?;
    let ours = idle_share(second, || {
        parallel_for(&pool, 64, 1, &|_worker, range| _ = black_box(range))
    });
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let theirs = idle_share(second, || {
        threads.install(|| (0..64).into_par_iter().for_each(|i: i32| _ = black_box(i)))
    });
    if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
        run.report.push(
            "an idle second",
            "core used",
            "%",
            100.0 * ours,
            Some(("rayon", 100.0 * theirs)),
        );
    }
    Ok(())
}

/// Core time over wall time while a pool that has just worked has no work.
fn idle_share(wait: Duration, work: impl Fn()) -> anyhow::Result<f64> {
    work();
    let before = core_nanoseconds()?;
    let (elapsed, ()) = time(|| thread::sleep(wait));
    let after = core_nanoseconds()?;
    // Threads of earlier pools may end meanwhile.
    let used: u64 = after
        .iter()
        .filter_map(|(thread, used)| before.get(thread).map(|before| used - before))
        .sum();
    Ok(used as f64 / elapsed.as_nanos() as f64)
}

/// The core time of each thread of this process so far, by its number. Only Linux reports it.
fn core_nanoseconds() -> anyhow::Result<BTreeMap<OsString, u64>> {
    let mut used = BTreeMap::new();
    for task in std::fs::read_dir("/proc/self/task")? {
        let task = task?;
        // A thread that ended since the folder was listed has no file any more.
        if let Ok(times) = std::fs::read_to_string(task.path().join("schedstat")) {
            used.insert(
                task.file_name(),
                times.split(' ').next().context("no time")?.parse()?,
            );
        }
    }
    Ok(used)
}
