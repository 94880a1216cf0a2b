//! The reader-writer lock: many readers or one writer, in one word. A waiting writer blocks new readers, so that it
//! gets its turn.
//!
//! All state is in one word that is changed by read-modify-writes. Forms with a separate flag and counter need a store
//! to be visible before a later load of the other, which acquire and release do not guarantee.
#![allow(unsafe_code)]

use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicU32, Ordering},
    const_new,
};
use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// A reader-writer spin lock without a value: 4 bytes. [`RwLock`] is the safe form.
///
/// A thread must not hold two read locks at once: a writer may start to wait in between, and then neither proceeds.
#[derive(Debug)]
pub struct ReaderWriter<R = SpinYieldSleep> {
    /// [`WRITER`], [`WRITER_WAITS`] and the number of readers.
    state: AtomicU32,
    relax: PhantomData<fn() -> R>,
}

const WRITER: u32 = 1 << 31;
const WRITER_WAITS: u32 = 1 << 30;
/// The most readers; more wait, so that their count cannot overflow into the bits above.
const READERS_MAX: u32 = WRITER_WAITS - 1;

impl<R> ReaderWriter<R> {
    const_new! {
        /// A free lock.
        pub const fn new() -> Self {
            Self { state: AtomicU32::new(0), relax: PhantomData }
        }
    }
}

impl<R> Default for ReaderWriter<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Relax> ReaderWriter<R> {
    /// Waits until no writer holds the lock or waits for it, and becomes a reader.
    pub fn lock_shared(&self) {
        let mut relax = R::default();
        while !self.try_lock_shared() {
            relax.relax();
        }
    }

    /// Becomes a reader if no writer holds the lock or waits for it.
    #[inline]
    pub fn try_lock_shared(&self) -> bool {
        let mut seen = self.state.load(Ordering::Relaxed);
        // `READERS_MAX` is below both bits, so this also tests that there is no writer.
        while seen < READERS_MAX {
            match self
                .state
                .compare_exchange_weak(seen, seen + 1, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(now) => seen = now,
            }
        }
        false
    }

    /// Stops being a reader.
    ///
    /// # Safety
    ///
    /// This caller became a reader and has not stopped since.
    #[inline]
    pub unsafe fn unlock_shared(&self) {
        self.state.fetch_sub(1, Ordering::Release);
    }

    /// Blocks new readers, waits until the present ones have stopped, and becomes the writer.
    pub fn lock_exclusive(&self) {
        let unwound = UnwoundWriter(&self.state);
        self.wait_and_write();
        core::mem::forget(unwound);
    }

    #[inline]
    fn wait_and_write(&self) {
        let mut relax = R::default();
        let mut seen = self.state.load(Ordering::Relaxed);
        loop {
            if seen & !WRITER_WAITS == 0 {
                // Clears the mark of all waiting writers; those that still wait set it again.
                match self
                    .state
                    .compare_exchange_weak(seen, WRITER, Ordering::Acquire, Ordering::Relaxed)
                {
                    Ok(_) => return,
                    Err(now) => seen = now,
                }
                continue;
            }
            if seen & WRITER_WAITS == 0 {
                self.state.fetch_or(WRITER_WAITS, Ordering::Relaxed);
            }
            relax.relax();
            seen = self.state.load(Ordering::Relaxed);
        }
    }

    /// Becomes the writer if the lock is free and no other writer waits.
    pub fn try_lock_exclusive(&self) -> bool {
        self.state
            .compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Stops being the writer.
    ///
    /// # Safety
    ///
    /// This caller became the writer and has not stopped since.
    pub unsafe fn unlock_exclusive(&self) {
        self.state.fetch_and(!WRITER, Ordering::Release);
    }
}

/// A guard of a writer's wait that a panic ends: readers would wait for it until another writer comes.
struct UnwoundWriter<'a>(&'a AtomicU32);

impl Drop for UnwoundWriter<'_> {
    /// Clears the mark of all waiting writers; those that still wait set it again.
    fn drop(&mut self) {
        self.0.fetch_and(!WRITER_WAITS, Ordering::Relaxed);
    }
}

/// A value behind a [`ReaderWriter`] lock.
///
/// ```
/// use tombolo_locks::RwLock;
///
/// static NAMES: RwLock<Vec<&str>> = RwLock::new(Vec::new());
/// NAMES.write().push("crate");
/// assert_eq!(NAMES.read().len(), 1);
/// ```
pub struct RwLock<T, R = SpinYieldSleep> {
    raw: ReaderWriter<R>,
    value: UnsafeCell<T>,
}

// SAFETY: readers share the value and a writer sends it.
unsafe impl<T: Send + Sync, R> Sync for RwLock<T, R> {}

impl<T, R> RwLock<T, R> {
    /// Puts a value behind a lock.
    #[cfg(not(loom))]
    pub const fn new(value: T) -> Self {
        Self {
            raw: ReaderWriter::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// The value; no guard can exist any more.
    #[cfg(not(loom))]
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T, R: Relax> RwLock<T, R> {
    /// Waits for a read lock. Readers share the value. A thread that has a read lock already must not call this.
    pub fn read(&self) -> ReadGuard<'_, T, R> {
        self.raw.lock_shared();
        ReadGuard { lock: self }
    }

    /// Takes a read lock if no writer holds the lock or waits for it.
    pub fn try_read(&self) -> Option<ReadGuard<'_, T, R>> {
        self.raw.try_lock_shared().then(|| ReadGuard { lock: self })
    }

    /// Waits for the write lock.
    pub fn write(&self) -> WriteGuard<'_, T, R> {
        self.raw.lock_exclusive();
        WriteGuard {
            lock: self,
            _value: PhantomData,
        }
    }

    /// Takes the write lock if the lock is free and no other writer waits.
    pub fn try_write(&self) -> Option<WriteGuard<'_, T, R>> {
        self.raw.try_lock_exclusive().then(|| WriteGuard {
            lock: self,
            _value: PhantomData,
        })
    }
}

impl<T, R> fmt::Debug for RwLock<T, R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RwLock").finish_non_exhaustive()
    }
}

/// A read lock on a [`RwLock`]'s value, until dropped.
#[must_use = "the lock is given up when the guard is dropped"]
pub struct ReadGuard<'a, T, R: Relax = SpinYieldSleep> {
    lock: &'a RwLock<T, R>,
}

/// The write lock on a [`RwLock`]'s value, until dropped.
#[must_use = "the lock is given up when the guard is dropped"]
pub struct WriteGuard<'a, T, R: Relax = SpinYieldSleep> {
    lock: &'a RwLock<T, R>,
    /// The guard is shared between threads as the value itself is.
    _value: PhantomData<&'a mut T>,
}

impl<T, R: Relax> Deref for ReadGuard<'_, T, R> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: no writer while a reader is.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T, R: Relax> Deref for WriteGuard<'_, T, R> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: nobody else while the writer is.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T, R: Relax> DerefMut for WriteGuard<'_, T, R> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: nobody else while the writer is.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T, R: Relax> Drop for ReadGuard<'_, T, R> {
    fn drop(&mut self) {
        // SAFETY: a guard stands for one reader.
        unsafe { self.lock.raw.unlock_shared() };
    }
}

impl<T, R: Relax> Drop for WriteGuard<'_, T, R> {
    fn drop(&mut self) {
        // SAFETY: a guard stands for the writer.
        unsafe { self.lock.raw.unlock_exclusive() };
    }
}
