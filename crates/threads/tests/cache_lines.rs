//! What the queue locks were invented for, counted: how often cache lines change owners for each hand-over, on 1 to 64
//! simulated threads that run in turns. `.ci/shuttle` runs it; `TOMBOLO_CACHE_LINES` names a file for the table.
#![cfg(shuttle)]

use shuttle::scheduler::RoundRobinScheduler;
use shuttle::sync::Arc;
use shuttle::{Config, Runner, thread};
use std::fmt::Write;
use std::sync::Mutex as StdMutex;
use tombolo_threads::locks::*;
use tombolo_threads::relax::Spin;
use tombolo_threads::{CacheLineTraffic, count_cache_line_traffic};

const THREADS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// How often each thread takes the lock.
const ROUNDS: u64 = 16;
/// How often a holder lets all others have a turn: each waiter looks about as often.
const HOLD_TURNS: usize = 4;

/// The traffic for each hand-over, in tenths.
fn tenths_per_hand_over<L: RawLock + 'static>(make: fn() -> L, threads: u64) -> u64 {
    let found = std::sync::Arc::new(StdMutex::new(CacheLineTraffic::default()));
    let result = std::sync::Arc::clone(&found);
    let model = move || {
        let traffic = count_cache_line_traffic(|| {
            let lock = Arc::new(make());
            let others: Vec<_> = (0..threads)
                .map(|_| {
                    let lock = Arc::clone(&lock);
                    thread::spawn(move || {
                        let mut place = L::Place::default();
                        for _ in 0..ROUNDS {
                            let token = lock.lock(&mut place);
                            (0..HOLD_TURNS).for_each(|_| thread::yield_now());
                            // SAFETY: the token of this acquisition.
                            unsafe { lock.unlock(&mut place, token) };
                        }
                    })
                })
                .collect();
            others.into_iter().for_each(|other| other.join().unwrap());
        });
        *result.lock().unwrap() = traffic;
    };
    let mut config = Config::new();
    config.max_steps = shuttle::MaxSteps::None;
    Runner::new(RoundRobinScheduler::new(1), config).run(model);
    let traffic = *found.lock().unwrap();
    10 * traffic.transfers / (threads * ROUNDS)
}

/// A row of the table, and how the count grows from 8 threads to 64.
fn row<L: RawLock + 'static>(table: &mut String, make: fn() -> L) -> f64 {
    let counts = THREADS.map(|threads| tenths_per_hand_over(make, threads));
    write!(table, "| {} |", L::NAME).unwrap();
    counts
        .iter()
        .for_each(|&tenths| write!(table, " {}.{} |", tenths / 10, tenths % 10).unwrap());
    table.push('\n');
    counts[6] as f64 / counts[3] as f64
}

#[test]
fn a_hand_over_of_the_queue_locks_costs_the_same_for_any_number_of_threads() {
    let mut table =
        String::from("| lock | 1 | 2 | 4 | 8 | 16 | 32 | 64 |\n|---|---|---|---|---|---|---|---|\n");
    let of_all_waiters = [
        row(&mut table, TestAndSet::<Spin>::new),
        row(&mut table, TestAndTestAndSet::<Spin>::new),
        row(&mut table, BackOff::new),
        row(&mut table, Ticket::<Spin>::new),
        row(&mut table, CompactTicket::<u32, Spin>::new),
        row(&mut table, ProportionalTicket::<Spin>::new),
    ];
    let of_one_waiter = [
        row(&mut table, Anderson::<64, Spin>::new),
        row(&mut table, GraunkeThakkar::<64, Spin>::new),
        row(&mut table, Mcs::<Spin>::new),
        row(&mut table, Clh::<Spin>::new),
        row(&mut table, Adaptive::<Spin>::new),
    ];
    if let Ok(path) = std::env::var("TOMBOLO_CACHE_LINES") {
        std::fs::write(path, &table).unwrap();
    }
    // Eight times the waiters.
    assert!(of_all_waiters.iter().all(|&growth| growth > 4.0), "{table}");
    assert!(of_one_waiter.iter().all(|&growth| growth < 2.0), "{table}");
}
