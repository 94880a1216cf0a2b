//! [`PlainMap`]: a handle map of plain data that marks its changes.

use super::marks::Marks;
use bytemuck::Pod;
use core::ops::Deref;
use tombolo_handles::{Handle, HandleMap, Slot, TypeTag};

/// The invariant on which [`PlainMap::live`] relies: what is destroyed is first removed from all lists.
const LIVE: &str = "indices in the state are of live objects";

/// A [`HandleMap`] as a part of the state. Reading goes to the map; the methods that change it are here and set marks.
/// The header is small and never marked.
#[derive(Clone, Debug)]
pub(crate) struct PlainMap<T> {
    pub(super) map: HandleMap<T>,
    pub(super) slots: Marks,
    pub(super) values: Marks,
    pub(super) owners: Marks,
}

impl<T: Pod> PlainMap<T> {
    /// An empty map whose handles carry `tag`.
    pub(crate) fn with_tag(tag: TypeTag) -> Self {
        Self::from(HandleMap::with_tag(tag))
    }

    /// Inserts a value. See [`HandleMap::insert`].
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> Handle<T> {
        let handle = self.map.insert(value);
        let dense = self.map.len() - 1;
        self.slots.mark_one::<Slot>(handle.index() as usize);
        self.values.mark_one::<T>(dense);
        self.owners.mark_one::<u32>(dense);
        handle
    }

    /// Reserves memory for a total of `count` values.
    pub(crate) fn reserve_for(&mut self, count: u32) {
        self.map.reserve((count as usize).saturating_sub(self.map.len()));
    }

    /// Removes a value; the last one moves to its place. See [`HandleMap::remove`].
    #[inline]
    pub(crate) fn remove(&mut self, handle: Handle<T>) -> Option<T> {
        let dense = self.map.dense_index(handle)?;
        // The freed slot is appended to the free list, so the last free slot changes too.
        if let Some(last) = self.map.last_free_slot() {
            self.slots.mark_one::<Slot>(last as usize);
        }
        let value = self.map.remove(handle);
        self.slots.mark_one::<Slot>(handle.index() as usize);
        self.values.mark_one::<T>(dense);
        self.owners.mark_one::<u32>(dense);
        if let Some(moved) = self.map.handle_at(dense) {
            self.slots.mark_one::<Slot>(moved.index() as usize);
        }
        value
    }

    /// The value at a dense index, for writing.
    #[inline]
    pub(crate) fn value_at_mut(&mut self, dense: usize) -> Option<&mut T> {
        self.values.mark_one::<T>(dense);
        self.map.value_at_mut(dense)
    }

    /// The value in a slot. Indices in the state are slots in use.
    ///
    /// # Panics
    ///
    /// If the slot is free or does not exist.
    #[inline]
    pub(crate) fn live(&self, slot: u32) -> &T {
        let dense = self.dense_index_of_slot(slot).expect(LIVE);
        self.value_at(dense).expect(LIVE)
    }

    /// The value in a slot, for writing.
    ///
    /// # Panics
    ///
    /// In the same cases as [`PlainMap::live`].
    #[inline]
    pub(crate) fn live_mut(&mut self, slot: u32) -> &mut T {
        let dense = self.dense_index_of_slot(slot).expect(LIVE);
        self.value_at_mut(dense).expect(LIVE)
    }

    /// Whether a slot is in use.
    #[inline]
    pub(crate) fn is_live(&self, slot: u32) -> bool {
        self.dense_index_of_slot(slot).is_some()
    }

    /// The handle of the value in a slot.
    ///
    /// # Panics
    ///
    /// In the same cases as [`PlainMap::live`].
    #[inline]
    pub(crate) fn live_id(&self, slot: u32) -> Handle<T> {
        self.handle_of_slot(slot).expect(LIVE)
    }

    /// The value of a handle, for writing.
    #[inline]
    pub(crate) fn get_mut(&mut self, handle: Handle<T>) -> Option<&mut T> {
        let dense = self.map.dense_index(handle)?;
        self.value_at_mut(dense)
    }
}

impl<T> From<HandleMap<T>> for PlainMap<T> {
    fn from(map: HandleMap<T>) -> Self {
        Self {
            map,
            slots: Marks::default(),
            values: Marks::default(),
            owners: Marks::default(),
        }
    }
}

impl<T> Deref for PlainMap<T> {
    type Target = HandleMap<T>;
    #[inline]
    fn deref(&self) -> &HandleMap<T> {
        &self.map
    }
}

#[cfg(test)]
mod tests {
    use super::PlainMap;
    use crate::persistent::marks::{Marks, PAGE_BYTES};
    use alloc::vec::Vec;
    use tombolo_handles::{Handle, TypeTag};

    /// The bytes of the three marked arrays: slots, values and owners.
    fn arrays(map: &PlainMap<u64>) -> [Vec<u8>; 3] {
        let parts = map.raw_parts();
        [
            bytemuck::cast_slice(parts.slots).to_vec(),
            bytemuck::cast_slice(parts.values).to_vec(),
            bytemuck::cast_slice(parts.owners).to_vec(),
        ]
    }

    /// Checks that every page that differs is marked; the part beyond the shorter array is compared too.
    fn check(before: &[u8], after: &[u8], marks: &Marks) {
        let pages = before
            .chunks_exact(PAGE_BYTES)
            .zip(after.chunks_exact(PAGE_BYTES));
        for (page, (before, after)) in pages.enumerate() {
            assert!(before == after || marks.has(page), "page {page}");
        }
    }

    /// Maps of many pages, from which the oldest, the youngest and other values are removed.
    #[test]
    fn every_page_that_a_call_changes_is_marked() {
        let mut map = PlainMap::<u64>::with_tag(TypeTag::ZERO);
        let mut handles: Vec<Handle<u64>> = (0..2_000).map(|value| map.insert(value)).collect();
        let mut state = 1_u64;
        for round in 0..1_500_u64 {
            let before = arrays(&map);
            [&mut map.slots, &mut map.values, &mut map.owners]
                .into_iter()
                .for_each(Marks::begin);
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let place = (state >> 33) as usize % handles.len();
            match round % 5 {
                0 | 1 => drop(map.remove(handles.swap_remove(place))),
                2 => handles.push(map.insert(round)),
                3 => *map.value_at_mut(place).unwrap() = round,
                _ => *map.get_mut(handles[place]).unwrap() = round,
            }
            let after = arrays(&map);
            let marks = [&map.slots, &map.values, &map.owners];
            for ((before, after), marks) in before.iter().zip(&after).zip(marks) {
                check(before, after, marks);
            }
        }
    }
}
