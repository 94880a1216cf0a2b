//! A flag for those who come at the right time, and a queue for those who do not: the engine's default lock, which guards
//! a world's inbox.
//!
//! Linux's queued spin lock has the same shape. The queue's nodes are on the waiters' stacks: a thread is in the queue
//! only inside `lock`, so no guard has to carry one.
#![allow(unsafe_code)]

use crate::mcs::{Mcs, McsNode};
use crate::raw_lock::RawLock;
use crate::relax::{Relax, Spin, SpinYieldSleep};
use crate::shim::const_new;
use crate::test_and_test_and_set::TestAndTestAndSet;
use core::ptr::NonNull;
use tombolo_threads::Padded;

/// Spins on a flag for a moment, then queues: 16 bytes, and nothing to bring along.
///
/// A thread that comes when the lock is free takes it at once; one that waits for long gets it after those that waited
/// longer, and after at most a few that came at the right time. Where the lock is contended, one thread at most looks at
/// the flag from the queue, and each of the others at its own node.
#[derive(Debug)]
pub struct Adaptive<R = SpinYieldSleep> {
    flag: TestAndTestAndSet<Spin>,
    queue: Mcs<R>,
}

/// How often a thread looks at the flag before it queues: about as long as a short critical section.
#[cfg(not(any(loom, shuttle)))]
const LOOKS: u32 = 16;
#[cfg(any(loom, shuttle))]
const LOOKS: u32 = 1;

impl<R> Adaptive<R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { flag: TestAndTestAndSet::new(), queue: Mcs::new() }
        }
    }
}

impl<R: Relax> Adaptive<R> {
    #[cold]
    fn wait_and_take(&self) {
        let mut spin = Spin;
        for _ in 0..LOOKS {
            // Not past those who queue already.
            if self.queue.is_empty() && self.flag.try_lock(&mut ()).is_some() {
                return;
            }
            spin.relax();
        }
        let node = McsNode::new();
        let node = NonNull::from(&node);
        // SAFETY: the node is new and on this stack frame, and `first` leaves before the frame ends, also by a panic.
        unsafe { self.queue.enter(node) };
        let first = FirstInQueue {
            queue: &self.queue,
            node,
        };
        let mut relax = R::default();
        while self.flag.is_locked() || self.flag.try_lock(&mut ()).is_none() {
            relax.relax();
        }
        drop(first);
    }
}

/// The turn of a node that is on a thread's stack; dropped, it is the next one's.
struct FirstInQueue<'a, R: Relax> {
    queue: &'a Mcs<R>,
    node: NonNull<Padded<McsNode>>,
}

impl<R: Relax> Drop for FirstInQueue<'_, R> {
    fn drop(&mut self) {
        // SAFETY: made after `enter` has returned, and dropped once.
        unsafe { self.queue.leave(self.node) };
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
        if self.flag.try_lock(place).is_none() {
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
