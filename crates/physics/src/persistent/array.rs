//! [`PlainArray`]: a growable array of plain data, the only container of persistent state.
//!
//! Writes go through [`PlainArray::slice_mut`] (or the few methods that change the length), which marks the pages of
//! the elements that it returns. The two stages that write to scattered elements in parallel take
//! [`PlainArray::unmarked_mut`] and mark the elements of their bodies or joints.

use super::marks::Marks;
use alloc::vec::Vec;
use bytemuck::Pod;
use core::ops::{Deref, Index, IndexMut, Range};

/// A growable array of plain data.
#[derive(Clone, Debug)]
pub(crate) struct PlainArray<T> {
    pub(super) items: Vec<T>,
    pub(super) marks: Marks,
}

impl<T> Default for PlainArray<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T: Pod> PlainArray<T> {
    /// The number of elements, as a `u32` like indices.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.items.len() as u32
    }

    /// The elements of a range.
    #[inline]
    pub(crate) fn slice(&self, range: Range<usize>) -> &[T] {
        &self.items[range]
    }

    /// The elements of a range for writing; marks their pages.
    #[inline]
    pub(crate) fn slice_mut(&mut self, range: Range<usize>) -> &mut [T] {
        self.marks.mark::<T>(range.start, range.len());
        &mut self.items[range]
    }

    /// All elements for writing; [`PlainArray::mark_each`] or [`PlainArray::mark_run`] must have marked
    /// those that are written.
    #[inline]
    pub(crate) fn unmarked_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Whether changes are marked.
    #[inline]
    pub(crate) fn is_marked(&self) -> bool {
        self.marks.is_on()
    }

    /// Two different elements for writing, whose pages it marks; `None` if an index is out of range or both are one.
    #[inline]
    pub(crate) fn pair_mut(&mut self, indices: [u32; 2]) -> Option<[&mut T; 2]> {
        let pair = indices.map(|index| index as usize);
        if pair[0].max(pair[1]) < self.items.len() {
            pair.into_iter().for_each(|index| self.marks.mark_one::<T>(index));
        }
        self.items.get_disjoint_mut(pair).ok()
    }

    /// Marks the elements of a range, which may end after the last one.
    #[inline]
    pub(crate) fn mark_range(&mut self, range: Range<usize>) {
        self.marks.mark::<T>(range.start, range.len());
    }

    /// Marks the elements of a range, which is often of one: that costs a third of a longer one.
    #[inline]
    pub(crate) fn mark_run(&mut self, range: Range<usize>) {
        match range.len() {
            1 => self.marks.mark_one::<T>(range.start),
            _ => self.mark_range(range),
        }
    }

    /// Marks the elements at these indices, if changes are marked.
    #[inline]
    pub(crate) fn mark_each(&mut self, indices: impl IntoIterator<Item = u32>) {
        self.marks.mark_each::<T>(self.items.len(), indices);
    }

    /// Swaps two elements.
    #[inline]
    pub(crate) fn swap(&mut self, first: usize, second: usize) {
        self.marks.mark_one::<T>(first);
        self.marks.mark_one::<T>(second);
        self.items.swap(first, second);
    }

    /// Reserves memory for a total of `count` elements.
    pub(crate) fn reserve_for(&mut self, count: u32) {
        self.items
            .reserve((count as usize).saturating_sub(self.items.len()));
    }

    /// Appends an element.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        self.marks.mark_one::<T>(self.items.len());
        self.items.push(item);
    }

    /// Sets the element at `index`, and makes that a valid index if it was none: in order, one that was issued just now.
    #[inline]
    pub(crate) fn put(&mut self, index: u32, item: T) {
        if (index as usize) < self.items.len() {
            self[index] = item;
        } else {
            self.grow_to(index as usize, item);
        }
    }

    /// Removes the element at `index` and moves the last one to its place.
    #[inline]
    pub(crate) fn swap_remove(&mut self, index: usize) -> T {
        self.marks.mark_one::<T>(index);
        self.items.swap_remove(index)
    }

    /// Removes all elements; the memory is kept.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }

    /// Removes and returns the last element.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    /// Makes `index` a valid index, with `fill` in every new place.
    #[inline]
    pub(crate) fn grow_to(&mut self, index: usize, fill: T) {
        let len = self.items.len();
        if index == len {
            // The usual case, since indices are issued in order.
            self.push(fill);
        } else if index > len {
            self.marks.mark::<T>(len, index + 1 - len);
            self.items.resize(index + 1, fill);
        }
    }
}

impl<T> From<Vec<T>> for PlainArray<T> {
    fn from(items: Vec<T>) -> Self {
        Self {
            items,
            marks: Marks::default(),
        }
    }
}

/// Compares the elements; marks are ignored.
impl<T: PartialEq> PartialEq for PlainArray<T> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<T> Deref for PlainArray<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> Index<u32> for PlainArray<T> {
    type Output = T;
    #[inline]
    fn index(&self, index: u32) -> &T {
        &self.items[index as usize]
    }
}

impl<T: Pod> IndexMut<u32> for PlainArray<T> {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self[index as usize]
    }
}

impl<T> Index<usize> for PlainArray<T> {
    type Output = T;
    #[inline]
    fn index(&self, index: usize) -> &T {
        &self.items[index]
    }
}

impl<T: Pod> IndexMut<usize> for PlainArray<T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        self.marks.mark_one::<T>(index);
        &mut self.items[index]
    }
}

impl<'a, T> IntoIterator for &'a PlainArray<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
