//! `HandleMap`: values side by side in one array, each known by a handle that stays valid wherever its value moves.
//!
//! Three arrays, after griffin's `handle_map`: `slots` (sparse, by handle index: where the value is, or the next free
//! slot), `values` (dense), `owners` (dense, parallel to values: which slot a value belongs to).
//!
//! Invariants:
//! - `values.len() == owners.len()`; `slots.len() <= NO_INDEX` of the layout.
//! - Slot `owners[d]` is live and its index is `d`, for every dense index `d`; no other slot is live.
//! - The free slots that are not retired form one list from `free_head` to `free_tail`, `free_count` long.
//! - The first `ordered_len` values are in the order that `order` names, as far as the map can see.
//!
//! Only the files of this folder touch the arrays.

mod insert;
mod iterate;
mod look_up;
mod many;
mod raw_parts;
mod remove;
mod slot;
mod sort;
mod sorter;

use crate::handle::{Handle, TypeTag};
use crate::layout::{DefaultLayout, Layout};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};
pub use iterate::{IntoIter, Iter, IterMut};
pub use raw_parts::{Header, RawParts};
pub use remove::Drain;
pub use slot::{Slot, SlotGeneration};
pub use sort::{Groups, OrderId};
pub use sorter::{SortBudget, SortProgress, Sorter};

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

/// Creation and sizes.
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

    /// An empty map of tag 0 with room for so many values.
    pub fn with_capacity(capacity: usize) -> Self {
        let mut map = Self::default();
        map.reserve(capacity);
        map
    }

    /// Makes room for so many values more without another allocation.
    pub fn reserve(&mut self, additional: usize) {
        self.values.reserve(additional);
        self.owners.reserve(additional);
        self.slots
            .reserve(additional.saturating_sub(self.header.free_count as usize));
    }

    /// How many values the dense array can hold without another allocation.
    pub const fn capacity(&self) -> usize {
        self.values.capacity()
    }

    /// Gives memory back that is not needed now. Slots stay, also free and retired ones.
    pub fn shrink_to_fit(&mut self) {
        self.values.shrink_to_fit();
        self.owners.shrink_to_fit();
        self.slots.shrink_to_fit();
    }

    /// Bytes of heap memory that the map holds, beside what its values hold themselves.
    pub const fn memory_bytes(&self) -> usize {
        self.values.capacity() * size_of::<T>()
            + self.owners.capacity() * size_of::<u32>()
            + self.slots.capacity() * size_of::<Slot>()
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
}

/// Reordering.
impl<T, L: Layout> HandleMap<T, L> {
    /// Swaps the values at two dense indices; their handles follow them. Returns whether both indices exist.
    #[inline]
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
            self.header.next_epoch();
            self.header.break_order_at(i.min(j));
        }
        true
    }

    /// A number that changes whenever a value that stays in the map changes its dense place, and when the map is
    /// cleared. Mirrors of the dense array (on a GPU, in a script) compare it with [`HandleMap::len`].
    pub const fn structure_epoch(&self) -> u64 {
        self.header.structure_epoch
    }

    #[inline]
    fn point_slot(&mut self, slot: u32, dense: usize) {
        let word = &mut self.slots[slot as usize];
        *word = word.with_index::<L>(dense as u32);
    }
}

impl<T, L: Layout> Index<Handle<T, L>> for HandleMap<T, L> {
    type Output = T;

    /// # Panics
    ///
    /// If the handle is not valid; the message is the [`HandleError`](crate::HandleError).
    #[inline]
    fn index(&self, handle: Handle<T, L>) -> &T {
        match self.get(handle) {
            Some(value) => value,
            None => panic!("{}", self.explain(handle)),
        }
    }
}

impl<T, L: Layout> IndexMut<Handle<T, L>> for HandleMap<T, L> {
    #[inline]
    fn index_mut(&mut self, handle: Handle<T, L>) -> &mut T {
        match self.try_get_mut(handle) {
            Ok(value) => value,
            Err(error) => panic!("{error}"),
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
