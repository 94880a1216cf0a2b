//! `Edges`: a hash table from a prototype and one more component entry to the prototype that has both.
//!
//! An open table with linear probing (Knuth, The Art of Computer Programming, 6.4, algorithms L and R), at most half
//! full. An entry is the number of a child, whose node has the key: it is read next in any case, and a collision costs
//! a comparison and never a wrong answer. The table is never iterated: its order depends on hashes.
//!
//! Only `prototypes.rs` uses it.

use alloc::boxed::Box;
use core::marker::PhantomData;

use super::entry::ComponentEntry;
use super::mix::Mix;
use super::node::Node;

/// The number of entries of an empty table; a power of two.
const ENTRIES_MIN: usize = 16;

/// A free entry: the number of the root, which is the child of no node.
const FREE: u32 = 0;

/// The children of all prototypes, keyed by parent and last entry. Only the empty prototype is no child.
///
/// Invariants: the length is a power of two, at least half of it free; no free entry is between an entry and its home,
/// the place that its hash leads to.
#[derive(Debug)]
pub(super) struct Edges<M> {
    entries: Box<[u32]>,
    count: usize,
    mix: PhantomData<fn() -> M>,
}

impl<M> Clone for Edges<M> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            count: self.count,
            mix: PhantomData,
        }
    }
}

impl<M: Mix> Edges<M> {
    /// A table that need not grow for `children` children.
    pub(super) fn with_capacity_for(children: usize) -> Self {
        Self::with_entries((2 * children).next_power_of_two().max(ENTRIES_MIN))
    }

    fn with_entries(entries: usize) -> Self {
        Self {
            entries: alloc::vec![FREE; entries].into(),
            count: 0,
            mix: PhantomData,
        }
    }

    /// The number of children.
    pub(super) const fn len(&self) -> usize {
        self.count
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.entries)
    }

    /// The home of an edge: its place in a table without collisions. Numbers of prototypes are small and all different,
    /// so for one entry no two edges have the same home; and the home is one step from a prototype's number, for which
    /// the addition of a component has to wait.
    #[inline]
    fn home(&self, parent: u32, component: ComponentEntry) -> usize {
        (M::mix_entry(component) ^ parent) as usize
    }

    /// The child of a prototype that adds an entry.
    #[inline]
    pub(super) fn find(&self, nodes: &[Node], parent: u32, component: ComponentEntry) -> Option<u32> {
        let mut place = self.home(parent, component);
        loop {
            let child = self.entries[place & (self.entries.len() - 1)];
            if child == FREE {
                return None;
            }
            if nodes[child as usize].adds(parent, component) {
                return Some(child);
            }
            place += 1;
        }
    }

    /// Adds a child that is not in the table.
    pub(super) fn insert(&mut self, nodes: &[Node], child: u32) {
        if (self.count + 1) * 2 > self.entries.len() {
            let mut larger = Self::with_entries(self.entries.len() * 2);
            for &child in self.entries.iter().filter(|child| **child != FREE) {
                larger.put(nodes, child);
            }
            *self = larger;
        }
        self.put(nodes, child);
    }

    /// The home of a child that is in the table.
    fn home_of(&self, nodes: &[Node], child: u32) -> usize {
        let node = &nodes[child as usize];
        let entry = node.last_entry().expect("a child has an entry");
        self.home(node.parent, entry) & (self.entries.len() - 1)
    }

    /// Puts a child into the first free entry from its home on. The caller makes sure that there is one.
    fn put(&mut self, nodes: &[Node], child: u32) {
        let last = self.entries.len() - 1;
        let mut place = self.home_of(nodes, child);
        while self.entries[place] != FREE {
            place = (place + 1) & last;
        }
        self.entries[place] = child;
        self.count += 1;
    }

    /// Removes a child. Later entries of the same run move up, so that no gap separates one from its home.
    pub(super) fn remove(&mut self, nodes: &[Node], child: u32) {
        let last = self.entries.len() - 1;
        let mut gap = self.home_of(nodes, child);
        while self.entries[gap] != child {
            debug_assert!(self.entries[gap] != FREE, "only edges that are there are removed");
            gap = (gap + 1) & last;
        }
        let mut place = gap;
        loop {
            place = (place + 1) & last;
            let child = self.entries[place];
            if child == FREE {
                break;
            }
            let home = self.home_of(nodes, child);
            // The entry may move if the gap lies between its home and it.
            if place.wrapping_sub(home) & last >= place.wrapping_sub(gap) & last {
                self.entries[gap] = child;
                gap = place;
            }
        }
        self.entries[gap] = FREE;
        self.count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::FoldMix;
    use super::*;
    use crate::name::{ManagerId, NameHash};

    /// A hash with few different homes, so that runs meet, wrap round and are cut.
    enum Crowded {}

    impl Mix for Crowded {
        fn mix(_: u64, component: ComponentEntry) -> u64 {
            u64::from(component.name.to_bits() % 5 + 12)
        }
    }

    fn agrees_with_a_list<M: Mix>() {
        let (mut edges, mut list) = (Edges::<M>::with_capacity_for(0), Vec::new());
        let mut nodes = Vec::from([Node::root()]);
        let mut random = 1_u64;
        for child in 1..3000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let (parent, name) = ((random >> 40) as u32 % 9, (random >> 50) as u32 % 11);
            let component = ComponentEntry {
                name: NameHash::from_bits(name),
                manager: ManagerId((random >> 60) as u16 & 1),
            };
            nodes.push(Node::new(1, &[component], parent, 0));
            match list.iter().position(|&(p, r, _)| (p, r) == (parent, component)) {
                None => {
                    edges.insert(&nodes, child);
                    list.push((parent, component, child));
                }
                Some(place) => {
                    let (.., child) = list.swap_remove(place);
                    edges.remove(&nodes, child);
                    assert_eq!(edges.find(&nodes, parent, component), None);
                }
            }
            assert_eq!(edges.len(), list.len());
            for &(parent, component, child) in &list {
                assert_eq!(edges.find(&nodes, parent, component), Some(child));
            }
        }
    }

    #[test]
    fn the_edge_table_agrees_with_a_list_whatever_the_hash() {
        agrees_with_a_list::<FoldMix>();
        agrees_with_a_list::<Crowded>();
    }
}
