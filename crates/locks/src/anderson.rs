//! A ticket lock in which each waiter polls a word of its own: Anderson's array lock, 1990.
//!
//! In the usual form a place holds a flag, the number of places must be a power of two (or the counter's wrap breaks
//! the order of places), and with one thread more than places two threads enter. Here a place holds the number of the
//! ticket that may enter. Two waiters may then share a place without harm, since only one of them has that number; any
//! number of places works, and threads beyond it share places.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicUsize, Ordering},
    const_new,
};
use core::marker::PhantomData;
use tombolo_threads::Padded;

/// Anderson's array lock with `PLACES` places: first come first served, and a hand-over touches one waiter while there
/// are no more waiters than places. 128 × (`PLACES` + 1) bytes.
///
/// ```compile_fail
/// tombolo_locks::Anderson::<0>::new();
/// ```
#[derive(Debug)]
pub struct Anderson<const PLACES: usize, R = SpinYieldSleep> {
    next: Padded<AtomicUsize>,
    /// For each place the ticket that may enter, or the last one that could. Ticket `t` has place `t % PLACES`.
    entering: [Padded<AtomicUsize>; PLACES],
    relax: PhantomData<fn() -> R>,
}

#[cfg(not(loom))]
const fn places<const PLACES: usize>(first: usize) -> [Padded<AtomicUsize>; PLACES] {
    const { assert!(PLACES > 0, "an array lock needs a place") };
    let mut places = [const { Padded::new(AtomicUsize::new(0)) }; PLACES];
    let mut place = 0;
    while place < PLACES {
        places[place] = Padded::new(AtomicUsize::new(first));
        place += 1;
    }
    places
}

#[cfg(loom)]
fn places<const PLACES: usize>(first: usize) -> [Padded<AtomicUsize>; PLACES] {
    core::array::from_fn(|_| Padded::new(AtomicUsize::new(first)))
}

impl<const PLACES: usize, R> Anderson<PLACES, R> {
    const_new! {
        /// A free lock. At the start every place holds 0, which is the number of the first ticket alone.
        pub const fn new() -> Self {
            Self::starting_at(0)
        }
    }

    const_new! {
        /// A free lock whose first ticket has a given number, so that a test can begin near the wrap.
        pub(super) const fn starting_at(first: usize) -> Self {
            Self { next: Padded::new(AtomicUsize::new(first)), entering: places(first), relax: PhantomData }
        }
    }

    fn place(&self, ticket: usize) -> &AtomicUsize {
        &self.entering[ticket % PLACES]
    }
}

impl<const PLACES: usize, R> Default for Anderson<PLACES, R> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: a ticket is drawn once, and its number is written to its place only by the holder before it, when that unlocks.
// Acquire and release pair on the place.
unsafe impl<const PLACES: usize, R: Relax> RawLock for Anderson<PLACES, R> {
    type Waiter = ();
    /// The ticket of the holder.
    type Token = usize;
    const NAME: &'static str = "Anderson";
    const IS_FIFO: bool = true;

    #[inline]
    fn lock(&self, _place: &mut ()) -> usize {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        let mut relax = R::default();
        while self.place(ticket).load(Ordering::Acquire) != ticket {
            relax.relax();
        }
        ticket
    }

    fn try_lock(&self, _place: &mut ()) -> Option<usize> {
        let ticket = self.next.load(Ordering::Relaxed);
        if self.place(ticket).load(Ordering::Acquire) != ticket {
            return None;
        }
        // If the next ticket has not been drawn, its place still holds its number.
        self.next
            .compare_exchange(
                ticket,
                ticket.wrapping_add(1),
                Ordering::Relaxed,
                Ordering::Relaxed,
            )
            .ok()
    }

    #[inline]
    unsafe fn unlock(&self, _place: &mut (), ticket: usize) {
        let next = ticket.wrapping_add(1);
        self.place(next).store(next, Ordering::Release);
    }

    fn is_locked(&self) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        self.place(next).load(Ordering::Relaxed) != next
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    fn wraps<const PLACES: usize>() {
        let lock = Anderson::<PLACES>::starting_at(usize::MAX - 3);
        for _ in 0..10 {
            let token = lock.lock(&mut ());
            assert!(lock.is_locked() && lock.try_lock(&mut ()).is_none());
            // SAFETY: the token of the lock above.
            unsafe { lock.unlock(&mut (), token) };
            assert!(!lock.is_locked());
        }
    }

    #[test]
    fn sl_5_tickets_wrap_at_sizes_that_are_no_power_of_two() {
        wraps::<1>();
        wraps::<2>();
        wraps::<3>();
        wraps::<5>();
        wraps::<24>();
    }
}
