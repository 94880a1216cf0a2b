//! `Prototypes`: the lists of components that entities have in common, each kept once.
//!
//! A tree. The root is the empty list; adding a row to a list leads to a child. A child is found by its parent and its last
//! row, compared in full, so a hash collision costs a comparison and nothing else. Each prototype keeps its whole list,
//! so a look-up by name reads one short array.
//!
//! What may touch it: `shared.rs`, which counts the entities, and `save.rs`.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::marker::PhantomData;

use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use super::mix::Mix;
use super::{COMPONENTS_MAX, ENTITIES_MAX, Row};
use crate::manager::ManagerId;
use crate::name::NameHash;

/// Lists up to this long are searched from the front, or by a table once they have users; longer ones by halving an order
/// by name.
const SCANNED_ROWS_MAX: usize = 16;

/// Lists that so many entities have get a table: those that an entity only passes through while it is put together do not.
const TABLE_USERS: u32 = 8;

/// Places in a table, a power of two.
const TABLE_BITS: u32 = 5;
const TABLE_LEN: usize = 1 << TABLE_BITS;

/// How many multipliers are tried. Eleven names find one in 6 tries or so, sixteen in 50.
const MULTIPLIERS_TRIED: u32 = 1000;

/// The number of a prototype: small, the same in every run that does the same calls, reused after collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PrototypeId(pub(super) u32);

impl PrototypeId {
    /// The empty list.
    pub const EMPTY: Self = Self(0);

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The prototype of a number, which need not exist.
    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }
}

/// A prototype and which life of its number: what a cache may hold, since it never matches a later prototype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrototypeStamp {
    /// The number.
    pub id: PrototypeId,
    /// How many prototypes had this number before.
    pub epoch: u32,
}

/// One list of components.
///
/// Invariants: `rows` is the parent's rows and one more (the root has none); no name stands twice; `by_name` is empty; or
/// the places of `rows` in the order of names; or, if `multiplier` is not 0, a table in which each name's place stands
/// where its hash leads; `child_count` counts the live nodes with this parent; `last_child` is
/// one of them, or the root for none; a node without users and children is in the queue.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) rows: Box<[Row]>,
    by_name: Box<[u16]>,
    multiplier: u32,
    pub(super) parent: u32,
    /// Entities that have this list, and holders.
    pub(super) user_count: u32,
    child_count: u32,
    pub(super) epoch: u32,
    // Which child the last addition led to: spawning repeats itself.
    last_child: u32,
    // Where the last removal led to; checked by its stamp, since the target may have been collected.
    last_removal: Option<(NameHash, PrototypeStamp)>,
    pub(super) live: bool,
    queued: bool,
}

const _: () = assert!(size_of::<Node>() == 80);

impl Node {
    pub(super) fn new(rows: Box<[Row]>, parent: u32, epoch: u32) -> Self {
        Self {
            by_name: if rows.len() > SCANNED_ROWS_MAX {
                order_by_name(&rows)
            } else {
                Box::default()
            },
            multiplier: 0,
            rows,
            parent,
            user_count: 0,
            child_count: 0,
            epoch,
            last_child: 0,
            last_removal: None,
            live: true,
            queued: false,
        }
    }

    /// A number that no prototype has now.
    pub(super) fn dead(epoch: u32) -> Self {
        Self {
            live: false,
            ..Self::new(Box::default(), 0, epoch)
        }
    }

    /// Whether this is the child of `parent` that adds `row`.
    fn is_child(&self, parent: u32, row: Row) -> bool {
        self.parent == parent && self.rows.last() == Some(&row)
    }

    const fn is_unused(&self) -> bool {
        self.live && self.user_count == 0 && self.child_count == 0
    }

    /// The place of a name in `rows`.
    #[inline]
    fn position(&self, name: NameHash) -> Option<usize> {
        if self.multiplier != 0 {
            let place = usize::from(self.by_name[table_place(name, self.multiplier)]);
            return self.rows.get(place).filter(|row| row.name == name).map(|_| place);
        }
        if self.by_name.is_empty() {
            // To the end in any case: where a name stands is hard to foretell, how long the list is less so.
            let mut found = None;
            for (place, row) in self.rows.iter().enumerate() {
                if row.name == name {
                    found = Some(place);
                }
            }
            return found;
        }
        let name_at = |place: &u16| self.rows[usize::from(*place)].name;
        let found = self.by_name.binary_search_by_key(&name, name_at).ok()?;
        Some(usize::from(self.by_name[found]))
    }

    /// Whether a table would pay and was not tried.
    #[inline]
    fn wants_table(&self) -> bool {
        self.user_count >= TABLE_USERS && self.by_name.is_empty() && self.rows.len() > 1
    }

    /// Looks for a multiplier under which no two names meet, and makes the table; else an order by name.
    #[cold]
    fn make_table(&mut self) {
        // Odd numbers in a fixed row, so that every run makes the same tables.
        for number in 1..=MULTIPLIERS_TRIED {
            let multiplier = number.wrapping_mul(0x9E37_79B9) | 1;
            let mut table = [u16::MAX; TABLE_LEN];
            let fits = self.rows.iter().enumerate().all(|(place, row)| {
                let slot = &mut table[table_place(row.name, multiplier)];
                core::mem::replace(slot, place as u16) == u16::MAX
            });
            if fits {
                self.by_name = Box::new(table);
                self.multiplier = multiplier;
                return;
            }
        }
        self.by_name = order_by_name(&self.rows);
    }
}

#[inline]
const fn table_place(name: NameHash, multiplier: u32) -> usize {
    (name.to_bits().wrapping_mul(multiplier) >> (u32::BITS - TABLE_BITS)) as usize
}

fn order_by_name(rows: &[Row]) -> Box<[u16]> {
    let mut order: Vec<u16> = (0..rows.len() as u16).collect();
    order.sort_unstable_by_key(|&place| rows[usize::from(place)].name);
    order.into()
}

/// Every list of components in use, each once.
///
/// Invariants: `edges` holds each live node but the root once; `free` holds each dead number once that has an epoch left.
#[derive(Debug)]
pub(super) struct Prototypes<M> {
    pub(super) nodes: Vec<Node>,
    // By parent and last row. Never walked: its order depends on hashes.
    edges: HashTable<u32>,
    pub(super) free: Vec<u32>,
    // Nodes that were without users and children when they came in; the last is looked at first.
    pub(super) queue: Vec<u32>,
    mix: PhantomData<fn() -> M>,
}

impl<M> Clone for Prototypes<M> {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            edges: self.edges.clone(),
            free: self.free.clone(),
            queue: self.queue.clone(),
            mix: PhantomData,
        }
    }
}

impl<M: Mix> Prototypes<M> {
    pub(super) fn new() -> Self {
        Self::from_nodes(
            Vec::from([Node::new(Box::default(), 0, 0)]),
            Vec::new(),
            Vec::new(),
        )
    }

    /// From nodes whose parents, rows, users, epochs and life are right; everything else is worked out.
    pub(super) fn from_nodes(nodes: Vec<Node>, free: Vec<u32>, queue: Vec<u32>) -> Self {
        let mut this = Self {
            nodes,
            edges: HashTable::new(),
            free,
            queue,
            mix: PhantomData,
        };
        for id in 1..this.nodes.len() as u32 {
            if this.nodes[id as usize].live {
                let parent = this.nodes[id as usize].parent;
                this.nodes[parent as usize].child_count += 1;
                this.insert_edge(id);
                if this.nodes[id as usize].wants_table() {
                    this.nodes[id as usize].make_table();
                }
            }
        }
        for place in 0..this.queue.len() {
            this.nodes[this.queue[place] as usize].queued = true;
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
    pub(super) fn find(&self, id: u32, name: NameHash) -> Option<Row> {
        let node = &self.nodes[id as usize];
        node.position(name).map(|place| node.rows[place])
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

    /// The list with one more row.
    #[inline]
    pub(super) fn with(&mut self, parent: u32, row: Row) -> Result<u32, Refused> {
        let last = self.nodes[parent as usize].last_child;
        if last != 0 && self.nodes[last as usize].is_child(parent, row) {
            return Ok(last);
        }
        let child = match self.child(parent, row) {
            Some(child) => child,
            None => self.create(parent, row)?,
        };
        self.nodes[parent as usize].last_child = child;
        Ok(child)
    }

    fn child(&self, parent: u32, row: Row) -> Option<u32> {
        let found = self.edges.find(M::mix(u64::from(parent), row), |&id| {
            self.nodes[id as usize].is_child(parent, row)
        });
        found.copied()
    }

    #[cold]
    fn create(&mut self, parent: u32, row: Row) -> Result<u32, Refused> {
        if let Some(taken) = self.find(parent, row.name) {
            return Err(Refused::NameTaken(taken.manager));
        }
        let rows = &self.nodes[parent as usize].rows;
        if rows.len() >= COMPONENTS_MAX {
            return Err(Refused::TooMany);
        }
        let rows: Box<[Row]> = rows.iter().copied().chain([row]).collect();
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = Node::new(rows, parent, self.nodes[id as usize].epoch);
                id
            }
            None if self.nodes.len() >= ENTITIES_MAX as usize => return Err(Refused::Full),
            None => {
                if self.nodes.len() == self.nodes.capacity() {
                    // Grows by an eighth at a time: nodes are few and large.
                    self.nodes.reserve_exact((self.nodes.len() / 8).max(8));
                }
                self.nodes.push(Node::new(rows, parent, 0));
                (self.nodes.len() - 1) as u32
            }
        };
        self.nodes[parent as usize].child_count += 1;
        self.insert_edge(id);
        // It has no user yet; if nobody comes, collection finds it.
        self.enqueue(id);
        Ok(id)
    }

    fn insert_edge(&mut self, id: u32) {
        let hash = hash_of::<M>(&self.nodes[id as usize]);
        let nodes = &self.nodes;
        self.edges
            .insert_unique(hash, id, |&id| hash_of::<M>(&nodes[id as usize]));
    }

    /// The list without the row of this name; `None` if it has none.
    pub(super) fn without(&mut self, id: u32, name: NameHash) -> Option<Result<u32, Refused>> {
        let node = &self.nodes[id as usize];
        if let Some((last, stamp)) = node.last_removal
            && last == name
            && self.get(stamp).is_some()
        {
            return Some(Ok(stamp.id.0));
        }
        let place = node.position(name)?;
        let kept: Vec<Row> = node.rows[place + 1..].to_vec();
        let mut base = id;
        for _ in 0..=kept.len() {
            base = self.nodes[base as usize].parent;
        }
        let target = kept.into_iter().try_fold(base, |base, row| self.with(base, row));
        if let Ok(target) = target {
            self.nodes[id as usize].last_removal = Some((name, self.stamp(target)));
        }
        Some(target)
    }

    #[inline]
    pub(super) fn retain(&mut self, id: u32, count: u32) {
        let node = &mut self.nodes[id as usize];
        node.user_count += count;
        if node.wants_table() {
            node.make_table();
        }
    }

    #[inline]
    pub(super) fn release(&mut self, id: u32) {
        let node = &mut self.nodes[id as usize];
        debug_assert!(node.user_count > 0);
        node.user_count -= 1;
        if node.user_count == 0 && node.child_count == 0 {
            self.enqueue(id);
        }
    }

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
        let hash = hash_of::<M>(&self.nodes[id as usize]);
        if let Ok(entry) = self.edges.find_entry(hash, |&other| other == id) {
            entry.remove();
        }
        let Node { parent, epoch, .. } = self.nodes[id as usize];
        self.nodes[id as usize] = Node::dead(epoch.saturating_add(1));
        // A number whose epochs have run out is never used again, so that no stamp comes back to life.
        if epoch < u32::MAX - 1 {
            self.free.push(id);
        }
        let above = &mut self.nodes[parent as usize];
        above.child_count -= 1;
        if above.last_child == id {
            above.last_child = 0;
        }
        if above.is_unused() {
            self.enqueue(parent);
        }
    }

    /// How many prototypes live, the root not counted.
    pub(super) fn count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self
            .nodes
            .iter()
            .map(|node| size_of_val(&*node.rows) + size_of_val(&*node.by_name));
        self.nodes.capacity() * size_of::<Node>()
            + lists.sum::<usize>()
            + self.edges.allocation_size()
            + (self.free.capacity() + self.queue.capacity()) * size_of::<u32>()
    }
}

fn hash_of<M: Mix>(node: &Node) -> u64 {
    node.rows
        .last()
        .map_or(0, |&row| M::mix(u64::from(node.parent), row))
}

/// Why a list has no successor; `shared.rs` adds whose list it was.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refused {
    NameTaken(ManagerId),
    TooMany,
    Full,
}
