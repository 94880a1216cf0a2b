//! Every interleaving of two threads through the locks, and those with a bounded number of preemptions of three threads.
//! Run with `.ci/loom`; without `--cfg loom` there is nothing here.
#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use tombolo_locks::relax::Spin;
use tombolo_locks::*;

/// What a lock guards. Loom reports any two accesses that no lock orders.
struct Guarded<L> {
    lock: L,
    value: UnsafeCell<usize>,
}

// SAFETY: the value is only touched by who holds the lock, which is what loom checks.
unsafe impl<L: RawLock> Sync for Guarded<L> {}
// SAFETY: a number and a lock.
unsafe impl<L: RawLock> Send for Guarded<L> {}

impl<L: RawLock> Guarded<L> {
    fn add_one(&self, place: &mut L::Waiter) {
        let token = self.lock.lock(place);
        self.add_one_holding(place, token);
    }

    fn try_to_add_one(&self, place: &mut L::Waiter) -> usize {
        match self.lock.try_lock(place) {
            Some(token) => {
                self.add_one_holding(place, token);
                1
            }
            None => 0,
        }
    }

    fn add_one_holding(&self, place: &mut L::Waiter, token: L::Token) {
        // SAFETY: the lock is held, and given up with its own token.
        unsafe {
            self.value.with_mut(|value| *value += 1);
            self.lock.unlock(place, token);
        }
    }
}

/// Checks a model, with a bound on preemptions where threads are too many to try everything.
fn check(preemptions_max: Option<usize>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions_max;
    builder.check(model);
}

/// Threads that each lock some times with one place; then, when they have left, one more.
fn adds_up<L: RawLock + 'static>(threads: usize, rounds: usize, make: fn() -> L) {
    let bound = (threads > 2).then_some(2);
    check(bound, move || {
        let guarded = Arc::new(Guarded {
            lock: make(),
            value: UnsafeCell::new(0),
        });
        let add = move |guarded: &Guarded<L>| {
            let mut place = L::Waiter::default();
            (0..rounds).for_each(|_| guarded.add_one(&mut place));
        };
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let guarded = Arc::clone(&guarded);
                thread::spawn(move || add(&guarded))
            })
            .collect();
        add(&guarded);
        others.into_iter().for_each(|other| other.join().unwrap());
        guarded.add_one(&mut L::Waiter::default());
        guarded.value.with(|value| {
            // SAFETY: all threads have ended.
            assert_eq!(unsafe { *value }, threads * rounds + 1);
        });
    });
}

/// One thread locks, one tries.
fn tries_add_up<L: RawLock + 'static>(make: fn() -> L) {
    check(None, move || {
        let guarded = Arc::new(Guarded {
            lock: make(),
            value: UnsafeCell::new(0),
        });
        let other = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || guarded.add_one(&mut L::Waiter::default()))
        };
        let mut place = L::Waiter::default();
        let added = guarded.try_to_add_one(&mut place);
        other.join().unwrap();
        assert_eq!(guarded.try_to_add_one(&mut place), 1, "free when all have left");
        guarded.value.with(|value| {
            // SAFETY: all threads have ended.
            assert_eq!(unsafe { *value }, added + 2);
        });
    });
}

macro_rules! for_each_lock {
    ($($module:ident: $lock:ty;)+) => {
        $(mod $module {
            use super::*;

            #[test]
            fn sl_8_two_threads_in_full() {
                adds_up(2, 1, <$lock>::new);
            }

            #[test]
            fn sl_8_two_threads_twice_each() {
                check_twice(<$lock>::new);
            }

            #[test]
            fn sl_7_one_tries() {
                tries_add_up(<$lock>::new);
            }
        })+
    };
}

/// The second acquisition meets what the first left behind: a node, a toggled word, a place.
fn check_twice<L: RawLock + 'static>(make: fn() -> L) {
    check(Some(3), move || {
        let guarded = Arc::new(Guarded {
            lock: make(),
            value: UnsafeCell::new(0),
        });
        let add_two = |guarded: &Guarded<L>| {
            let mut place = L::Waiter::default();
            guarded.add_one(&mut place);
            guarded.add_one(&mut place);
        };
        let other = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || add_two(&guarded))
        };
        add_two(&guarded);
        other.join().unwrap();
        guarded.value.with(|value| {
            // SAFETY: all threads have ended.
            assert_eq!(unsafe { *value }, 4);
        });
    });
}

for_each_lock! {
    test_and_test_and_set: TestAndTestAndSet<Spin>;
    back_off: BackOff;
    ticket: Ticket<Spin>;
    ticket_8: CompactTicket<u16, Spin>;
    wide_ticket: WideTicket<Spin>;
    proportional_ticket: ProportionalTicket<Spin>;
    cohort: Cohort<2, Spin>;
    anderson_1: Anderson<1, Spin>;
    anderson_3: Anderson<3, Spin>;
    graunke_thakkar_1: GraunkeThakkar<1, Spin>;
    graunke_thakkar_3: GraunkeThakkar<3, Spin>;
    mcs: Mcs<Spin>;
    clh: Clh<Spin>;
    adaptive: Adaptive<Spin>;
}

// Three threads, for the locks whose waiters look at words of their own. Two that look at one word can keep each other
// going for as long as the third is not chosen, so the paths have no end; those locks meet more threads under shuttle.
// Test-and-set has none even with two: a failed swap writes, and loom lets the next one read that write again rather
// than the unlock's store, which no order but time puts after it.
macro_rules! three_threads {
    ($($name:ident: $lock:ty;)+) => {
        $(#[test]
        fn $name() {
            adds_up(3, 1, <$lock>::new);
        })+
    };
}

three_threads! {
    sl_8_three_threads_anderson: Anderson<3, Spin>;
    sl_8_three_threads_graunke_thakkar: GraunkeThakkar<3, Spin>;
    sl_8_three_threads_mcs: Mcs<Spin>;
    sl_8_three_threads_clh: Clh<Spin>;
    sl_8_three_threads_adaptive: Adaptive<Spin>;
    sl_8_three_threads_cohort_of_one_socket: Cohort<1, Spin>;
}

/// Two threads on different sockets: what one wrote under the lock reaches the other through the ticket.
#[test]
fn sl_8_two_sockets_of_a_cohort() {
    check(Some(3), || {
        let guarded = Arc::new(Guarded {
            lock: Cohort::<2, Spin>::new(),
            value: UnsafeCell::new(0),
        });
        let other = {
            let guarded = Arc::clone(&guarded);
            thread::spawn(move || guarded.add_one(&mut CohortWaiter::on_socket(1)))
        };
        guarded.add_one(&mut CohortWaiter::on_socket(0));
        let tried = guarded.try_to_add_one(&mut CohortWaiter::on_socket(0));
        other.join().unwrap();
        guarded.value.with(|value| {
            // SAFETY: all threads have ended.
            assert_eq!(unsafe { *value }, 2 + tried);
        });
    });
}

/// SL-8: two writes in one order under the lock are never seen in the other by who looks under it.
#[test]
fn sl_8_message_passing_through_a_lock() {
    check(None, || {
        let lock = Arc::new(Ticket::<Spin>::new());
        let (data, ready) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let writer = {
            let (lock, data, ready) = (Arc::clone(&lock), Arc::clone(&data), Arc::clone(&ready));
            thread::spawn(move || {
                let token = lock.lock(&mut ());
                data.store(1, Ordering::Relaxed);
                ready.store(1, Ordering::Relaxed);
                // SAFETY: the token of this acquisition.
                unsafe { lock.unlock(&mut (), token) };
            })
        };
        let token = lock.lock(&mut ());
        let seen = (ready.load(Ordering::Relaxed), data.load(Ordering::Relaxed));
        // SAFETY: the token of this acquisition.
        unsafe { lock.unlock(&mut (), token) };
        writer.join().unwrap();
        assert_eq!(seen.0, seen.1);
    });
}

#[test]
fn sl_14_a_reader_and_a_writer() {
    check(Some(3), || {
        let lock = Arc::new((ReaderWriter::<Spin>::new(), UnsafeCell::new((0, 0))));
        let writer = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                lock.0.lock_exclusive();
                // SAFETY: the writer is alone, which loom checks.
                unsafe {
                    lock.1.with_mut(|pair| *pair = (1, 1));
                    lock.0.unlock_exclusive();
                }
            })
        };
        let read = |lock: &(ReaderWriter<Spin>, UnsafeCell<(i32, i32)>)| {
            lock.0.lock_shared();
            // SAFETY: no writer while a reader is, which loom checks.
            let (first, second) = lock.1.with(|pair| unsafe { *pair });
            assert_eq!(first, second);
            // SAFETY: locked above.
            unsafe { lock.0.unlock_shared() };
        };
        read(&lock);
        writer.join().unwrap();
    });
}

#[test]
fn sl_14_two_writers_and_a_try() {
    check(Some(3), || {
        let lock = Arc::new((ReaderWriter::<Spin>::new(), UnsafeCell::new(0)));
        let write = |lock: &(ReaderWriter<Spin>, UnsafeCell<i32>)| {
            lock.0.lock_exclusive();
            // SAFETY: the writer is alone, which loom checks.
            unsafe {
                lock.1.with_mut(|value| *value += 1);
                lock.0.unlock_exclusive();
            }
        };
        let other = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || write(&lock))
        };
        write(&lock);
        if lock.0.try_lock_shared() {
            // SAFETY: no writer while a reader is; locked just now.
            unsafe {
                assert!(lock.1.with(|value| *value) >= 1);
                lock.0.unlock_shared();
            }
        }
        other.join().unwrap();
    });
}
