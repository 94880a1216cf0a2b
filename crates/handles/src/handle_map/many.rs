//! Many handles at once: several values for change, and look-up or removal of a long list with the memory prefetched.
//!
//! Prefetching is the only unsafe code in this file.
#![allow(unsafe_code)]

use super::HandleMap;
use crate::handle::Handle;
use crate::layout::{Bits, Layout};
use allocator_api2::alloc::Allocator;

/// Number of look-ups in flight: somewhat more than the 10 to 16 cache misses that a core can have outstanding.
const BLOCK: usize = 32;

/// Prefetches a cache line that will be read soon. A hint: the address need not be valid.
#[inline]
fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program could see and never faults; every x86-64 has the instruction.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// Calls `visit` with each handle's position in the list and its value, or `None` where the handle is not valid.
    /// The calls are in the order of the list.
    ///
    /// Faster than as many calls of [`HandleMap::get`] when the map is larger than the caches and the handles are in no
    /// order: the slots and then the values of a block of handles are prefetched, so that the cache misses overlap
    /// instead of queueing behind `visit`'s work on each value. It is slower when the map is in the caches.
    ///
    /// ```
    /// use tombolo_handles::HandleMap;
    /// let mut map = HandleMap::<u32>::new();
    /// let handles = map.insert_many_with(3, |handle| 10 * handle.index());
    /// map.remove(handles[1]);
    /// let mut seen = Vec::new();
    /// map.visit_many(&handles, |position, value| seen.push((position, value.copied())));
    /// assert_eq!(seen, [(0, Some(0)), (1, None), (2, Some(20))]);
    /// ```
    #[inline]
    pub fn visit_many(&self, handles: &[Handle<T, L>], mut visit: impl FnMut(usize, Option<&T>)) {
        let mut places = [Bits::<L>::NO_INDEX; BLOCK];
        let mut blocks = handles.chunks(BLOCK).peekable();
        blocks
            .peek()
            .into_iter()
            .for_each(|first| self.prefetch_slots(first));
        let mut position = 0;
        while let Some(block) = blocks.next() {
            for (place, &handle) in places.iter_mut().zip(block) {
                *place = self.place_of(handle);
                prefetch(self.values.as_ptr().wrapping_add(*place as usize));
            }
            blocks
                .peek()
                .into_iter()
                .for_each(|next| self.prefetch_slots(next));
            for &place in &places[..block.len()] {
                visit(position, self.values.get(place as usize));
                position += 1;
            }
        }
    }

    #[inline]
    fn prefetch_slots(&self, handles: &[Handle<T, L>]) {
        for handle in handles {
            prefetch(self.slots.as_ptr().wrapping_add(handle.index() as usize));
        }
    }

    /// Removes and drops the values of all handles; returns the number removed. Handles that are not valid, and the
    /// second of two equal ones, do not count.
    ///
    /// Faster than as many calls of [`HandleMap::remove`] when the map is larger than the caches, as the memory is
    /// prefetched.
    ///
    /// # Panics
    ///
    /// In the same cases as [`HandleMap::remove`]; the values before the one that panics are removed by then.
    pub fn remove_many(&mut self, handles: &[Handle<T, L>]) -> usize {
        let mut blocks = handles.chunks(BLOCK).peekable();
        if let Some(first) = blocks.peek() {
            self.prefetch_slots(first);
        }
        let mut count = 0;
        while let Some(block) = blocks.next() {
            self.prefetch_removals(block);
            if let Some(next) = blocks.peek() {
                self.prefetch_slots(next);
            }
            count += block
                .iter()
                .filter(|&&handle| self.remove(handle).is_some())
                .count();
        }
        count
    }

    /// Prefetches what removals read and write beside the handles' slots: the values, their owners, and the slots of the
    /// last values, which move into the gaps.
    fn prefetch_removals(&self, handles: &[Handle<T, L>]) {
        for &handle in handles {
            let place = self.place_of(handle) as usize;
            prefetch(self.values.as_ptr().wrapping_add(place));
            prefetch(self.owners.as_ptr().wrapping_add(place));
        }
        for &slot in self.owners.iter().rev().take(handles.len()) {
            self.prefetch_slot(slot);
        }
    }

    /// Prefetches a slot, so that a look-up some hundred nanoseconds later need not wait. A hint: any number is valid,
    /// and nothing changes but time.
    ///
    /// ```
    /// use tombolo_handles::HandleMap;
    /// let mut map = HandleMap::<u32>::new();
    /// let handles = map.insert_many(100, 1);
    /// let mut sum = 0;
    /// for (at, &handle) in handles.iter().enumerate() {
    ///     map.prefetch_slot(at as u32 + 8);
    ///     map.prefetch_value(at as u32 + 4);
    ///     sum += map[handle];
    /// }
    /// assert_eq!(sum, 100);
    /// ```
    #[inline]
    pub fn prefetch_slot(&self, slot: u32) {
        prefetch(self.slots.as_ptr().wrapping_add(slot as usize));
    }

    /// Prefetches the value of a slot; reads the slot. A hint, like [`HandleMap::prefetch_slot`].
    #[inline]
    pub fn prefetch_value(&self, slot: u32) {
        if let Some(slot) = self.slots.get(slot as usize) {
            prefetch(self.values.as_ptr().wrapping_add(slot.index::<L>() as usize));
        }
    }

    /// The dense index, or `NO_INDEX`, which no value has. A number and not an `Option`, so that the loop over it has
    /// no branches to mispredict.
    #[inline]
    fn place_of(&self, handle: Handle<T, L>) -> u32 {
        match self.slots.get(handle.index() as usize) {
            Some(slot) if slot.matches(handle) => slot.index::<L>(),
            _ => Bits::<L>::NO_INDEX,
        }
    }

    /// The values of several handles for change, or `None` if one is not valid or two are equal.
    ///
    /// ```
    /// use tombolo_handles::HandleMap;
    /// let mut map = HandleMap::<u32>::new();
    /// let (a, b) = (map.insert(1), map.insert(2));
    /// if let Some([a, b]) = map.get_disjoint_mut([a, b]) {
    ///     core::mem::swap(a, b);
    /// }
    /// assert_eq!(map[a], 2);
    /// assert!(map.get_disjoint_mut([a, a]).is_none());
    /// ```
    pub fn get_disjoint_mut<const N: usize>(&mut self, handles: [Handle<T, L>; N]) -> Option<[&mut T; N]> {
        let mut places = [0; N];
        for (place, handle) in places.iter_mut().zip(handles) {
            *place = self.dense_index(handle)?;
        }
        self.header.break_order_at(0);
        self.values.get_disjoint_mut(places).ok()
    }
}
