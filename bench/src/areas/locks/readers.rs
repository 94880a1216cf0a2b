//! Reader-writer locks: alone, and threads that mostly read beside some that write, for a fixed time.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tombolo_locks::RwLock;
use tombolo_locks::relax::SpinYieldSleep;

use super::{Options, REPEATS, ROUNDS, Run, repeat};
use crate::measure::{Contender, interleave, median, time};

/// A lock under test, for readers and writers.
trait ReadAndWritten: Sync {
    fn read(&self) -> u64;
    fn add_one(&self);
}

/// Implements the trait; the guards differ in name only.
macro_rules! read_and_written {
    ($lock:ty, |$guard:ident| $got:expr) => {
        impl ReadAndWritten for $lock {
            fn read(&self) -> u64 {
                let $guard = self.read();
                *$got
            }
            fn add_one(&self) {
                let $guard = self.write();
                let mut guard = $got;
                *guard += 1;
            }
        }
    };
}

type Ours = RwLock<u64, SpinYieldSleep>;
type SpinRwLock = spin::rwlock::RwLock<u64, spin::Yield>;
read_and_written!(Ours, |guard| guard);
read_and_written!(parking_lot::RwLock<u64>, |guard| guard);
read_and_written!(SpinRwLock, |guard| guard);
read_and_written!(std::sync::RwLock<u64>, |guard| guard.expect("not poisoned"));

fn locks() -> [(&'static str, Box<dyn ReadAndWritten>); 4] {
    [
        ("reader-writer", Box::new(Ours::new(0))),
        ("std RwLock", Box::new(std::sync::RwLock::new(0))),
        ("parking_lot RwLock", Box::new(parking_lot::RwLock::new(0))),
        ("spin RwLock, yields", Box::new(SpinRwLock::new(0))),
    ]
}

/// The number of writes in a hundred accesses.
const WRITE_PERCENT: [u64; 3] = [0, 1, 10];
const THREADS: [usize; 3] = [2, 4, 8];

pub(super) fn run(run: &mut Run, options: &Options) -> anyhow::Result<()> {
    let locks = locks();
    let rounds = if run.smoke { 1 } else { ROUNDS };
    for (metric, reads) in [("read", true), ("write", false)] {
        let contenders = locks.each_ref().map(|(name, lock)| {
            Contender::new(name, move || {
                repeat(|| {
                    let lock = black_box(lock);
                    if reads {
                        black_box(lock.read());
                    } else {
                        lock.add_one();
                    }
                })
            })
        });
        let [ours, peers @ ..] = &interleave("readers and writers alone", rounds, contenders)?;
        let peers: Vec<_> = peers.iter().collect();
        let case = "one thread, reader-writer";
        run.report
            .compare(case, metric, "ns", REPEATS as f64, ours, &peers);
    }
    let (cell_rounds, length) = if run.smoke {
        (1, Duration::from_millis(2))
    } else {
        (options.cell_rounds.max(1), Duration::from_millis(options.cell_ms))
    };
    for threads in THREADS {
        for percent in WRITE_PERCENT {
            let mut found = locks.each_ref().map(|_| Vec::new());
            for _ in 0..cell_rounds {
                for ((_, lock), found) in locks.iter().zip(&mut found) {
                    found.push(compete(&**lock, threads, percent, length));
                }
            }
            let [ours, peers @ ..] = found.map(median);
            let case = format!("{threads} threads, {percent} % write, reader-writer");
            for ((name, _), theirs) in locks.iter().skip(1).zip(peers) {
                run.report
                    .push(&case, "time per access", "ns", ours, Some((name, theirs)));
            }
        }
    }
    Ok(())
}

/// Nanoseconds for each access, of all threads together.
fn compete(lock: &dyn ReadAndWritten, threads: usize, write_percent: u64, length: Duration) -> f64 {
    let stop = AtomicBool::new(false);
    let start = Barrier::new(threads + 1);
    let (elapsed, accesses) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut accesses = 0_u64;
                    start.wait();
                    while !stop.load(Ordering::Relaxed) {
                        if accesses % 100 < write_percent {
                            lock.add_one();
                        } else {
                            black_box(lock.read());
                        }
                        accesses += 1;
                    }
                    accesses
                })
            })
            .collect();
        start.wait();
        let (elapsed, ()) = time(|| std::thread::sleep(length));
        stop.store(true, Ordering::Relaxed);
        let accesses: u64 = threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .sum();
        (elapsed, accesses)
    });
    elapsed.as_secs_f64() * 1e9 / accesses.max(1) as f64
}
