//! Look-up of values by handle, by slot and by dense index.
//!
//! A look-up is one bounds check, one comparison of words and two reads. The second bounds check is left out, as its
//! cost is measurable when the map is in the caches (`docs/performance/handles.md`): this is one of the crate's places
//! for unsafe code.
//!
//! The reasons are in `docs/decisions.md#one-comparison-decides-a-look-up`.
#![allow(unsafe_code)]

use super::{HandleMap, SlotGeneration};
use crate::error::HandleError;
use crate::handle::Handle;
use crate::layout::{Bits, Layout, WhenExhausted};
use allocator_api2::alloc::Allocator;

impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// The index of the handle's value in [`HandleMap::values_slice`], or `None` if the handle is not valid.
    ///
    /// The index changes when values are removed, swapped or sorted, see [`HandleMap::structure_epoch`].
    #[inline]
    pub fn dense_index(&self, handle: Handle<T, L>) -> Option<usize> {
        let slot = self.slots.get(handle.index() as usize)?;
        slot.matches(handle).then(|| slot.index::<L>() as usize)
    }

    /// Whether the handle names a value of this map.
    #[inline]
    pub fn contains(&self, handle: Handle<T, L>) -> bool {
        self.dense_index(handle).is_some()
    }

    /// The handle's value, or `None` if the handle is not valid. [`HandleMap::try_get`] gives the reason.
    #[inline]
    pub fn get(&self, handle: Handle<T, L>) -> Option<&T> {
        let dense = self.dense_index(handle)?;
        debug_assert!(dense < self.values.len());
        // SAFETY: the index of a live slot is below `values.len()`, see the invariants in `mod.rs`.
        Some(unsafe { self.values.get_unchecked(dense) })
    }

    /// The handle's value for change, or `None` if the handle is not valid.
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<T, L>) -> Option<&mut T> {
        let dense = self.dense_index(handle)?;
        self.header.ordered_len = 0;
        debug_assert!(dense < self.values.len());
        // SAFETY: as in `get`.
        Some(unsafe { self.values.get_unchecked_mut(dense) })
    }

    /// The handle's value, or the reason why there is none.
    ///
    /// # Errors
    ///
    /// If the handle is of another map, was never valid here, or its value was removed.
    pub fn try_get(&self, handle: Handle<T, L>) -> Result<&T, HandleError> {
        self.get(handle).ok_or_else(|| self.explain(handle))
    }

    /// The handle's value for change, or the reason why there is none.
    ///
    /// # Errors
    ///
    /// In the same cases as [`HandleMap::try_get`].
    pub fn try_get_mut(&mut self, handle: Handle<T, L>) -> Result<&mut T, HandleError> {
        match self.dense_index(handle) {
            Some(dense) => {
                self.header.ordered_len = 0;
                Ok(&mut self.values[dense])
            }
            None => Err(self.explain(handle)),
        }
    }

    /// The reason why a handle does not resolve. Called only with handles that do not.
    #[cold]
    pub(super) fn explain(&self, handle: Handle<T, L>) -> HandleError {
        let index = handle.index();
        if handle.tag().get() != self.header.tag {
            return HandleError::WrongTag {
                wanted: self.header.tag,
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
    #[inline]
    pub fn handle_at(&self, dense: usize) -> Option<Handle<T, L>> {
        self.handle_of_slot(*self.owners.get(dense)?)
    }

    /// The handle of the value that a slot holds now, or `None` if the slot is free or does not exist.
    #[inline]
    pub fn handle_of_slot(&self, slot: u32) -> Option<Handle<T, L>> {
        let word = self
            .slots
            .get(slot as usize)
            .filter(|word| !word.is_free::<L>())?;
        Some(Handle::from_parts(
            self.header.tag.into(),
            word.generation::<L>(),
            slot,
        ))
    }

    /// The generation of a slot and its state, or `None` if the slot does not exist.
    pub fn generation_of_slot(&self, slot: u32) -> Option<SlotGeneration> {
        let word = self.slots.get(slot as usize)?;
        Some(match (word.is_free::<L>(), word.generation::<L>()) {
            (false, generation) => SlotGeneration::Live(generation),
            (true, 0) => SlotGeneration::Retired,
            (true, generation) => SlotGeneration::Next(generation),
        })
    }

    /// Whether this map made the handle since the last [`HandleMap::reset`] that discarded the slots, whether or not its
    /// value is still here. (One that had no generations left keeps them, and so does their past.) For
    /// a layout with [`WhenExhausted::Wrap`](crate::WhenExhausted::Wrap) the answer covers only the current round of
    /// generations, and a slot that was added after it began may seem to have had all of them.
    pub fn has_held(&self, handle: Handle<T, L>) -> bool {
        let greatest = Bits::<L>::GENERATION_MAX;
        let last = match self.generation_of_slot(handle.index()) {
            Some(SlotGeneration::Live(now)) => now,
            Some(SlotGeneration::Next(next)) => next - 1,
            Some(SlotGeneration::Retired) => greatest,
            None => return false,
        };
        // Slots begin with one generation, and a later round with 1.
        let may_have_wrapped =
            L::WHEN_EXHAUSTED == WhenExhausted::Wrap && self.header.generation_high == greatest;
        let first = if may_have_wrapped {
            1
        } else {
            self.header.first_generation
        };
        handle.tag() == self.tag() && (first..=last).contains(&handle.generation())
    }

    /// The dense index of the value that a slot holds now, or `None` if the slot is free or does not exist.
    #[inline]
    pub fn dense_index_of_slot(&self, slot: u32) -> Option<usize> {
        let word = self
            .slots
            .get(slot as usize)
            .filter(|word| !word.is_free::<L>())?;
        Some(word.index::<L>() as usize)
    }

    /// The value at a dense index, or `None` past the end.
    #[inline]
    pub fn value_at(&self, dense: usize) -> Option<&T> {
        self.values.get(dense)
    }

    /// The value at a dense index for change, or `None` past the end.
    #[inline]
    pub fn value_at_mut(&mut self, dense: usize) -> Option<&mut T> {
        self.header.ordered_len = 0;
        self.values.get_mut(dense)
    }
}
