//! The locks on many threads under schedules picked at random. Run with `.ci/shuttle`; without `--cfg shuttle` there is
//! nothing here.
//!
//! Shuttle models only sequential consistency; loom checks the weaker orderings on fewer threads.
#![cfg(shuttle)]

use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use shuttle::thread;
use std::cell::UnsafeCell;
use tombolo_locks::relax::Spin;
use tombolo_locks::*;

/// Schedules tried for each lock; `TOMBOLO_SHUTTLE_SCHEDULES` asks for more.
fn schedules() -> usize {
    std::env::var("TOMBOLO_SHUTTLE_SCHEDULES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(2_000)
}

struct Guarded<L> {
    lock: L,
    inside: AtomicBool,
    value: UnsafeCell<usize>,
}

// SAFETY: the value is only touched by who holds the lock, and `inside` would show if there were two.
unsafe impl<L: RawLock> Sync for Guarded<L> {}

impl<L: RawLock> Guarded<L> {
    fn add_one(&self, place: &mut L::Waiter) {
        let token = self.lock.lock(place);
        assert!(!self.inside.swap(true, Ordering::SeqCst), "two inside");
        // SAFETY: the lock is held.
        unsafe { *self.value.get() += 1 };
        // Another may look in here.
        thread::yield_now();
        self.inside.store(false, Ordering::SeqCst);
        // SAFETY: the lock is given up with its own token.
        unsafe { self.lock.unlock(place, token) };
    }
}

fn adds_up<L: RawLock + 'static>(make: fn() -> L, threads: usize, rounds: usize) {
    let model = move || {
        let guarded = Arc::new(Guarded {
            lock: make(),
            inside: AtomicBool::new(false),
            value: UnsafeCell::new(0),
        });
        let others: Vec<_> = (0..threads)
            .map(|_| {
                let guarded = Arc::clone(&guarded);
                thread::spawn(move || {
                    let mut place = L::Waiter::default();
                    (0..rounds).for_each(|_| guarded.add_one(&mut place));
                })
            })
            .collect();
        others.into_iter().for_each(|other| other.join().unwrap());
        // SAFETY: all threads have ended.
        assert_eq!(unsafe { *guarded.value.get() }, threads * rounds);
    };
    shuttle::check_random(model, schedules());
}

macro_rules! for_each_lock {
    ($($name:ident: $lock:ty;)+) => {
        $(#[test]
        fn $name() {
            adds_up(<$lock>::new, 5, 3);
        })+
    };
}

for_each_lock! {
    test_and_set: TestAndSet<Spin>;
    test_and_test_and_set: TestAndTestAndSet<Spin>;
    back_off: BackOff;
    ticket: Ticket<Spin>;
    ticket_8: CompactTicket<u16, Spin>;
    ticket_16: CompactTicket<u32, Spin>;
    wide_ticket: WideTicket<Spin>;
    proportional_ticket: ProportionalTicket<Spin>;
    anderson_2: Anderson<2, Spin>;
    anderson_5: Anderson<5, Spin>;
    graunke_thakkar_2: GraunkeThakkar<2, Spin>;
    graunke_thakkar_5: GraunkeThakkar<5, Spin>;
    mcs: Mcs<Spin>;
    clh: Clh<Spin>;
    adaptive: Adaptive<Spin>;
}

/// Five threads on two sockets, more turns than a socket has in a row.
#[test]
fn cohort() {
    let model = || {
        let guarded = Arc::new(Guarded {
            lock: Cohort::<2, Spin>::new(),
            inside: AtomicBool::new(false),
            value: UnsafeCell::new(0),
        });
        let others: Vec<_> = (0..5)
            .map(|thread| {
                let guarded = Arc::clone(&guarded);
                thread::spawn(move || {
                    let mut place = CohortWaiter::on_socket(thread % 2);
                    (0..5).for_each(|_| guarded.add_one(&mut place));
                })
            })
            .collect();
        others.into_iter().for_each(|other| other.join().unwrap());
        // SAFETY: all threads have ended.
        assert_eq!(unsafe { *guarded.value.get() }, 25);
    };
    shuttle::check_random(model, schedules());
}

#[test]
fn readers_and_writers() {
    let model = || {
        let lock = Arc::new((ReaderWriter::<Spin>::new(), AtomicUsize::new(0)));
        let threads: Vec<_> = (0..5)
            .map(|thread| {
                let lock = Arc::clone(&lock);
                thread::spawn(move || {
                    for round in 0..3 {
                        if (thread + round) % 2 == 0 {
                            lock.0.lock_exclusive();
                            assert_eq!(lock.1.swap(100, Ordering::SeqCst), 0, "a writer is alone");
                            lock.1.store(0, Ordering::SeqCst);
                            // SAFETY: locked above.
                            unsafe { lock.0.unlock_exclusive() };
                        } else {
                            lock.0.lock_shared();
                            assert!(
                                lock.1.fetch_add(1, Ordering::SeqCst) < 100,
                                "no writer while a reader is"
                            );
                            lock.1.fetch_sub(1, Ordering::SeqCst);
                            // SAFETY: locked above.
                            unsafe { lock.0.unlock_shared() };
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    shuttle::check_random(model, schedules());
}
