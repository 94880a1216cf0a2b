//! `HandleMap`: values side by side in one array, each known by a handle that stays valid wherever its value moves.
//!
//! Three arrays, after griffin's `handle_map`: `slots` (sparse, by handle index: where the value is, or the next free
//! slot), `values` (dense), `owners` (dense, parallel to values: which slot a value belongs to).
//!
//! Invariants:
//! - `values.len() == owners.len()`; `slots.len() <= NO_INDEX` of the layout.
//! - Slot `owners[d]` is live and its index is `d`, for every dense index `d`; no other slot is live.
//! - The free slots that are not retired form one list from `free_head` to `free_tail`, `free_count` long.
//!
//! Only the files of this folder touch the arrays.

mod iterate;
mod raw_parts;
mod slot;

use crate::error::{HandleError, MapFull};
use crate::handle::{Handle, TypeTag};
use crate::layout::{Bits, DefaultLayout, Layout, WhenExhausted};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};
pub use iterate::{Iter, IterMut};
pub use raw_parts::{Header, RawParts};
pub use slot::Slot;

/// Values in one dense array, each named by a [`Handle`] that stays valid until the value is removed.
///
/// Insert, remove and look-up take constant time. Iterating the values is iterating a slice. Freed slots are reused
/// first in, first out, so a slot's generations last as long as possible. See [`Layout`] for what happens when they
/// run out.
///
/// Dense order is the order of insertion until the first removal; a removal moves the last value into the gap.
/// The same calls give the same handles and the same order on every machine.
///
/// ```
/// use tombolo_handles::HandleMap;
/// let mut map = HandleMap::new();
/// let one = map.insert("one");
/// let two = map.insert("two");
/// assert_eq!(map[one], "one");
/// assert_eq!(map.remove(one), Some("one"));
/// assert_eq!(map.get(one), None);
/// assert_eq!(map.values_slice(), ["two"]);
/// assert!(map.contains(two));
/// ```
pub struct HandleMap<T, L = DefaultLayout> {
    header: Header,
    slots: Vec<Slot>,
    values: Vec<T>,
    owners: Vec<u32>,
    layout: PhantomData<fn() -> L>,
}

impl<T> HandleMap<T> {
    /// An empty map of the default layout with tag 0. Allocates nothing.
    ///
    /// Only for the default layout, so that the compiler need not be told the layout; maps of other layouts come from
    /// [`HandleMap::with_tag`] or `default()`.
    pub const fn new() -> Self {
        Self::with_tag(TypeTag::ZERO)
    }
}

/// Creation, sizes and insertion.
impl<T, L: Layout> HandleMap<T, L> {
    /// An empty map whose handles carry `tag`. Allocates nothing.
    pub const fn with_tag(tag: TypeTag<L>) -> Self {
        Self {
            header: Header::new::<L>(tag),
            slots: Vec::new(),
            values: Vec::new(),
            owners: Vec::new(),
            layout: PhantomData,
        }
    }

    /// How many values the map holds.
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the map holds no value.
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The tag of this map's handles.
    pub const fn tag(&self) -> TypeTag<L> {
        self.header.tag_of()
    }

    /// How many slots there are: live, free and retired. Every handle's index is below it, so it is the length for an
    /// array beside the map.
    pub const fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// Puts a value at the end of the dense array and returns its handle. Constant time, amortised.
    ///
    /// # Panics
    ///
    /// If the map is full, see [`HandleMap::try_insert`].
    pub fn insert(&mut self, value: T) -> Handle<T, L> {
        match self.try_insert(value) {
            Ok(handle) => handle,
            Err(full) => panic!("{full}"),
        }
    }

    /// Inserts the value that `make` returns; `make` is told the handle that the value will have.
    ///
    /// If `make` panics the map is as it was.
    ///
    /// # Panics
    ///
    /// If the map is full, see [`HandleMap::try_insert`]; `make` is not called then.
    pub fn insert_with_key(&mut self, make: impl FnOnce(Handle<T, L>) -> T) -> Handle<T, L> {
        let Some(handle) = self.next_handle() else {
            panic!("{}", MapFull::new((), self.slots.len() as u32));
        };
        let value = make(handle);
        self.insert_as(handle, value);
        handle
    }

    /// Like [`HandleMap::insert`], for programs that may reach the limit.
    ///
    /// # Errors
    ///
    /// If all slots that the layout can number (2^`INDEX_BITS` − 1) are live or retired. The error gives the value back.
    pub fn try_insert(&mut self, value: T) -> Result<Handle<T, L>, MapFull<T>> {
        let Some(handle) = self.next_handle() else {
            return Err(MapFull::new(value, self.slots.len() as u32));
        };
        self.insert_as(handle, value);
        Ok(handle)
    }

    /// The handle that the next insertion will return, or `None` if the map is full.
    pub fn next_handle(&self) -> Option<Handle<T, L>> {
        let tag = self.header.tag;
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

    /// Inserts under the handle that `next_handle` has just returned.
    fn insert_as(&mut self, handle: Handle<T, L>, value: T) {
        let dense = self.values.len() as u32;
        let live = Slot::live::<L>(self.header.tag, handle.generation(), dense);
        self.values.push(value);
        self.owners.push(handle.index());
        match self.slots.get_mut(handle.index() as usize) {
            Some(slot) => {
                self.header.free_head = slot.index::<L>();
                self.header.free_count -= 1;
                if self.header.free_count == 0 {
                    self.header.free_tail = Bits::<L>::NO_INDEX;
                }
                *slot = live;
            }
            None => self.slots.push(live),
        }
    }
}

/// Look-up by handle, by slot and by dense index.
impl<T, L: Layout> HandleMap<T, L> {
    /// Where the handle's value is in [`HandleMap::values_slice`], or `None` if the handle is not valid.
    ///
    /// The place changes when values are removed, swapped or sorted.
    pub fn dense_index(&self, handle: Handle<T, L>) -> Option<usize> {
        let slot = self.slots.get(handle.index() as usize)?;
        slot.matches(handle).then(|| slot.index::<L>() as usize)
    }

    /// Whether the handle names a value of this map.
    pub fn contains(&self, handle: Handle<T, L>) -> bool {
        self.dense_index(handle).is_some()
    }

    /// The handle's value, or `None` if the handle is not valid. [`HandleMap::try_get`] says why.
    pub fn get(&self, handle: Handle<T, L>) -> Option<&T> {
        self.values.get(self.dense_index(handle)?)
    }

    /// The handle's value for change, or `None` if the handle is not valid.
    pub fn get_mut(&mut self, handle: Handle<T, L>) -> Option<&mut T> {
        let dense = self.dense_index(handle)?;
        self.values.get_mut(dense)
    }

    /// The handle's value, or the reason why there is none.
    ///
    /// # Errors
    ///
    /// If the handle is of another map, was never valid here, or its value was removed.
    pub fn try_get(&self, handle: Handle<T, L>) -> Result<&T, HandleError> {
        self.get(handle).ok_or_else(|| self.explain(handle))
    }

    /// Why a handle does not resolve. Only for handles that do not.
    #[cold]
    fn explain(&self, handle: Handle<T, L>) -> HandleError {
        let index = handle.index();
        if u32::from(handle.tag().get()) != self.header.tag {
            return HandleError::WrongTag {
                wanted: self.header.tag as u16,
                got: handle.tag().get(),
            };
        }
        match self.slots.get(index as usize) {
            None => HandleError::OutOfRange {
                index,
                slot_count: self.slots.len() as u32,
            },
            Some(slot) if slot.is_free::<L>() => HandleError::FreeSlot { index },
            Some(slot) => HandleError::Stale {
                wanted: handle.generation(),
                found: slot.generation::<L>(),
            },
        }
    }

    /// The handle of the value at a dense index, or `None` past the end.
    pub fn handle_at(&self, dense: usize) -> Option<Handle<T, L>> {
        self.handle_of_slot(*self.owners.get(dense)?)
    }

    /// The handle of the value that a slot holds now, or `None` if the slot is free or does not exist.
    pub fn handle_of_slot(&self, slot: u32) -> Option<Handle<T, L>> {
        let word = self
            .slots
            .get(slot as usize)
            .filter(|word| !word.is_free::<L>())?;
        Some(Handle::from_parts(self.header.tag, word.generation::<L>(), slot))
    }

    /// The dense index of the value that a slot holds now, or `None` if the slot is free or does not exist.
    pub fn dense_index_of_slot(&self, slot: u32) -> Option<usize> {
        let word = self
            .slots
            .get(slot as usize)
            .filter(|word| !word.is_free::<L>())?;
        Some(word.index::<L>() as usize)
    }

    /// The value at a dense index, or `None` past the end.
    pub fn value_at(&self, dense: usize) -> Option<&T> {
        self.values.get(dense)
    }

    /// The value at a dense index for change, or `None` past the end.
    pub fn value_at_mut(&mut self, dense: usize) -> Option<&mut T> {
        self.values.get_mut(dense)
    }
}

/// Removal and reordering.
impl<T, L: Layout> HandleMap<T, L> {
    /// Takes the handle's value out, or returns `None` if the handle is not valid. Constant time.
    ///
    /// The last value moves into the gap. The handle and its copies are stale from now on.
    ///
    /// # Panics
    ///
    /// If the slot's generations run out and the layout says [`WhenExhausted::Panic`]; nothing is removed then.
    pub fn remove(&mut self, handle: Handle<T, L>) -> Option<T> {
        let dense = self.dense_index(handle)?;
        self.free_slot(handle.index(), handle.generation());
        let value = self.values.swap_remove(dense);
        self.owners.swap_remove(dense);
        if let Some(&moved) = self.owners.get(dense) {
            self.point_slot(moved, dense);
            self.header.structure_epoch += 1;
        }
        Some(value)
    }

    /// Removes all values. Every handle becomes stale; slots keep their memory and are reused in index order.
    ///
    /// Linear in slots. Slots that were free already keep their generation.
    ///
    /// # Panics
    ///
    /// If a slot's generations run out and the layout says [`WhenExhausted::Panic`]; nothing is removed then.
    pub fn clear(&mut self) {
        if L::WHEN_EXHAUSTED == WhenExhausted::Panic {
            for (index, slot) in self.slots.iter().enumerate() {
                if !slot.is_free::<L>() {
                    next_generation::<L>(index as u32, slot.generation::<L>());
                }
            }
        }
        self.header.forget_free_list::<L>();
        for index in 0..self.slots.len() {
            let slot = self.slots[index];
            if !slot.is_free::<L>() {
                self.free_slot(index as u32, slot.generation::<L>());
            } else if !slot.is_retired::<L>() {
                self.push_free(index as u32, slot.generation::<L>());
            }
        }
        self.header.structure_epoch += 1;
        self.owners.clear();
        // Last: if a value's drop panics, the map is already whole and empty.
        self.values.clear();
    }

    /// Swaps the values at two dense indices; their handles follow them. Returns whether both indices exist.
    pub fn swap_dense(&mut self, i: usize, j: usize) -> bool {
        let len = self.values.len();
        if i >= len || j >= len {
            return false;
        }
        if i != j {
            self.values.swap(i, j);
            self.owners.swap(i, j);
            self.point_slot(self.owners[i], i);
            self.point_slot(self.owners[j], j);
            self.header.structure_epoch += 1;
        }
        true
    }

    /// A number that changes whenever a value that stays in the map changes its dense place, and when the map is
    /// cleared. Mirrors of the dense array (on a GPU, in a script) compare it with [`HandleMap::len`].
    pub const fn structure_epoch(&self) -> u64 {
        self.header.structure_epoch
    }

    fn point_slot(&mut self, slot: u32, dense: usize) {
        let word = &mut self.slots[slot as usize];
        *word = word.with_index::<L>(dense as u32);
    }

    /// Ends a life of a slot: into the free list with the next generation, or out of use.
    fn free_slot(&mut self, index: u32, generation: u32) {
        match next_generation::<L>(index, generation) {
            Some(next) => {
                self.header.generation_high = self.header.generation_high.max(next);
                self.push_free(index, next);
            }
            None => {
                self.slots[index as usize] = Slot::retired::<L>(self.header.tag);
                self.header.retired_count += 1;
            }
        }
    }

    /// Puts a slot at the end of the free list.
    fn push_free(&mut self, index: u32, generation: u32) {
        self.slots[index as usize] = Slot::free::<L>(self.header.tag, generation, Bits::<L>::NO_INDEX);
        match self.slots.get_mut(self.header.free_tail as usize) {
            Some(tail) => *tail = tail.with_index::<L>(index),
            None => self.header.free_head = index,
        }
        self.header.free_tail = index;
        self.header.free_count += 1;
    }
}

/// The generation after `generation`, or `None` if the slot is to retire.
fn next_generation<L: Layout>(index: u32, generation: u32) -> Option<u32> {
    if generation < Bits::<L>::GENERATION_MAX {
        return Some(generation + 1);
    }
    match L::WHEN_EXHAUSTED {
        WhenExhausted::Retire => None,
        WhenExhausted::Wrap => Some(1),
        WhenExhausted::Panic => panic!("slot {index} has used all its {generation} generations"),
    }
}

impl<T, L: Layout> Index<Handle<T, L>> for HandleMap<T, L> {
    type Output = T;

    /// # Panics
    ///
    /// If the handle is not valid; the message is the [`HandleError`].
    fn index(&self, handle: Handle<T, L>) -> &T {
        match self.get(handle) {
            Some(value) => value,
            None => panic!("{}", self.explain(handle)),
        }
    }
}

impl<T, L: Layout> IndexMut<Handle<T, L>> for HandleMap<T, L> {
    fn index_mut(&mut self, handle: Handle<T, L>) -> &mut T {
        match self.dense_index(handle) {
            Some(dense) => &mut self.values[dense],
            None => panic!("{}", self.explain(handle)),
        }
    }
}

impl<T, L: Layout> Default for HandleMap<T, L> {
    fn default() -> Self {
        Self::with_tag(TypeTag::ZERO)
    }
}

impl<T: Clone, L: Layout> Clone for HandleMap<T, L> {
    fn clone(&self) -> Self {
        Self {
            header: self.header,
            slots: self.slots.clone(),
            values: self.values.clone(),
            owners: self.owners.clone(),
            layout: PhantomData,
        }
    }

    /// Reuses the memory this map has.
    fn clone_from(&mut self, source: &Self) {
        // If a value's clone panics half-way the arrays would disagree, so the map is empty until all is copied.
        let mut values = core::mem::take(&mut self.values);
        let mut slots = core::mem::take(&mut self.slots);
        let mut owners = core::mem::take(&mut self.owners);
        self.header = Header::new(self.tag());
        values.clone_from(&source.values);
        slots.clone_from(&source.slots);
        owners.clone_from(&source.owners);
        *self = Self {
            header: source.header,
            slots,
            values,
            owners,
            layout: PhantomData,
        };
    }
}

impl<T: fmt::Debug, L: Layout> fmt::Debug for HandleMap<T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CorruptError;

    #[test]
    fn hm_4_freed_slots_are_reused_first_in_first_out() {
        let mut map = HandleMap::<u32>::new();
        let handles: Vec<_> = (0..4).map(|i| map.insert(i)).collect();
        for i in [2, 0, 3] {
            assert_eq!(map.remove(handles[i]), Some(i as u32));
        }
        let reused: Vec<_> = (0..4).map(|i| map.insert(i).index()).collect();
        assert_eq!(reused, [2, 0, 3, 4]);
    }

    #[test]
    fn hm_17_raw_parts_round_trip_and_refuse_two_slots_for_one_value() {
        let mut map = HandleMap::<u32>::new();
        let handles: Vec<_> = (0..4).map(|i| map.insert(i)).collect();
        map.remove(handles[1]);
        let parts = map.raw_parts();
        let (header, slots) = (parts.header, parts.slots.to_vec());
        let (values, owners) = (parts.values.to_vec(), parts.owners.to_vec());
        let again = HandleMap::<u32>::from_raw_parts(header, slots.clone(), values.clone(), owners.clone());
        assert_eq!(again.as_ref().map(|map| map[handles[3]]), Ok(3));
        let mut shared = slots;
        shared[0] = shared[0].with_index::<DefaultLayout>(1);
        let refused = HandleMap::<u32>::from_raw_parts(header, shared, values, owners);
        assert_eq!(
            refused.err(),
            Some(CorruptError::SharedValue { slot: 0, dense: 1 })
        );
    }

    #[test]
    fn swapped_values_keep_their_handles() {
        let mut map = HandleMap::<char>::new();
        let handles = ['a', 'b', 'c'].map(|letter| map.insert(letter));
        assert!(map.swap_dense(0, 2));
        assert!(!map.swap_dense(0, 3));
        assert_eq!(map.values_slice(), ['c', 'b', 'a']);
        assert_eq!(
            handles.iter().map(|&handle| map[handle]).collect::<Vec<_>>(),
            ['a', 'b', 'c']
        );
        assert_eq!(map.handle_at(0), Some(handles[2]));
    }
}
