//! A lock that polls with pauses and then sleeps. The algorithm is that of `test_and_test_and_set.rs`; the difference
//! is the policy, by which waiters make progress when the holder has lost its core.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::PauseThenSleep;
use crate::shim::const_new;
use crate::test_and_test_and_set::TestAndTestAndSet;

/// Test-and-test-and-set that pauses between polls and sleeps when the wait gets long: one byte, no order.
#[derive(Debug, Default)]
pub struct PauseAndSleep {
    flag: TestAndTestAndSet<PauseThenSleep>,
}

impl PauseAndSleep {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { flag: TestAndTestAndSet::new() }
        }
    }
}

// SAFETY: every call is one of the flag's lock.
unsafe impl RawLock for PauseAndSleep {
    type Waiter = ();
    type Token = ();
    const NAME: &'static str = "pause and sleep";
    const IS_FIFO: bool = false;

    #[inline]
    fn lock(&self, place: &mut ()) {
        self.flag.lock(place);
    }

    #[inline]
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
