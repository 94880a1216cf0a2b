//! The MCS lock: a queue of nodes, each of which its own thread polls; unlocking writes to the successor's.
//! Mellor-Crummey and Scott, 1991.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{Relax, Spin, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicBool, AtomicPtr, Ordering},
    const_new, hint,
};
use alloc::boxed::Box;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};
use tombolo_threads::Padded;

/// The MCS lock: 8 bytes, first come first served, and a hand-over touches one waiter. Each waiting thread has a node
/// of 128 bytes, which its [`McsWaiter`] keeps for the next time.
#[derive(Debug)]
pub struct Mcs<R = SpinYieldSleep> {
    /// The last node of the queue; null when the lock is free.
    tail: AtomicPtr<Padded<McsNode>>,
    relax: PhantomData<fn() -> R>,
}

/// A thread's node in a queue.
///
/// Invariants: from [`Mcs::enter`] to the end of [`Mcs::leave`] the node does not move, and belongs to the queue. Its
/// predecessor writes `waiting` once, its successor `next` once.
#[derive(Debug)]
pub(super) struct McsNode {
    next: AtomicPtr<Padded<McsNode>>,
    waiting: AtomicBool,
}

impl McsNode {
    pub(super) fn new() -> Padded<Self> {
        Padded::new(Self {
            next: AtomicPtr::new(ptr::null_mut()),
            waiting: AtomicBool::new(false),
        })
    }

    /// Waits for the link of the successor, which has swapped the tail and is about to store it.
    #[inline]
    fn wait_for_link<W: Relax>(&self) -> *mut Padded<Self> {
        let mut relax = W::default();
        loop {
            let next = self.next.load(Ordering::Acquire);
            if !next.is_null() {
                return next;
            }
            relax.relax();
        }
    }

    /// Makes the successor the head of the queue.
    ///
    /// # Safety
    ///
    /// `next` is what [`wait_for_link`](Self::wait_for_link) or a load of the link gave for this node, which is the head
    /// and leaves by this.
    #[inline]
    unsafe fn pass_on(&self, next: *mut Padded<Self>) {
        self.next.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: the successor is in the queue and waits for this very write, so its node is valid.
        unsafe { (&(*next)).waiting.store(false, Ordering::Release) };
    }
}

/// A thread's node while it is in no queue; made on first use. While the lock is held the lock has the node, so a
/// leaked guard leaks it and leaves the lock held for ever, with no other harm.
#[derive(Debug, Default)]
pub struct McsWaiter {
    node: Option<Box<Padded<McsNode>>>,
}

/// The node of a held lock.
#[derive(Debug)]
pub struct McsToken {
    node: NonNull<Padded<McsNode>>,
}

impl McsWaiter {
    fn take_node(&mut self) -> NonNull<Padded<McsNode>> {
        let node = self.node.take().unwrap_or_else(|| Box::new(McsNode::new()));
        NonNull::from(Box::leak(node))
    }

    /// # Safety
    ///
    /// The node came from [`take_node`](Self::take_node), is given back once, and nothing else refers to it.
    unsafe fn put_back(&mut self, node: NonNull<Padded<McsNode>>) {
        // SAFETY: the pointer came from a box, as the caller promises.
        let node = Some(unsafe { Box::from_raw(node.as_ptr()) });
        // `node` is `None` while the node is in a queue: nothing is dropped, and `forget` saves the compiler the check.
        core::mem::forget(core::mem::replace(&mut self.node, node));
    }
}

impl<R> Mcs<R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { tail: AtomicPtr::new(ptr::null_mut()), relax: PhantomData }
        }
    }

    /// Whether no thread holds the lock or waits for it.
    pub(super) fn is_empty(&self) -> bool {
        self.tail.load(Ordering::Relaxed).is_null()
    }
}

impl<R> Mcs<R> {
    /// Whether a thread has joined the queue behind the holder. That thread waits until the holder leaves.
    #[inline]
    pub(super) fn is_awaited(&self, holder: &McsToken) -> bool {
        self.tail.load(Ordering::Relaxed) != holder.node.as_ptr()
    }
}

/// Guard of a wait in the queue that a panic ends: the queue and its other threads must not use the node afterwards.
struct UnwoundWait<'a, R: Relax> {
    queue: &'a Mcs<R>,
    node: NonNull<Padded<McsNode>>,
}

impl<R: Relax> Drop for UnwoundWait<'_, R> {
    /// Continues the wait, without the policy that has panicked, and then leaves in turn.
    fn drop(&mut self) {
        // SAFETY: the node is in the queue until `leave` returns.
        while unsafe { self.node.as_ref() }.waiting.load(Ordering::Acquire) {
            hint::spin_loop();
        }
        // SAFETY: entered, and its turn has come.
        unsafe { self.queue.leave_by::<Spin>(self.node) };
    }
}

/// Guard of the wait for a successor's link that a panic ends: the successor is about to write to the node, and waits until
/// it is told that it is the head.
struct UnwoundLeave<'a>(&'a McsNode);

impl Drop for UnwoundLeave<'_> {
    /// Continues the wait, without the policy that has panicked, and passes the lock on.
    fn drop(&mut self) {
        let next = self.0.wait_for_link::<Spin>();
        // SAFETY: that of this node, which leaves now.
        unsafe { self.0.pass_on(next) };
    }
}

impl<R: Relax> Mcs<R> {
    /// Appends a node to the queue and waits until it is the head. If the policy panics, the node has left the queue
    /// when the panic leaves this function.
    ///
    /// # Safety
    ///
    /// The node is in no queue, its `next` is null, and it stays valid and in place until [`leave`](Self::leave) returns.
    #[inline]
    pub(super) unsafe fn enter(&self, node: NonNull<Padded<McsNode>>) {
        // SAFETY: the node is valid, as the caller promises.
        let mine = unsafe { node.as_ref() };
        // Before the swap, which publishes the node. Its last use may have left the flag clear.
        mine.waiting.store(true, Ordering::Relaxed);
        let before = self.tail.swap(node.as_ptr(), Ordering::AcqRel);
        // SAFETY: a node in the queue is valid until its thread leaves, and that waits for its successor's link, which is
        // what is written here.
        let Some(before) = (unsafe { before.as_ref() }) else {
            return;
        };
        before.next.store(node.as_ptr(), Ordering::Release);
        let unwound = UnwoundWait { queue: self, node };
        let mut relax = R::default();
        while mine.waiting.load(Ordering::Acquire) {
            relax.relax();
        }
        core::mem::forget(unwound);
    }

    /// Removes the head of the queue and passes the lock to its successor, also if the policy panics.
    ///
    /// # Safety
    ///
    /// This thread has entered with this node and has not left.
    #[inline]
    pub(super) unsafe fn leave(&self, node: NonNull<Padded<McsNode>>) {
        // SAFETY: as the caller promises.
        unsafe { self.leave_by::<R>(node) };
    }

    /// [`leave`](Self::leave) by another policy.
    ///
    /// # Safety
    ///
    /// The same.
    #[inline]
    pub(super) unsafe fn leave_by<W: Relax>(&self, node: NonNull<Padded<McsNode>>) {
        // SAFETY: valid from `enter` until this returns.
        let mine = unsafe { node.as_ref() };
        let mut next = mine.next.load(Ordering::Acquire);
        if next.is_null() {
            if self
                .tail
                .compare_exchange(
                    node.as_ptr(),
                    ptr::null_mut(),
                    Ordering::Release,
                    Ordering::Relaxed,
                )
                .is_ok()
            {
                return;
            }
            let unwound = UnwoundLeave(mine);
            next = mine.wait_for_link::<W>();
            core::mem::forget(unwound);
        }
        // SAFETY: this node's link, and it leaves now.
        unsafe { mine.pass_on(next) };
    }
}

impl<R> Default for Mcs<R> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: the queue has one first node at a time; the next becomes it when that one leaves. Acquire and release pair on
// `waiting`, or on the tail when the queue was empty.
unsafe impl<R: Relax> RawLock for Mcs<R> {
    type Waiter = McsWaiter;
    type Token = McsToken;
    const NAME: &'static str = "MCS";
    const IS_FIFO: bool = true;

    #[inline]
    fn lock(&self, place: &mut McsWaiter) -> McsToken {
        let node = place.take_node();
        // SAFETY: a node at home is in no queue and its `next` is null; it is on the heap and now owned by the token.
        unsafe { self.enter(node) };
        McsToken { node }
    }

    fn try_lock(&self, place: &mut McsWaiter) -> Option<McsToken> {
        if !self.is_empty() {
            return None;
        }
        let node = place.take_node();
        match self.tail.compare_exchange(
            ptr::null_mut(),
            node.as_ptr(),
            Ordering::AcqRel,
            Ordering::Relaxed,
        ) {
            Ok(_) => Some(McsToken { node }),
            Err(_) => {
                // SAFETY: the node was not published.
                unsafe { place.put_back(node) };
                None
            }
        }
    }

    #[inline]
    unsafe fn unlock(&self, place: &mut McsWaiter, token: McsToken) {
        // SAFETY: the token stands for an acquisition with this node; after leaving, nobody else refers to it.
        unsafe {
            self.leave(token.node);
            place.put_back(token.node);
        }
    }

    fn is_locked(&self) -> bool {
        !self.is_empty()
    }
}

#[cfg(all(test, feature = "std", not(any(loom, shuttle))))]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::panic::{catch_unwind, resume_unwind};
    use std::thread;

    std::thread_local! {
        static ON_WAIT: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    }

    /// Does what the test asks for in place of the first wait, then panics, as it does at any other.
    #[derive(Default)]
    struct Panics;

    impl Relax for Panics {
        fn relax(&mut self) {
            if let Some(on_wait) = ON_WAIT.take() {
                on_wait();
            }
            // Without the message, whose writing may take longer than the link.
            resume_unwind(Box::new("a policy that panics"));
        }
    }

    fn node() -> &'static Padded<McsNode> {
        Box::leak(Box::new(McsNode::new()))
    }

    /// The first half of [`Mcs::enter`], behind a node that is in the queue. The link comes when the thread behind `before`
    /// has long panicked.
    fn join_slowly(queue: &Mcs<Panics>, before: &'static Padded<McsNode>) -> &'static Padded<McsNode> {
        let node = node();
        node.waiting.store(true, Ordering::Relaxed);
        queue.tail.swap(NonNull::from(node).as_ptr(), Ordering::AcqRel);
        thread::spawn(move || {
            thread::sleep(core::time::Duration::from_millis(50));
            before.next.store(NonNull::from(node).as_ptr(), Ordering::Release);
        });
        node
    }

    /// The successor would have written its link to a node that is gone, and waited for ever.
    #[test]
    fn sl_6_a_policy_that_panics_while_the_head_leaves_leaves_no_successor_behind() {
        let (queue, head) = (Mcs::<Panics>::new(), node());
        // SAFETY: the node lives for ever, and the queue is empty: this does not wait.
        unsafe { queue.enter(head.into()) };
        let next = join_slowly(&queue, head);
        // SAFETY: entered above.
        let left = catch_unwind(|| unsafe { queue.leave(head.into()) });
        assert!(left.is_err(), "the policy was not asked");
        assert!(!next.waiting.load(Ordering::Acquire), "its turn has come");
        assert!(
            head.next.load(Ordering::Relaxed).is_null(),
            "the node may be used again"
        );
    }

    /// The second panic would have ended the program.
    #[test]
    fn sl_6_a_policy_that_has_panicked_in_the_queue_is_not_asked_again() {
        static QUEUE: Mcs<Panics> = Mcs::new();
        let [first, second] = [node(), node()];
        // SAFETY: the node lives for ever, and the queue is empty: this does not wait.
        unsafe { QUEUE.enter(first.into()) };
        let (sender, receiver) = std::sync::mpsc::channel();
        ON_WAIT.set(Some(Box::new(move || {
            sender.send(join_slowly(&QUEUE, second)).expect("the test waits");
            // SAFETY: entered above; its successor has stored its link.
            unsafe { QUEUE.leave(first.into()) };
        })));
        // SAFETY: the node lives for ever, and is in no queue.
        let entered = catch_unwind(|| unsafe { QUEUE.enter(second.into()) });
        assert!(entered.is_err(), "the policy was not asked");
        let next = receiver.recv().expect("it was asked");
        assert!(!next.waiting.load(Ordering::Acquire), "its turn has come");
    }
}
