//! [`BoxCell`]: the box of an object, which one worker writes while others write the boxes beside it.
#![allow(unsafe_code)]

use super::super::Bounds;
use core::cell::UnsafeCell;
use core::fmt;

/// A box in a list that several workers write at once, each box by one of them: no worker could borrow the list.
///
/// Invariant: a value is written through a shared reference only by [`Staying`](super::staying::Staying), which has borrowed the whole
/// grid for change; so nobody reads the value of a [`get`](Self::get) meanwhile.
#[repr(transparent)]
pub(super) struct BoxCell(UnsafeCell<Bounds<2>>);

// SAFETY: a box is plain data, and by the invariant above it is not read while it is written. Two writers of one box at a time
// are excluded by the promise of `write`.
unsafe impl Sync for BoxCell {}

impl BoxCell {
    pub(super) const fn new(bounds: Bounds<2>) -> Self {
        Self(UnsafeCell::new(bounds))
    }

    /// The box.
    #[inline]
    pub(super) const fn get(&self) -> Bounds<2> {
        // SAFETY: nobody writes it while a grid can be read, by the invariant of the type.
        unsafe { *self.0.get() }
    }

    /// Sets the box.
    ///
    /// # Safety
    ///
    /// Only for `Staying`, whose caller promises that no other worker reads or writes this box at the same time.
    #[inline]
    pub(super) unsafe fn write(&self, bounds: Bounds<2>) {
        // SAFETY: nobody else has the box, as the caller promises.
        unsafe { *self.0.get() = bounds };
    }
}

impl Clone for BoxCell {
    fn clone(&self) -> Self {
        Self::new(self.get())
    }
}

impl fmt::Debug for BoxCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
