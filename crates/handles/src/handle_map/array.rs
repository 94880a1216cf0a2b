//! `Array<T, A>`: a wrapper of the vector of `allocator-api2`, which is the standard vector with an allocator, on
//! stable Rust. The standard vector clones plain values, and extends by a known count, as one block through
//! specialization; stable Rust cannot specialize, so this file has both by hand. Only `handle_map` uses it.
#![allow(unsafe_code)]

use alloc::vec;
use allocator_api2::alloc::{Allocator, Global};
use allocator_api2::vec::Vec;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};

/// A growing array in memory of the allocator `A`.
pub(super) struct Array<T, A: Allocator>(Vec<T, A>);

impl<T, A: Allocator> Array<T, A> {
    pub(super) const fn new_in(allocator: A) -> Self {
        Self(Vec::new_in(allocator))
    }

    pub(super) fn into_inner(self) -> Vec<T, A> {
        self.0
    }

    /// Frees unused capacity. The inner vector's `shrink_to_fit` would keep a block of no bytes when it is empty, and
    /// never free it.
    pub(super) fn shrink_to_fit(&mut self)
    where
        A: Clone,
    {
        if self.0.is_empty() {
            self.0 = Vec::new_in(self.0.allocator().clone());
        } else {
            self.0.shrink_to_fit();
        }
    }

    /// Appends a value without a capacity check.
    ///
    /// # Safety
    ///
    /// The length is below the capacity.
    #[inline]
    pub(super) unsafe fn push_within(&mut self, value: T) {
        let len = self.0.len();
        debug_assert!(len < self.0.capacity());
        // SAFETY: the place is within the memory and free, and counted once it is written.
        unsafe {
            self.0.as_mut_ptr().add(len).write(value);
            self.0.set_len(len + 1);
        }
    }

    /// Appends `count` values; `make` is called with the number of values appended before. If `make` panics, those
    /// before stay.
    pub(super) fn extend_by(&mut self, count: usize, mut make: impl FnMut(usize) -> T) {
        self.0.reserve(count);
        let mut filling = Filling {
            start: self.0.len(),
            count: 0,
            array: &mut self.0,
        };
        let memory = filling.array.spare_capacity_mut();
        // SAFETY: `reserve` made room for so many. The borrow is split: the guard touches the length alone.
        let memory = unsafe { core::slice::from_raw_parts_mut(memory.as_mut_ptr(), count) };
        for place in memory {
            place.write(make(filling.count));
            filling.count += 1;
        }
    }
}

/// A guard that sets the array's length, when it goes out of scope, to what has been written to the free memory.
struct Filling<'a, T, A: Allocator> {
    array: &'a mut Vec<T, A>,
    start: usize,
    count: usize,
}

impl<T, A: Allocator> Drop for Filling<'_, T, A> {
    fn drop(&mut self) {
        // SAFETY: `count` values were written behind the first `start`.
        unsafe { self.array.set_len(self.start + self.count) }
    }
}

impl<T> Array<T, Global> {
    /// Converts a standard vector; the memory stays where it is.
    pub(super) fn from_std(values: vec::Vec<T>) -> Self {
        let mut values = ManuallyDrop::new(values);
        // SAFETY: the parts of a vector of the global allocator, which is what `Global` is.
        Self(unsafe { Vec::from_raw_parts(values.as_mut_ptr(), values.len(), values.capacity()) })
    }

    /// Converts to a standard vector; the memory stays where it is.
    pub(super) fn into_std(self) -> vec::Vec<T> {
        let mut values = ManuallyDrop::new(self.0);
        // SAFETY: as in `from_std`.
        unsafe { vec::Vec::from_raw_parts(values.as_mut_ptr(), values.len(), values.capacity()) }
    }
}

impl<T, A: Allocator> Deref for Array<T, A> {
    type Target = Vec<T, A>;
    #[inline]
    fn deref(&self) -> &Vec<T, A> {
        &self.0
    }
}

impl<T, A: Allocator> DerefMut for Array<T, A> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<T, A> {
        &mut self.0
    }
}

impl<T: Clone, A: Allocator + Clone> Clone for Array<T, A> {
    fn clone(&self) -> Self {
        let mut clone = Self::new_in(self.0.allocator().clone());
        clone.0.reserve_exact(self.0.len());
        clone.extend_by(self.0.len(), |at| self.0[at].clone());
        clone
    }

    fn clone_from(&mut self, source: &Self) {
        self.0.truncate(source.0.len());
        let (head, tail) = source.0.split_at(self.0.len());
        self.0.clone_from_slice(head);
        self.extend_by(tail.len(), |at| tail[at].clone());
    }
}
