//! `Header`: the scalar state of a map beside its arrays: the ends of its free list, counts, the order and the tag.
#![allow(unsafe_code)]

use crate::handle::TypeTag;
use crate::layout::{Bits, Layout};

/// The state of a map beside its arrays. Plain data without padding: it can be saved and hashed as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Header {
    /// Number of changes of dense places, see `HandleMap::structure_epoch`.
    pub(super) structure_epoch: u64,
    /// The tag of the map's handles.
    pub(super) tag: u16,
    /// The order that the first `ordered_len` values are in, an `OrderId`.
    pub(super) order: u16,
    /// First slot of the free list, or `NO_INDEX`.
    pub(super) free_head: u32,
    /// Last slot of the free list, or `NO_INDEX`.
    pub(super) free_tail: u32,
    /// Number of slots in the free list.
    pub(super) free_count: u32,
    /// Number of slots that are permanently out of use.
    pub(super) retired_count: u32,
    /// The generation of a newly created slot.
    pub(super) first_generation: u32,
    /// The greatest generation that any slot has had.
    pub(super) generation_high: u32,
    /// Length of the prefix of values that is known to be in order.
    pub(super) ordered_len: u32,
}

const _: () = assert!(size_of::<Header>() == 8 + 2 * 2 + 7 * 4);

// SAFETY: `repr(C)`, integers only, and the assertion above shows that there is no padding.
unsafe impl bytemuck::Zeroable for Header {}
// SAFETY: as above; every bit pattern is a value.
unsafe impl bytemuck::Pod for Header {}

/// The names and sizes of the header's fields. Does not compile if one is missing.
macro_rules! fields {
    ($($field:ident),*) => {{
        const _: fn(Header) = |Header { $($field: _),* }| ();
        const fn size<T>(_: fn(&Header) -> &T) -> usize {
            size_of::<T>()
        }
        [$((stringify!($field), size(|header: &Header| &header.$field))),*]
    }};
}

impl Header {
    /// The name and the size in bytes of each field in the order of memory, for saves that name what they contain. All
    /// fields are unsigned integers.
    pub const FIELDS: [(&'static str, usize); 10] = fields!(
        structure_epoch,
        tag,
        order,
        free_head,
        free_tail,
        free_count,
        retired_count,
        first_generation,
        generation_high,
        ordered_len
    );

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

    /// Records that values have changed their places. The counter wraps after its greatest number, which only forged
    /// parts reach; a mirror only needs the number to differ.
    #[inline]
    pub(super) fn next_epoch(&mut self) {
        self.structure_epoch = self.structure_epoch.wrapping_add(1);
    }

    /// Records that the value at a dense index may not be in order any more.
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
