//! The number of cache line transfers for each hand-over, which the queue locks were invented to reduce, on 1 to 64
//! simulated threads that run in turns. `.ci/shuttle` runs it; `TOMBOLO_CACHE_LINES` names a folder for the table and
//! the plot of docs/locks.md.
#![cfg(shuttle)]

use shuttle::scheduler::RoundRobinScheduler;
use shuttle::sync::Arc;
use shuttle::{Config, Runner, thread};
use std::fmt::Write;
use std::sync::Mutex as StdMutex;
use tombolo_locks::relax::Spin;
use tombolo_locks::*;
use tombolo_threads::Padded;

const THREADS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// How often each thread takes the lock.
const ROUNDS: u64 = 16;
/// How often a holder lets all others have a turn: each waiter looks about as often.
const HOLD_TURNS: usize = 4;

/// How a thread gets its place on the simulated machine.
type Place<L> = fn() -> <L as RawLock>::Waiter;

/// The traffic of each hand-over, in tenths: all of it, and what goes between sockets. The lock begins a line.
fn tenths_per_hand_over<L: RawLock + 'static>(
    make: fn() -> L,
    place: Place<L>,
    sockets: usize,
    threads: u64,
) -> [u64; 2] {
    let found = std::sync::Arc::new(StdMutex::new(CacheLineTraffic::default()));
    let result = std::sync::Arc::clone(&found);
    let model = move || {
        let traffic = count_cache_line_traffic(sockets, || {
            let lock = Arc::new(Padded::new(make()));
            let others: Vec<_> = (0..threads)
                .map(|_| {
                    let lock = Arc::clone(&lock);
                    thread::spawn(move || {
                        let mut place = place();
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
    [traffic.transfers, traffic.remote_transfers].map(|count| 10 * count / (threads * ROUNDS))
}

/// What was counted for each lock.
#[derive(Default)]
struct Sheet {
    rows: Vec<(&'static str, [u64; 7])>,
}

impl Sheet {
    /// Counts for a lock, and tells how the count grows from 8 threads to 64.
    fn row<L: RawLock + 'static>(&mut self, make: fn() -> L) -> f64 {
        let counts = THREADS.map(|threads| tenths_per_hand_over(make, L::Waiter::default, 1, threads)[0]);
        self.rows.push((L::NAME, counts));
        counts[6] as f64 / counts[3] as f64
    }

    fn table(&self) -> String {
        let mut table =
            String::from("| lock | 1 | 2 | 4 | 8 | 16 | 32 | 64 |\n|---|---|---|---|---|---|---|---|\n");
        for (name, counts) in &self.rows {
            write!(table, "| {name} |").unwrap();
            counts
                .iter()
                .for_each(|&tenths| write!(table, " {}.{} |", tenths / 10, tenths % 10).unwrap());
            table.push('\n');
        }
        table
    }

    /// Both axes double from mark to mark: a straight rise is O(T), a level line O(1).
    fn plot(&self) -> String {
        const LEFT: f64 = 60.0;
        const BOTTOM: f64 = 420.0;
        let mut svg = String::from(
            "<svg xmlns='http://www.w3.org/2000/svg' width='860' height='480' font-family='sans-serif' font-size='13'>\n\
             <rect width='860' height='480' fill='white'/>\n\
             <text x='60' y='24'>Cache lines moved for each hand-over, by threads that compete</text>\n",
        );
        let x = |threads: u64| LEFT + 90.0 * f64::from(threads.ilog2());
        let y = |tenths: u64| BOTTOM - 48.0 * (tenths.max(10) as f64 / 10.0).log2();
        for mark in THREADS.iter().map(|&threads| (threads, x(threads))) {
            writeln!(
                svg,
                "<text x='{:.0}' y='440' text-anchor='middle'>{}</text>",
                mark.1, mark.0
            )
            .unwrap();
        }
        for lines in [1, 2, 4, 8, 16, 32, 64, 128] {
            let y = y(10 * lines);
            writeln!(svg, "<path d='M60 {y:.0}H600' stroke='#ddd'/><text x='52' y='{:.0}' text-anchor='end'>{lines}</text>", y + 4.0).unwrap();
        }
        let step = 360 / self.rows.len();
        for (index, (name, counts)) in self.rows.iter().enumerate() {
            let color = format!("hsl({},70%,40%)", index * step);
            let points: Vec<String> = THREADS
                .iter()
                .zip(counts)
                .map(|(&threads, &tenths)| format!("{:.0},{:.0}", x(threads), y(tenths)))
                .collect();
            writeln!(
                svg,
                "<polyline points='{}' fill='none' stroke='{color}' stroke-width='2'/>",
                points.join(" ")
            )
            .unwrap();
            let legend = 60 + 24 * index;
            writeln!(svg, "<text x='640' y='{legend}' fill='{color}'>{name}</text>").unwrap();
        }
        svg.push_str("</svg>\n");
        svg
    }
}

#[test]
fn a_hand_over_of_the_queue_locks_costs_the_same_for_any_number_of_threads() {
    let mut sheet = Sheet::default();
    let of_all_waiters = [
        sheet.row(TestAndSet::<Spin>::new),
        sheet.row(TestAndTestAndSet::<Spin>::new),
        sheet.row(BackOff::new),
        sheet.row(Ticket::<Spin>::new),
        sheet.row(WideTicket::<Spin>::new),
        sheet.row(CompactTicket::<u32, Spin>::new),
        sheet.row(ProportionalTicket::<Spin>::new),
    ];
    let of_one_waiter = [
        sheet.row(Anderson::<64, Spin>::new),
        sheet.row(GraunkeThakkar::<64, Spin>::new),
        sheet.row(Mcs::<Spin>::new),
        sheet.row(Clh::<Spin>::new),
        sheet.row(Adaptive::<Spin>::new),
        sheet.row(Cohort::<1, Spin>::new),
    ];
    let table = sheet.table();
    if let Ok(folder) = std::env::var("TOMBOLO_CACHE_LINES") {
        std::fs::write(format!("{folder}/cache-lines.md"), &table).unwrap();
        std::fs::write(format!("{folder}/cache-lines.svg"), sheet.plot()).unwrap();
    }
    // Eight times the waiters.
    assert!(of_all_waiters.iter().all(|&growth| growth > 4.0), "{table}");
    assert!(of_one_waiter.iter().all(|&growth| growth < 2.0), "{table}");
}

/// Who draws a ticket of the narrow lock takes the line away that all others wait at; of the wide one it does not.
#[test]
fn drawing_a_wide_ticket_leaves_the_waiters_alone() {
    for threads in [8, 64] {
        let [narrow, _] = tenths_per_hand_over(Ticket::<Spin>::new, <()>::default, 1, threads);
        let [wide, _] = tenths_per_hand_over(WideTicket::<Spin>::new, <()>::default, 1, threads);
        assert!(
            5 * wide < 4 * narrow,
            "{threads} threads: {wide} of {narrow} tenths"
        );
    }
}

/// What the cohort lock is for: 64 threads on two and four sockets, and how much goes between them at a hand-over.
#[test]
fn a_cohort_lock_asks_other_sockets_less_often_than_other_queue_locks() {
    let mut table = String::from("| sockets | MCS | CLH | ticket | cohort |\n|---|---|---|---|---|\n");
    for sockets in [2, 4] {
        let here = || CohortWaiter::on_socket(simulated_socket());
        let [_, mcs] = tenths_per_hand_over(Mcs::<Spin>::new, McsWaiter::default, sockets, 64);
        let [_, clh] = tenths_per_hand_over(Clh::<Spin>::new, ClhWaiter::default, sockets, 64);
        let [_, ticket] = tenths_per_hand_over(Ticket::<Spin>::new, <()>::default, sockets, 64);
        let [_, cohort] = tenths_per_hand_over(Cohort::<4, Spin>::new, here, sockets, 64);
        for (index, tenths) in [mcs, clh, ticket, cohort].into_iter().enumerate() {
            let start = if index == 0 {
                format!("| {sockets} |")
            } else {
                String::new()
            };
            write!(table, "{start} {}.{} |", tenths / 10, tenths % 10).unwrap();
        }
        table.push('\n');
        assert!(2 * cohort < mcs.min(clh), "{table}");
    }
    if let Ok(folder) = std::env::var("TOMBOLO_CACHE_LINES") {
        std::fs::write(format!("{folder}/sockets.md"), &table).unwrap();
    }
}
