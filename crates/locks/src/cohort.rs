//! The cohort lock: a queue for each socket and one lock between the sockets, so that the lock stays on a socket while
//! threads there wait for it. Dice, Marathe and Shavit, "Lock cohorting: a general technique for designing NUMA locks",
//! 2012: their C-TKT-MCS.
#![allow(unsafe_code)]

use crate::mcs::{Mcs, McsToken, McsWaiter};
use crate::raw_lock::RawLock;
use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicU32, Ordering},
    const_new,
};
use crate::ticket::Ticket;
use tombolo_threads::Padded;

/// The cohort lock: 128 bytes and 128 for each of `SOCKETS`. First come first served within a socket; a socket keeps
/// the lock for at most 64 hand-overs while another socket waits.
///
/// A thread states its socket with [`CohortWaiter::on_socket`]; a wrong number only costs time. On a machine with one
/// socket [`Mcs`] is the better lock.
///
/// With 0 sockets it would have no queue, so that does not compile:
///
/// ```compile_fail
/// tombolo_locks::Cohort::<0>::new();
/// ```
///
/// ```
/// use tombolo_locks::{Cohort, CohortWaiter, Mutex};
/// static TOTAL: Mutex<Cohort<2>, u32> = Mutex::new(Cohort::new(), 0);
/// let mut place = CohortWaiter::on_socket(1);
/// *TOTAL.lock_with(&mut place) += 1;
/// assert_eq!(*TOTAL.lock_with(&mut place), 1);
/// ```
#[derive(Debug)]
pub struct Cohort<const SOCKETS: usize, R = SpinYieldSleep> {
    between_sockets: Padded<Ticket<R>>,
    sockets: [Padded<Socket<R>>; SOCKETS],
}

/// The queue of one socket. Only the head of the queue accesses the two numbers.
#[derive(Debug)]
struct Socket<R> {
    queue: Mcs<R>,
    /// The number of consecutive holders on this socket; 0 when the socket does not have the lock.
    turns: AtomicU32,
    /// The socket's ticket of the lock between sockets, while `turns` is not 0.
    ticket: AtomicU32,
}

/// The most consecutive holders on one socket while others wait elsewhere: they share the cost of one transfer between
/// sockets, and no socket waits for more holders than that.
#[cfg(not(any(loom, shuttle)))]
const TURNS_MAX: u32 = 64;
#[cfg(loom)]
const TURNS_MAX: u32 = 2;
#[cfg(shuttle)]
const TURNS_MAX: u32 = 8;

/// The socket of a thread, and its node while it is in no queue.
#[derive(Debug, Default)]
pub struct CohortWaiter {
    socket: usize,
    node: McsWaiter,
}

impl CohortWaiter {
    /// A waiter for a thread on the socket of this number; a lock for fewer sockets takes it modulo their number. The
    /// default is 0.
    pub fn on_socket(socket: usize) -> Self {
        Self {
            socket,
            node: McsWaiter::default(),
        }
    }
}

/// The socket and the node of a held lock.
#[derive(Debug)]
pub struct CohortToken {
    socket: usize,
    node: McsToken,
}

impl<R> Socket<R> {
    const_new! {
        const fn new() -> Self {
            Self { queue: Mcs::new(), turns: AtomicU32::new(0), ticket: AtomicU32::new(0) }
        }
    }
}

#[cfg(not(loom))]
const fn sockets<const SOCKETS: usize, R>() -> [Padded<Socket<R>>; SOCKETS] {
    const { assert!(SOCKETS > 0, "a cohort lock needs a socket") };
    [const { Padded::new(Socket::new()) }; SOCKETS]
}

#[cfg(loom)]
fn sockets<const SOCKETS: usize, R>() -> [Padded<Socket<R>>; SOCKETS] {
    core::array::from_fn(|_| Padded::new(Socket::new()))
}

impl<const SOCKETS: usize, R> Cohort<SOCKETS, R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { between_sockets: Padded::new(Ticket::new()), sockets: sockets() }
        }
    }
}

impl<const SOCKETS: usize, R> Default for Cohort<SOCKETS, R> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: who has the lock is first in its socket's queue, and its socket has the ticket that is served. The ticket is
// passed on within the queue only to one who is in it already, and else given up before the queue is left. What a holder
// wrote is visible to the next through the queue's hand-over, or through the ticket's.
unsafe impl<const SOCKETS: usize, R: Relax> RawLock for Cohort<SOCKETS, R> {
    type Waiter = CohortWaiter;
    type Token = CohortToken;
    const NAME: &'static str = "cohort";
    const IS_FIFO: bool = false;

    #[inline]
    fn lock(&self, place: &mut CohortWaiter) -> CohortToken {
        let number = place.socket % SOCKETS;
        let socket = &self.sockets[number];
        let node = socket.queue.lock(&mut place.node);
        // Relaxed: the queue orders all accesses of its heads.
        if socket.turns.load(Ordering::Relaxed) == 0 {
            let ticket = self.between_sockets.lock(&mut ());
            socket.ticket.store(ticket, Ordering::Relaxed);
            socket.turns.store(1, Ordering::Relaxed);
        }
        CohortToken { socket: number, node }
    }

    fn try_lock(&self, place: &mut CohortWaiter) -> Option<CohortToken> {
        let number = place.socket % SOCKETS;
        let socket = &self.sockets[number];
        let node = socket.queue.try_lock(&mut place.node)?;
        // The queue was empty, so its last thread released the ticket.
        debug_assert_eq!(socket.turns.load(Ordering::Relaxed), 0);
        let Some(ticket) = self.between_sockets.try_lock(&mut ()) else {
            // SAFETY: the token of the acquisition above.
            unsafe { socket.queue.unlock(&mut place.node, node) };
            return None;
        };
        socket.ticket.store(ticket, Ordering::Relaxed);
        socket.turns.store(1, Ordering::Relaxed);
        Some(CohortToken { socket: number, node })
    }

    #[inline]
    unsafe fn unlock(&self, place: &mut CohortWaiter, token: CohortToken) {
        let socket = &self.sockets[token.socket];
        let turns = socket.turns.load(Ordering::Relaxed);
        if turns < TURNS_MAX && socket.queue.is_awaited(&token.node) {
            socket.turns.store(turns + 1, Ordering::Relaxed);
        } else {
            socket.turns.store(0, Ordering::Relaxed);
            let ticket = socket.ticket.load(Ordering::Relaxed);
            // SAFETY: the socket has this ticket, and gives it up once: `turns` said so and is 0 now.
            unsafe { self.between_sockets.unlock(&mut (), ticket) };
        }
        // SAFETY: the queue's token of this acquisition, as the caller promises.
        unsafe { socket.queue.unlock(&mut place.node, token.node) };
    }

    fn is_locked(&self) -> bool {
        self.between_sockets.is_locked()
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;
    use crate::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::vec::Vec;

    /// Two threads of one socket wait and one of another, which came first: the lock stays on the socket, and then
    /// moves.
    #[test]
    fn the_lock_stays_on_its_socket_while_somebody_there_waits() {
        let lock = Mutex::new(Cohort::<2>::new(), Vec::new());
        let waiting = AtomicUsize::new(0);
        thread::scope(|scope| {
            let mut place = CohortWaiter::on_socket(0);
            let held = lock.lock_with(&mut place);
            for (order, socket) in [1, 0, 0].into_iter().enumerate() {
                let (lock, waiting) = (&lock, &waiting);
                scope.spawn(move || {
                    waiting.fetch_add(1, Ordering::Relaxed);
                    let mut place = CohortWaiter::on_socket(socket);
                    lock.lock_with(&mut place).push((socket, order));
                });
                while waiting.load(Ordering::Relaxed) <= order {
                    thread::yield_now();
                }
                // Long enough to reach the queue; if it were not, the test could only pass.
                thread::sleep(core::time::Duration::from_millis(20));
            }
            drop(held);
        });
        assert_eq!(lock.into_inner(), [(0, 1), (0, 2), (1, 0)]);
    }

    /// A socket that always has a waiter passes the lock on all the same.
    #[test]
    fn a_socket_gives_the_lock_up_after_its_turns() {
        let lock = Cohort::<2>::new();
        let mut places = [CohortWaiter::on_socket(0), CohortWaiter::on_socket(1)];
        let token = lock.lock(&mut places[0]);
        lock.sockets[0].turns.store(TURNS_MAX, Ordering::Relaxed);
        // SAFETY: the token of the lock above.
        unsafe { lock.unlock(&mut places[0], token) };
        assert!(!lock.is_locked());
        let token = lock.try_lock(&mut places[1]).unwrap();
        assert!(lock.try_lock(&mut places[0]).is_none());
        // SAFETY: the token of the lock above.
        unsafe { lock.unlock(&mut places[1], token) };
        assert!(!lock.is_locked() && lock.sockets.iter().all(|socket| socket.queue.is_empty()));
    }
}
