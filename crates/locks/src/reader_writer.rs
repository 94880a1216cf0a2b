//! Many readers or one writer, in one word. A writer that waits keeps new readers out, so that it gets its turn.
//!
//! All is decided by one word's read-modify-writes. Forms with a flag and a counter apart need a store to be seen before
//! a later load of the other, which acquire and release do not give.
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
/// A thread must not read twice at once: a writer may come to wait between, and then neither moves on.
#[derive(Debug)]
pub struct ReaderWriter<R = SpinYieldSleep> {
    /// [`WRITER`], [`WRITER_WAITS`] and the number of readers.
    state: AtomicU32,
    relax: PhantomData<fn() -> R>,
}

const WRITER: u32 = 1 << 31;
const WRITER_WAITS: u32 = 1 << 30;
/// More readers than this wait, so that their count cannot run into the bits above.
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
        // `READERS_MAX` is below both bits, so this also says that no writer is there.
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
    /// This caller became a reader and has not stopped.
    #[inline]
    pub unsafe fn unlock_shared(&self) {
        self.state.fetch_sub(1, Ordering::Release);
    }

    /// Keeps new readers out, waits for those inside, and becomes the writer.
    pub fn lock_exclusive(&self) {
        let mut relax = R::default();
        let mut seen = self.state.load(Ordering::Relaxed);
        loop {
            if seen & !WRITER_WAITS == 0 {
                // Takes the mark of all waiting writers down; those that still wait put it up again.
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
    /// This caller became the writer and has not stopped.
    pub unsafe fn unlock_exclusive(&self) {
        self.state.fetch_and(!WRITER, Ordering::Release);
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

    /// The value, which nobody else can hold any more.
    #[cfg(not(loom))]
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T, R: Relax> RwLock<T, R> {
    /// Waits to read. Readers share the value. A thread that reads already must not call this.
    pub fn read(&self) -> ReadGuard<'_, T, R> {
        self.raw.lock_shared();
        ReadGuard { lock: self }
    }

    /// Reads if no writer holds the lock or waits for it.
    pub fn try_read(&self) -> Option<ReadGuard<'_, T, R>> {
        self.raw.try_lock_shared().then(|| ReadGuard { lock: self })
    }

    /// Waits to write.
    pub fn write(&self) -> WriteGuard<'_, T, R> {
        self.raw.lock_exclusive();
        WriteGuard {
            lock: self,
            _value: PhantomData,
        }
    }

    /// Writes if the lock is free and no other writer waits.
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

/// Reads a [`RwLock`]'s value until dropped.
#[must_use = "the lock is given up when the guard is dropped"]
pub struct ReadGuard<'a, T, R: Relax = SpinYieldSleep> {
    lock: &'a RwLock<T, R>,
}

/// Reads and writes a [`RwLock`]'s value until dropped.
#[must_use = "the lock is given up when the guard is dropped"]
pub struct WriteGuard<'a, T, R: Relax = SpinYieldSleep> {
    lock: &'a RwLock<T, R>,
    /// Shared like the value itself.
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
