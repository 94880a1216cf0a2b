//! [`ClaimedSlice`]: the one type through which parallel stages write to shared arrays. A stage gives each index to one
//! worker; this type turns that claim into a reference.
#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ops::Range;

/// A slice whose elements several workers may borrow at once, each element by one worker at a time.
///
/// It borrows the slice mutably for its lifetime, so no other code can access the elements meanwhile. The caller
/// promises, at each call, that no two live references overlap where one is mutable; the usual argument is that a stage
/// gave the index to this worker alone, or that the constraints of one color touch different bodies. Accesses of two
/// stages are ordered by the barrier between them.
///
/// ```
/// use tombolo_threads::{ClaimedSlice, Inline, parallel_for};
///
/// let mut heights = vec![0.0_f32; 100];
/// let shared = ClaimedSlice::new(&mut heights);
/// parallel_for(&Inline, 50, 8, &|_worker, range| {
///     for index in range {
///         // SAFETY: each index below 50 is in one range, and the place `2 * index` belongs to it alone.
///         unsafe { *shared.get_mut(2 * index) = 1.0 };
///     }
/// });
/// assert_eq!(heights.iter().sum::<f32>(), 50.0);
/// ```
pub struct ClaimedSlice<'a, T> {
    first: *mut T,
    count: usize,
    /// Stands for the mutable borrow of cells that the pointer replaces.
    _items: PhantomData<&'a mut [UnsafeCell<T>]>,
}

// SAFETY: workers get `&mut T` to elements of a slice that is borrowed for `'a`, which is sending each `T` to them.
unsafe impl<T: Send> Send for ClaimedSlice<'_, T> {}
// SAFETY: as for `Send`. Sharing one element as `&T` needs more, and `get` asks for it.
unsafe impl<T: Send> Sync for ClaimedSlice<'_, T> {}

impl<'a, T> ClaimedSlice<'a, T> {
    /// Wraps a slice.
    pub fn new(items: &'a mut [T]) -> Self {
        Self {
            first: items.as_mut_ptr(),
            count: items.len(),
            _items: PhantomData,
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Reads an element.
    ///
    /// # Safety
    ///
    /// `index` is below [`len`](Self::len) (checked with debug assertions), and while the reference is live no worker
    /// holds a mutable one to the same element; where `T` is not `Sync`, no other worker holds any.
    pub unsafe fn get(&self, index: usize) -> &T {
        debug_assert!(index < self.count, "index {index} of {}", self.count);
        // SAFETY: in bounds, and not mutably borrowed, as the caller promises.
        unsafe { &*self.first.add(index) }
    }

    /// Reads a range of elements.
    ///
    /// # Safety
    ///
    /// The range starts no later than it ends and ends at or before [`len`](Self::len) (checked with debug assertions),
    /// and while the reference is live no worker holds a mutable one to one of its elements; where `T` is not `Sync`,
    /// no other worker holds any.
    pub unsafe fn slice(&self, range: Range<usize>) -> &[T] {
        debug_assert!(
            range.start <= range.end && range.end <= self.count,
            "range {range:?} of {}",
            self.count
        );
        // SAFETY: in bounds, and not mutably borrowed, as the caller promises.
        unsafe { core::slice::from_raw_parts(self.first.add(range.start), range.end - range.start) }
    }

    /// Borrows an element mutably.
    ///
    /// # Safety
    ///
    /// `index` is below [`len`](Self::len) (checked with debug assertions), and while the reference is live no other
    /// reference to the same element exists.
    #[expect(clippy::mut_from_ref, reason = "the claim stands in for the exclusive borrow")]
    pub unsafe fn get_mut(&self, index: usize) -> &mut T {
        debug_assert!(index < self.count, "index {index} of {}", self.count);
        // SAFETY: in bounds, and borrowed by nobody else, as the caller promises.
        unsafe { &mut *self.first.add(index) }
    }

    /// Borrows a range of elements mutably.
    ///
    /// # Safety
    ///
    /// The range starts no later than it ends and ends at or before [`len`](Self::len) (checked with debug assertions),
    /// and while the reference is live no other reference to one of its elements exists.
    #[expect(clippy::mut_from_ref, reason = "the claim stands in for the exclusive borrow")]
    pub unsafe fn slice_mut(&self, range: Range<usize>) -> &mut [T] {
        debug_assert!(
            range.start <= range.end && range.end <= self.count,
            "range {range:?} of {}",
            self.count
        );
        // SAFETY: in bounds, and borrowed by nobody else, as the caller promises.
        unsafe { core::slice::from_raw_parts_mut(self.first.add(range.start), range.end - range.start) }
    }
}

impl<T> core::fmt::Debug for ClaimedSlice<'_, T> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Another worker may be writing the elements; only their number can be shown.
        formatter
            .debug_struct("ClaimedSlice")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::ClaimedSlice;

    #[test]
    fn elements_and_ranges_are_the_slice_s_own() {
        let mut items = [1, 2, 3, 4, 5];
        let claimed = ClaimedSlice::new(&mut items);
        assert_eq!((claimed.len(), claimed.is_empty()), (5, false));
        // SAFETY: one thread, and the three borrows are of different elements.
        unsafe {
            let first = claimed.get_mut(0);
            let middle = claimed.slice_mut(1..3);
            *first = 10;
            middle[1] = 30;
            assert_eq!(*claimed.get(4), 5);
        }
        assert_eq!(items, [10, 2, 30, 4, 5]);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "index 3 of 3")]
    fn an_index_out_of_bounds_is_caught_with_debug_assertions() {
        let mut items = [0_u8; 3];
        let claimed = ClaimedSlice::new(&mut items);
        // SAFETY: the debug assertion under test stops before the access.
        unsafe { *claimed.get_mut(3) = 1 };
    }
}
