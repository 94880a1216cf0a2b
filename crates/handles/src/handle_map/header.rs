//! What a map knows beside its arrays: the ends of its free list, counts, the order and the tag.
#![allow(unsafe_code)]

use crate::handle::TypeTag;
use crate::layout::{Bits, Layout};

/// Everything a map knows beside its three arrays. Plain data without padding: it can be saved and hashed as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Header {
    /// Counts changes of dense places, see `HandleMap::structure_epoch`.
    pub(super) structure_epoch: u64,
    /// The tag of the map's handles.
    pub(super) tag: u16,
    /// The order that the first `ordered_len` values are in, an `OrderId`.
    pub(super) order: u16,
    /// First slot to be reused, or `NO_INDEX`.
    pub(super) free_head: u32,
    /// Last slot to be reused, or `NO_INDEX`.
    pub(super) free_tail: u32,
    /// Slots in the free list.
    pub(super) free_count: u32,
    /// Slots that are out of use for ever.
    pub(super) retired_count: u32,
    /// The generation that a slot starts with when it is made.
    pub(super) first_generation: u32,
    /// The greatest generation that any slot has had.
    pub(super) generation_high: u32,
    /// How many values at the front are known to be in order.
    pub(super) ordered_len: u32,
}

const _: () = assert!(size_of::<Header>() == 8 + 2 * 2 + 7 * 4);

// SAFETY: `repr(C)`, integers only, and the assertion above shows that there is no padding.
unsafe impl bytemuck::Zeroable for Header {}
// SAFETY: as above; every bit pattern is a value.
unsafe impl bytemuck::Pod for Header {}
impl Header {
    pub(super) const fn new<L: Layout>(tag: TypeTag<L>) -> Self {
        Self {
            structure_epoch: 0,
            tag: tag.get(),
            order: 0,
            free_head: Bits::<L>::NO_INDEX,
            free_tail: Bits::<L>::NO_INDEX,
            free_count: 0,
            retired_count: 0,
            first_generation: 1,
            generation_high: 1,
            ordered_len: 0,
        }
    }

    pub(super) const fn tag_of<L: Layout>(&self) -> TypeTag<L> {
        match TypeTag::new(self.tag) {
            Some(tag) => tag,
            None => unreachable!(),
        }
    }

    /// Values have changed their places. Begins anew after the last number, which only forged parts come to: what
    /// matters is that the number is another.
    #[inline]
    pub(super) fn next_epoch(&mut self) {
        self.structure_epoch = self.structure_epoch.wrapping_add(1);
    }

    /// The value at a dense index may not be in order any more.
    #[inline]
    pub(super) fn break_order_at(&mut self, dense: usize) {
        self.ordered_len = self.ordered_len.min(dense as u32);
    }

    pub(super) const fn forget_free_list<L: Layout>(&mut self) {
        self.free_head = Bits::<L>::NO_INDEX;
        self.free_tail = Bits::<L>::NO_INDEX;
        self.free_count = 0;
    }
}
