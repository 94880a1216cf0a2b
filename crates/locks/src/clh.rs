//! The CLH lock: a queue in which each thread polls its predecessor's node, and keeps that node in place of its own
//! afterwards. Craig, 1993; Landin and Hagersten, 1994.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicBool, AtomicPtr, Ordering},
    const_new,
};
use alloc::boxed::Box;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};
use tombolo_threads::Padded;

/// The CLH lock: 16 bytes, first come first served, and a hand-over touches one waiter. Each lock that has been used
/// and each thread that uses one has a node of 128 bytes.
#[derive(Debug)]
pub struct Clh<R = SpinYieldSleep> {
    /// The last node of the queue, held or not; null before the first use.
    tail: AtomicPtr<Padded<ClhNode>>,
    /// The node released last. Equal to the tail when the lock is free. Only compared, never dereferenced: another lock
    /// or waiter may own that node now.
    released: AtomicPtr<Padded<ClhNode>>,
    relax: PhantomData<fn() -> R>,
}

/// Invariants: a node belongs to a waiter, to a queue from its thread's swap until its successor has acquired, and then
/// to that successor. The lock frees the node that is left when it is dropped.
#[derive(Debug)]
struct ClhNode {
    held: AtomicBool,
}

/// A thread's node while it is in no queue; made on first use. While the lock is held the guard has the nodes, so a
/// leaked guard leaks one and leaves the lock held for ever, with no other harm.
#[derive(Debug, Default)]
pub struct ClhWaiter {
    node: Option<Box<Padded<ClhNode>>>,
}

/// The nodes of a held lock.
#[derive(Debug)]
pub struct ClhToken {
    mine: NonNull<Padded<ClhNode>>,
    /// The predecessor's node, which this thread keeps after unlocking; null if it was the lock's first.
    before: *mut Padded<ClhNode>,
}

impl ClhWaiter {
    /// Takes the waiter's node, marked as held, as it must be before it is published.
    fn take_node(&mut self) -> NonNull<Padded<ClhNode>> {
        let node = match self.node.take() {
            Some(node) => {
                node.held.store(true, Ordering::Relaxed);
                node
            }
            None => Box::new(Padded::new(ClhNode {
                held: AtomicBool::new(true),
            })),
        };
        NonNull::from(Box::leak(node))
    }

    /// # Safety
    ///
    /// The pointer is null, or came from [`take_node`](Self::take_node) of any waiter, is given back once, and nothing
    /// else refers to the node.
    unsafe fn put_back(&mut self, node: *mut Padded<ClhNode>) {
        // SAFETY: a pointer that is not null came from a box, as the caller promises.
        let node = NonNull::new(node).map(|node| unsafe { Box::from_raw(node.as_ptr()) });
        // `node` is `None` while the node is in a queue: nothing is dropped, and `forget` saves the compiler the check.
        core::mem::forget(core::mem::replace(&mut self.node, node));
    }
}

impl<R> Clh<R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self {
                tail: AtomicPtr::new(ptr::null_mut()),
                released: AtomicPtr::new(ptr::null_mut()),
                relax: PhantomData,
            }
        }
    }
}

impl<R: Relax> Clh<R> {
    /// # Safety
    ///
    /// The pointer is null, or the one that this thread's swap found in the tail; the thread alone waits at that node.
    #[inline]
    unsafe fn wait_for(before: *mut Padded<ClhNode>) {
        // SAFETY: the node belongs to the queue until this thread, its only successor, has acquired.
        let Some(before) = (unsafe { before.as_ref() }) else {
            return;
        };
        let mut relax = R::default();
        while before.held.load(Ordering::Acquire) {
            relax.relax();
        }
    }
}

impl<R> Default for Clh<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Drop for Clh<R> {
    fn drop(&mut self) {
        let last = self.tail.load(Ordering::Acquire);
        // After a leaked guard the lock stays held: its node is leaked with the guard.
        if let Some(node) = NonNull::new(last)
            && self.released.load(Ordering::Acquire) == last
        {
            // SAFETY: a released tail has no successor, so the node is the lock's; it came from a box.
            drop(unsafe { Box::from_raw(node.as_ptr()) });
        }
    }
}

// SAFETY: the swap gives each thread a predecessor of its own, and it enters when that one's node is released, which only
// its unlock does. Acquire and release pair on the node.
unsafe impl<R: Relax> RawLock for Clh<R> {
    type Waiter = ClhWaiter;
    type Token = ClhToken;
    const NAME: &'static str = "CLH";
    const IS_FIFO: bool = true;

    #[inline]
    fn lock(&self, place: &mut ClhWaiter) -> ClhToken {
        let mine = place.take_node();
        let before = self.tail.swap(mine.as_ptr(), Ordering::AcqRel);
        // SAFETY: found in the tail by this thread's swap.
        unsafe { Self::wait_for(before) };
        ClhToken { mine, before }
    }

    fn try_lock(&self, place: &mut ClhWaiter) -> Option<ClhToken> {
        // In this order: the thread that stored the tail had seen every release before its own acquisition.
        let tail = self.tail.load(Ordering::Acquire);
        if self.released.load(Ordering::Acquire) != tail {
            return None;
        }
        let mine = place.take_node();
        match self
            .tail
            .compare_exchange(tail, mine.as_ptr(), Ordering::AcqRel, Ordering::Relaxed)
        {
            Ok(before) => {
                // If the same node has left the tail and come back since the load above, this thread has joined the
                // queue and waits for its turn; otherwise the node is free already.
                // SAFETY: found in the tail by this thread's exchange.
                unsafe { Self::wait_for(before) };
                Some(ClhToken { mine, before })
            }
            Err(_) => {
                // SAFETY: the node was not published.
                unsafe { place.put_back(mine.as_ptr()) };
                None
            }
        }
    }

    #[inline]
    unsafe fn unlock(&self, place: &mut ClhWaiter, token: ClhToken) {
        let ClhToken { mine, before } = token;
        self.released.store(mine.as_ptr(), Ordering::Release);
        // SAFETY: the node is this thread's until the write that hands it on.
        unsafe { mine.as_ref().held.store(false, Ordering::Release) };
        // SAFETY: this thread was the only one to wait at the predecessor's node, and has acquired.
        unsafe { place.put_back(before) };
    }

    fn is_locked(&self) -> bool {
        let tail = self.tail.load(Ordering::Acquire);
        self.released.load(Ordering::Acquire) != tail
    }
}
