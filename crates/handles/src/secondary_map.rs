//! `SecondaryMap`: more data about the values of a `HandleMap`, found by the same handles.

use crate::handle::Handle;
use crate::handle_map::HandleMap;
use crate::layout::{DefaultLayout, Layout};
use alloc::vec::Vec;
use allocator_api2::alloc::Allocator;
use core::fmt;
use core::ops::{Index, IndexMut};

/// Values keyed by the handles of a [`HandleMap`], in an array with one place a slot.
///
/// An entry is found only by the very handle it was inserted with, so data about a removed value is never taken for
/// data about its slot's next one. The map has no access to the primary map and its generations; entries of removed
/// values stay until their slot is used again here, or until [`SecondaryMap::prune`].
///
/// Memory is 8 bytes and a value for every slot up to the greatest that has an entry: good when most values have one.
/// Data that every value has, and that is known at insertion, costs less beside the value itself:
/// [`HandleMap::insert_with_meta`].
///
/// ```
/// use tombolo_handles::{HandleMap, SecondaryMap};
/// let mut players: HandleMap<&str> = HandleMap::new();
/// let mut scores = SecondaryMap::new();
/// let ada = players.insert("Ada");
/// scores.insert(ada, 7);
/// scores[ada] += 1;
/// players.remove(ada);
/// let bob = players.insert("Bob");
/// assert_eq!(bob.index(), ada.index());
/// assert_eq!(scores.get(bob), None);
/// scores.prune(&players);
/// assert_eq!(scores.len(), 0);
/// ```
pub struct SecondaryMap<T, V, L = DefaultLayout> {
    // Indexed by slot. The handle's niche makes an empty entry cost no extra byte.
    entries: Vec<Option<(Handle<T, L>, V)>>,
    len: usize,
}

impl<T, V, L: Layout> SecondaryMap<T, V, L> {
    /// An empty map. Allocates nothing.
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
            len: 0,
        }
    }

    /// The number of entries, those of removed values included.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Sets the entry of a handle and returns what its slot had: the handle's own old entry, or that of another
    /// generation of the slot. Constant time beside growing.
    pub fn insert(&mut self, handle: Handle<T, L>, value: V) -> Option<(Handle<T, L>, V)> {
        let slot = handle.index() as usize;
        if slot >= self.entries.len() {
            self.entries.resize_with(slot + 1, || None);
        }
        let old = self.entries[slot].replace((handle, value));
        self.len += usize::from(old.is_none());
        old
    }

    /// The handle's entry.
    pub fn get(&self, handle: Handle<T, L>) -> Option<&V> {
        match self.entries.get(handle.index() as usize)? {
            Some((held, value)) if *held == handle => Some(value),
            _ => None,
        }
    }

    /// The handle's entry for change.
    pub fn get_mut(&mut self, handle: Handle<T, L>) -> Option<&mut V> {
        match self.entries.get_mut(handle.index() as usize)? {
            Some((held, value)) if *held == handle => Some(value),
            _ => None,
        }
    }

    /// Whether the handle has an entry.
    pub fn contains(&self, handle: Handle<T, L>) -> bool {
        self.get(handle).is_some()
    }

    /// Removes and returns the handle's entry.
    pub fn remove(&mut self, handle: Handle<T, L>) -> Option<V> {
        let place = self.entries.get_mut(handle.index() as usize)?;
        let (_, value) = place.take_if(|(held, _)| *held == handle)?;
        self.len -= 1;
        Some(value)
    }

    /// Drops all entries; keeps memory.
    pub fn clear(&mut self) {
        self.len = 0;
        self.entries.clear();
    }

    /// Keeps the entries for which `keep` returns true; it is called in the order of slots.
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<T, L>, &mut V) -> bool) {
        for place in &mut self.entries {
            let gone = place.take_if(|(handle, value)| !keep(*handle, value));
            // Before the drop, which may panic.
            self.len -= usize::from(gone.is_some());
            drop(gone);
        }
    }

    /// Drops the entries of values that the primary map does not hold any more. Linear in slots.
    pub fn prune<M, A: Allocator + Clone>(&mut self, primary: &HandleMap<T, L, M, A>) {
        self.retain(|handle, _| primary.contains(handle));
    }

    /// Handles and entries in the order of slots. Linear in slots.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Handle<T, L>, &V)> {
        self.entries
            .iter()
            .flatten()
            .map(|(handle, value)| (*handle, value))
    }

    /// Handles and entries for change, in the order of slots. Linear in slots.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Handle<T, L>, &mut V)> {
        self.entries
            .iter_mut()
            .flatten()
            .map(|(handle, value)| (*handle, value))
    }
}

impl<T, V, L: Layout> Index<Handle<T, L>> for SecondaryMap<T, V, L> {
    type Output = V;

    /// # Panics
    ///
    /// If the handle has no entry.
    fn index(&self, handle: Handle<T, L>) -> &V {
        match self.get(handle) {
            Some(value) => value,
            None => panic!("{handle:?} has no entry in the secondary map"),
        }
    }
}

impl<T, V, L: Layout> IndexMut<Handle<T, L>> for SecondaryMap<T, V, L> {
    fn index_mut(&mut self, handle: Handle<T, L>) -> &mut V {
        match self.get_mut(handle) {
            Some(value) => value,
            None => panic!("{handle:?} has no entry in the secondary map"),
        }
    }
}

impl<T, V, L: Layout> Extend<(Handle<T, L>, V)> for SecondaryMap<T, V, L> {
    fn extend<I: IntoIterator<Item = (Handle<T, L>, V)>>(&mut self, entries: I) {
        for (handle, value) in entries {
            self.insert(handle, value);
        }
    }
}

impl<T, V, L: Layout> FromIterator<(Handle<T, L>, V)> for SecondaryMap<T, V, L> {
    fn from_iter<I: IntoIterator<Item = (Handle<T, L>, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<T, V, L: Layout> Default for SecondaryMap<T, V, L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, V: Clone, L> Clone for SecondaryMap<T, V, L> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            len: self.len,
        }
    }
}

impl<T, V: fmt::Debug, L: Layout> fmt::Debug for SecondaryMap<T, V, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
