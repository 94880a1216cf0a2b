//! `Slot`: one word of a map's sparse array.
//!
//! A live slot holds tag, generation and the dense index of its value, with the free bit clear. Its upper bits are then
//! those of the one handle that names it, so a look-up compares them at once. A free slot holds the generation of its
//! next value and, in place of the index, the next free slot. A retired slot is a free slot of generation 0 that is in
//! no list.

use crate::handle::Handle;
use crate::layout::{Bits, Layout};

/// The generation of a slot and its state, from
/// [`HandleMap::generation_of_slot`](super::HandleMap::generation_of_slot).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotGeneration {
    /// The slot holds a value of this generation.
    Live(u32),
    /// The slot is free; its next value will have this generation.
    Next(u32),
    /// The slot is permanently out of use.
    Retired,
}

/// One word of a map's sparse array, see [`RawParts`](super::RawParts). Its bits are laid out as the map's
/// [`Layout`] says; they can be read with [`Slot::to_bits`] and saved as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Slot(u64);

impl Slot {
    /// The word in the form in which it is saved.
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// A slot from its saved word. Nothing is checked here: `HandleMap::from_raw_parts` does it for all slots together.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) const fn live<L: Layout>(tag: u32, generation: u32, dense: u32) -> Self {
        Self(Bits::<L>::pack(tag, generation, dense))
    }

    pub(crate) const fn free<L: Layout>(tag: u32, next_generation: u32, next_free: u32) -> Self {
        Self(Bits::<L>::FREE | Bits::<L>::pack(tag, next_generation, next_free))
    }

    pub(crate) const fn retired<L: Layout>(tag: u32) -> Self {
        Self::free::<L>(tag, 0, Bits::<L>::NO_INDEX)
    }

    pub(crate) const fn is_free<L: Layout>(self) -> bool {
        self.0 & Bits::<L>::FREE != 0
    }

    pub(crate) const fn is_retired<L: Layout>(self) -> bool {
        self.is_free::<L>() && self.generation::<L>() == 0
    }

    /// The dense index of a live slot, the next free slot of a free one.
    pub(crate) const fn index<L: Layout>(self) -> u32 {
        Bits::<L>::index(self.0)
    }

    pub(crate) const fn generation<L: Layout>(self) -> u32 {
        Bits::<L>::generation(self.0)
    }

    pub(crate) const fn tag<L: Layout>(self) -> u32 {
        Bits::<L>::tag(self.0)
    }

    pub(crate) const fn with_index<L: Layout>(self, index: u32) -> Self {
        Self(self.0 & !(Bits::<L>::NO_INDEX as u64) | index as u64)
    }

    /// Whether the slot is live and the handle has its generation and the map's tag. A handle has no free bit, so a
    /// free slot never matches, whatever generation was forged.
    pub(crate) const fn matches<T, L: Layout>(self, handle: Handle<T, L>) -> bool {
        (self.0 ^ handle.to_bits()) >> L::INDEX_BITS == 0
    }
}
