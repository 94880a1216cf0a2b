//! [`Mutex`]: a value behind any of the locks, with guards that unlock when dropped, also by a panic.
#![allow(unsafe_code)]

use crate::adaptive::Adaptive;
use crate::raw_lock::RawLock;
use alloc::boxed::Box;
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// A value behind a spin lock of type `L`.
///
/// A leaked guard leaves the lock held for ever, with no other harm. There is no poisoning: after a panic of a holder,
/// the next holder finds the value as it was left.
///
/// ```
/// use tombolo_locks::{Adaptive, Mcs, McsWaiter, Mutex};
///
/// static COUNT: Mutex<Adaptive, u32> = Mutex::new(Adaptive::new(), 0);
/// *COUNT.lock() += 1;
/// assert_eq!(*COUNT.lock(), 1);
///
/// // The queue locks want a place to queue with, which a thread keeps.
/// let queued = Mutex::new(Mcs::<tombolo_locks::relax::Spin>::new(), "one at a time");
/// let mut place = McsWaiter::default();
/// assert_eq!(queued.lock_with(&mut place).len(), 13);
/// ```
#[derive(Default)]
pub struct Mutex<L = Adaptive, T = ()> {
    raw: L,
    value: UnsafeCell<T>,
}

// SAFETY: the lock lets one thread at a time at the value, which is sending it from one to the next.
unsafe impl<L: Sync, T: Send> Sync for Mutex<L, T> {}

impl<L, T> Mutex<L, T> {
    /// Puts a value behind a free lock.
    pub const fn new(raw: L, value: T) -> Self {
        Self {
            raw,
            value: UnsafeCell::new(value),
        }
    }

    /// The value; no guard can exist any more.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// The value; no guard can exist while it is borrowed.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<L: RawLock, T> Mutex<L, T> {
    /// Waits for the lock, with a waiter that the caller keeps.
    #[inline]
    pub fn lock_with<'a>(&'a self, place: &'a mut L::Waiter) -> MutexGuard<'a, L, T> {
        let token = self.raw.lock(place);
        MutexGuard {
            mutex: self,
            place,
            token: Some(token),
            _value: PhantomData,
        }
    }

    /// Takes the lock if it is free; past a thread that waits only where the lock knows of none, see
    /// [`RawLock::try_lock`].
    #[inline]
    pub fn try_lock_with<'a>(&'a self, place: &'a mut L::Waiter) -> Option<MutexGuard<'a, L, T>> {
        let token = self.raw.try_lock(place)?;
        Some(MutexGuard {
            mutex: self,
            place,
            token: Some(token),
            _value: PhantomData,
        })
    }

    /// Whether the lock was held when it was read; it may have changed since.
    pub fn is_locked(&self) -> bool {
        self.raw.is_locked()
    }
}

impl<L: RawLock<Waiter = ()>, T> Mutex<L, T> {
    /// Waits for the lock.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, L, T> {
        self.lock_with(nothing())
    }

    /// Takes the lock if it is free; past a thread that waits only where the lock knows of none, see
    /// [`RawLock::try_lock`].
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, L, T>> {
        self.try_lock_with(nothing())
    }
}

/// A waiter for locks that need none. It has no size, so nothing is allocated and nothing leaks.
fn nothing() -> &'static mut () {
    Box::leak(Box::new(()))
}

impl<L, T> fmt::Debug for Mutex<L, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Mutex").finish_non_exhaustive()
    }
}

/// Holds a [`Mutex`] until dropped.
#[must_use = "the lock is given up when the guard is dropped"]
pub struct MutexGuard<'a, L: RawLock, T> {
    mutex: &'a Mutex<L, T>,
    place: &'a mut L::Waiter,
    /// `None` only while the guard is dropped.
    token: Option<L::Token>,
    /// The guard is shared between threads as the value itself is.
    _value: PhantomData<&'a mut T>,
}

impl<L: RawLock, T> Deref for MutexGuard<'_, L, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard holds the lock.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<L: RawLock, T> DerefMut for MutexGuard<'_, L, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard holds the lock.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<L: RawLock, T> Drop for MutexGuard<'_, L, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(token) = self.token.take() {
            // SAFETY: the token came from this lock and place, and is taken out once.
            unsafe { self.mutex.raw.unlock(self.place, token) };
        }
    }
}
