//! The ticket lock: a thread draws a number and waits until it is served. Reed and Kanodia's sequencer and event count,
//! 1979; named and measured by Mellor-Crummey and Scott, "Algorithms for scalable synchronization on shared-memory
//! multiprocessors", 1991.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicU32, Ordering},
    const_new,
};
use core::marker::PhantomData;
use core::ops::Deref;
use tombolo_threads::Padded;

/// The ticket lock: 8 bytes, first come first served. All waiters poll one word, so a hand-over touches them all; so
/// does each arriving thread, since the word that counts tickets is on the same line.
///
/// Tickets are 32 bits and may wrap; exclusion would fail only with 2³² threads in the queue, which no address space
/// holds.
#[derive(Debug)]
pub struct Ticket<R = SpinYieldSleep> {
    tickets: Tickets<AtomicU32>,
    relax: PhantomData<fn() -> R>,
}

/// The ticket lock in 256 bytes, each counter on cache lines of its own: a thread that draws a ticket does not take
/// away the line that the waiters poll. Otherwise like [`Ticket`].
#[derive(Debug)]
pub struct WideTicket<R = SpinYieldSleep> {
    tickets: Tickets<Padded<AtomicU32>>,
    relax: PhantomData<fn() -> R>,
}

/// The two counters: plain words, or words alone on their cache lines.
#[derive(Debug)]
struct Tickets<C> {
    next: C,
    serving: C,
}

/// Access to a plain word and to a padded one by the same call.
trait Word {
    fn word(&self) -> &AtomicU32;
}

impl Word for AtomicU32 {
    #[inline]
    fn word(&self) -> &AtomicU32 {
        self
    }
}

impl Word for Padded<AtomicU32> {
    #[inline]
    fn word(&self) -> &AtomicU32 {
        self.deref()
    }
}

impl<C: Word> Tickets<C> {
    #[inline]
    fn draw(&self) -> u32 {
        self.next.word().fetch_add(1, Ordering::Relaxed)
    }

    #[inline]
    fn ahead_of(&self, ticket: u32) -> u32 {
        ticket.wrapping_sub(self.serving.word().load(Ordering::Acquire))
    }

    #[inline]
    fn try_draw(&self) -> Option<u32> {
        // Acquire here, since on success no later read of `serving` is needed: it cannot pass a ticket not yet drawn.
        let serving = self.serving.word().load(Ordering::Acquire);
        let next = serving.wrapping_add(1);
        let drawn = self
            .next
            .word()
            .compare_exchange(serving, next, Ordering::Relaxed, Ordering::Relaxed);
        drawn.ok()
    }

    #[inline]
    fn serve_after(&self, ticket: u32) {
        self.serving
            .word()
            .store(ticket.wrapping_add(1), Ordering::Release);
    }

    fn are_out(&self) -> bool {
        self.serving.word().load(Ordering::Relaxed) != self.next.word().load(Ordering::Relaxed)
    }
}

/// `new` and the lock's methods, for both types.
macro_rules! ticket_lock {
    ($lock:ident, $name:literal, |$first:ident| $counter:expr) => {
        impl<R> $lock<R> {
            const_new! {
                /// A free lock.
                pub const fn new() -> Self {
                    Self::starting_at(0)
                }
            }

            const_new! {
                /// A free lock whose first ticket has a given number: 2³² acquisitions are too many for a test.
                pub(super) const fn starting_at($first: u32) -> Self {
                    Self { tickets: Tickets { next: $counter, serving: $counter }, relax: PhantomData }
                }
            }
        }

        impl<R> Default for $lock<R> {
            fn default() -> Self {
                Self::new()
            }
        }

        // SAFETY: each ticket is drawn once (until 2³² wait) and `serving` names one at a time; it moves on only when the
        // holder unlocks. Acquire and release pair on `serving`.
        unsafe impl<R: Relax> RawLock for $lock<R> {
            type Waiter = ();
            /// The ticket of the holder, so that unlocking need not read the served one.
            type Token = u32;
            const NAME: &'static str = $name;
            const IS_FIFO: bool = true;

            #[inline]
            fn lock(&self, _place: &mut ()) -> u32 {
                let ticket = self.tickets.draw();
                let mut relax = R::default();
                while self.tickets.ahead_of(ticket) != 0 {
                    relax.relax();
                }
                ticket
            }

            #[inline]
            fn try_lock(&self, _place: &mut ()) -> Option<u32> {
                self.tickets.try_draw()
            }

            #[inline]
            unsafe fn unlock(&self, _place: &mut (), ticket: u32) {
                self.tickets.serve_after(ticket);
            }

            fn is_locked(&self) -> bool {
                self.tickets.are_out()
            }
        }
    };
}

ticket_lock!(Ticket, "ticket", |first| AtomicU32::new(first));
ticket_lock!(WideTicket, "wide ticket", |first| Padded::new(AtomicU32::new(
    first
)));

impl<R> Ticket<R> {
    /// Draws a ticket.
    #[inline]
    pub(super) fn draw(&self) -> u32 {
        self.tickets.draw()
    }

    /// The number of threads before a ticket: 0 when it is served.
    #[inline]
    pub(super) fn ahead_of(&self, ticket: u32) -> u32 {
        self.tickets.ahead_of(ticket)
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn tickets_wrap_without_notice() {
        wraps(&Ticket::<SpinYieldSleep>::starting_at(u32::MAX - 1));
        wraps(&WideTicket::<SpinYieldSleep>::starting_at(u32::MAX - 1));
    }

    fn wraps(lock: &impl RawLock<Waiter = (), Token = u32>) {
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
