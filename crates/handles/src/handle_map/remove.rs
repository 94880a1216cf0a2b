//! Removal of values, and the state of their slots afterwards: the free list, retirement, clear and reset.

use super::array::Array;
use super::{HandleMap, Slot};
use crate::handle::Handle;
use crate::layout::{Bits, Layout, WhenExhausted};
use allocator_api2::alloc::{Allocator, Global};
use core::iter::FusedIterator;

impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// Removes and returns the handle's value, or returns `None` if the handle is not valid. Constant time.
    ///
    /// The last value moves into the gap. The handle and its copies are stale afterwards.
    ///
    /// # Panics
    ///
    /// If the slot's generations run out and the layout has [`WhenExhausted::Panic`]; nothing is removed then.
    #[inline]
    pub fn remove(&mut self, handle: Handle<T, L>) -> Option<T> {
        let dense = self.dense_index(handle)?;
        Some(self.remove_at(handle, dense).0)
    }

    /// Removes the value of a valid handle and the data beside it, and returns both.
    #[inline]
    pub(super) fn remove_at(&mut self, handle: Handle<T, L>, dense: usize) -> (T, M) {
        self.free_slot(handle.index(), handle.generation());
        let value = self.values.swap_remove(dense);
        let meta = self.metas.swap_remove(dense);
        self.owners.swap_remove(dense);
        self.header.break_order_at(dense);
        if let Some(&moved) = self.owners.get(dense) {
            self.point_slot(moved, dense);
            self.header.next_epoch();
        }
        (value, meta)
    }

    /// Keeps the values for which `keep` returns true; `keep` is called once for each value.
    ///
    /// The dense array is visited from the front; the last value takes the place of a removed one and is visited next.
    /// If `keep` panics, the value it was called for and those not visited yet stay.
    ///
    /// # Panics
    ///
    /// In the same cases as [`HandleMap::remove`].
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<T, L>, &mut T) -> bool) {
        self.header.break_order_at(0);
        let mut dense = 0;
        while let Some(handle) = self.handle_at(dense) {
            if keep(handle, &mut self.values[dense]) {
                dense += 1;
            } else {
                self.remove(handle);
            }
        }
    }

    /// Removes all values, from the last to the first of the dense array. Values that the iterator has not returned are
    /// dropped with it; if it is leaked, they stay in the map. They also stay if one of them cannot be removed without
    /// a panic, since a drop must not panic.
    ///
    /// # Panics
    ///
    /// Its steps panic in the same cases as [`HandleMap::remove`].
    pub fn drain(&mut self) -> Drain<'_, T, L, M, A> {
        Drain { map: self }
    }

    /// Removes all values. Every handle becomes stale; slots keep their memory and are reused in index order.
    ///
    /// Linear in slots. Slots that were free already keep their generation. Each value is dropped once, also if the
    /// drop of another one panics.
    ///
    /// # Panics
    ///
    /// If a slot's generations run out and the layout has [`WhenExhausted::Panic`]; nothing is removed then.
    pub fn clear(&mut self) {
        if let Some(index) = self.slot_that_panics() {
            next_generation::<L>(index, Bits::<L>::GENERATION_MAX);
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
        self.drop_values();
    }

    /// Removes all values and discards all slots. Every handle becomes stale permanently: new slots start above all
    /// generations that were ever in use.
    ///
    /// Constant time beside dropping the values. When the layout has no generations left for that, it does the same as
    /// [`HandleMap::clear`] (always, in a map whose layout says [`WhenExhausted::Wrap`] and that has wrapped). In a layout
    /// that retires slots each one that was used is then retired for good, and a `reset` walks over all of them: with 16 bits
    /// of generations from the 65,535th `reset` on, 18 minutes of one in each frame. What is emptied that often is better a
    /// new map each time, whose handles nobody keeps, or has a layout with more generations.
    ///
    /// # Panics
    ///
    /// In the same cases as [`HandleMap::clear`].
    pub fn reset(&mut self) {
        if self.slots.is_empty() {
            return;
        }
        if self.header.generation_high == Bits::<L>::GENERATION_MAX {
            return self.clear();
        }
        self.header.generation_high += 1;
        self.header.first_generation = self.header.generation_high;
        self.header.forget_free_list::<L>();
        self.slots.clear();
        self.drop_values();
    }

    /// The free slots in the order in which they will be used again. Retired slots are not among them.
    pub fn free_slots(&self) -> impl FusedIterator<Item = u32> {
        let first = self
            .slots
            .get(self.header.free_head as usize)
            .map(|_| self.header.free_head);
        core::iter::successors(first, |&slot| {
            let next = self.slots[slot as usize].index::<L>();
            (next != Bits::<L>::NO_INDEX).then_some(next)
        })
    }

    /// The last of [`HandleMap::free_slots`]: the next freed slot is appended after it. O(1).
    pub fn last_free_slot(&self) -> Option<u32> {
        (self.header.free_tail != Bits::<L>::NO_INDEX).then_some(self.header.free_tail)
    }

    /// The number of free slots that will be reused.
    pub const fn free_count(&self) -> usize {
        self.header.free_count as usize
    }

    /// The number of slots that have used all their generations and are permanently out of use; each costs 8 bytes.
    pub const fn retired_count(&self) -> usize {
        self.header.retired_count as usize
    }

    /// A live slot in its last generation, if removing its value panics by the layout's policy.
    fn slot_that_panics(&self) -> Option<u32> {
        if L::WHEN_EXHAUSTED != WhenExhausted::Panic {
            return None;
        }
        let in_its_last =
            |slot: &Slot| !slot.is_free::<L>() && slot.generation::<L>() == Bits::<L>::GENERATION_MAX;
        (0..)
            .zip(self.slots.iter())
            .find_map(|(index, slot)| in_its_last(slot).then_some(index))
    }

    /// The last step of emptying a map whose slots are already freed. If a value's drop panics, the map is consistent
    /// by then.
    fn drop_values(&mut self) {
        self.header.next_epoch();
        self.header.break_order_at(0);
        self.owners.clear();
        /// A guard that drops the data beside the values when it goes out of scope, also if a value's drop panics.
        struct Clear<'a, M, A: Allocator>(&'a mut Array<M, A>);
        impl<M, A: Allocator> Drop for Clear<'_, M, A> {
            fn drop(&mut self) {
                self.0.clear();
            }
        }
        let _metas = Clear(&mut self.metas);
        self.values.clear();
    }

    /// Frees a slot: into the free list with the next generation, or out of use.
    #[inline]
    fn free_slot(&mut self, index: u32, generation: u32) {
        match next_generation::<L>(index, generation) {
            Some(next) => {
                self.header.generation_high = self.header.generation_high.max(next);
                self.push_free(index, next);
            }
            None => {
                self.slots[index as usize] = Slot::retired::<L>(self.header.tag.into());
                self.header.retired_count += 1;
            }
        }
    }

    /// Appends a slot to the free list.
    #[inline]
    fn push_free(&mut self, index: u32, generation: u32) {
        let none = Bits::<L>::NO_INDEX;
        self.slots[index as usize] = Slot::free::<L>(self.header.tag.into(), generation, none);
        match self.slots.get_mut(self.header.free_tail as usize) {
            Some(tail) => *tail = tail.with_index::<L>(index),
            None => self.header.free_head = index,
        }
        self.header.free_tail = index;
        self.header.free_count += 1;
    }
}

/// The generation after `generation`, or `None` if the slot is to retire.
#[inline]
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

/// Removes the values of a map, last first; from [`HandleMap::drain`].
pub struct Drain<'a, T, L: Layout, M = (), A: Allocator + Clone = Global> {
    map: &'a mut HandleMap<T, L, M, A>,
}

impl<T, L: Layout, M, A: Allocator + Clone> Iterator for Drain<'_, T, L, M, A> {
    type Item = (Handle<T, L>, T);

    fn next(&mut self) -> Option<Self::Item> {
        let handle = self.map.handle_at(self.map.len().checked_sub(1)?)?;
        Some((handle, self.map.remove(handle)?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.map.len(), Some(self.map.len()))
    }
}

impl<T, L: Layout, M, A: Allocator + Clone> ExactSizeIterator for Drain<'_, T, L, M, A> {}
impl<T, L: Layout, M, A: Allocator + Clone> FusedIterator for Drain<'_, T, L, M, A> {}

impl<T, L: Layout, M, A: Allocator + Clone> Drop for Drain<'_, T, L, M, A> {
    fn drop(&mut self) {
        // A step may have panicked for the same reason; a second panic while unwinding would abort the program.
        if self.map.slot_that_panics().is_none() {
            self.map.clear();
        }
    }
}
