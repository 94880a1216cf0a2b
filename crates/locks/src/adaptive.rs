//! The adaptive lock: a flag for threads that come while it is free, and an MCS queue for threads that wait, the first
//! of which is passed for a moment only. It is the engine's default lock, which guards a world's inbox.
//!
//! Linux's queued spin lock has the same structure. The queue's nodes are on the waiters' stacks: a thread is in the
//! queue only inside `lock`, so no guard has to carry a node.
#![allow(unsafe_code)]

use crate::mcs::{Mcs, McsNode};
use crate::raw_lock::RawLock;
use crate::relax::{Relax, Spin, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicBool, Ordering},
    const_new,
};
use crate::test_and_test_and_set::TestAndTestAndSet;
use core::ptr::NonNull;
use tombolo_threads::Padded;

/// Polls a flag for a moment, then queues: 16 bytes, and no data for a waiter to keep.
///
/// A thread that comes when the lock is free takes it at once; a thread that has queued gets it after those before it
/// in the queue, and after those that came while it was free and the first in the queue had looked fewer than 64 times
/// in vain. From then on whoever comes queues. (So a thread that has lost its core before it looked that often holds up nobody, and
/// one that locks again and again shuts nobody out: what the locks of WebKit and `parking_lot` call eventual fairness.)
/// Under contention one thread at most polls the flag from the queue, and each of the others polls its own node.
#[derive(Debug)]
pub struct Adaptive<R = SpinYieldSleep> {
    flag: TestAndTestAndSet<Spin>,
    /// Whether the first in the queue has waited long: the lock is for the queue then, also while it is free. Written by
    /// the first in the queue alone, and false when it leaves.
    is_reserved: AtomicBool,
    queue: Mcs<R>,
}

/// Number of polls of the flag before a thread queues: about as long as a short critical section.
#[cfg(not(any(loom, shuttle)))]
const LOOKS: u32 = 16;
#[cfg(any(loom, shuttle))]
const LOOKS: u32 = 1;

/// Number of polls of the flag by the first in the queue before nobody may pass it: some microseconds, then yields.
#[cfg(not(any(loom, shuttle)))]
const LOOKS_BEFORE_RESERVING: u32 = 64;
#[cfg(any(loom, shuttle))]
const LOOKS_BEFORE_RESERVING: u32 = 1;

impl<R> Adaptive<R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { flag: TestAndTestAndSet::new(), is_reserved: AtomicBool::new(false), queue: Mcs::new() }
        }
    }
}

impl<R: Relax> Adaptive<R> {
    #[cold]
    fn wait_and_take(&self) {
        let mut spin = Spin;
        for _ in 0..LOOKS {
            // Threads in the queue are not overtaken.
            if self.queue.is_empty() && self.flag.try_lock(&mut ()).is_some() {
                return;
            }
            spin.relax();
        }
        let node = McsNode::new();
        let node = NonNull::from(&node);
        // SAFETY: the node is new and on this stack frame, and `first` leaves before the frame ends, also by a panic.
        unsafe { self.queue.enter(node) };
        let first = FirstInQueue { lock: self, node };
        let mut relax = R::default();
        let mut looks = 0_u32;
        while self.flag.is_locked() || self.flag.try_lock(&mut ()).is_none() {
            looks = looks.saturating_add(1);
            if looks == LOOKS_BEFORE_RESERVING {
                self.is_reserved.store(true, Ordering::Relaxed);
            }
            relax.relax();
        }
        let held = UnwoundHold(&self.flag);
        first.leave();
        core::mem::forget(held);
    }
}

/// A guard for the head of the queue, whose node is on a thread's stack; dropped by a panic of the policy, it passes the head
/// to the next node without the policy.
struct FirstInQueue<'a, R: Relax> {
    lock: &'a Adaptive<R>,
    node: NonNull<Padded<McsNode>>,
}

impl<R: Relax> FirstInQueue<'_, R> {
    /// Passes the head to the next node.
    fn leave(self) {
        self.end_reservation();
        let (lock, node) = (self.lock, self.node);
        core::mem::forget(self);
        // SAFETY: made after `enter` has returned, and `self` is forgotten.
        unsafe { lock.queue.leave(node) };
    }

    fn end_reservation(&self) {
        if self.lock.is_reserved.load(Ordering::Relaxed) {
            self.lock.is_reserved.store(false, Ordering::Relaxed);
        }
    }
}

impl<R: Relax> Drop for FirstInQueue<'_, R> {
    fn drop(&mut self) {
        self.end_reservation();
        // SAFETY: made after `enter` has returned, and dropped once.
        unsafe { self.lock.queue.leave_by::<Spin>(self.node) };
    }
}

/// A guard of the flag while its new holder leaves the queue: if the policy panics then, nobody gets the lock.
struct UnwoundHold<'a>(&'a TestAndTestAndSet<Spin>);

impl Drop for UnwoundHold<'_> {
    fn drop(&mut self) {
        // SAFETY: this thread has taken the flag, and does not return a token of it.
        unsafe { self.0.unlock(&mut (), ()) };
    }
}

impl<R> Default for Adaptive<R> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: every success is one of the flag's lock.
unsafe impl<R: Relax> RawLock for Adaptive<R> {
    type Waiter = ();
    type Token = ();
    const NAME: &'static str = "adaptive";
    const IS_FIFO: bool = false;

    #[inline]
    fn lock(&self, place: &mut ()) {
        if self.is_reserved.load(Ordering::Relaxed) || self.flag.try_lock(place).is_none() {
            self.wait_and_take();
        }
    }

    fn try_lock(&self, place: &mut ()) -> Option<()> {
        if self.queue.is_empty() {
            self.flag.try_lock(place)
        } else {
            None
        }
    }

    #[inline]
    unsafe fn unlock(&self, place: &mut (), token: ()) {
        // SAFETY: as the caller promises for this lock.
        unsafe { self.flag.unlock(place, token) };
    }

    fn is_locked(&self) -> bool {
        self.flag.is_locked()
    }
}
