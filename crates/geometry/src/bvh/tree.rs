//! [`Tree`]: the arrays of one tree, and all changes to them except the rebuild.

use super::node::{EXTENT_OF_BOUNDED, LANES, Node, NodeFilter, bits};
use crate::Aabb;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// The content of [`Tree::items`] at a free slot.
pub const NO_ITEM: u32 = u32::MAX;

/// The most levels of a tree: eight to the eleventh leaves are more than `u32` slots can name.
pub(super) const LEVEL_COUNT_MAX: usize = 11;

/// The error of a box that is not finite or has inverted edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InvalidBox {
    /// The given box.
    pub given: Aabb,
}

impl fmt::Display for InvalidBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Aabb { min, max } = self.given;
        write!(
            f,
            "a box from ({}, {}) to ({}, {}) can not be put in a tree: give finite edges with min <= max",
            min.x, min.y, max.x, max.y
        )
    }
}

impl core::error::Error for InvalidBox {}

crate::plain_data! {
    /// The counts of a tree, kept as an array of one element so that all of a tree's state is arrays.
    #[derive(Debug, PartialEq)]
    pub struct TreeCounts {
        /// Number of items in the tree.
        pub items: u32,
        /// Number of slots in use since the last build, holes included; slot `s` is lane `s % 8` of leaf `s / 8`.
        pub slots: u32,
        /// Number of slots added after the last build.
        pub appended: u32,
        /// Number of leaves that the arrays have room for.
        pub leaf_capacity: u32,
        /// Number of levels, leaves included; zero before the first item.
        pub levels: u32,
        /// The summed perimeter of the leaves, per item, just after the last build, in meters.
        pub built_cost: f32,
        /// Number of leaves with changed boxes that commits found since the tree's cost was last summed up.
        pub changed_leaves: u32,
        /// The start of each level in [`Tree::nodes`], leaves first.
        pub level_starts: [u32; 11],
    }
}

/// A packed tree of boxes, eight to a node. See the [module](super) for the idea.
///
/// The four public arrays are its whole state, all plain data: a copy of them behaves the same from then on. They are
/// public so that a world can save and hash them and refit leaves in parallel; change them only as described at
/// [`levels_mut`](Self::levels_mut).
///
/// The caller identifies items by a `u32`; the tree returns the slot of a new one, and [`rebuild`](Self::rebuild) moves
/// items to other slots.
///
/// ```
/// use tombolo_geometry::bvh::{NodeFilter, Tree, Visit};
/// use tombolo_geometry::{Aabb, Vec2};
///
/// let mut tree = Tree::new();
/// for item in 0..100 {
///     let min = Vec2::new(2.0 * item as f32, 0.0);
///     tree.insert(item, Aabb::new(min, min + Vec2::ONE), NodeFilter::ALL)?;
/// }
/// let mut found = Vec::new();
/// tree.query_box(Aabb::new(Vec2::ZERO, Vec2::new(4.0, 1.0)), u64::MAX, |item| {
///     found.push(item);
///     Visit::Continue
/// });
/// found.sort_unstable();
/// assert_eq!(found, [0, 1, 2]);
/// # Ok::<(), tombolo_geometry::bvh::InvalidBox>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// All levels, one after the other, leaves first; each with room for `leaf_capacity` leaves.
    pub nodes: Vec<Node>,
    /// For each leaf the boxes of its lanes at the last commit; the other fields of these nodes have no meaning.
    pub previous: Vec<Node>,
    /// The item in each slot, or [`NO_ITEM`].
    pub items: Vec<u32>,
    /// The counts, as one element.
    pub counts: [TreeCounts; 1],
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

impl Tree {
    /// A tree without items.
    pub fn new() -> Self {
        let counts = TreeCounts {
            items: 0,
            slots: 0,
            appended: 0,
            leaf_capacity: 0,
            levels: 0,
            built_cost: 0.0,
            changed_leaves: 0,
            level_starts: [0; LEVEL_COUNT_MAX],
        };
        Self {
            nodes: Vec::new(),
            previous: Vec::new(),
            items: Vec::new(),
            counts: [counts],
        }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.counts[0].items as usize
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of levels, leaves included.
    pub fn level_count(&self) -> usize {
        self.counts[0].levels as usize
    }

    /// The box around all items; [`Aabb::EMPTY`] if there are none. O(1).
    pub fn bounds(&self) -> Aabb {
        self.nodes.last().map_or(Aabb::EMPTY, Node::bounds)
    }

    /// Number of nodes of a level that may have items below; leaves are level 0.
    pub(super) fn used(&self, level: usize) -> usize {
        let leaves = (self.counts[0].slots as usize).div_ceil(LANES);
        leaves.div_ceil(1 << (3 * level))
    }

    /// The index of a node in [`Tree::nodes`].
    #[inline(always)]
    pub(super) fn place(&self, level: usize, index: usize) -> usize {
        self.counts[0].level_starts[level] as usize + index
    }

    /// The box around all lanes of a node: read from the lane of its parent, which is cheaper than a union of eight
    /// lanes.
    #[inline(always)]
    pub(super) fn bounds_of(&self, level: usize, index: usize) -> Aabb {
        if level + 1 == self.level_count() {
            self.nodes[index + self.place(level, 0)].bounds()
        } else {
            self.nodes[self.place(level + 1, index / LANES)].lane(index % LANES)
        }
    }

    /// The nodes of a level that may have items below.
    pub(super) fn level(&self, level: usize) -> &[Node] {
        let start = self.place(level, 0);
        &self.nodes[start..start + self.used(level)]
    }

    /// Removes all items, and keeps the arrays. Cost: O(capacity).
    pub fn clear(&mut self) {
        self.nodes.fill(Node::EMPTY);
        self.previous.fill(Node::EMPTY);
        self.items.fill(NO_ITEM);
        let counts = &mut self.counts[0];
        (counts.items, counts.slots, counts.appended) = (0, 0, 0);
        (counts.built_cost, counts.changed_leaves) = (0.0, 0);
    }

    /// Adds an item and returns its slot. Until the next commit all its overlaps are new.
    ///
    /// # Errors
    ///
    /// [`InvalidBox`]; the tree is unchanged.
    ///
    /// Cost: O(log n), and a copy of the tree when it outgrows its arrays, which then double.
    pub fn insert(&mut self, item: u32, value: Aabb, filter: NodeFilter) -> Result<u32, InvalidBox> {
        check(value)?;
        let slot = self.counts[0].slots;
        if slot == self.counts[0].leaf_capacity * LANES as u32 {
            self.grow();
        }
        let counts = &mut self.counts[0];
        counts.slots += 1;
        counts.appended += 1;
        counts.items += 1;
        debug_assert!(
            item != NO_ITEM && self.items[slot as usize] == NO_ITEM,
            "slot {slot} is free"
        );
        self.items[slot as usize] = item;
        let (leaf, lane) = split(slot);
        debug_assert_eq!(self.nodes[leaf].lane(lane), Aabb::EMPTY, "a free slot has no box");
        self.nodes[leaf].change_lane(lane, value);
        self.nodes[leaf].widen(filter);
        self.update_path(leaf);
        Ok(slot)
    }

    /// Removes the item at a slot; the slot stays a hole until the next build. O(log n).
    ///
    /// # Panics
    ///
    /// If the slot holds no item.
    pub fn remove(&mut self, slot: u32) {
        assert!(self.items[slot as usize] != NO_ITEM, "slot {slot} holds no item");
        debug_assert!(
            slot < self.counts[0].slots && self.counts[0].items > 0,
            "slot {slot} is in use"
        );
        self.items[slot as usize] = NO_ITEM;
        self.counts[0].items -= 1;
        let (leaf, lane) = split(slot);
        self.previous[leaf].set_lane(lane, Aabb::EMPTY);
        let node = &mut self.nodes[leaf];
        node.set_lane(lane, Aabb::EMPTY);
        node.changed &= !(1 << lane);
        node.recheck &= !(1 << lane);
        self.update_path(leaf);
    }

    /// Sets the box of the item at a slot. O(log n); for many items at once see [`levels_mut`](Self::levels_mut).
    ///
    /// # Errors
    ///
    /// [`InvalidBox`]; the tree is unchanged.
    ///
    /// # Panics
    ///
    /// If the slot was never in use.
    pub fn set_box(&mut self, slot: u32, value: Aabb) -> Result<(), InvalidBox> {
        check(value)?;
        debug_assert!(self.items[slot as usize] != NO_ITEM, "slot {slot} holds an item");
        let (leaf, lane) = split(slot);
        self.nodes[leaf].change_lane(lane, value);
        self.update_path(leaf);
        debug_assert!(self.has_changed(), "the root knows of the change");
        Ok(())
    }

    /// Makes the next pair walk report all overlaps of the item at a slot, known or not, and sets its filter. O(log n).
    ///
    /// # Panics
    ///
    /// If the slot was never in use.
    pub fn recheck(&mut self, slot: u32, filter: NodeFilter) {
        debug_assert!(self.items[slot as usize] != NO_ITEM, "slot {slot} holds an item");
        let (leaf, lane) = split(slot);
        self.nodes[leaf].recheck |= 1 << lane;
        self.nodes[leaf].widen(filter);
        self.update_path(leaf);
    }

    /// The box of the item at a slot.
    ///
    /// # Panics
    ///
    /// If the slot was never in use.
    pub fn box_at(&self, slot: u32) -> Aabb {
        let (leaf, lane) = split(slot);
        self.nodes[leaf].lane(lane)
    }

    /// The box that the item at a slot had at the last commit; [`Aabb::EMPTY`] if it was not in the tree.
    ///
    /// # Panics
    ///
    /// If the slot was never in use.
    pub fn previous_box_at(&self, slot: u32) -> Aabb {
        let (leaf, lane) = split(slot);
        self.previous[leaf].lane(lane)
    }

    /// The parts of the tree that a refit writes, for callers that do it in parallel: a level's nodes, the nodes of the
    /// level below, and for level 0 an empty slice instead.
    ///
    /// A refit goes through the levels in order: in level 0 it calls [`Node::change_lane`] for the items that moved, in
    /// each level above [`Node::gather`] with node `i`'s children `8 i ..` (at most eight, fewer at the end) for every
    /// node that has an [active](Node::is_active) child. Nodes of a level may be processed in any order and by any
    /// worker.
    ///
    /// # Panics
    ///
    /// If there is no such level.
    pub fn levels_mut(&mut self, level: usize) -> (&mut [Node], &[Node], &[u32]) {
        let used = self.used(level);
        let start = self.place(level, 0);
        let used_below = if level == 0 { 0 } else { self.used(level - 1) };
        let start_below = if level == 0 { 0 } else { self.place(level - 1, 0) };
        let (below, here) = self.nodes.split_at_mut(start);
        (
            &mut here[..used],
            &below[start_below..start_below + used_below],
            &self.items,
        )
    }

    /// Declares the pairs of the present boxes known: later pair walks report overlaps that are new compared with now.
    /// Cost: O(changed leaves · log n).
    pub fn commit(&mut self) {
        let mut moved = 0;
        self.commit_above(&mut |tree, leaf| {
            moved += u32::from(tree.nodes[leaf].commit(&mut tree.previous[leaf]));
        });
        self.add_changed_leaves(moved);
        debug_assert!(!self.has_changed(), "nothing is new any more");
    }

    /// The first part of a [`commit`](Self::commit), for callers that do the rest in parallel: clears the marks of all
    /// nodes above the leaves, and appends the leaves that are [active](Node::is_active) to `leaves`, in order. Until
    /// the next call the caller commits each of them with its place in [`previous`](Self::previous), by
    /// [`Node::commit`], and passes the number of those that had moved to
    /// [`add_changed_leaves`](Self::add_changed_leaves). Cost: O(active leaves · log n).
    pub fn list_leaves_to_commit(&mut self, leaves: &mut Vec<u32>) {
        self.commit_above(&mut |_, leaf| leaves.push(leaf as u32));
    }

    /// Records that a commit found so many leaves with changed boxes.
    pub fn add_changed_leaves(&mut self, count: u32) {
        let changed_leaves = &mut self.counts[0].changed_leaves;
        *changed_leaves = changed_leaves.saturating_add(count);
    }

    /// Whether an item was added, changed or marked since the last commit. Cost: O(1).
    pub fn has_changed(&self) -> bool {
        let top = self.level_count().checked_sub(1);
        top.is_some_and(|top| self.nodes[self.place(top, 0)].is_active())
    }

    /// Clears the marks of the nodes above the leaves, and calls `commit` for the active leaves in order.
    fn commit_above(&mut self, commit: &mut impl FnMut(&mut Self, usize)) {
        if let Some(top) = self.level_count().checked_sub(1) {
            self.commit_below(top, 0, commit);
        }
    }

    fn commit_below(&mut self, level: usize, index: usize, commit: &mut impl FnMut(&mut Self, usize)) {
        let place = self.place(level, index);
        if level == 0 {
            if self.nodes[place].is_active() {
                commit(self, index);
            }
            return;
        }
        let changed = core::mem::take(&mut self.nodes[place].changed);
        for lane in bits(changed) {
            self.commit_below(level - 1, index * LANES + lane, commit);
        }
    }

    /// The summed perimeter of the leaves per item, in meters: a measure of the work of a walk. O(leaves).
    pub(super) fn cost(&self) -> f32 {
        if self.level_count() < 2 || self.is_empty() {
            return 0.0;
        }
        // A sum for each lane, so that the loop vectorizes.
        let mut sums = [0.0f32; LANES];
        for node in self.level(1) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let extent = node.max_x[lane] - node.min_x[lane] + node.max_y[lane] - node.min_y[lane];
                // A rebuild could not improve an unbounded leaf.
                let counts = extent > 0.0 && extent < EXTENT_OF_BOUNDED;
                *sum += if counts { extent } else { 0.0 };
            }
        }
        2.0 * sums.iter().sum::<f32>() / self.len() as f32
    }

    /// Updates the nodes above a leaf, up to the first that stays as it is: the nodes above that have nothing to gather.
    fn update_path(&mut self, leaf: usize) {
        let mut child = leaf;
        for level in 1..self.level_count() {
            let (below, here) = (self.place(level - 1, child), self.place(level, child / LANES));
            let (nodes_below, nodes) = self.nodes.split_at_mut(here);
            if !nodes[0].gather_lane(child % LANES, &nodes_below[below]) {
                return;
            }
            child /= LANES;
        }
    }

    /// Computes the upper levels from the leaves.
    pub(super) fn gather_all(&mut self) {
        for level in 1..self.level_count() {
            let (nodes, below, _) = self.levels_mut(level);
            for (node, children) in nodes.iter_mut().zip(below.chunks(LANES)) {
                node.gather(children);
            }
        }
    }

    /// Doubles the capacity for leaves.
    fn grow(&mut self) {
        let capacity = (2 * self.counts[0].leaf_capacity as usize).max(4);
        let leaves = self.used(0);
        let (starts, levels, place) = levels_for(capacity).expect("slots are numbered with 32 bits");
        let mut nodes = vec![Node::EMPTY; place];
        nodes[..leaves].copy_from_slice(&self.nodes[..leaves]);
        self.nodes = nodes;
        self.previous.resize(capacity, Node::EMPTY);
        self.items.resize(capacity * LANES, NO_ITEM);
        let counts = &mut self.counts[0];
        counts.leaf_capacity = capacity as u32;
        counts.levels = levels as u32;
        counts.level_starts = starts;
        self.gather_all();
    }
}

/// The start of each level for this many leaves, at least one; the number of levels and of nodes. `None` if slots had
/// more than 32 bits.
pub(super) fn levels_for(leaf_capacity: usize) -> Option<([u32; LEVEL_COUNT_MAX], usize, usize)> {
    if leaf_capacity > u32::MAX as usize / LANES {
        return None;
    }
    let mut starts = [0; LEVEL_COUNT_MAX];
    let (mut levels, mut place, mut size) = (0, 0, leaf_capacity);
    loop {
        starts[levels] = place as u32;
        place += size;
        levels += 1;
        if size == 1 {
            return Some((starts, levels, place));
        }
        size = size.div_ceil(LANES);
    }
}

/// The leaf and the lane of a slot.
#[inline]
pub(super) fn split(slot: u32) -> (usize, usize) {
    (slot as usize / LANES, slot as usize % LANES)
}

fn check(value: Aabb) -> Result<(), InvalidBox> {
    if value.is_valid() {
        Ok(())
    } else {
        Err(InvalidBox { given: value })
    }
}
