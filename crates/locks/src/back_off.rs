//! Test-and-test-and-set with exponential back-off: a thread waits a random and growing time after each lost race, so
//! that fewer waiters try at once when the lock is released.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{ExponentialBackOff, Relax, Spin};
use crate::shim::const_new;
use crate::test_and_test_and_set::TestAndTestAndSet;

/// Test-and-test-and-set with exponential back-off: one byte, no order. The waits of long waiters grow, so it is the
/// least fair lock under contention.
#[derive(Debug, Default)]
pub struct BackOff {
    flag: TestAndTestAndSet<Spin>,
}

impl BackOff {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { flag: TestAndTestAndSet::new() }
        }
    }
}

// SAFETY: every success is one of the flag's lock.
unsafe impl RawLock for BackOff {
    type Waiter = ();
    type Token = ();
    const NAME: &'static str = "exponential back-off";
    const IS_FIFO: bool = false;

    #[inline]
    fn lock(&self, place: &mut ()) {
        let mut back_off = ExponentialBackOff::default();
        while self.flag.try_lock(place).is_none() {
            // The wait comes before the next poll of the flag: the race that was just lost shows that others compete.
            back_off.relax();
            while self.flag.is_locked() {
                back_off.relax();
            }
        }
    }

    fn try_lock(&self, place: &mut ()) -> Option<()> {
        self.flag.try_lock(place)
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
