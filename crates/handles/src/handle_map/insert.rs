//! Insertion: one value, many values, with the handle known beforehand, and up to the layout's limit.
//!
//! One capacity check covers all arrays of an insertion: this is one of the crate's places for unsafe code.
#![allow(unsafe_code)]

use super::array::Array;
use super::{HandleMap, Slot};
use crate::error::MapFull;
use crate::handle::Handle;
use crate::layout::{Bits, Layout};
use alloc::vec::Vec;
use allocator_api2::alloc::Allocator;

/// The data beside a new value is `M::default()`; [`HandleMap::insert_with_meta`] takes it as an argument.
impl<T, L: Layout, M: Default, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// Appends a value to the dense array and returns its handle. Constant time, amortized.
    ///
    /// # Panics
    ///
    /// If the map is full, see [`HandleMap::try_insert`].
    #[inline]
    pub fn insert(&mut self, value: T) -> Handle<T, L> {
        self.insert_with_key(|_| value)
    }

    /// Inserts the value that `make` returns; `make` gets the handle that the value will have.
    ///
    /// If `make` panics, the map is unchanged.
    ///
    /// ```
    /// use tombolo_handles::{Handle, HandleMap};
    /// struct Node { own: Handle<Node> }
    /// let mut nodes = HandleMap::new();
    /// let node = nodes.insert_with_key(|own| Node { own });
    /// assert_eq!(nodes[node].own, node);
    /// ```
    ///
    /// # Panics
    ///
    /// If the map is full, see [`HandleMap::try_insert`]; `make` is not called then.
    #[inline]
    pub fn insert_with_key(&mut self, make: impl FnOnce(Handle<T, L>) -> T) -> Handle<T, L> {
        let Some(handle) = self.next_handle() else {
            self.panic_full()
        };
        let (value, meta) = (make(handle), M::default());
        self.insert_as(handle, value, meta);
        handle
    }

    /// [`HandleMap::insert`] for programs that may reach the limit.
    ///
    /// # Errors
    ///
    /// If all slots that the layout can number (2^`INDEX_BITS` − 1) are live or retired. The error gives the value back.
    pub fn try_insert(&mut self, value: T) -> Result<Handle<T, L>, MapFull<T>> {
        let Some(handle) = self.next_handle() else {
            return Err(MapFull::new(value, self.slots.len() as u32));
        };
        self.insert_as(handle, value, M::default());
        Ok(handle)
    }

    /// Inserts `count` clones of a value and returns the handles in dense order. A count of 0 is valid.
    ///
    /// # Panics
    ///
    /// In the same cases as [`HandleMap::insert_many_with`].
    pub fn insert_many(&mut self, count: usize, value: T) -> Vec<Handle<T, L>>
    where
        T: Clone,
    {
        self.insert_many_with(count, |_| value.clone())
    }

    /// Inserts `count` values that `make` returns from their handles; returns the handles in dense order.
    ///
    /// If `make` panics, the values that it made for free slots stay, and those for new slots are dropped.
    ///
    /// # Panics
    ///
    /// If there is no room for `count` more values in the layout; nothing is inserted then.
    pub fn insert_many_with(
        &mut self,
        count: usize,
        mut make: impl FnMut(Handle<T, L>) -> T,
    ) -> Vec<Handle<T, L>> {
        if count > self.new_slots_max() + self.header.free_count as usize {
            self.panic_full();
        }
        let reused = count.min(self.header.free_count as usize);
        let mut handles: Vec<_> = (0..reused).map(|_| self.insert_with_key(&mut make)).collect();
        if reused < count {
            let (tag, generation) = (self.header.tag.into(), self.header.first_generation);
            let first = self.slots.len() as u32;
            let new = first..first + (count - reused) as u32;
            let new = new.map(|slot| Handle::from_parts(tag, generation, slot));
            handles.extend(new.clone());
            self.append(new.map(make));
        }
        handles
    }

    /// Inserts values into new slots, array by array. For maps without a free slot; the caller keeps to the limit.
    fn append(&mut self, values: impl Iterator<Item = T>) {
        debug_assert_eq!(self.header.free_count, 0);
        let start = self.values.len();
        let appending = Appending {
            values: &mut self.values,
            metas: &mut self.metas,
            start,
        };
        let (at_least, _) = values.size_hint();
        appending.values.reserve(at_least);
        appending.metas.reserve(at_least);
        values.for_each(|value| {
            appending.values.push(value);
            appending.metas.push(M::default());
        });
        core::mem::forget(appending);
        let (tag, generation) = (self.header.tag.into(), self.header.first_generation);
        let first = self.slots.len() as u32;
        let count = self.values.len() - start;
        let start = start as u32;
        self.slots
            .extend_by(count, |at| Slot::live::<L>(tag, generation, start + at as u32));
        self.owners.extend_by(count, |at| first + at as u32);
    }
}

impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// The handle that the next insertion will return, or `None` if the map is full.
    #[inline]
    pub fn next_handle(&self) -> Option<Handle<T, L>> {
        let tag = self.header.tag.into();
        if let Some(slot) = self.slots.get(self.header.free_head as usize) {
            return Some(Handle::from_parts(
                tag,
                slot.generation::<L>(),
                self.header.free_head,
            ));
        }
        let index = self.slots.len();
        if index >= Bits::<L>::NO_INDEX as usize {
            return None;
        }
        Some(Handle::from_parts(
            tag,
            self.header.first_generation,
            index as u32,
        ))
    }

    /// The handles that the next `count` insertions will return, without a removal in between; fewer if the map becomes
    /// full.
    pub fn next_handles(&self, count: usize) -> Vec<Handle<T, L>> {
        let tag = self.header.tag.into();
        let of_free = |slot: u32| Handle::from_parts(tag, self.slots[slot as usize].generation::<L>(), slot);
        let mut handles: Vec<_> = self.free_slots().take(count).map(of_free).collect();
        let first = self.slots.len() as u32;
        let new = first..first + (count - handles.len()).min(self.new_slots_max()) as u32;
        handles.extend(new.map(|slot| Handle::from_parts(tag, self.header.first_generation, slot)));
        handles
    }

    /// Inserts under the handle that `next_handle` has just returned.
    #[inline]
    pub(super) fn insert_as(&mut self, handle: Handle<T, L>, value: T, meta: M) {
        let len = self.owners.len();
        let has_no_room = |capacity| len == capacity;
        if has_no_room(self.values.capacity())
            | has_no_room(self.metas.capacity())
            | has_no_room(self.owners.capacity())
        {
            self.grow();
        }
        let live = Slot::live::<L>(self.header.tag.into(), handle.generation(), len as u32);
        // SAFETY: the three arrays have one length, which is below their capacities.
        unsafe {
            self.values.push_within(value);
            self.metas.push_within(meta);
            self.owners.push_within(handle.index());
        }
        if handle.index() as usize == self.slots.len() {
            self.slots.push(live);
        } else {
            self.reuse_slot(handle.index(), live);
        }
    }

    /// Grows the arrays for at least one more value, doubling. One decision for all arrays.
    #[cold]
    fn grow(&mut self) {
        self.values.reserve(1);
        self.metas.reserve(1);
        self.owners.reserve(1);
    }

    /// Removes the first slot from the free list and makes it live.
    #[inline]
    fn reuse_slot(&mut self, index: u32, live: Slot) {
        let slot = &mut self.slots[index as usize];
        self.header.free_head = slot.index::<L>();
        *slot = live;
        self.header.free_count -= 1;
        if self.header.free_count == 0 {
            self.header.free_tail = Bits::<L>::NO_INDEX;
        }
    }

    /// The number of new slots that the layout still has room for.
    fn new_slots_max(&self) -> usize {
        Bits::<L>::NO_INDEX as usize - self.slots.len()
    }

    #[cold]
    pub(super) fn panic_full(&self) -> ! {
        panic!("{}", MapFull::new((), self.slots.len() as u32));
    }
}

/// Guard over values that have no slots yet: removes them again if the iterator that they come from panics.
struct Appending<'a, T, M, A: Allocator> {
    values: &'a mut Array<T, A>,
    metas: &'a mut Array<M, A>,
    start: usize,
}

impl<T, M, A: Allocator> Drop for Appending<'_, T, M, A> {
    fn drop(&mut self) {
        self.metas.truncate(self.start);
        self.values.truncate(self.start);
    }
}

impl<T, L: Layout, M: Default, A: Allocator + Clone> Extend<T> for HandleMap<T, L, M, A> {
    /// Inserts every value; the new handles are the last ones of [`HandleMap::handles`].
    ///
    /// If the iterator panics, the values that went into free slots stay and the others are dropped.
    ///
    /// # Panics
    ///
    /// If the map is full and there is another value; the values before it stay.
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let mut values = values.into_iter();
        for value in values.by_ref().take(self.header.free_count as usize) {
            self.insert(value);
        }
        if self.header.free_count == 0 {
            self.append(values.by_ref().take(self.new_slots_max()));
            if self.new_slots_max() == 0 && values.next().is_some() {
                self.panic_full();
            }
        }
    }
}

impl<T, L: Layout, M: Default, A: Allocator + Clone + Default> FromIterator<T> for HandleMap<T, L, M, A> {
    /// A map of tag 0 with these values in dense order.
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut map = Self::default();
        map.extend(values);
        map
    }
}
