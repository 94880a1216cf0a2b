//! The ticket lock in two or four bytes: both counters in one atomic word, so that the limit on waiters can be
//! enforced.
//!
//! With small counters, if there were more competitors than tickets, two threads would hold one number and both would
//! enter. Here a thread waits before it draws when all but one of the tickets are out. Separate counters could not do
//! that: between the check and the draw other threads may draw.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::atomic::{AtomicU16, AtomicU32, Ordering};
use core::marker::PhantomData;

/// A word that holds two counters: `u16` for counters of 8 bits, `u32` for counters of 16.
///
/// The next ticket is in the high half, where an increment overflows out of the word; the served ticket is in the low
/// half.
pub trait TicketWord: Copy + Eq + Send + sealed::Word + 'static {
    /// The number of threads that can have a ticket at once; one more waits for a ticket.
    const TICKETS: u32;
}

impl TicketWord for u16 {
    const TICKETS: u32 = u8::MAX as u32;
}

impl TicketWord for u32 {
    const TICKETS: u32 = u16::MAX as u32;
}

mod sealed {
    use super::{AtomicU16, AtomicU32, Ordering};

    /// The operations that the two word types share.
    pub trait Word: Sized {
        type Atomic: Send + Sync;
        fn atomic(value: Self) -> Self::Atomic;
        fn from_tickets(next: u32, serving: u32) -> Self;
        /// The next ticket and the served ticket.
        fn tickets(self) -> (u32, u32);
        fn load(atomic: &Self::Atomic) -> Self;
        /// Acquires on success; on failure returns the current value.
        fn exchange(atomic: &Self::Atomic, from: Self, to: Self) -> Result<Self, Self>;
        fn serve_next(atomic: &Self::Atomic);
    }

    macro_rules! word {
        ($word:ty, $half:ty, $atomic:ty) => {
            impl Word for $word {
                type Atomic = $atomic;

                fn atomic(value: Self) -> $atomic {
                    <$atomic>::new(value)
                }

                fn from_tickets(next: u32, serving: u32) -> Self {
                    (Self::from(next as $half) << <$half>::BITS) | Self::from(serving as $half)
                }

                fn tickets(self) -> (u32, u32) {
                    (
                        u32::from((self >> <$half>::BITS) as $half),
                        u32::from(self as $half),
                    )
                }

                fn load(atomic: &$atomic) -> Self {
                    atomic.load(Ordering::Acquire)
                }

                fn exchange(atomic: &$atomic, from: Self, to: Self) -> Result<Self, Self> {
                    atomic.compare_exchange_weak(from, to, Ordering::Acquire, Ordering::Relaxed)
                }

                fn serve_next(atomic: &$atomic) {
                    // Only the holder changes the low half, so the value that it loads stays until it stores.
                    if atomic.load(Ordering::Relaxed) as $half == <$half>::MAX {
                        // A carry would count as a drawn ticket.
                        atomic.fetch_sub(Self::from(<$half>::MAX), Ordering::Release);
                    } else {
                        atomic.fetch_add(1, Ordering::Release);
                    }
                }
            }
        };
    }

    word!(u16, u8, AtomicU16);
    word!(u32, u16, AtomicU32);
}

/// A ticket lock in one word: `CompactTicket<u16>` takes 2 bytes and serves 255 threads at once, `CompactTicket<u32>`
/// takes 4 and serves 65,535. A thread beyond that waits for a ticket, in no order; it never enters with the number of
/// another.
#[derive(Debug)]
pub struct CompactTicket<W: TicketWord, R = SpinYieldSleep> {
    word: W::Atomic,
    relax: PhantomData<fn() -> R>,
}

impl<W: TicketWord, R> CompactTicket<W, R> {
    /// A free lock whose first ticket has a given number, modulo the number of tickets, so that a test can begin near
    /// the wrap.
    pub fn starting_at(first: u32) -> Self {
        Self {
            word: W::atomic(W::from_tickets(first, first)),
            relax: PhantomData,
        }
    }

    /// Draws a ticket, if one is left; returns it and the ticket served at that moment.
    fn draw(&self) -> Option<(u32, u32)> {
        let mut seen = W::load(&self.word);
        loop {
            let (next, serving) = seen.tickets();
            let out = W::from_tickets(0, next.wrapping_sub(serving)).tickets().1;
            if out >= W::TICKETS {
                return None;
            }
            match W::exchange(&self.word, seen, W::from_tickets(next + 1, serving)) {
                Ok(_) => return Some((next, serving)),
                Err(now) => seen = now,
            }
        }
    }
}

macro_rules! const_constructor {
    ($word:ty, $atomic:ty) => {
        impl<R> CompactTicket<$word, R> {
            crate::shim::const_new! {
                /// A free lock.
                pub const fn new() -> Self {
                    Self { word: <$atomic>::new(0), relax: PhantomData }
                }
            }
        }
    };
}

const_constructor!(u16, AtomicU16);
const_constructor!(u32, AtomicU32);

impl<W: TicketWord, R> Default for CompactTicket<W, R> {
    fn default() -> Self {
        Self::starting_at(0)
    }
}

// SAFETY: at most `TICKETS`, one less than there are numbers, are out at once, so they differ; one at a time is served,
// and it moves on only when the holder unlocks. All changes are read-modify-writes of one word, which keeps the release
// of each unlock readable by every later acquire.
unsafe impl<W: TicketWord, R: Relax> RawLock for CompactTicket<W, R> {
    type Waiter = ();
    type Token = ();
    const NAME: &'static str = if size_of::<W>() == 2 {
        "compact ticket, 2 bytes"
    } else {
        "compact ticket, 4 bytes"
    };
    const IS_FIFO: bool = true;

    #[inline]
    fn lock(&self, _place: &mut ()) {
        let mut relax = R::default();
        let (ticket, mut serving) = loop {
            match self.draw() {
                Some(drawn) => break drawn,
                None => relax.relax(),
            }
        };
        while serving != ticket {
            relax.relax();
            serving = W::load(&self.word).tickets().1;
        }
    }

    fn try_lock(&self, _place: &mut ()) -> Option<()> {
        let mut seen = W::load(&self.word);
        loop {
            let (next, serving) = seen.tickets();
            if next != serving {
                return None;
            }
            match W::exchange(&self.word, seen, W::from_tickets(next + 1, serving)) {
                Ok(_) => return Some(()),
                Err(now) => seen = now,
            }
        }
    }

    #[inline]
    unsafe fn unlock(&self, _place: &mut (), _token: ()) {
        W::serve_next(&self.word);
    }

    fn is_locked(&self) -> bool {
        let (next, serving) = W::load(&self.word).tickets();
        next != serving
    }
}
