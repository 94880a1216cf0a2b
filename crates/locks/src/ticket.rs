//! Draw a number, wait until it is served. Reed and Kanodia's sequencer and event count, 1979; named and measured by
//! Mellor-Crummey and Scott, "Algorithms for scalable synchronization on shared-memory multiprocessors", 1991.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicU32, Ordering},
    const_new,
};
use core::marker::PhantomData;

/// The ticket lock: 8 bytes, first come first served. All waiters look at one word, so a hand-over touches them all.
///
/// Tickets are 32 bits and may wrap; exclusion would need 2³² threads in the queue to fail, which no address space holds.
#[derive(Debug)]
pub struct Ticket<R = SpinYieldSleep> {
    next: AtomicU32,
    serving: AtomicU32,
    relax: PhantomData<fn() -> R>,
}

impl<R> Ticket<R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self::starting_at(0)
        }
    }

    const_new! {
        /// A free lock whose first ticket is a given one: 2³² is far for a test.
        pub(super) const fn starting_at(first: u32) -> Self {
            Self { next: AtomicU32::new(first), serving: AtomicU32::new(first), relax: PhantomData }
        }
    }

    /// Takes a place in the queue.
    #[inline]
    pub(super) fn draw(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// How many are before a ticket: 0 when it is served.
    #[inline]
    pub(super) fn ahead_of(&self, ticket: u32) -> u32 {
        ticket.wrapping_sub(self.serving.load(Ordering::Acquire))
    }
}

impl<R> Default for Ticket<R> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: each ticket is drawn once (until 2³² wait) and `serving` names one at a time; it moves on only when the holder
// unlocks. Acquire and release pair on `serving`.
unsafe impl<R: Relax> RawLock for Ticket<R> {
    type Waiter = ();
    /// The ticket, so that unlocking need not read what is served.
    type Token = u32;
    const NAME: &'static str = "ticket";
    const IS_FIFO: bool = true;

    #[inline]
    fn lock(&self, _place: &mut ()) -> u32 {
        let ticket = self.draw();
        let mut relax = R::default();
        while self.ahead_of(ticket) != 0 {
            relax.relax();
        }
        ticket
    }

    #[inline]
    fn try_lock(&self, _place: &mut ()) -> Option<u32> {
        // Acquire here, since on success no later read of `serving` is needed: it cannot pass a ticket not yet drawn.
        let serving = self.serving.load(Ordering::Acquire);
        self.next
            .compare_exchange(
                serving,
                serving.wrapping_add(1),
                Ordering::Relaxed,
                Ordering::Relaxed,
            )
            .ok()
    }

    #[inline]
    unsafe fn unlock(&self, _place: &mut (), ticket: u32) {
        self.serving.store(ticket.wrapping_add(1), Ordering::Release);
    }

    fn is_locked(&self) -> bool {
        self.serving.load(Ordering::Relaxed) != self.next.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn tickets_wrap_without_notice() {
        let lock = Ticket::<SpinYieldSleep>::starting_at(u32::MAX - 1);
        for _ in 0..4 {
            let token = lock.lock(&mut ());
            assert!(lock.is_locked() && lock.try_lock(&mut ()).is_none());
            // SAFETY: the token of the lock above.
            unsafe { lock.unlock(&mut (), token) };
            let token = lock.try_lock(&mut ()).unwrap();
            // SAFETY: the token of the lock above.
            unsafe { lock.unlock(&mut (), token) };
        }
        assert!(!lock.is_locked());
    }
}
