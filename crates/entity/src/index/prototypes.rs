//! `Prototypes`: the lists of components that entities have in common, each stored once.
//!
//! They form a tree. The root is the empty list; adding a component entry to a list leads to a child, which `edges.rs`
//! finds by its parent and its last entry. Each prototype (`node.rs`) has its whole list side by side (`lists.rs`), so
//! a look-up by name reads one short array.
//!
//! Only `shared.rs`, which counts the entities, and `save.rs` use it.
//!
//! The reasons are in `docs/decisions.md#interned-prototypes-instead-of-chained-hashes`.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::edges::Edges;
use super::entry::{
    COMPONENTS_MAX, ComponentEntry, ENTITIES_MAX, ENTRIES_MAX, HOLDERS_MAX, PrototypeId, PrototypeStamp,
};
use super::lists::{Lists, reserve_a_little};
use super::mix::Mix;
use super::node::Node;
use crate::name::{ManagerId, NameHash};

/// The number of cached removals, a power of two.
const REMOVALS_KEPT: usize = 64;

/// The result of removing a name from a list. It is valid as long as both prototypes live.
#[derive(Clone, Copy, Debug)]
struct Removal {
    from: PrototypeStamp,
    name: NameHash,
    to: PrototypeStamp,
}

impl Removal {
    const NONE: Self = Self {
        from: PrototypeStamp::NOWHERE,
        name: NameHash::from_bits(0),
        to: PrototypeStamp::NOWHERE,
    };

    /// The place in the cache.
    fn place(from: u32, name: NameHash) -> usize {
        (from ^ name.to_bits()) as usize % REMOVALS_KEPT
    }
}

/// Every list of components in use, each stored once.
///
/// Invariants: `edges` holds each live node but the root once; `free` holds each dead number once that has an epoch left;
/// a node's uses are its entities, its holders and its children, each fewer than 2²⁹, so that the sum is a `u32`; `holders`
/// has the live nodes with holders and no count of 0; `entry_count` is the length of all lists together.
#[derive(Debug)]
pub(super) struct Prototypes<M> {
    pub(super) nodes: Vec<Node>,
    lists: Lists,
    edges: Edges<M>,
    pub(super) free: Vec<u32>,
    // Nodes that were without uses when they were queued; the last is visited first.
    pub(super) queue: Vec<u32>,
    // The number of holders, by prototype. Few: the plans of resources.
    holders: BTreeMap<u32, u32>,
    entry_count: usize,
    // The cache of removals, allocated at the first one.
    removals: Option<Box<[Removal; REMOVALS_KEPT]>>,
}

impl<M> Clone for Prototypes<M> {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            lists: self.lists.clone(),
            edges: self.edges.clone(),
            free: self.free.clone(),
            queue: self.queue.clone(),
            holders: self.holders.clone(),
            entry_count: self.entry_count,
            removals: self.removals.clone(),
        }
    }
}

impl<M: Mix> Prototypes<M> {
    pub(super) fn new() -> Self {
        Self::from_nodes(
            Vec::from([Node::root()]),
            Lists::new(),
            Vec::new(),
            Vec::new(),
            BTreeMap::new(),
        )
    }

    /// Makes the tree from nodes whose parents, entries, counts, epochs and liveness are right, and holders that are
    /// included in the counts; everything else is computed.
    pub(super) fn from_nodes(
        nodes: Vec<Node>,
        lists: Lists,
        free: Vec<u32>,
        queue: Vec<u32>,
        holders: BTreeMap<u32, u32>,
    ) -> Self {
        let edges = Edges::with_capacity_for(nodes.len());
        let mut this = Self {
            nodes,
            lists,
            edges,
            free,
            queue,
            holders,
            entry_count: 0,
            removals: None,
        };
        for id in 0..this.nodes.len() as u32 {
            let len = this.nodes[id as usize].len();
            if len > 0 {
                this.edges.insert(&this.nodes, id);
            }
            this.entry_count += len;
            this.retain(id, 0);
        }
        for &id in &this.queue {
            this.nodes[id as usize].set_queued(true);
        }
        this
    }

    /// Queues nodes that are unused and not queued: none in an index of ours, but a file may have lost some.
    pub(super) fn enqueue_unused(&mut self) {
        for id in 1..self.nodes.len() as u32 {
            if self.nodes[id as usize].is_unused() {
                self.enqueue(id);
            }
        }
    }

    /// The list of a prototype.
    #[inline]
    pub(super) fn entries(&self, id: u32) -> &[ComponentEntry] {
        let node = &self.nodes[id as usize];
        self.lists.entries(node.list, node.len())
    }

    #[inline]
    pub(super) fn find(&self, id: u32, name: NameHash) -> Option<ComponentEntry> {
        let entries = self.entries(id);
        let place = self.nodes[id as usize].position(entries, name)?;
        Some(entries[place])
    }

    #[inline]
    pub(super) fn stamp(&self, id: u32) -> PrototypeStamp {
        PrototypeStamp {
            id: PrototypeId(id),
            epoch: self.nodes[id as usize].epoch,
        }
    }

    /// The node of a stamp, if it is still live.
    pub(super) fn get(&self, stamp: PrototypeStamp) -> Option<&Node> {
        let node = self.nodes.get(stamp.id.0 as usize)?;
        (node.is_live() && node.epoch == stamp.epoch).then_some(node)
    }

    /// The list with one more entry, created if it does not exist.
    #[inline]
    pub(super) fn with(&mut self, parent: u32, entry: ComponentEntry) -> Result<u32, Refused> {
        match self.edges.find(&self.nodes, parent, entry) {
            Some(child) => Ok(child),
            None => self.create(parent, entry),
        }
    }

    /// Fails in the same cases as [`Prototypes::with`], and changes nothing.
    pub(super) fn check_with(&self, parent: u32, entry: ComponentEntry) -> Result<(), Refused> {
        match self.edges.find(&self.nodes, parent, entry) {
            Some(_) => Ok(()),
            None => self.check_create(parent, entry),
        }
    }

    fn check_create(&self, parent: u32, entry: ComponentEntry) -> Result<(), Refused> {
        if let Some(taken) = self.find(parent, entry.name) {
            return Err(Refused::NameTaken(taken.manager));
        }
        let len = self.nodes[parent as usize].len();
        if len >= COMPONENTS_MAX {
            return Err(Refused::TooMany);
        }
        let is_full = self.free.is_empty() && self.nodes.len() >= ENTITIES_MAX as usize;
        if is_full || self.entry_count + len + 1 > ENTRIES_MAX {
            return Err(Refused::Full);
        }
        Ok(())
    }

    #[cold]
    fn create(&mut self, parent: u32, entry: ComponentEntry) -> Result<u32, Refused> {
        self.check_create(parent, entry)?;
        let (list, len) = (
            self.nodes[parent as usize].list,
            self.nodes[parent as usize].len(),
        );
        let list = self.lists.append(list, len, entry);
        let entries = self.lists.entries(list, len + 1);
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = Node::new(list, entries, parent, self.nodes[id as usize].epoch);
                id
            }
            None => {
                reserve_a_little(&mut self.nodes);
                self.nodes.push(Node::new(list, entries, parent, 0));
                (self.nodes.len() - 1) as u32
            }
        };
        self.entry_count += len + 1;
        let above = &mut self.nodes[parent as usize];
        above.child_count += 1;
        above.use_count += 1;
        self.edges.insert(&self.nodes, id);
        // The new node has no user yet; if none is added, collection frees it.
        self.enqueue(id);
        Ok(id)
    }

    /// The list without the entry of this name; `None` if it has none.
    pub(super) fn without(&mut self, id: u32, name: NameHash) -> Option<Result<u32, Refused>> {
        let from = self.stamp(id);
        if let Some(removals) = &self.removals {
            let known = removals[Removal::place(id, name)];
            if known.from == from && known.name == name && self.get(known.to).is_some() {
                return Some(Ok(known.to.id.0));
            }
        }
        let entries = self.entries(id);
        let place = self.nodes[id as usize].position(entries, name)?;
        let kept: Vec<ComponentEntry> = entries[place + 1..].to_vec();
        let mut base = id;
        for _ in 0..=kept.len() {
            base = self.nodes[base as usize].parent;
        }
        let target = kept
            .into_iter()
            .try_fold(base, |base, entry| self.with(base, entry));
        if let Ok(target) = target {
            let to = self.stamp(target);
            let removals = self
                .removals
                .get_or_insert_with(|| Box::new([Removal::NONE; REMOVALS_KEPT]));
            removals[Removal::place(id, name)] = Removal { from, name, to };
        }
        Some(target)
    }

    #[inline]
    pub(super) fn retain(&mut self, id: u32, count: u32) {
        let node = &mut self.nodes[id as usize];
        if node.retain(count) {
            node.consider_table(self.lists.entries(node.list, node.len()));
        }
    }

    #[inline]
    pub(super) fn release(&mut self, id: u32) {
        let node = &mut self.nodes[id as usize];
        debug_assert!(node.user_count() > 0);
        node.use_count -= 1;
        if node.use_count == 0 {
            self.enqueue(id);
        }
    }

    /// Counts a holder as a user.
    pub(super) fn hold(&mut self, id: u32) -> Result<(), Refused> {
        let count = self.holders.entry(id).or_insert(0);
        if *count >= HOLDERS_MAX {
            return Err(Refused::Full);
        }
        *count += 1;
        self.retain(id, 1);
        Ok(())
    }

    /// Removes a holder; false if there is none.
    pub(super) fn unhold(&mut self, id: u32) -> bool {
        let Some(count) = self.holders.get_mut(&id) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            self.holders.remove(&id);
        }
        self.release(id);
        true
    }

    /// The number of holders of a list.
    pub(super) fn holder_count(&self, id: u32) -> u32 {
        self.holders.get(&id).copied().unwrap_or(0)
    }

    /// Moves a user from a list to a child of it, without a count of 0 in between that would queue a node.
    #[inline]
    pub(super) fn descend(&mut self, parent: u32, child: u32) {
        debug_assert_eq!(self.nodes[child as usize].parent, parent);
        self.nodes[parent as usize].use_count -= 1;
        self.retain(child, 1);
    }

    #[cold]
    fn enqueue(&mut self, id: u32) {
        let node = &mut self.nodes[id as usize];
        if id != 0 && !node.is_queued() {
            node.set_queued(true);
            reserve_a_little(&mut self.queue);
            self.queue.push(id);
        }
    }

    /// Visits up to `budget` queued nodes and frees those that are unused; returns the number freed. A parent that
    /// becomes unused comes next, so a sufficient budget leaves nothing unused.
    pub(super) fn collect(&mut self, budget: usize) -> usize {
        let mut freed = 0;
        for _ in 0..budget {
            let Some(id) = self.queue.pop() else { break };
            self.nodes[id as usize].set_queued(false);
            if self.nodes[id as usize].is_unused() {
                self.free_node(id);
                freed += 1;
            }
        }
        freed
    }

    fn free_node(&mut self, id: u32) {
        debug_assert!(!self.holders.contains_key(&id));
        let Node {
            parent, epoch, list, ..
        } = self.nodes[id as usize];
        self.entry_count -= self.nodes[id as usize].len();
        self.edges.remove(&self.nodes, id);
        self.lists.remove_last(list, self.nodes[parent as usize].list);
        self.nodes[id as usize] = Node::dead(epoch.saturating_add(1));
        // A number whose epochs have run out is never used again, so that no old stamp becomes valid again.
        if epoch < u32::MAX - 1 {
            self.free.push(id);
        }
        let above = &mut self.nodes[parent as usize];
        above.child_count -= 1;
        above.use_count -= 1;
        if above.is_unused() {
            self.enqueue(parent);
        }
    }

    /// The number of live prototypes, the root not counted.
    pub(super) fn count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.nodes.iter().map(Node::bytes).sum::<usize>()
            + self.lists.bytes()
            + self.edges.bytes()
            + self.removals.as_deref().map_or(0, size_of_val)
            + (self.free.capacity() + self.queue.capacity()) * size_of::<u32>()
            + self.holders.len() * size_of::<(u32, u32)>()
    }
}

/// The reason why a list has no child for an entry; `shared.rs` adds the entity.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refused {
    NameTaken(ManagerId),
    TooMany,
    Full,
}
