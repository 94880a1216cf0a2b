//! The [`Relax`] policies, which determine how a thread waits for a lock; every lock here is generic over them.
//!
//! Limits are in nanoseconds and converted to pauses by the calibration of `tombolo-threads`. Under a model checker
//! every policy is a yield.

use crate::shim;
#[cfg(not(any(loom, shuttle)))]
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
pub use tombolo_threads::SpinYieldSleep;
#[cfg(not(any(loom, shuttle)))]
use tombolo_threads::pauses_in;

/// The action of a waiting thread between two polls. A new value is made for each wait.
///
/// Neither making nor calling a policy should panic. If it does while a thread waits, or while it leaves a queue,
/// [`Mcs`](crate::Mcs) and [`Adaptive`](crate::Adaptive) remove the thread from the queue and the others proceed, as they do
/// with [`ReaderWriter`](crate::ReaderWriter), but a lock that has given the thread a ticket or a slot stays locked for
/// ever.
///
/// ```
/// use tombolo_locks::{Mutex, Ticket};
/// use tombolo_locks::relax::Relax;
///
/// /// Gives the core away at once: for locks that are held long.
/// #[derive(Default)]
/// struct Yield;
///
/// impl Relax for Yield {
///     fn relax(&mut self) {
///         std::thread::yield_now();
///     }
/// }
///
/// static TOTAL: Mutex<Ticket<Yield>, u32> = Mutex::new(Ticket::new(), 0);
/// *TOTAL.lock() += 1;
/// # assert_eq!(*TOTAL.lock(), 1);
/// ```
pub trait Relax: Default {
    /// Waits once; longer, or with less load on other threads, the more often it was called.
    fn relax(&mut self);
}

/// One pause instruction at a time, for ever: the lowest latency, and a waste of the core if the wait is long. With
/// more threads than cores a fair lock with this policy is very slow.
#[derive(Debug, Default, Clone, Copy)]
pub struct Spin;

impl Relax for Spin {
    fn relax(&mut self) {
        shim::hint::spin_loop();
    }
}

impl Relax for SpinYieldSleep {
    fn relax(&mut self) {
        Self::relax(self);
    }
}

/// Polls with a pause for a hundred microseconds, then sleeps for fifty at a time and never yields. The seed of this
/// family polls 65,536 times and sleeps 500 µs.
#[derive(Debug, Default, Clone, Copy)]
pub struct PauseThenSleep {
    #[cfg(all(feature = "std", not(any(loom, shuttle))))]
    polls: u32,
}

impl Relax for PauseThenSleep {
    fn relax(&mut self) {
        #[cfg(all(feature = "std", not(any(loom, shuttle))))]
        {
            self.polls = self.polls.saturating_add(1);
            if self.polls > pauses_in(100_000) {
                std::thread::sleep(core::time::Duration::from_micros(50));
                return;
            }
        }
        shim::hint::spin_loop();
    }
}

/// Waits a random time below a limit that doubles with each wait, from 100 ns to 4 µs (the 32 and 1,024 pauses of the
/// literature on the machines it measured); at the limit it also yields the core.
///
/// Anderson, "The performance of spin lock alternatives for shared-memory multiprocessors", 1990.
#[derive(Debug, Clone, Copy)]
pub struct ExponentialBackOff {
    limit_nanoseconds: u32,
    /// Xorshift state, never 0 once seeded; 0 until the first wait of a policy without a seed of its own.
    random: u32,
}

/// The first limit of [`ExponentialBackOff`].
pub const BACK_OFF_FIRST_NANOSECONDS: u32 = 100;
/// The last limit of [`ExponentialBackOff`].
pub const BACK_OFF_LAST_NANOSECONDS: u32 = 4_000;

impl ExponentialBackOff {
    /// A policy whose waits depend on the seed alone.
    pub const fn with_seed(seed: u32) -> Self {
        Self {
            limit_nanoseconds: BACK_OFF_FIRST_NANOSECONDS,
            random: seed | 1,
        }
    }

    /// The length of the next wait, in nanoseconds, at most [`BACK_OFF_LAST_NANOSECONDS`]; doubles the limit.
    pub fn next_nanoseconds(&mut self) -> u32 {
        if self.random == 0 {
            *self = Self::with_seed(next_seed());
        }
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        let wait = self.random % (self.limit_nanoseconds + 1);
        self.limit_nanoseconds = (2 * self.limit_nanoseconds).min(BACK_OFF_LAST_NANOSECONDS);
        wait
    }
}

impl Default for ExponentialBackOff {
    fn default() -> Self {
        Self {
            limit_nanoseconds: BACK_OFF_FIRST_NANOSECONDS,
            random: 0,
        }
    }
}

impl Relax for ExponentialBackOff {
    fn relax(&mut self) {
        let at_limit = self.limit_nanoseconds == BACK_OFF_LAST_NANOSECONDS;
        pause_for(self.next_nanoseconds());
        if at_limit {
            yield_core();
        }
    }
}

/// Another seed for each wait, so that threads that collided once do not stay in step. A shared counter, but touched
/// only by threads that are about to wait anyway.
fn next_seed() -> u32 {
    #[cfg(not(any(loom, shuttle)))]
    {
        static WAITS: AtomicU32 = AtomicU32::new(0);
        WAITS.fetch_add(0x9e37_79b9, Relaxed)
    }
    #[cfg(any(loom, shuttle))]
    1
}

/// Pauses for about this time, in nanoseconds.
pub(crate) fn pause_for(nanoseconds: u32) {
    #[cfg(not(any(loom, shuttle)))]
    (0..pauses_in(nanoseconds)).for_each(|_| shim::hint::spin_loop());
    #[cfg(any(loom, shuttle))]
    {
        let _ = nanoseconds;
        shim::hint::spin_loop();
    }
}

fn yield_core() {
    #[cfg(all(feature = "std", not(any(loom, shuttle))))]
    std::thread::yield_now();
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn sl_13_back_off_is_bounded_and_repeats_with_its_seed() {
        let waits = |seed| {
            let mut policy = ExponentialBackOff::with_seed(seed);
            core::array::from_fn::<u32, 200, _>(|_| policy.next_nanoseconds())
        };
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(9));
        let drawn = waits(7);
        let mut limit = BACK_OFF_FIRST_NANOSECONDS;
        for wait in drawn {
            assert!(wait <= limit);
            limit = (2 * limit).min(BACK_OFF_LAST_NANOSECONDS);
        }
        let mean = drawn[20..].iter().sum::<u32>() / 180;
        assert!((1_500..2_500).contains(&mean), "uniform below 4000: {mean}");
    }

    #[test]
    fn sl_13_two_policies_do_not_wait_in_step() {
        let (mut first, mut second) = (ExponentialBackOff::default(), ExponentialBackOff::default());
        let differ = (0..50)
            .filter(|_| first.next_nanoseconds() != second.next_nanoseconds())
            .count();
        assert!(differ > 40, "{differ} of 50");
    }
}
