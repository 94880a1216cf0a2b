//! The ticket lock with proportional back-off: a ticket shows how many threads are ahead, and a waiter polls less often
//! the more there are. Mellor-Crummey and Scott, 1991.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{self, Relax, SpinYieldSleep};
use crate::shim::const_new;
use crate::ticket::Ticket;

/// The ticket lock with proportional back-off: 8 bytes, first come first served. Better than [`Ticket`] when hold times
/// are similar; where they vary, a waiter may sleep past its turn and delay all behind it.
#[derive(Debug)]
pub struct ProportionalTicket<R = SpinYieldSleep> {
    ticket: Ticket<R>,
}

/// Waiting time for each thread ahead, in nanoseconds: a short critical section and its hand-over.
const NANOSECONDS_AHEAD: u32 = 50;
/// The longest wait between two polls, in nanoseconds, however long the queue.
const NANOSECONDS_MAX: u32 = 10_000;

impl<R> ProportionalTicket<R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { ticket: Ticket::new() }
        }
    }
}

impl<R> Default for ProportionalTicket<R> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: the ticket lock's, with other waits.
unsafe impl<R: Relax> RawLock for ProportionalTicket<R> {
    type Waiter = ();
    type Token = u32;
    const NAME: &'static str = "proportional ticket";
    const IS_FIFO: bool = true;

    #[inline]
    fn lock(&self, _place: &mut ()) -> u32 {
        let ticket = self.ticket.draw();
        let mut policy = R::default();
        loop {
            match self.ticket.ahead_of(ticket) {
                0 => return ticket,
                // The next thread in line polls without a wait; a wait would help no other thread.
                1 => {}
                ahead => relax::pause_for(ahead.saturating_mul(NANOSECONDS_AHEAD).min(NANOSECONDS_MAX)),
            }
            policy.relax();
        }
    }

    fn try_lock(&self, place: &mut ()) -> Option<u32> {
        self.ticket.try_lock(place)
    }

    #[inline]
    unsafe fn unlock(&self, place: &mut (), token: u32) {
        // SAFETY: as the caller promises for this lock.
        unsafe { self.ticket.unlock(place, token) };
    }

    fn is_locked(&self) -> bool {
        self.ticket.is_locked()
    }
}
