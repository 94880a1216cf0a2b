//! The whole state of a map as four pieces of plain data, for saves, hashes and byte-wise clones, and the checks that
//! accept only a consistent set of pieces.
#![allow(unsafe_code)]

use super::array::Array;
use super::header::Header;
use super::map::HandleMap;
use super::slot::Slot;
use crate::error::CorruptError;
use crate::layout::{Bits, DefaultLayout, Layout, WhenExhausted};
use alloc::vec::Vec;
use allocator_api2::alloc::Allocator;
use core::marker::PhantomData;

// SAFETY: `repr(transparent)` over `u64`.
unsafe impl bytemuck::Zeroable for Slot {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Slot {}

/// A view of all of a map's state, from [`HandleMap::raw_parts`]. For plain `T` the four pieces can be saved as bytes.
pub struct RawParts<'a, T, M = ()> {
    /// Counts, list ends and tag.
    pub header: Header,
    /// The sparse array.
    pub slots: &'a [Slot],
    /// The dense array.
    pub values: &'a [T],
    /// The user data beside the value of the same dense index.
    pub metas: &'a [M],
    /// The slot that owns the value of the same dense index.
    pub owners: &'a [u32],
}

impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// The whole state of the map. Two maps with equal parts return equal results from every later call.
    pub fn raw_parts(&self) -> RawParts<'_, T, M> {
        RawParts {
            header: self.header,
            slots: &self.slots,
            values: &self.values,
            metas: &self.metas,
            owners: &self.owners,
        }
    }
}

impl<T, L: Layout> HandleMap<T, L> {
    /// A map from parts that were saved. Linear in slots.
    ///
    /// ```
    /// use tombolo_handles::{DefaultLayout, HandleMap};
    /// let mut map = HandleMap::<u32>::new();
    /// let first = map.insert(1);
    /// let parts = map.raw_parts();
    /// let (header, slots) = (parts.header, parts.slots.to_vec());
    /// let again = HandleMap::<u32>::from_raw_parts(header, slots, vec![5], vec![0])?;
    /// assert_eq!(again[first], 5);
    /// # Ok::<(), tombolo_handles::CorruptError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the parts do not fit each other in every respect; the error names the first inconsistency. An accepted map
    /// upholds all invariants, whatever the bytes were; that its values are in the order that the header names is taken
    /// on trust. If they were changed, call [`HandleMap::forget_order`], or a sort may leave them as they are.
    pub fn from_raw_parts(
        header: Header,
        slots: Vec<Slot>,
        values: Vec<T>,
        owners: Vec<u32>,
    ) -> Result<Self, CorruptError> {
        let metas = alloc::vec![(); values.len()];
        Self::from_raw_parts_with_metas(header, slots, values, metas, owners)
    }

    /// The map's parts: header, slots, values, owners. No memory is copied. Of a map that was sorted the header says so:
    /// after a change to the values, [`HandleMap::forget_order`] of the next map.
    pub fn into_raw_parts(self) -> (Header, Vec<Slot>, Vec<T>, Vec<u32>) {
        (
            self.header,
            self.slots.into_std(),
            self.values.into_std(),
            self.owners.into_std(),
        )
    }

    /// [`HandleMap::from_raw_parts`] for trusted parts, such as those of a rewound world. Constant time; nothing is
    /// checked, except with debug assertions, which check everything.
    ///
    /// ```
    /// use tombolo_handles::HandleMap;
    /// let mut map = HandleMap::<u32>::new();
    /// let first = map.insert(1);
    /// let (header, slots, mut values, owners) = map.into_raw_parts();
    /// values[0] = 5;
    /// // SAFETY: the parts are those of a map, with another value.
    /// let again = unsafe { HandleMap::<u32>::from_raw_parts_unchecked(header, slots, values, owners) };
    /// assert_eq!(again[first], 5);
    /// ```
    ///
    /// It takes an `unsafe` block, since a look-up reads where a slot says:
    ///
    /// ```compile_fail,E0133
    /// use tombolo_handles::{HandleMap, Slot};
    /// let (header, ..) = HandleMap::<u32>::new().into_raw_parts();
    /// let outside = Slot::from_bits(1 << 32 | 7);
    /// HandleMap::<u32>::from_raw_parts_unchecked(header, vec![outside], vec![5], vec![0]);
    /// ```
    ///
    /// # Safety
    ///
    /// [`HandleMap::from_raw_parts`] would accept the parts: they are those of a map of this layout at one moment; the
    /// values may be others ([`HandleMap::forget_order`], if they are in another order). A part of the checks would not do: in a map whose slots lead inside the values, but whose
    /// owners, header or free list are not those of its slots, removals and insertions make slots that lead outside.
    pub unsafe fn from_raw_parts_unchecked(
        header: Header,
        slots: Vec<Slot>,
        values: Vec<T>,
        owners: Vec<u32>,
    ) -> Self {
        if cfg!(debug_assertions) {
            return match Self::from_raw_parts(header, slots, values, owners) {
                Ok(map) => map,
                Err(error) => panic!("parts that were promised to be those of a map: {error}"),
            };
        }
        let metas = alloc::vec![(); values.len()];
        Self::from_checked(header, slots, values, metas, owners)
    }
}

/// Checks that there are not more slots than a map can have, and an owner for each value.
fn check_lengths<L: Layout>(slot_count: usize, values: usize, owners: usize) -> Result<(), CorruptError> {
    if slot_count > Bits::<L>::NO_INDEX as usize {
        return Err(CorruptError::TooManySlots { slot_count });
    }
    if values != owners {
        return Err(CorruptError::UnequalLengths { values, owners });
    }
    Ok(())
}

impl<T, L: Layout, M> HandleMap<T, L, M> {
    /// [`HandleMap::from_raw_parts`] for a map that keeps data beside its values.
    ///
    /// # Errors
    ///
    /// In the same cases; also if there are not as many `metas` as `values`.
    pub fn from_raw_parts_with_metas(
        header: Header,
        slots: Vec<Slot>,
        values: Vec<T>,
        metas: Vec<M>,
        owners: Vec<u32>,
    ) -> Result<Self, CorruptError> {
        check_header::<L>(&header)?;
        check_lengths::<L>(slots.len(), values.len(), owners.len())?;
        if values.len() != metas.len() {
            return Err(CorruptError::UnequalMetas {
                values: values.len(),
                metas: metas.len(),
            });
        }
        at_most("ordered length", header.ordered_len, values.len() as u32)?;
        check_slots::<L>(&header, &slots, &owners)?;
        check_owners::<L>(&slots, &owners)?;
        check_free_list::<L>(&header, &slots)?;
        Ok(Self::from_checked(header, slots, values, metas, owners))
    }

    /// The map of parts that fit each other.
    fn from_checked(
        header: Header,
        slots: Vec<Slot>,
        values: Vec<T>,
        metas: Vec<M>,
        owners: Vec<u32>,
    ) -> Self {
        Self {
            header,
            slots: Array::from_std(slots),
            values: Array::from_std(values),
            metas: Array::from_std(metas),
            owners: Array::from_std(owners),
            layout: PhantomData,
        }
    }
}

fn same(field: &'static str, said: u32, found: u32) -> Result<(), CorruptError> {
    if said == found {
        return Ok(());
    }
    Err(CorruptError::Header {
        field,
        said: said.into(),
        found: found.into(),
    })
}

fn at_most(field: &'static str, said: u32, limit: u32) -> Result<(), CorruptError> {
    same(field, said, said.min(limit))
}

fn at_least(field: &'static str, said: u32, limit: u32) -> Result<(), CorruptError> {
    same(field, said, said.max(limit))
}

fn check_header<L: Layout>(header: &Header) -> Result<(), CorruptError> {
    at_most("tag", header.tag.into(), Bits::<L>::TAG_MAX)?;
    at_least("first generation", header.first_generation, 1)?;
    at_most(
        "greatest generation",
        header.generation_high,
        Bits::<L>::GENERATION_MAX,
    )?;
    at_most(
        "first generation",
        header.first_generation,
        header.generation_high,
    )
}

/// Checks each slot's bits by themselves, live slots against owners, and the counts of slots.
fn check_slots<L: Layout>(header: &Header, slots: &[Slot], owners: &[u32]) -> Result<(), CorruptError> {
    let (mut free_count, mut retired_count) = (0, 0);
    // A slot retires after its last generation, so the header must record that generation as reached. `reset` relies on
    // it.
    let may_retire =
        L::WHEN_EXHAUSTED == WhenExhausted::Retire && header.generation_high == Bits::<L>::GENERATION_MAX;
    for (slot, word) in (0_u32..).zip(slots) {
        let (generation, index) = (word.generation::<L>(), word.index::<L>());
        let canonical = if word.is_retired::<L>() {
            retired_count += 1;
            Slot::retired::<L>(header.tag.into())
        } else if word.is_free::<L>() {
            free_count += 1;
            Slot::free::<L>(header.tag.into(), generation, index)
        } else {
            if owners.get(index as usize) != Some(&slot) {
                return Err(CorruptError::SharedValue { slot, dense: index });
            }
            Slot::live::<L>(header.tag.into(), generation, index)
        };
        let generation_fits = match generation {
            0 => may_retire && word.is_free::<L>(),
            _ => generation <= header.generation_high,
        };
        if *word != canonical || !generation_fits {
            return Err(CorruptError::SlotBits { slot });
        }
    }
    same("free count", header.free_count, free_count)?;
    same("retired count", header.retired_count, retired_count)
}

/// Checks that each value has a live slot that names it. With `check_slots` that makes a bijection.
fn check_owners<L: Layout>(slots: &[Slot], owners: &[u32]) -> Result<(), CorruptError> {
    for (dense, &slot) in (0_u32..).zip(owners) {
        let names_it = |word: &&Slot| !word.is_free::<L>() && word.index::<L>() == dense;
        if slots.get(slot as usize).filter(names_it).is_none() {
            return Err(CorruptError::Owner { dense, slot });
        }
    }
    Ok(())
}

/// Checks that the list visits `free_count` free slots and ends at the tail. A cycle would visit more, a short cut
/// fewer.
fn check_free_list<L: Layout>(header: &Header, slots: &[Slot]) -> Result<(), CorruptError> {
    let none = Bits::<L>::NO_INDEX;
    let (mut last, mut next) = (none, header.free_head);
    for _ in 0..header.free_count {
        match slots.get(next as usize) {
            Some(word) if word.is_free::<L>() && !word.is_retired::<L>() => {
                last = next;
                next = word.index::<L>();
            }
            _ => return Err(CorruptError::FreeList { slot: last }),
        }
    }
    if next != none || last != header.free_tail {
        return Err(CorruptError::FreeList { slot: last });
    }
    Ok(())
}

impl<T, M> Clone for RawParts<'_, T, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, M> Copy for RawParts<'_, T, M> {}

/// Saves of worlds use the default layout; a change of the header's size would break them.
const _: () = assert!(
    size_of::<HandleMap<u64, DefaultLayout>>()
        == (size_of::<Header>() + 4 * size_of::<Vec<u64>>()).next_multiple_of(align_of::<Header>())
);
