//! `HandleMap`, the type: its arrays, creation, sizes, and swapping values.

use super::array::Array;
use super::header::Header;
use super::slot::Slot;
use crate::handle::{Handle, TypeTag};
use crate::layout::{Bits, DefaultLayout, Layout};
use allocator_api2::alloc::{Allocator, Global};
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

/// Values in one dense array, each named by a [`Handle`] that stays valid until the value is removed.
///
/// Insert, remove and look-up take constant time. Iteration over the values is iteration over a slice. Freed slots are
/// reused first in, first out, so a slot's generations last as long as possible. See [`Layout`] for what happens when
/// they run out.
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
///
/// `M` is data that the map keeps beside each value, in an array of its own that can be iterated without touching the
/// values: see [`HandleMap::insert_with_meta`]. The default, `()`, takes no memory.
///
/// `A` is the source of the memory, an [`Allocator`] of the crate `allocator-api2`, as for `hashbrown`'s maps:
/// [`HandleMap::new_in`].
pub struct HandleMap<T, L = DefaultLayout, M = (), A: Allocator = Global> {
    pub(super) header: Header,
    pub(super) slots: Array<Slot, A>,
    pub(super) values: Array<T, A>,
    pub(super) metas: Array<M, A>,
    pub(super) owners: Array<u32, A>,
    pub(super) layout: PhantomData<fn() -> L>,
}

impl<T> HandleMap<T> {
    /// An empty map of the default layout with tag 0. Allocates nothing.
    ///
    /// Only for the default layout, so that type inference works without an annotation; maps of other layouts come from
    /// [`HandleMap::with_tag`] or `default()`.
    pub const fn new() -> Self {
        Self::with_tag(TypeTag::ZERO)
    }
}

impl<T, L: Layout> HandleMap<T, L> {
    /// An empty map whose handles carry `tag`. Allocates nothing.
    pub const fn with_tag(tag: TypeTag<L>) -> Self {
        Self {
            header: Header::new::<L>(tag),
            slots: Array::new_in(Global),
            values: Array::new_in(Global),
            metas: Array::new_in(Global),
            owners: Array::new_in(Global),
            layout: PhantomData,
        }
    }

    /// An empty map of tag 0 with room for `capacity` values.
    pub fn with_capacity(capacity: usize) -> Self {
        let mut map = Self::default();
        map.reserve(capacity);
        map
    }
}

/// Creation and sizes.
impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// An empty map whose handles carry `tag` and whose memory comes from `allocator`. Allocates nothing.
    ///
    /// ```
    /// use allocator_api2::alloc::Global;
    /// use tombolo_handles::{DefaultLayout, HandleMap, TypeTag};
    /// // `Global`, or an arena's reference.
    /// let mut map: HandleMap<&str, DefaultLayout, (), Global> = HandleMap::new_in(TypeTag::ZERO, Global);
    /// let one = map.insert("one");
    /// assert_eq!(map[one], "one");
    /// ```
    pub fn new_in(tag: TypeTag<L>, allocator: A) -> Self {
        Self {
            header: Header::new::<L>(tag),
            slots: Array::new_in(allocator.clone()),
            values: Array::new_in(allocator.clone()),
            metas: Array::new_in(allocator.clone()),
            owners: Array::new_in(allocator),
            layout: PhantomData,
        }
    }

    /// The allocator of the map's memory.
    pub fn allocator(&self) -> &A {
        self.owners.allocator()
    }

    /// Makes room for `additional` more values without another allocation.
    pub fn reserve(&mut self, additional: usize) {
        self.values.reserve(additional);
        self.metas.reserve(additional);
        self.owners.reserve(additional);
        self.slots
            .reserve(additional.saturating_sub(self.header.free_count as usize));
    }

    /// The number of values that the map can hold, with their slots and what stands beside them, without another
    /// allocation.
    pub fn capacity(&self) -> usize {
        let beside = self.metas.capacity().min(self.owners.capacity());
        let new_slots = self.slots.capacity() - self.slots.len();
        let with_slots = self.len() + self.header.free_count as usize + new_slots;
        self.values.capacity().min(beside).min(with_slots)
    }

    /// Frees unused capacity. Slots stay, also free and retired ones.
    pub fn shrink_to_fit(&mut self) {
        self.values.shrink_to_fit();
        self.metas.shrink_to_fit();
        self.owners.shrink_to_fit();
        self.slots.shrink_to_fit();
    }

    /// Bytes of heap memory that the map holds, without the heap memory of its values.
    pub fn memory_bytes(&self) -> usize {
        self.values.capacity() * size_of::<T>()
            + self.metas.capacity() * size_of::<M>()
            + self.owners.capacity() * size_of::<u32>()
            + self.slots.capacity() * size_of::<Slot>()
    }

    /// The number of values in the map.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the map holds no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The tag of this map's handles.
    pub const fn tag(&self) -> TypeTag<L> {
        self.header.tag_of()
    }

    /// The number of slots: live, free and retired. Every handle's index is below it, so it is the right length for an
    /// array beside the map.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }
}

/// Reordering.
impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// Swaps the values at two dense indices; their handles follow them. Returns whether both indices exist.
    #[inline]
    pub fn swap_dense(&mut self, i: usize, j: usize) -> bool {
        let len = self.values.len();
        if i >= len || j >= len {
            return false;
        }
        if i != j {
            self.values.swap(i, j);
            self.metas.swap(i, j);
            self.owners.swap(i, j);
            self.point_slot(self.owners[i], i);
            self.point_slot(self.owners[j], j);
            self.header.next_epoch();
            self.header.break_order_at(i.min(j));
        }
        true
    }

    /// A counter that changes whenever a value that stays in the map changes its dense place, and when the map is
    /// cleared. Mirrors of the dense array (on a GPU, in a script) compare it together with [`HandleMap::len`], after each
    /// round of removals: a value that was inserted where the last one was removed changes neither. One that looks less
    /// often compares the handles too ([`HandleMap::handles`]).
    ///
    /// ```
    /// use tombolo_handles::HandleMap;
    /// let mut map = HandleMap::<u32>::new();
    /// let last = map.insert(1);
    /// let before = (map.structure_epoch(), map.len());
    /// map.remove(last);
    /// assert_ne!((map.structure_epoch(), map.len()), before);
    /// let next = map.insert(2);
    /// assert_eq!((map.structure_epoch(), map.len()), before);
    /// assert!(map.handles().eq([next]) && next != last);
    /// ```
    pub const fn structure_epoch(&self) -> u64 {
        self.header.structure_epoch
    }

    #[inline]
    pub(super) fn point_slot(&mut self, slot: u32, dense: usize) {
        let word = &mut self.slots[slot as usize];
        *word = word.with_index::<L>(dense as u32);
    }
}

impl<T, L: Layout, M, A: Allocator + Clone> Index<Handle<T, L>> for HandleMap<T, L, M, A> {
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

impl<T, L: Layout, M, A: Allocator + Clone> IndexMut<Handle<T, L>> for HandleMap<T, L, M, A> {
    #[inline]
    fn index_mut(&mut self, handle: Handle<T, L>) -> &mut T {
        match self.try_get_mut(handle) {
            Ok(value) => value,
            Err(error) => panic!("{error}"),
        }
    }
}

impl<T, L: Layout, M, A: Allocator + Clone + Default> Default for HandleMap<T, L, M, A> {
    fn default() -> Self {
        Self::new_in(TypeTag::ZERO, A::default())
    }
}

impl<T: Clone, L: Layout, M: Clone, A: Allocator + Clone> Clone for HandleMap<T, L, M, A> {
    fn clone(&self) -> Self {
        Self {
            header: self.header,
            slots: self.slots.clone(),
            values: self.values.clone(),
            metas: self.metas.clone(),
            owners: self.owners.clone(),
            layout: PhantomData,
        }
    }

    /// Reuses the memory of this map, unless its generations are used up; its allocator stays. If a value's clone
    /// panics, the map is empty or unchanged, and no handle from before names a later value.
    fn clone_from(&mut self, source: &Self) {
        let mut empty = Self::new_in(self.tag(), self.allocator().clone());
        let Self {
            mut values,
            mut metas,
            mut slots,
            mut owners,
            ..
        } = if self.header.generation_high == Bits::<L>::GENERATION_MAX {
            // This map stays as it is until all is copied: an empty one could not tell its handles from later ones.
            empty
        } else {
            // If a value's clone panics half-way the arrays would disagree, so the map is empty until all is copied.
            empty.header.generation_high = self.header.generation_high + 1;
            empty.header.first_generation = empty.header.generation_high;
            core::mem::replace(self, empty)
        };
        values.clone_from(&source.values);
        metas.clone_from(&source.metas);
        slots.clone_from(&source.slots);
        owners.clone_from(&source.owners);
        *self = Self {
            header: source.header,
            slots,
            values,
            metas,
            owners,
            layout: PhantomData,
        };
    }
}

impl<T: fmt::Debug, L: Layout, M, A: Allocator + Clone> fmt::Debug for HandleMap<T, L, M, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
