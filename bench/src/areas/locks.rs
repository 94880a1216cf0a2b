//! Area `locks`: every lock of Tombolo beside the locks people use today.
//!
//! Without contention a lock and an unlock are timed alone. With it, threads compete for one lock with a counter inside,
//! for a fixed time (`contended.rs`), or mostly read what it guards (`readers.rs`).

mod contended;
mod readers;

use std::hint::black_box;

use clap::{ArgMatches, Args, FromArgMatches};
use tombolo_locks::{
    Adaptive, Anderson, BackOff, Clh, ClhWaiter, Cohort, CompactTicket, GraunkeThakkar, Mcs, McsWaiter,
    Mutex, PauseAndSleep, ProportionalTicket, RawLock, TestAndSet, TestAndTestAndSet, Ticket, WideTicket,
};
use tombolo_threads::Padded;

use super::{Area, Run};
use crate::measure::{Contender, interleave, time};

pub(super) const AREA: Area = Area {
    name: "locks",
    description: "Spin locks: cost alone, throughput, waiting times and fairness in competition",
    options: Options::augment_args,
    run,
};

/// The amount of measuring.
#[derive(Args)]
struct Options {
    /// Milliseconds of each round of competition.
    #[arg(long, default_value_t = 200)]
    cell_ms: u64,
    /// Rounds of each cell of competition; the median by throughput is shown.
    #[arg(long, default_value_t = 5)]
    cell_rounds: usize,
}

const ROUNDS: usize = 31;
const REPEATS: usize = 200_000;

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let options = Options::from_arg_matches(matches)?;
    sizes(run)?;
    alone(run)?;
    others_alone(run);
    compact_against_padded(run)?;
    readers::run(run, &options)?;
    contended::run(run, &options)
}

/// The size of a lock, and of one that is alone on its cache lines.
pub(super) fn sizes(run: &mut Run) -> anyhow::Result<()> {
    let rows = [
        ("test-and-set", size_of::<TestAndSet>()),
        ("test-and-set, padded", size_of::<Padded<TestAndSet>>()),
        (
            Ticket::<tombolo_threads::SpinYieldSleep>::NAME,
            size_of::<Ticket>(),
        ),
        (
            WideTicket::<tombolo_threads::SpinYieldSleep>::NAME,
            size_of::<WideTicket>(),
        ),
        (Cohort::<2>::NAME, size_of::<Cohort<2>>()),
    ];
    for (name, bytes) in rows {
        run.report.push("size of a lock", name, "B", bytes as f64, None);
    }
    Ok(())
}

/// Locks and unlocks some hundred thousand times, on one thread.
fn repeat(mut one: impl FnMut()) -> u64 {
    (0..REPEATS).for_each(|_| one());
    REPEATS as u64
}

/// The pairs that have a target, without contention.
fn alone(run: &mut Run) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { ROUNDS };
    let case = "one thread";
    let metric = "lock and unlock";

    let ours = Mutex::new(TestAndTestAndSet::<tombolo_threads::SpinYieldSleep>::new(), 0_u64);
    let theirs = spin::mutex::SpinMutex::<u64>::new(0);
    let adaptive = Mutex::new(Adaptive::<tombolo_threads::SpinYieldSleep>::new(), 0_u64);
    let system = std::sync::Mutex::new(0_u64);
    let parking = parking_lot::Mutex::new(0_u64);
    let [flag, spin, adaptive, system, parking] = interleave(
        "flags alone",
        rounds,
        [
            Contender::new("test-and-test-and-set", || {
                repeat(|| *black_box(&ours).lock() += 1)
            }),
            Contender::new("spin SpinMutex", || repeat(|| *black_box(&theirs).lock() += 1)),
            Contender::new("adaptive", || repeat(|| *black_box(&adaptive).lock() += 1)),
            Contender::new("std Mutex", || {
                repeat(|| *black_box(&system).lock().expect("not poisoned") += 1)
            }),
            Contender::new("parking_lot Mutex", || {
                repeat(|| *black_box(&parking).lock() += 1)
            }),
        ],
    )?;
    let operations = REPEATS as f64;
    run.report.compare(
        &format!("{case}, test-and-test-and-set"),
        metric,
        "ns",
        operations,
        &flag,
        &[&spin],
    );
    run.report.compare(
        &format!("{case}, adaptive"),
        metric,
        "ns",
        operations,
        &adaptive,
        &[&spin, &system, &parking],
    );

    let ours = Mutex::new(Ticket::<tombolo_threads::SpinYieldSleep>::new(), 0_u64);
    let theirs = spin::mutex::TicketMutex::<u64>::new(0);
    let [ours, theirs] = interleave(
        "tickets alone",
        rounds,
        [
            Contender::new("ticket", || repeat(|| *black_box(&ours).lock() += 1)),
            Contender::new("spin TicketMutex", || repeat(|| *black_box(&theirs).lock() += 1)),
        ],
    )?;
    run.report.compare(
        &format!("{case}, ticket"),
        metric,
        "ns",
        operations,
        &ours,
        &[&theirs],
    );

    let ours = Mutex::new(Mcs::<tombolo_threads::SpinYieldSleep>::new(), 0_u64);
    let theirs = mcslock::raw::spins::Mutex::new(0_u64);
    let (mut place, mut node) = (McsWaiter::default(), mcslock::raw::MutexNode::new());
    let [ours, theirs] = interleave(
        "MCS alone",
        rounds,
        [
            Contender::new("MCS", || repeat(|| *black_box(&ours).lock_with(&mut place) += 1)),
            Contender::new("mcslock", || {
                repeat(|| black_box(&theirs).lock_with_then(&mut node, |value| *value += 1))
            }),
        ],
    )?;
    run.report.compare(
        &format!("{case}, MCS"),
        metric,
        "ns",
        operations,
        &ours,
        &[&theirs],
    );

    let ours = Mutex::new(Clh::<tombolo_threads::SpinYieldSleep>::new(), 0_u64);
    let theirs = clhlock::raw::spins::Mutex::new(0_u64);
    let (mut place, mut node) = (ClhWaiter::default(), Some(clhlock::raw::MutexNode::new()));
    let [ours, theirs] = interleave(
        "CLH alone",
        rounds,
        [
            Contender::new("CLH", || repeat(|| *black_box(&ours).lock_with(&mut place) += 1)),
            Contender::new("clhlock", || {
                repeat(|| {
                    let mut guard = black_box(&theirs).lock_with(node.take().unwrap_or_default());
                    *guard += 1;
                    node = Some(guard.unlock());
                })
            }),
        ],
    )?;
    run.report.compare(
        &format!("{case}, CLH"),
        metric,
        "ns",
        operations,
        &ours,
        &[&theirs],
    );
    Ok(())
}

/// The other locks, which have no peer of their kind.
fn others_alone(run: &mut Run) {
    type Default = tombolo_threads::SpinYieldSleep;
    one_alone(run, TestAndSet::<Default>::new());
    one_alone(run, BackOff::new());
    one_alone(run, PauseAndSleep::new());
    one_alone(run, CompactTicket::<u16, Default>::new());
    one_alone(run, CompactTicket::<u32, Default>::new());
    one_alone(run, WideTicket::<Default>::new());
    one_alone(run, Cohort::<2, Default>::new());
    one_alone(run, ProportionalTicket::<Default>::new());
    one_alone(run, Anderson::<8, Default>::new());
    one_alone(run, GraunkeThakkar::<8, Default>::new());
}

fn one_alone<L: RawLock>(run: &mut Run, lock: L) {
    let rounds = if run.smoke { 1 } else { ROUNDS };
    let mutex = Mutex::new(lock, 0_u64);
    let mut place = L::Waiter::default();
    let shortest = (0..rounds)
        .map(|_| {
            time(|| repeat(|| *black_box(&mutex).lock_with(&mut place) += 1))
                .0
                .as_nanos()
        })
        .min()
        .unwrap_or(0);
    run.report.push(
        &format!("one thread, {}", L::NAME),
        "lock and unlock",
        "ns",
        shortest as f64 / REPEATS as f64,
        None,
    );
}

/// Two threads, each with a lock of its own: side by side in memory, and each alone on its cache lines.
fn compact_against_padded(run: &mut Run) -> anyhow::Result<()> {
    fn together<L: Sync>(locks: &[L; 2], one: impl Fn(&L) + Sync) -> u64 {
        std::thread::scope(|scope| {
            for lock in locks {
                let one = &one;
                scope.spawn(move || repeat(|| one(black_box(lock))));
            }
        });
        2 * REPEATS as u64
    }
    let lock = || Mutex::new(Adaptive::<tombolo_threads::SpinYieldSleep>::new(), 0_u64);
    let compact = [lock(), lock()];
    let padded = [Padded::new(lock()), Padded::new(lock())];
    let [padded, compact] = interleave(
        "compact against padded",
        if run.smoke { 1 } else { ROUNDS },
        [
            Contender::new("padded", || together(&padded, |lock| *lock.lock() += 1)),
            Contender::new("compact", || together(&compact, |lock| *lock.lock() += 1)),
        ],
    )?;
    let case = "two threads, a lock each, padded";
    run.report.compare(
        case,
        "lock and unlock",
        "ns",
        2.0 * REPEATS as f64,
        &padded,
        &[&compact],
    );
    Ok(())
}
