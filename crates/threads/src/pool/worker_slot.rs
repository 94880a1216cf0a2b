//! `WorkerSlot`: the state of one worker in a pool: its turn word, whether its thread sleeps, and the panic of its
//! call.
#![allow(unsafe_code)]

use crate::relax::SpinYieldSleep;
use crate::shim::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use crate::shim::{UnsafeCell, thread};
use crate::unwind::Panic;
use std::sync::OnceLock;

/// The shared state of one worker. Written by its worker and by the caller, and alone on its cache lines.
///
/// Invariants: `turn` is `2 r` when the call of run `r` has ended (so, before run `r + 1` is taken), and `2 r - 1`
/// while it is in progress. It only grows, by one each time, so a thread that is late by any number of runs cannot take
/// an old one. `panic` is touched only between a run's take and its end by the taker, and after the end by the pool's
/// caller.
pub(super) struct WorkerSlot {
    turn: AtomicU64,
    /// The worker's own thread, once it works.
    thread: OnceLock<thread::Thread>,
    /// The last run whose call that thread took; 0 before the first.
    own_run: AtomicU64,
    asleep: AtomicBool,
    panic: UnsafeCell<Option<Panic>>,
}

// SAFETY: `panic` is handed over by `turn`, as said above.
unsafe impl Sync for WorkerSlot {}

impl WorkerSlot {
    pub(super) fn new() -> Self {
        Self {
            turn: AtomicU64::new(0),
            thread: OnceLock::new(),
            own_run: AtomicU64::new(0),
            asleep: AtomicBool::new(false),
            panic: UnsafeCell::new(None),
        }
    }

    /// Makes the calling thread the worker's own; returns false if it has one already.
    pub(super) fn occupy(&self) -> bool {
        self.thread.set(thread::current()).is_ok()
    }

    /// Takes the call of a run; returns false if it was taken already.
    pub(super) fn take(&self, run: u64) -> bool {
        self.turn
            .compare_exchange(2 * run - 2, 2 * run - 1, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Like [`take`](Self::take), for the worker's own thread.
    pub(super) fn take_as_occupant(&self, run: u64) -> bool {
        let is_taken = self.take(run);
        if is_taken {
            self.own_run.store(run, Ordering::Relaxed);
        }
        is_taken
    }

    /// Ends a call that this thread took.
    pub(super) fn end(&self, run: u64, panic: Option<Panic>) {
        if panic.is_some() {
            // SAFETY: this thread holds the turn.
            self.panic.with_mut(|slot| unsafe { *slot = panic });
        }
        self.turn.store(2 * run, Ordering::Release);
    }

    /// Ends the call that the worker's own thread, which is dead, has in progress; does nothing if it has none.
    pub(super) fn end_as_panicked(&self, panic: Panic) {
        let run = self.own_run.load(Ordering::Relaxed);
        if run > 0 && self.turn.load(Ordering::Acquire) == 2 * run - 1 {
            self.end(run, Some(panic));
        }
    }

    /// Waits until the call of a run has ended; returns its panic.
    pub(super) fn wait_for_end(&self, run: u64) -> Option<Panic> {
        let mut relax = SpinYieldSleep::default();
        while self.turn.load(Ordering::Acquire) != 2 * run {
            relax.relax();
        }
        // SAFETY: the turn has ended, and only the caller, which is this thread, starts another.
        self.panic.with_mut(|slot| unsafe { (*slot).take() })
    }

    /// Waits for a run later than the last: polls for a while, then sleeps.
    pub(super) fn wait_for_run(&self, run: &AtomicU64, last: u64) -> u64 {
        for poll in 0.. {
            let now = run.load(Ordering::Acquire);
            if now != last {
                return now;
            }
            if !poll_again(poll) {
                break;
            }
        }
        self.sleep_until_woken(run, last)
    }

    fn sleep_until_woken(&self, run: &AtomicU64, last: u64) -> u64 {
        // Release: who sees the thread asleep sees which one it is.
        self.asleep.store(true, Ordering::Release);
        // Pairs with the fence in `Pool::wake_sleepers`: either that one sees this thread asleep, or this one sees the
        // new run.
        fence(Ordering::SeqCst);
        let now = loop {
            let now = run.load(Ordering::Acquire);
            if now != last {
                break now;
            }
            thread::park();
        };
        self.asleep.store(false, Ordering::Relaxed);
        now
    }

    /// Wakes the thread if it sleeps.
    pub(super) fn wake(&self) {
        if self.asleep.load(Ordering::Acquire)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }
}

/// Polling time of a thread without work before it sleeps, in nanoseconds: long enough to bridge the serial part
/// between two parallel stages, and half a percent of a frame at 60 Hz.
#[cfg(not(any(loom, shuttle)))]
const POLL_NANOSECONDS: u32 = 50_000;

/// Waits between two polls; returns false when the thread should sleep.
#[cfg(not(any(loom, shuttle)))]
fn poll_again(poll: u32) -> bool {
    core::hint::spin_loop();
    poll < crate::relax::pauses_in(POLL_NANOSECONDS)
}

/// Under a model checker: one poll, then sleep.
#[cfg(any(loom, shuttle))]
fn poll_again(poll: u32) -> bool {
    poll < 1
}
