//! Threads that compete for one lock, with a counter inside: throughput, the wait of each, the evenness of their
//! shares, and how often the last holder gets the lock again. A cell is bounded by time, never by a count, so that a
//! slow lock does not delay the table.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tombolo_locks::relax::{PauseThenSleep, Relax, Spin, SpinYieldSleep};
use tombolo_locks::{
    Adaptive, Anderson, BackOff, Clh, Cohort, GraunkeThakkar, Mcs, Mutex, PauseAndSleep, ProportionalTicket,
    RawLock, TestAndSet, TestAndTestAndSet, Ticket, WideTicket,
};
use tombolo_threads::Stopwatch;

use super::{Options, Run};
use crate::areas::busy::{busy, steps_in_a_microsecond};
use crate::measure::time;
use crate::plot;
use crate::report::Progress;

/// The data that the lock guards.
#[derive(Default)]
struct Inside {
    counter: u64,
    last_thread: usize,
    /// The number of times that the thread that held the lock last got it again.
    again: u64,
}

/// Takes a lock and runs a critical section, as one thread of a cell.
type Session<'a> = Box<dyn FnMut(&mut dyn FnMut(&mut Inside)) + 'a>;

/// A lock under test: gives each thread a session with which it takes the lock.
trait Competed: Sync {
    fn session(&self) -> Session<'_>;
}

struct Ours<L>(Mutex<L, Inside>);

impl<L: RawLock> Competed for Ours<L> {
    fn session(&self) -> Session<'_> {
        let mut place = L::Waiter::default();
        Box::new(move |inside| inside(&mut self.0.lock_with(&mut place)))
    }
}

impl Competed for std::sync::Mutex<Inside> {
    fn session(&self) -> Session<'_> {
        Box::new(move |inside| inside(&mut self.lock().expect("not poisoned")))
    }
}

impl Competed for parking_lot::Mutex<Inside> {
    fn session(&self) -> Session<'_> {
        Box::new(move |inside| inside(&mut self.lock()))
    }
}

impl Competed for spin::mutex::SpinMutex<Inside, spin::Yield> {
    fn session(&self) -> Session<'_> {
        Box::new(move |inside| inside(&mut self.lock()))
    }
}

impl Competed for spin::mutex::TicketMutex<Inside, spin::Yield> {
    fn session(&self) -> Session<'_> {
        Box::new(move |inside| inside(&mut self.lock()))
    }
}

impl Competed for mcslock::raw::yields::Mutex<Inside> {
    fn session(&self) -> Session<'_> {
        let mut node = mcslock::raw::MutexNode::new();
        Box::new(move |inside| self.lock_with_then(&mut node, &mut *inside))
    }
}

impl Competed for clhlock::raw::yields::Mutex<Inside> {
    fn session(&self) -> Session<'_> {
        let mut node = Some(clhlock::raw::MutexNode::new());
        Box::new(move |inside| {
            let mut guard = self.lock_with(node.take().unwrap_or_default());
            inside(&mut guard);
            node = Some(guard.unlock());
        })
    }
}

fn ours<L: RawLock + 'static>(lock: L) -> (String, Box<dyn Competed>) {
    (
        L::NAME.to_owned(),
        Box::new(Ours(Mutex::new(lock, Inside::default()))),
    )
}

/// Locks by their names.
type Locks = Vec<(String, Box<dyn Competed>)>;

/// All locks of a cell, new; the system's is first, as the reference of the others.
fn locks() -> Locks {
    let named = |name: &str, lock: Box<dyn Competed>| (name.to_owned(), lock);
    let mut locks = vec![
        named("std Mutex", Box::new(std::sync::Mutex::new(Inside::default()))),
        named(
            "parking_lot",
            Box::new(parking_lot::Mutex::new(Inside::default())),
        ),
        named(
            "spin, yields",
            Box::new(spin::mutex::SpinMutex::<_, spin::Yield>::new(Inside::default())),
        ),
        named(
            "spin ticket, yields",
            Box::new(spin::mutex::TicketMutex::<_, spin::Yield>::new(Inside::default())),
        ),
        named(
            "mcslock, yields",
            Box::new(mcslock::raw::yields::Mutex::new(Inside::default())),
        ),
        named(
            "clhlock, yields",
            Box::new(clhlock::raw::yields::Mutex::new(Inside::default())),
        ),
    ];
    locks.extend(of_policy::<SpinYieldSleep>());
    locks.push(ours(BackOff::new()));
    locks.push(named(
        "pause and sleep",
        Box::new(Ours(Mutex::new(PauseAndSleep::new(), Inside::default()))),
    ));
    locks.push(named(
        "ticket, sleeps",
        Box::new(Ours(Mutex::new(
            Ticket::<PauseThenSleep>::new(),
            Inside::default(),
        ))),
    ));
    locks
}

/// The engine's locks that can have any waiting policy.
fn of_policy<R: Relax + 'static>() -> Locks {
    vec![
        ours(TestAndSet::<R>::new()),
        ours(TestAndTestAndSet::<R>::new()),
        ours(Ticket::<R>::new()),
        ours(WideTicket::<R>::new()),
        ours(ProportionalTicket::<R>::new()),
        ours(Anderson::<8, R>::new()),
        ours(GraunkeThakkar::<8, R>::new()),
        ours(Mcs::<R>::new()),
        ours(Clh::<R>::new()),
        ours(Cohort::<1, R>::new()),
        ours(Adaptive::<R>::new()),
    ]
}

/// The locks as in the literature: a waiter spins, and never gives its core up. The system's is the reference again.
fn pure_spinning() -> Locks {
    let system: Box<dyn Competed> = Box::new(std::sync::Mutex::new(Inside::default()));
    let mut locks = vec![("std Mutex".to_owned(), system)];
    locks.extend(
        of_policy::<Spin>()
            .into_iter()
            .map(|(name, lock)| (format!("{name}, spins"), lock)),
    );
    locks
}

const THREADS: [usize; 4] = [1, 2, 4, 8];
const OUTSIDE_PERCENT: [u64; 3] = [0, 50, 90];
const HOLD_NS: [u64; 3] = [0, 100, 1_000];

/// The number of threads, the time that the lock is held, and the share of a thread's time outside.
#[derive(Clone, Copy)]
struct Cell {
    threads: usize,
    hold_steps: u64,
    outside_steps: u64,
    length: Duration,
}

pub(super) fn run(run: &mut Run, options: &Options) -> anyhow::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let steps_per_microsecond = steps_in_a_microsecond();
    let (rounds, length) = if run.smoke {
        (1, Duration::from_millis(2))
    } else {
        (options.cell_rounds.max(1), Duration::from_millis(options.cell_ms))
    };
    let progress = Progress::start(
        "competition",
        THREADS.len() * OUTSIDE_PERCENT.len() * HOLD_NS.len(),
    );
    let mut lines: Vec<plot::Line> = locks()
        .into_iter()
        .map(|(name, _)| plot::Line {
            name,
            points: Vec::new(),
        })
        .collect();
    for threads in THREADS {
        for outside in OUTSIDE_PERCENT {
            for hold_ns in HOLD_NS {
                // An empty critical section still takes some 20 ns.
                let outside_ns = hold_ns.max(20) * outside / (100 - outside);
                let cell = Cell {
                    threads,
                    hold_steps: hold_ns * steps_per_microsecond / 1_000,
                    outside_steps: outside_ns * steps_per_microsecond / 1_000,
                    length,
                };
                let crowd = if threads > cores { ", oversubscribed" } else { "" };
                let case = format!("{threads} threads{crowd}, {hold_ns} ns inside, {outside} % outside");
                let throughputs = run_cell(run, &case, cell, rounds, locks);
                if threads <= cores {
                    run_cell(run, &case, cell, rounds, pure_spinning);
                }
                if hold_ns == 100 && outside == 50 {
                    for (line, throughput) in lines.iter_mut().zip(throughputs) {
                        line.points.push((threads as f64, throughput));
                    }
                }
                progress.advance();
            }
        }
    }
    let axes = plot::Axes {
        title: "100 ns inside, 50 % outside",
        x: "threads",
        y: "million acquisitions a second",
        scale: plot::Scale::Linear,
    };
    plot::lines(&run.out.join("locks-throughput"), &axes, &lines)
}

/// Measures all locks in one cell, in turns; returns their throughputs.
fn run_cell(run: &mut Run, case: &str, cell: Cell, rounds: usize, locks: fn() -> Locks) -> Vec<f64> {
    let locks = locks();
    let mut found: Vec<Vec<Found>> = locks.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for ((_, lock), found) in locks.iter().zip(&mut found) {
            found.push(compete(&**lock, cell));
        }
    }
    let medians: Vec<Found> = found
        .into_iter()
        .map(|mut rounds| {
            rounds.sort_by(|one, other| one.millions_a_second.total_cmp(&other.millions_a_second));
            rounds.swap_remove(rounds.len() / 2)
        })
        .collect();
    let system = medians[0].millions_a_second;
    for ((name, _), found) in locks.iter().zip(&medians) {
        let case = format!("{case}, {name}");
        run.report.push(
            &case,
            "time per acquisition",
            "ns",
            1e3 / found.millions_a_second,
            Some(("std Mutex", 1e3 / system)),
        );
        run.report
            .push(&case, "wait p50", "ns", found.waits.percentile(0.5), None);
        run.report
            .push(&case, "wait p99", "ns", found.waits.percentile(0.99), None);
        run.report
            .push(&case, "wait p99.9", "ns", found.waits.percentile(0.999), None);
        run.report.push(&case, "Jain's index", "", found.jain, None);
        run.report
            .push(&case, "taken again at once", "%", found.again_percent, None);
    }
    medians.into_iter().map(|found| found.millions_a_second).collect()
}

/// The results of one round of a cell for one lock.
struct Found {
    millions_a_second: f64,
    waits: Histogram,
    jain: f64,
    again_percent: f64,
}

fn compete(lock: &dyn Competed, cell: Cell) -> Found {
    let stop = AtomicBool::new(false);
    let start = Barrier::new(cell.threads + 1);
    let (elapsed, threads) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cell.threads)
            .map(|thread| {
                let (stop, start) = (&stop, &start);
                scope.spawn(move || one_thread(lock, cell, thread, stop, start))
            })
            .collect();
        start.wait();
        let (elapsed, ()) = time(|| std::thread::sleep(cell.length));
        stop.store(true, Ordering::Relaxed);
        let threads: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect();
        (elapsed, threads)
    });
    let mut again = 0;
    lock.session()(&mut |inside| again = std::mem::take(&mut inside.again));
    let counts: Vec<f64> = threads.iter().map(|(count, _)| *count as f64).collect();
    let total: f64 = counts.iter().sum();
    let squares: f64 = counts.iter().map(|count| count * count).sum();
    let mut waits = Histogram::default();
    threads.iter().for_each(|(_, thread)| waits.add(thread));
    Found {
        millions_a_second: total / elapsed.as_secs_f64() / 1e6,
        waits,
        jain: total * total / (counts.len() as f64 * squares.max(1.0)),
        again_percent: 100.0 * again as f64 / total.max(1.0),
    }
}

fn one_thread(
    lock: &dyn Competed,
    cell: Cell,
    thread: usize,
    stop: &AtomicBool,
    start: &Barrier,
) -> (u64, Histogram) {
    let mut session = lock.session();
    let mut waits = Histogram::default();
    let mut count = 0;
    start.wait();
    while !stop.load(Ordering::Relaxed) {
        let watch = Stopwatch::start();
        let mut waited = 0;
        session(&mut |inside| {
            waited = watch.elapsed_nanoseconds();
            inside.counter += 1;
            inside.again += u64::from(inside.last_thread == thread);
            inside.last_thread = thread;
            busy(cell.hold_steps);
        });
        waits.record(waited);
        count += 1;
        busy(cell.outside_steps);
    }
    (count, waits)
}

/// A histogram of waits: sixteen classes for each doubling, so a percentile is right to 6 %.
struct Histogram {
    classes: Box<[u64; 1024]>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            classes: Box::new([0; 1024]),
        }
    }
}

impl Histogram {
    fn record(&mut self, nanoseconds: u64) {
        self.classes[Self::class(nanoseconds)] += 1;
    }

    fn class(value: u64) -> usize {
        if value < 16 {
            return value as usize;
        }
        let doubling = value.ilog2();
        ((doubling - 3) as usize) * 16 + ((value >> (doubling - 4)) & 15) as usize
    }

    /// The smallest value of a class.
    fn floor(class: usize) -> u64 {
        if class < 16 {
            return class as u64;
        }
        (16 + (class as u64 & 15)) << (class / 16 - 1)
    }

    fn add(&mut self, other: &Self) {
        self.classes
            .iter_mut()
            .zip(other.classes.iter())
            .for_each(|(mine, theirs)| *mine += theirs);
    }

    fn percentile(&self, share: f64) -> f64 {
        let total: u64 = self.classes.iter().sum();
        let wanted = (total as f64 * share) as u64;
        let mut below = 0;
        let class = self.classes.iter().position(|&count| {
            below += count;
            below > wanted
        });
        class.map_or(f64::NAN, |class| Self::floor(class) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_each_other_and_floors_fall_into_them() {
        let mut last = 0;
        for value in (0..100_000).chain([u64::MAX / 2, u64::MAX]) {
            let class = Histogram::class(value);
            assert!(class == last || class == last + 1 || value > 100_000);
            assert!(Histogram::floor(class) <= value);
            assert_eq!(Histogram::class(Histogram::floor(class)), class);
            last = class;
        }
    }

    #[test]
    fn percentiles_of_a_known_set() {
        let mut waits = Histogram::default();
        (0..16).for_each(|wait| waits.record(wait));
        assert_eq!((waits.percentile(0.5), waits.percentile(0.99)), (8.0, 15.0));
    }
}
