//! The same properties for all locks: mutual exclusion, the order that each guarantees, and their state after threads
//! panic, forget guards or end.
#![cfg(not(any(loom, shuttle)))]

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use tombolo_locks::relax::{Relax, Spin, SpinYieldSleep};
use tombolo_locks::*;

/// Adds to a plain counter from several threads; true if nothing was lost and nobody was inside with another.
fn excludes<L: RawLock + 'static>(lock: L, threads: usize, rounds: usize) -> bool {
    let mutex = Mutex::new(lock, 0_usize);
    let inside = AtomicBool::new(false);
    let together = AtomicUsize::new(0);
    let start = Barrier::new(threads);
    thread::scope(|scope| {
        let run = |thread: usize| {
            let (mutex, inside, together, start) = (&mutex, &inside, &together, &start);
            move || {
                let mut place = L::Waiter::default();
                start.wait();
                for round in 0..rounds {
                    // Some ask first, which must succeed no more wrongly than waiting does.
                    if (round + thread).is_multiple_of(3) {
                        while mutex.try_lock_with(&mut place).is_none() {
                            thread::yield_now();
                        }
                    }
                    let mut guard = mutex.lock_with(&mut place);
                    if inside.swap(true, Ordering::Relaxed) {
                        together.fetch_add(1, Ordering::Relaxed);
                    }
                    *guard += 1;
                    inside.store(false, Ordering::Relaxed);
                }
            }
        };
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(run(thread))).collect();
        // By hand, because a sanitizer sees a join, and not the end of a scope.
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    together.into_inner() == 0 && mutex.into_inner() == threads * rounds
}

/// Makes a module of tests for each lock.
macro_rules! for_each_lock {
    ($($module:ident: $lock:ty;)+) => {
        $(mod $module {
            use super::*;

            #[test]
            fn sl_1_one_at_a_time() {
                for threads in [1, 2, 4] {
                    assert!(excludes(<$lock>::new(), threads, 2_000));
                }
            }

            #[test]
            fn sl_9_four_threads_a_core_come_to_an_end() {
                let cores = thread::available_parallelism().map_or(2, usize::from);
                assert!(excludes(<$lock>::new(), 4 * cores, 200));
            }

            #[test]
            fn sl_6_a_panic_gives_the_lock_up_and_the_place_serves_again() {
                let mutex = Mutex::new(<$lock>::new(), 0);
                let mut place = <$lock as RawLock>::Waiter::default();
                for round in 1..=3 {
                    let result = catch_unwind(AssertUnwindSafe(|| {
                        let mut guard = mutex.lock_with(&mut place);
                        *guard += 1;
                        panic!("inside");
                    }));
                    assert!(result.is_err());
                    assert_eq!(*mutex.lock_with(&mut place), round);
                }
            }

            #[test]
            fn sl_6_two_locks_are_given_up_in_either_order() {
                let (first, second) = (Mutex::new(<$lock>::new(), 1), Mutex::new(<$lock>::new(), 2));
                let mut places = [<$lock as RawLock>::Waiter::default(), <$lock as RawLock>::Waiter::default()];
                for round in 0..4 {
                    let [one, two] = &mut places;
                    let (outer, inner) = (first.lock_with(one), second.lock_with(two));
                    assert_eq!(*outer + *inner, 3);
                    if round % 2 == 0 {
                        drop(outer);
                        assert!(!first.is_locked() && second.is_locked());
                        drop(inner);
                    } else {
                        drop(inner);
                        drop(outer);
                    }
                    // The places have changed locks since.
                    places.swap(0, 1);
                }
            }

            #[test]
            fn sl_6_a_forgotten_guard_leaves_the_lock_taken_and_no_more() {
                let mutex = Mutex::new(<$lock>::new(), 5);
                {
                    let mut place = <$lock as RawLock>::Waiter::default();
                    std::mem::forget(mutex.lock_with(&mut place));
                    assert!(mutex.is_locked());
                    assert!(mutex.try_lock_with(&mut place).is_none());
                }
                assert_eq!(mutex.into_inner(), 5);
            }

            #[test]
            fn sl_6_threads_come_and_go_ten_thousand_times() {
                let mutex = Mutex::new(<$lock>::new(), 0);
                for _ in 0..2_500 {
                    thread::scope(|scope| {
                        for _ in 0..4 {
                            scope.spawn(|| *mutex.lock_with(&mut Default::default()) += 1);
                        }
                    });
                }
                assert_eq!(mutex.into_inner(), 10_000);
            }

            #[test]
            fn sl_7_try_lock_tells_taken_from_free() {
                let mutex = Mutex::new(<$lock>::new(), ());
                let (mut mine, mut other) = Default::default();
                for _ in 0..100 {
                    let guard = mutex.try_lock_with(&mut mine);
                    assert!(guard.is_some() && mutex.is_locked());
                    assert!(mutex.try_lock_with(&mut other).is_none());
                    drop(guard);
                    assert!(!mutex.is_locked());
                    drop(mutex.lock_with(&mut other));
                }
            }

            #[test]
            fn sl_11_it_stands_in_a_static() {
                static LOCK: Mutex<$lock, u32> = Mutex::new(<$lock>::new(), 7);
                let mut place = Default::default();
                *LOCK.lock_with(&mut place) += 1;
                assert_eq!(*LOCK.lock_with(&mut place), 8);
            }
        })+
    };
}

for_each_lock! {
    test_and_set: TestAndSet<SpinYieldSleep>;
    test_and_test_and_set: TestAndTestAndSet<SpinYieldSleep>;
    back_off: BackOff;
    pause_and_sleep: PauseAndSleep;
    ticket: Ticket<SpinYieldSleep>;
    ticket_8: CompactTicket<u16, SpinYieldSleep>;
    ticket_16: CompactTicket<u32, SpinYieldSleep>;
    wide_ticket: WideTicket<SpinYieldSleep>;
    proportional_ticket: ProportionalTicket<SpinYieldSleep>;
    cohort: Cohort<2, SpinYieldSleep>;
    anderson: Anderson<24, SpinYieldSleep>;
    graunke_thakkar: GraunkeThakkar<24, SpinYieldSleep>;
    mcs: Mcs<SpinYieldSleep>;
    clh: Clh<SpinYieldSleep>;
    adaptive: Adaptive<SpinYieldSleep>;
}

#[test]
fn every_lock_has_a_name_of_its_own() {
    let names = [
        TestAndSet::<Spin>::NAME,
        TestAndTestAndSet::<Spin>::NAME,
        BackOff::NAME,
        WideTicket::<Spin>::NAME,
        Cohort::<2, Spin>::NAME,
        PauseAndSleep::NAME,
        Ticket::<Spin>::NAME,
        CompactTicket::<u16, Spin>::NAME,
        CompactTicket::<u32, Spin>::NAME,
        ProportionalTicket::<Spin>::NAME,
        Anderson::<24>::NAME,
        GraunkeThakkar::<24>::NAME,
        Mcs::<Spin>::NAME,
        Clh::<Spin>::NAME,
        Adaptive::<Spin>::NAME,
    ];
    let distinct: std::collections::BTreeSet<&str> = names.into_iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
}

#[test]
fn sl_5_array_locks_of_any_size_with_one_thread_too_many() {
    assert!(excludes(Anderson::<1>::new(), 2, 300) && excludes(GraunkeThakkar::<1>::new(), 2, 300));
    assert!(excludes(Anderson::<2>::new(), 3, 300) && excludes(GraunkeThakkar::<2>::new(), 3, 300));
    assert!(excludes(Anderson::<3>::new(), 4, 300) && excludes(GraunkeThakkar::<3>::new(), 4, 300));
    assert!(excludes(Anderson::<5>::new(), 6, 300) && excludes(GraunkeThakkar::<5>::new(), 6, 300));
    assert!(excludes(Anderson::<24>::new(), 25, 40) && excludes(GraunkeThakkar::<24>::new(), 25, 40));
    assert!(excludes(Anderson::<64>::new(), 65, 20) && excludes(GraunkeThakkar::<64>::new(), 65, 20));
}

thread_local! {
    /// What a thread does when it first has to wait in an acquisition.
    static ON_FIRST_WAIT: RefCell<Option<Box<dyn FnMut()>>> = const { RefCell::new(None) };
}

/// Waits like any other, but tells the test: a thread that relaxes for the first time has taken its place in the queue.
#[derive(Default)]
struct Observed {
    waited: Cell<bool>,
}

impl Relax for Observed {
    fn relax(&mut self) {
        if !self.waited.replace(true) {
            ON_FIRST_WAIT.with_borrow_mut(|hook| {
                if let Some(hook) = hook {
                    hook();
                }
            });
        }
        thread::yield_now();
    }
}

fn on_first_wait(hook: impl FnMut() + 'static) {
    ON_FIRST_WAIT.set(Some(Box::new(hook)));
}

/// A number of waits, and what is done after so many.
type OnWait = (u32, Box<dyn FnMut()>);

thread_local! {
    /// What a thread does when it has waited a number of times in an acquisition.
    static ON_WAIT: RefCell<Option<OnWait>> = const { RefCell::new(None) };
}

/// Waits like any other, and tells the test when it has done so a number of times.
#[derive(Default)]
struct Counted {
    waits: u32,
}

impl Relax for Counted {
    fn relax(&mut self) {
        self.waits += 1;
        ON_WAIT.with_borrow_mut(|hook| {
            if let Some((waits, hook)) = hook
                && *waits == self.waits
            {
                hook();
            }
        });
        thread::yield_now();
    }
}

fn on_wait(waits: u32, hook: impl FnMut() + 'static) {
    ON_WAIT.set(Some((waits, Box::new(hook))));
}

/// Lets threads queue one after the other, each only when the one before is known to wait, and returns the order in which
/// they got the lock.
fn order_of_service<L: RawLock + 'static>(lock: L, threads: usize) -> Vec<usize> {
    let mutex = Mutex::new(lock, Vec::new());
    thread::scope(|scope| {
        let mut place = L::Waiter::default();
        let held = mutex.lock_with(&mut place);
        for thread in 0..threads {
            let (queued, is_queued) = mpsc::channel();
            let mutex = &mutex;
            scope.spawn(move || {
                // Some locks wait twice, first in the queue and then as its first; nobody listens to the second message.
                let mut queued = Some(queued);
                on_first_wait(move || {
                    if let Some(queued) = queued.take() {
                        queued.send(()).unwrap();
                    }
                });
                mutex.lock_with(&mut L::Waiter::default()).push(thread);
            });
            is_queued.recv().unwrap();
        }
        drop(held);
    });
    mutex.into_inner()
}

/// The most often that any one thread got the lock while another, known to wait, waited for it once.
fn most_overtaken<L: RawLock + 'static>(lock: L, threads: usize, rounds: usize) -> usize {
    let mutex = Mutex::new(lock, ());
    let counts: Arc<Vec<AtomicUsize>> = Arc::new((0..threads).map(|_| AtomicUsize::new(0)).collect());
    let snapshot = |counts: &[AtomicUsize]| -> Vec<usize> {
        counts.iter().map(|count| count.load(Ordering::SeqCst)).collect()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let (mutex, counts) = (&mutex, Arc::clone(&counts));
                scope.spawn(move || {
                    let mut place = L::Waiter::default();
                    let at_wait = std::rc::Rc::new(RefCell::new(None));
                    let (seen, seen_counts) = (at_wait.clone(), Arc::clone(&counts));
                    on_first_wait(move || *seen.borrow_mut() = Some(snapshot(&seen_counts)));
                    let mut most = 0;
                    for _ in 0..rounds {
                        let guard = mutex.lock_with(&mut place);
                        if let Some(before) = at_wait.take() {
                            let overtaken = snapshot(&counts)
                                .iter()
                                .zip(before)
                                .map(|(now, then)| now - then)
                                .max();
                            most = most.max(overtaken.unwrap_or(0));
                        }
                        counts[thread].fetch_add(1, Ordering::SeqCst);
                        drop(guard);
                    }
                    most
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .max()
            .unwrap_or(0)
    })
}

/// Whether a thread gets the lock that has just come free past one that is known to wait, and looks away.
fn can_be_overtaken<L: RawLock + 'static>(
    lock: L,
    take: impl Fn(&Mutex<L, ()>, &mut L::Waiter) -> bool,
) -> bool {
    let mutex = Mutex::new(lock, ());
    thread::scope(|scope| {
        let mut place = L::Waiter::default();
        let held = mutex.lock_with(&mut place);
        let (queued, is_queued) = mpsc::channel();
        let (wake, woken) = mpsc::channel::<()>();
        scope.spawn(|| {
            on_first_wait(move || {
                queued.send(()).unwrap();
                woken.recv().unwrap();
            });
            drop(mutex.lock_with(&mut L::Waiter::default()));
        });
        is_queued.recv().unwrap();
        drop(held);
        let overtaken = take(&mutex, &mut place);
        wake.send(()).unwrap();
        overtaken
    })
}

fn by_try_lock<L: RawLock>(mutex: &Mutex<L, ()>, place: &mut L::Waiter) -> bool {
    mutex.try_lock_with(place).is_some()
}

macro_rules! for_each_fair_lock {
    ($($name:ident: $lock:ty;)+) => {
        #[test]
        fn sl_2_first_come_first_served() {
            let arrival: Vec<usize> = (0..12).collect();
            $(
                assert!(<$lock>::IS_FIFO);
                assert_eq!(order_of_service(<$lock>::new(), 12), arrival, stringify!($name));
            )+
        }

        #[test]
        fn sl_2_nobody_is_overtaken_twice() {
            $(assert!(most_overtaken(<$lock>::new(), 4, 2_000) <= 1, stringify!($name));)+
        }

        #[test]
        fn sl_7_try_lock_does_not_jump_the_queue() {
            $(assert!(!can_be_overtaken(<$lock>::new(), by_try_lock), stringify!($name));)+
        }
    };
}

for_each_fair_lock! {
    ticket: Ticket<Observed>;
    ticket_8: CompactTicket<u16, Observed>;
    ticket_16: CompactTicket<u32, Observed>;
    proportional_ticket: ProportionalTicket<Observed>;
    anderson: Anderson<24, Observed>;
    graunke_thakkar: GraunkeThakkar<24, Observed>;
    mcs: Mcs<Observed>;
    clh: Clh<Observed>;
}

#[test]
fn sl_3_unfair_locks_let_the_last_holder_in_again() {
    assert!(can_be_overtaken(TestAndSet::<Observed>::new(), by_try_lock));
    assert!(can_be_overtaken(
        TestAndTestAndSet::<Observed>::new(),
        by_try_lock
    ));
    const {
        assert!(!TestAndSet::<Spin>::IS_FIFO && !TestAndTestAndSet::<Spin>::IS_FIFO && !BackOff::IS_FIFO);
    }
}

#[test]
fn sl_3_the_adaptive_lock_lets_in_who_comes_at_the_right_time_but_not_by_try_lock() {
    assert!(!can_be_overtaken(Adaptive::<Observed>::new(), by_try_lock));
    assert!(can_be_overtaken(Adaptive::<Observed>::new(), |mutex, _place| {
        drop(mutex.lock());
        true
    }));
    assert_eq!(
        order_of_service(Adaptive::<Observed>::new(), 8),
        (0..8).collect::<Vec<_>>()
    );
}

/// One that locked again and again passed a thread that waited as often as it liked.
#[test]
fn sl_3_the_adaptive_lock_lets_nobody_past_a_thread_that_has_waited_long() {
    const LONG: u32 = 1_000;
    let mutex = Mutex::new(Adaptive::<Counted>::new(), Vec::new());
    thread::scope(|scope| {
        let held = mutex.lock();
        let (waited, has_waited) = mpsc::channel();
        let (wake, woken) = mpsc::channel::<()>();
        let waiting = scope.spawn(|| {
            on_wait(LONG, move || {
                waited.send(()).unwrap();
                woken.recv().unwrap();
            });
            mutex.lock().push("first");
        });
        has_waited.recv().unwrap();
        drop(held);
        // The lock is free, and the first thread looks away.
        let (queued, is_queued) = mpsc::channel();
        let passed = queued.clone();
        let mutex = &mutex;
        scope.spawn(move || {
            on_wait(1, move || queued.send("queues").unwrap());
            mutex.lock().push("second");
            // The first message counts, and nobody may listen to this one.
            let _ = passed.send("passes");
        });
        let what = is_queued.recv().unwrap();
        wake.send(()).unwrap();
        waiting.join().unwrap();
        assert_eq!(what, "queues");
    });
    assert_eq!(mutex.into_inner(), ["first", "second"]);
}

/// Three threads queue behind a holder, and one of them panics as soon as it has to wait.
fn others_go_on_when_a_wait_panics<L: RawLock + 'static>(lock: L, panicking: usize) {
    let mutex = Mutex::new(lock, 0);
    thread::scope(|scope| {
        let mut place = L::Waiter::default();
        let held = mutex.lock_with(&mut place);
        let waiters: Vec<_> = (0..3)
            .map(|thread| {
                let (queued, is_queued) = mpsc::channel();
                let mutex = &mutex;
                let waiter = scope.spawn(move || {
                    let mut queued = Some(queued);
                    on_first_wait(move || {
                        if let Some(queued) = queued.take() {
                            queued.send(()).unwrap();
                        }
                        assert_ne!(thread, panicking, "as it should");
                    });
                    *mutex.lock_with(&mut L::Waiter::default()) += 1;
                });
                is_queued.recv().unwrap();
                waiter
            })
            .collect();
        drop(held);
        for (thread, waiter) in waiters.into_iter().enumerate() {
            assert_eq!(waiter.join().is_err(), thread == panicking, "{}", L::NAME);
        }
    });
    assert!(!mutex.is_locked());
    assert_eq!(mutex.into_inner(), 2);
}

/// The adaptive lock's nodes are on the stacks that the panic unwinds.
#[test]
fn sl_6_a_wait_that_panics_leaves_the_queue() {
    for panicking in 0..3 {
        others_go_on_when_a_wait_panics(Adaptive::<Observed>::new(), panicking);
        others_go_on_when_a_wait_panics(Mcs::<Observed>::new(), panicking);
    }
}

/// Readers waited for a writer that was gone.
#[test]
fn sl_6_a_writer_whose_wait_panics_keeps_no_readers_out() {
    let lock = RwLock::<u32, Observed>::new(0);
    let reader = lock.read();
    on_first_wait(|| panic!("as it should"));
    let written = catch_unwind(AssertUnwindSafe(|| drop(lock.write())));
    assert!(written.is_err() && lock.try_read().is_some());
    drop(reader);
    assert!(lock.try_write().is_some());
}

#[test]
fn sl_4_a_ticket_of_8_bits_serves_255_threads_and_lets_more_wait() {
    assert!(excludes(CompactTicket::<u16>::starting_at(250), 300, 5));
}

#[test]
fn sl_4_the_255_tickets_can_all_be_out_and_the_lock_still_reads_as_taken() {
    let mutex = Mutex::new(CompactTicket::<u16, Observed>::new(), 0);
    thread::scope(|scope| {
        let held = mutex.lock();
        let (queued, is_queued) = mpsc::channel();
        // 254 wait with a ticket, and two for one.
        for _ in 0..256 {
            let (mutex, queued) = (&mutex, queued.clone());
            scope.spawn(move || {
                on_first_wait(move || queued.send(()).unwrap());
                *mutex.lock() += 1;
            });
        }
        for _ in 0..256 {
            is_queued.recv().unwrap();
        }
        assert!(mutex.is_locked());
        assert!(mutex.try_lock().is_none());
        assert_eq!(*held, 0);
        drop(held);
    });
    assert_eq!(mutex.into_inner(), 256);
}

#[test]
fn sl_4_small_tickets_wrap() {
    for first in 250..=256 {
        assert!(excludes(CompactTicket::<u16>::starting_at(first), 3, 300));
        assert!(excludes(
            CompactTicket::<u32>::starting_at(first + 65_280),
            3,
            300
        ));
    }
}

#[test]
fn sl_14_a_writer_is_alone_and_readers_see_whole_writes() {
    let lock = RwLock::<[u64; 4]>::new([0; 4]);
    let torn = AtomicUsize::new(0);
    thread::scope(|scope| {
        for thread in 0..4 {
            let (lock, torn) = (&lock, &torn);
            scope.spawn(move || {
                for round in 0..2_000 {
                    if (round + thread) % 4 == 0 {
                        lock.write().iter_mut().for_each(|word| *word += 1);
                    } else {
                        let values = lock.read();
                        if values.iter().any(|&word| word != values[0]) {
                            torn.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    assert_eq!(torn.into_inner(), 0);
    assert_eq!(lock.into_inner(), [2_000; 4]);
}

#[test]
fn sl_14_readers_read_together_and_a_writer_waits_for_them() {
    let lock = RwLock::<u32>::new(1);
    let (first, second) = (lock.read(), lock.read());
    assert_eq!(*first + *second, 2);
    assert!(lock.try_write().is_none());
    drop((first, second));
    let writer = lock.try_write().unwrap();
    assert!(lock.try_read().is_none() && lock.try_write().is_none());
    drop(writer);
    assert!(lock.try_read().is_some());
}

#[test]
fn sl_14_a_waiting_writer_keeps_new_readers_out() {
    let lock = RwLock::<u32, Observed>::new(0);
    thread::scope(|scope| {
        let reader = lock.read();
        let (queued, is_queued) = mpsc::channel();
        let lock = &lock;
        scope.spawn(move || {
            on_first_wait(move || queued.send(()).unwrap());
            *lock.write() += 1;
        });
        is_queued.recv().unwrap();
        assert!(lock.try_read().is_none());
        drop(reader);
        while *lock.read() == 0 {
            thread::yield_now();
        }
    });
}

/// SL-12: the locks of `lock_api`.
#[cfg(feature = "lock_api")]
mod sl_12_lock_api {
    use super::*;
    use lock_api::{RawMutex, RawMutexFair};

    fn counts<L: RawMutex + Send + Sync + 'static>() {
        let mutex = lock_api::Mutex::<L, usize>::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| (0..500).for_each(|_| *mutex.lock() += 1));
            }
        });
        assert!(mutex.try_lock().is_some());
        assert_eq!(mutex.into_inner(), 1_500);
    }

    fn counts_fairly<L: RawMutexFair + Send + Sync + 'static>() {
        counts::<L>();
        let mutex = lock_api::Mutex::<L, usize>::new(0);
        let mut guard = mutex.lock();
        lock_api::MutexGuard::bump(&mut guard);
        lock_api::MutexGuard::unlock_fair(guard);
        assert!(!mutex.is_locked());
    }

    #[test]
    fn all_locks_guard_values() {
        counts::<TestAndSet>();
        counts::<TestAndTestAndSet>();
        counts::<BackOff>();
        counts::<PauseAndSleep>();
        counts::<Adaptive>();
        counts_fairly::<Ticket>();
        counts_fairly::<ProportionalTicket>();
        counts_fairly::<CompactTicket<u16>>();
        counts_fairly::<CompactTicket<u32>>();
        counts_fairly::<Anderson<3>>();
        counts_fairly::<GraunkeThakkar<3>>();
        counts_fairly::<Mcs>();
        counts_fairly::<Clh>();
    }
}
