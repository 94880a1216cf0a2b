//! [`PlainMap`]: a handle map of plain data that marks what changes.

use super::marks::Marks;
use bytemuck::Pod;
use core::ops::Deref;
use tombolo_handles::{Handle, HandleMap, Slot, TypeTag};

/// A [`HandleMap`] as a part of the state. To be read it is the map; what changes it is here, with its marks. The header is
/// small and never marked.
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

    /// Adds a value. See [`HandleMap::insert`].
    #[inline]
    pub(crate) fn insert(&mut self, value: T) -> Handle<T> {
        let handle = self.map.insert(value);
        let dense = self.map.len() - 1;
        self.slots.mark::<Slot>(handle.index() as usize, 1);
        self.values.mark::<T>(dense, 1);
        self.owners.mark::<u32>(dense, 1);
        handle
    }

    /// Takes a value out; the last one moves into its place. See [`HandleMap::remove`].
    #[inline]
    pub(crate) fn remove(&mut self, handle: Handle<T>) -> Option<T> {
        let dense = self.map.dense_index(handle)?;
        // The freed slot is put behind the last free one, which leads to it then.
        if let Some(last) = self.map.last_free_slot() {
            self.slots.mark::<Slot>(last as usize, 1);
        }
        let value = self.map.remove(handle);
        self.slots.mark::<Slot>(handle.index() as usize, 1);
        self.values.mark::<T>(dense, 1);
        self.owners.mark::<u32>(dense, 1);
        if let Some(moved) = self.map.handle_at(dense) {
            self.slots.mark::<Slot>(moved.index() as usize, 1);
        }
        value
    }

    /// The value at a dense index, for change.
    #[inline]
    pub(crate) fn value_at_mut(&mut self, dense: usize) -> Option<&mut T> {
        self.values.mark::<T>(dense, 1);
        self.map.value_at_mut(dense)
    }

    /// The value of a handle, for change.
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
