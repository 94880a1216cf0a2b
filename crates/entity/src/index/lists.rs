//! `Lists`: the component lists of prototypes, each list contiguous in memory. A prototype's list begins with its
//! parent's, so the two share memory where they can: the first child of a list is appended to it.
//!
//! Only `prototypes.rs` and `save.rs` use it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::entry::ComponentEntry;

/// Lists of entries, each shared by a prototype, its parent and so on up to the ancestor that began it.
///
/// Invariants: the prototypes that share a list are a chain of parents and children, and the last has all of it; list 0
/// is that of the root, and empty; `free` holds each other empty list once.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    lists: Vec<Box<[ComponentEntry]>>,
    free: Vec<u32>,
}

impl Lists {
    /// The list of the root.
    pub(super) const ROOT: u32 = 0;

    pub(super) fn new() -> Self {
        Self {
            lists: Vec::from([Box::default()]),
            free: Vec::new(),
        }
    }

    /// The first `len` entries of a list.
    #[inline]
    pub(super) fn entries(&self, list: u32, len: usize) -> &[ComponentEntry] {
        &self.lists[list as usize][..len]
    }

    /// The list of a new child of a prototype that has `len` entries of `list`.
    pub(super) fn append(&mut self, list: u32, len: usize, entry: ComponentEntry) -> u32 {
        let longer = self.entries(list, len).iter().copied().chain([entry]).collect();
        let is_last = self.lists[list as usize].len() == len && list != Self::ROOT;
        let index = if is_last {
            list
        } else if let Some(free) = self.free.pop() {
            free
        } else {
            reserve_a_little(&mut self.lists);
            self.lists.push(Box::default());
            self.lists.len() as u32 - 1
        };
        self.lists[index as usize] = longer;
        index
    }

    /// Removes the last entry, whose owner is freed, and the list itself if its parent has another one.
    pub(super) fn remove_last(&mut self, list: u32, parent_list: u32) {
        let entries = &mut self.lists[list as usize];
        if list == parent_list {
            *entries = entries[..entries.len() - 1].into();
        } else {
            *entries = Box::default();
            self.free.push(list);
        }
    }

    /// The size in bytes, unused room included.
    pub(super) fn bytes(&self) -> usize {
        let entries: usize = self.lists.iter().map(|list| size_of_val(&**list)).sum();
        entries
            + self.lists.capacity() * size_of::<Box<[ComponentEntry]>>()
            + self.free.capacity() * size_of::<u32>()
    }
}

/// Makes room for one more, and for a sixteenth: prototypes have few entries, and their memory is measured.
pub(super) fn reserve_a_little<T>(items: &mut Vec<T>) {
    if items.len() == items.capacity() {
        items.reserve_exact((items.len() / 16).max(8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::{ManagerId, NameHash};

    fn entry(name: u32) -> ComponentEntry {
        ComponentEntry {
            name: NameHash::from_bits(name),
            manager: ManagerId(0),
        }
    }

    #[test]
    fn a_first_child_shares_its_parents_list_and_others_have_their_own() {
        let mut lists = Lists::new();
        let first = lists.append(Lists::ROOT, 0, entry(1));
        let second = lists.append(Lists::ROOT, 0, entry(2));
        assert_ne!(first, second, "nobody shares the root's");
        let child = lists.append(first, 1, entry(3));
        let twin = lists.append(first, 1, entry(4));
        assert_eq!(child, first);
        assert_eq!(lists.entries(twin, 2), [entry(1), entry(4)]);
        assert_eq!(lists.entries(first, 2), [entry(1), entry(3)]);

        lists.remove_last(child, first);
        assert_eq!(lists.entries(first, 1), [entry(1)]);
        assert_eq!(
            lists.append(first, 1, entry(5)),
            first,
            "there is room behind it again"
        );
        lists.remove_last(twin, first);
        assert_eq!(
            lists.append(Lists::ROOT, 0, entry(6)),
            twin,
            "its number is used again"
        );
    }
}
