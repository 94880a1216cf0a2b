//! The test-and-set lock, the simplest: swap a flag until it was clear. Every waiter writes all the time, so the cache
//! line moves without end, also away from the holder; it is here for comparison.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicBool, Ordering},
    const_new,
};
use core::marker::PhantomData;

/// Test-and-set: one byte, no order, no fairness.
#[derive(Debug)]
pub struct TestAndSet<R = SpinYieldSleep> {
    taken: AtomicBool,
    relax: PhantomData<fn() -> R>,
}

impl<R> TestAndSet<R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { taken: AtomicBool::new(false), relax: PhantomData }
        }
    }
}

impl<R> Default for TestAndSet<R> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: only the thread whose swap found the flag clear holds the lock; acquire and release pair on the flag.
unsafe impl<R: Relax> RawLock for TestAndSet<R> {
    type Waiter = ();
    type Token = ();
    const NAME: &'static str = "test-and-set";
    const IS_FIFO: bool = false;

    fn lock(&self, _place: &mut ()) {
        let mut relax = R::default();
        while self.taken.swap(true, Ordering::Acquire) {
            relax.relax();
        }
    }

    fn try_lock(&self, _place: &mut ()) -> Option<()> {
        (!self.taken.swap(true, Ordering::Acquire)).then_some(())
    }

    unsafe fn unlock(&self, _place: &mut (), _token: ()) {
        self.taken.store(false, Ordering::Release);
    }

    fn is_locked(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }
}
