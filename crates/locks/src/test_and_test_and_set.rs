//! The test-and-test-and-set lock, which reads before it swaps: waiters read their own copy of the line until the
//! holder writes it, then all of them swap at once. Rudolph and Segall, "Dynamic decentralized cache schemes for MIMD
//! parallel processors", 1984.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicBool, Ordering},
    const_new,
};
use core::marker::PhantomData;

/// Test-and-test-and-set: one byte, no order. The best throughput of all when the same core takes the lock repeatedly,
/// and for that reason the least fair.
#[derive(Debug)]
pub struct TestAndTestAndSet<R = SpinYieldSleep> {
    taken: AtomicBool,
    relax: PhantomData<fn() -> R>,
}

impl<R> TestAndTestAndSet<R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { taken: AtomicBool::new(false), relax: PhantomData }
        }
    }

    /// One attempt. A strong exchange, so that it fails only if the lock is held.
    #[inline]
    fn take(&self) -> bool {
        self.taken
            .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// A separate function, so that callers inline only the attempt that nearly always succeeds.
    #[cold]
    fn wait_and_take(&self)
    where
        R: Relax,
    {
        let mut relax = R::default();
        loop {
            while self.taken.load(Ordering::Relaxed) {
                relax.relax();
            }
            if self.take() {
                return;
            }
        }
    }
}

impl<R> Default for TestAndTestAndSet<R> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: only the thread whose exchange found the flag clear holds the lock; acquire and release pair on the flag.
unsafe impl<R: Relax> RawLock for TestAndTestAndSet<R> {
    type Waiter = ();
    type Token = ();
    const NAME: &'static str = "test-and-test-and-set";
    const IS_FIFO: bool = false;

    #[inline]
    fn lock(&self, _place: &mut ()) {
        if !self.take() {
            self.wait_and_take();
        }
    }

    #[inline]
    fn try_lock(&self, _place: &mut ()) -> Option<()> {
        self.take().then_some(())
    }

    #[inline]
    unsafe fn unlock(&self, _place: &mut (), _token: ()) {
        self.taken.store(false, Ordering::Release);
    }

    fn is_locked(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }
}
