//! `Prototypes`: the lists of components that entities have in common, each kept once.
//!
//! A tree. The root is the empty list; adding a component entry to a list leads to a child, which `edges.rs` finds
//! by its parent and its last entry. Each prototype keeps its whole list (`node.rs`), so a look-up by name reads one
//! short array.
//!
//! Only `shared.rs`, which counts the entities, and `save.rs` use it.
//!
//! Why: `docs/decisions.md#interned-prototypes-instead-of-chained-hashes`.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::edges::Edges;
use super::entry::{
    COMPONENTS_MAX, ComponentEntry, ENTITIES_MAX, ENTRIES_MAX, HOLDERS_MAX, PrototypeId, PrototypeStamp,
};
use super::mix::Mix;
use super::node::Node;
use crate::name::{ManagerId, NameHash};

/// Every list of components in use, each once.
///
/// Invariants: `edges` holds each live node but the root once; `free` holds each dead number once that has an epoch left;
/// a node's uses are its entities, its holders and its children, each fewer than 2²⁹, so that the sum is a `u32`; `holders`
/// has the live nodes with holders and no count of 0; `entry_count` is the length of all lists together.
#[derive(Debug)]
pub(super) struct Prototypes<M> {
    pub(super) nodes: Vec<Node>,
    edges: Edges<M>,
    pub(super) free: Vec<u32>,
    // Nodes that were without uses when they came in; the last is looked at first.
    pub(super) queue: Vec<u32>,
    // By number. Few: the plans of resources.
    holders: BTreeMap<u32, u32>,
    entry_count: usize,
}

impl<M> Clone for Prototypes<M> {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            edges: self.edges.clone(),
            free: self.free.clone(),
            queue: self.queue.clone(),
            holders: self.holders.clone(),
            entry_count: self.entry_count,
        }
    }
}

impl<M: Mix> Prototypes<M> {
    pub(super) fn new() -> Self {
        Self::from_nodes(
            Vec::from([Node::new(Box::default(), 0, 0)]),
            Vec::new(),
            Vec::new(),
            BTreeMap::new(),
        )
    }

    /// From nodes whose parents, entries, counts, epochs and life are right, and holders that the counts have in them;
    /// everything else is worked out.
    pub(super) fn from_nodes(
        nodes: Vec<Node>,
        free: Vec<u32>,
        queue: Vec<u32>,
        holders: BTreeMap<u32, u32>,
    ) -> Self {
        let edges = Edges::with_capacity_for(nodes.len());
        let mut this = Self {
            nodes,
            edges,
            free,
            queue,
            holders,
            entry_count: 0,
        };
        for (id, node) in (0..).zip(&mut this.nodes) {
            if let Some(&entry) = node.entries.last() {
                this.edges.insert(node.parent, entry, id);
            }
            this.entry_count += node.entries.len();
            node.retain(0);
        }
        for &id in &this.queue {
            this.nodes[id as usize].queued = true;
        }
        this
    }

    /// Queues what is unused and not queued: nothing in an index of ours, but a file may have lost it.
    pub(super) fn enqueue_unused(&mut self) {
        for id in 1..self.nodes.len() as u32 {
            if self.nodes[id as usize].is_unused() {
                self.enqueue(id);
            }
        }
    }

    #[inline]
    pub(super) fn find(&self, id: u32, name: NameHash) -> Option<ComponentEntry> {
        let node = &self.nodes[id as usize];
        node.position(name).map(|place| node.entries[place])
    }

    pub(super) fn stamp(&self, id: u32) -> PrototypeStamp {
        PrototypeStamp {
            id: PrototypeId(id),
            epoch: self.nodes[id as usize].epoch,
        }
    }

    /// The node of a stamp, if it still lives.
    pub(super) fn get(&self, stamp: PrototypeStamp) -> Option<&Node> {
        let node = self.nodes.get(stamp.id.0 as usize)?;
        (node.live && node.epoch == stamp.epoch).then_some(node)
    }

    /// The list with one more entry.
    #[inline]
    pub(super) fn with(&mut self, parent: u32, entry: ComponentEntry) -> Result<u32, Refused> {
        match self.edges.find(parent, entry) {
            Some(child) => Ok(child),
            None => self.create(parent, entry),
        }
    }

    /// Refuses what [`Prototypes::with`] refuses, and changes nothing.
    pub(super) fn check_with(&self, parent: u32, entry: ComponentEntry) -> Result<(), Refused> {
        match self.edges.find(parent, entry) {
            Some(_) => Ok(()),
            None => self.check_create(parent, entry),
        }
    }

    fn check_create(&self, parent: u32, entry: ComponentEntry) -> Result<(), Refused> {
        if let Some(taken) = self.find(parent, entry.name) {
            return Err(Refused::NameTaken(taken.manager));
        }
        let entries = &self.nodes[parent as usize].entries;
        if entries.len() >= COMPONENTS_MAX {
            return Err(Refused::TooMany);
        }
        let is_full = self.free.is_empty() && self.nodes.len() >= ENTITIES_MAX as usize;
        if is_full || self.entry_count + entries.len() + 1 > ENTRIES_MAX {
            return Err(Refused::Full);
        }
        Ok(())
    }

    #[cold]
    fn create(&mut self, parent: u32, entry: ComponentEntry) -> Result<u32, Refused> {
        self.check_create(parent, entry)?;
        let entries = &self.nodes[parent as usize].entries;
        let entry_count = self.entry_count + entries.len() + 1;
        let entries: Box<[ComponentEntry]> = entries.iter().copied().chain([entry]).collect();
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = Node::new(entries, parent, self.nodes[id as usize].epoch);
                id
            }
            None => {
                if self.nodes.len() == self.nodes.capacity() {
                    // Grows by an eighth at a time: nodes are few and large.
                    self.nodes.reserve_exact((self.nodes.len() / 8).max(8));
                }
                self.nodes.push(Node::new(entries, parent, 0));
                (self.nodes.len() - 1) as u32
            }
        };
        self.entry_count = entry_count;
        let above = &mut self.nodes[parent as usize];
        above.child_count += 1;
        above.use_count += 1;
        self.edges.insert(parent, entry, id);
        // It has no user yet; if nobody comes, collection finds it.
        self.enqueue(id);
        Ok(id)
    }

    /// The list without the entry of this name; `None` if it has none.
    pub(super) fn without(&mut self, id: u32, name: NameHash) -> Option<Result<u32, Refused>> {
        let node = &self.nodes[id as usize];
        let (last, stamp) = node.last_removal;
        if last == name && self.get(stamp).is_some() {
            return Some(Ok(stamp.id.0));
        }
        let place = node.position(name)?;
        let kept: Vec<ComponentEntry> = node.entries[place + 1..].to_vec();
        let mut base = id;
        for _ in 0..=kept.len() {
            base = self.nodes[base as usize].parent;
        }
        let target = kept
            .into_iter()
            .try_fold(base, |base, entry| self.with(base, entry));
        if let Ok(target) = target {
            self.nodes[id as usize].last_removal = (name, self.stamp(target));
        }
        Some(target)
    }

    #[inline]
    pub(super) fn retain(&mut self, id: u32, count: u32) {
        self.nodes[id as usize].retain(count);
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

    /// Ends a holder; false if there is none.
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

    /// How many holders a list has.
    pub(super) fn holder_count(&self, id: u32) -> u32 {
        self.holders.get(&id).copied().unwrap_or(0)
    }

    /// Moves a user from a list to a child of it, so that no count comes to nothing.
    #[inline]
    pub(super) fn descend(&mut self, parent: u32, child: u32) {
        debug_assert_eq!(self.nodes[child as usize].parent, parent);
        self.nodes[parent as usize].use_count -= 1;
        self.nodes[child as usize].retain(1);
    }

    #[cold]
    fn enqueue(&mut self, id: u32) {
        let node = &mut self.nodes[id as usize];
        if id != 0 && !node.queued {
            node.queued = true;
            self.queue.push(id);
        }
    }

    /// Looks at up to `budget` queued nodes and frees those that are unused; how many that were. A parent that becomes
    /// unused comes next, so a budget that lasts leaves nothing unused.
    pub(super) fn collect(&mut self, budget: usize) -> usize {
        let mut freed = 0;
        for _ in 0..budget {
            let Some(id) = self.queue.pop() else { break };
            self.nodes[id as usize].queued = false;
            if self.nodes[id as usize].is_unused() {
                self.free_node(id);
                freed += 1;
            }
        }
        freed
    }

    fn free_node(&mut self, id: u32) {
        debug_assert!(!self.holders.contains_key(&id));
        let Node { parent, epoch, .. } = self.nodes[id as usize];
        self.entry_count -= self.nodes[id as usize].entries.len();
        if let Some(&entry) = self.nodes[id as usize].entries.last() {
            self.edges.remove(parent, entry);
        }
        self.nodes[id as usize] = Node::dead(epoch.saturating_add(1));
        // A number whose epochs have run out is never used again, so that no stamp comes back to life.
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

    /// How many prototypes live, the root not counted.
    pub(super) fn count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.nodes.iter().map(Node::bytes).sum::<usize>()
            + self.edges.bytes()
            + (self.free.capacity() + self.queue.capacity()) * size_of::<u32>()
            + self.holders.len() * size_of::<(u32, u32)>()
    }
}

/// Why a list has no successor; `shared.rs` adds whose list it was.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refused {
    NameTaken(ManagerId),
    TooMany,
    Full,
}
