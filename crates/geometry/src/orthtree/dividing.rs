//! Dividing and collapsing of nodes: when a node opens, which objects it passes to its children, and when it closes and
//! is released.
//!
//! With a capacity a node is *open* when it has more objects than that: it passes objects of smaller cells on to its
//! children. A node that is not open has no children (except in layouts that keep them always). It closes again when
//! the objects in and below it are `collapse_count` or less; set to the capacity, the nodes depend on the boxes alone
//! and not on history. Without a capacity nodes need not record whether they are open.

use super::layout::HEIGHT_COUNT;
use super::{Cell, Layout, ObjectId, ObjectList, Orthtree, Strategy};
use alloc::vec::Vec;

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// Whether no node holds objects of smaller cells, so that it need not be recorded which are open.
    #[inline]
    pub(super) fn opens_at_once(&self) -> bool {
        !S::SHARED && self.settings.capacity == 0
    }

    /// Whether a node passes objects on to its children.
    #[inline]
    pub(super) fn is_open(&self, node: L::Node) -> bool {
        self.opens_at_once() || self.layout.object_list(node).is_open()
    }

    /// Opens a node whose list has grown over the capacity, and its children if they are too full in turn.
    #[inline]
    pub(super) fn open_if_full(&mut self, node: L::Node) {
        if !self.opens_at_once() {
            self.open_if_fuller(node);
        }
    }

    fn open_if_fuller(&mut self, node: L::Node) {
        let capacity = self.settings.capacity;
        let slot = *self.layout.object_list(node);
        let cell = self.layout.cell(node);
        if slot.count() <= capacity || slot.is_open() || cell.height == 0 {
            return;
        }
        if S::SHARED {
            // No more than the capacity were divisible before, so the newest opens the node only if it is. Without that
            // first question, zones that cover the cell would be counted anew with each of them.
            let mut owners = self.owners_in(&slot);
            let newest_is = owners
                .next()
                .is_some_and(|newest| self.is_divisible(newest, &cell));
            let others = owners.filter(|&owner| self.is_divisible(owner, &cell));
            if !newest_is || others.take(capacity as usize).count() < capacity as usize {
                return;
            }
        }
        self.open(node);
    }

    /// Opens a node: objects of smaller cells move there.
    pub(super) fn open(&mut self, node: L::Node) {
        self.layout.object_list_mut(node).set_open(true);
        let cell = self.layout.cell(node);
        for reference in self.references_of(node) {
            let id = self.objects.owner(reference);
            let reach = self.reach_of(id.index());
            if S::SHARED {
                let (_, bounds, key) = self.delist(reference);
                self.objects.unchain(reference);
                self.place_shared(id, key, &bounds, &reach, node);
                continue;
            }
            let target = reach.target(&self.lattice.root());
            if target.height < cell.height {
                let (_, bounds, key) = self.delist(reference);
                let child = self.holder(&target, node);
                self.enlist(reference, key, &bounds, child);
                self.open_if_full(child);
            }
        }
    }

    /// Rebalances the nodes of some cells. Rebalancing one node may release another, so each is looked up.
    pub(super) fn rebalance_cells(&mut self, cells: &[Cell<D>]) {
        for cell in cells {
            let node = self.layout.find(self.layout.root(), cell);
            self.rebalance(node);
        }
    }

    /// Rebalances after a reference has left `node`: closes nodes that may be closed and releases empty ones, from here
    /// upwards as long as anything changes.
    pub(super) fn rebalance(&mut self, mut node: L::Node) {
        loop {
            let counts = !self.opens_at_once();
            if counts && self.layout.object_list(node).is_open() && !self.close(node) {
                return;
            }
            let Some(parent) = self.layout.parent(node) else {
                return;
            };
            let is_empty = self.layout.object_list(node).count() == 0 && !self.is_open_above_children(node);
            let is_gone = is_empty && self.layout.release(node);
            self.epoch += u64::from(is_gone);
            if !is_gone && !counts {
                return;
            }
            node = parent;
        }
    }

    /// Whether a node has children that may hold objects.
    fn is_open_above_children(&self, node: L::Node) -> bool {
        !L::ALWAYS_COMPLETE && self.layout.child_mask(node) != 0
    }

    /// Moves the objects of a node's children back into it, if none of these is open and all together are few enough.
    fn close(&mut self, node: L::Node) -> bool {
        let children: Vec<L::Node> = (0..1 << D)
            .filter_map(|octant| self.layout.child(node, octant))
            .collect();
        if children
            .iter()
            .any(|&child| self.layout.object_list(child).is_open())
        {
            return false;
        }
        if !self.are_few(node, &children) {
            return false;
        }
        self.layout.object_list_mut(node).set_open(false);
        for child in children {
            self.absorb(node, child);
        }
        for octant in 0..1 << D {
            if let Some(child) = self.layout.child(node, octant) {
                self.layout.release(child);
            }
        }
        true
    }

    /// Empties the lists of all nodes and releases the nodes; all objects must be forgotten afterwards.
    pub(super) fn release_all(&mut self) {
        let mut cells = Vec::new();
        for index in 0..self.objects.objects.len() as u32 {
            for reference in self.objects.chain(index) {
                let node = self.objects.lists.node(self.objects.place_at(reference));
                if self.layout.object_list(node).count() > 0 {
                    self.layout.object_list_mut(node).empty();
                    cells.push(self.layout.cell(node));
                }
            }
        }
        self.epoch += cells.len() as u64;
        self.holding = [0; HEIGHT_COUNT];
        self.populated = 0;
        self.rebalance_cells(&cells);
    }

    /// Moves the references of a child to its parent, one for each object.
    fn absorb(&mut self, node: L::Node, child: L::Node) {
        for reference in self.references_of(child) {
            let id = self.objects.owner(reference);
            let (_, bounds, key) = self.delist(reference);
            let node_of = |other| self.objects.lists.node(self.objects.place_at(other));
            let is_other_here = |other| other != reference && node_of(other) == node;
            if S::SHARED && self.objects.chain(id.index()).any(is_other_here) {
                self.objects.unchain(reference);
            } else {
                self.enlist(reference, key, &bounds, node);
            }
        }
    }

    /// Whether the objects in a node and its children are `collapse_count` or less. Where each is in one list the
    /// lengths say it; else those that would be passed on again are counted, no more of a list than decide.
    fn are_few(&self, node: L::Node, children: &[L::Node]) -> bool {
        let count_max = self.settings.collapse_count as usize;
        let nodes = core::iter::once(node).chain(children.iter().copied());
        let lists = nodes.map(|node| self.layout.object_list(node));
        if !S::SHARED {
            let count: u64 = lists.map(|list| u64::from(list.count())).sum();
            return count <= u64::from(self.settings.collapse_count);
        }
        let cell = self.layout.cell(node);
        let mut divisible: Vec<ObjectId> = Vec::new();
        for list in lists {
            let owners = self.owners_in(list);
            let passed_on = owners.filter(|&owner| self.is_divisible(owner, &cell));
            divisible.extend(passed_on.take(count_max.saturating_add(1)));
        }
        divisible.sort_unstable();
        divisible.dedup();
        divisible.len() <= count_max
    }

    /// Whether an object would be passed on if a node with this cell were open. One that covers the whole cell would be
    /// in every child, so that passing it on gains nothing.
    fn is_divisible(&self, object: ObjectId, cell: &Cell<D>) -> bool {
        !self.reach_of(object.index()).covers(cell, &self.lattice.root())
    }

    /// The objects of a list, the last first.
    fn owners_in(&self, list: &ObjectList) -> impl Iterator<Item = ObjectId> {
        let blocks = self.objects.lists.block_views(list);
        let references = blocks.flat_map(|part| part.block.references[..part.count as usize].iter().rev());
        references.map(|&reference| self.objects.owner(reference))
    }

    /// The references of a node's list, in its order.
    fn references_of(&self, node: L::Node) -> Vec<u32> {
        self.objects.lists.references(self.layout.object_list(node))
    }
}
