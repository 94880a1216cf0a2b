//! Rebuilding the tree: sort all items along the Hilbert curve, fill the leaves with eight items each, and compute the
//! levels above.
//!
//! Items much larger than the average are sorted separately, at the end of the order, by a size class in the key's
//! upper bits: one long wall in a leaf of pebbles would make that leaf, and all nodes above it, as long as the wall.

use super::hilbert::place_along_curve;
use super::node::{EXTENT_OF_BOUNDED, LANES, Node, NodeFilter};
use super::tree::{NO_ITEM, Tree, split};
use crate::{Aabb, Vec2};
use alloc::vec::Vec;

/// The number of items below which a comparison sort is faster than three passes of the radix sort.
const RADIX_COUNT_MIN: usize = 512;

/// Bits of a radix digit: three of them cover the 34 bits of a key.
const DIGIT_BITS: u32 = 12;

/// Bits below the key, for the place of the item in the list that is sorted.
const INDEX_BITS: u32 = 30;

/// The number of appended slots and holes up to which a build is never worthwhile.
const SLACK: u32 = 32;

/// The tree's cost is summed up when one in this many leaves changed: the sum is then a small cost per change, and
/// costs nothing in a tree that hardly changes, however large it is.
const LEAVES_PER_CHANGE: u32 = 8;

/// The factor by which the tree's cost may grow after a build before the next.
const COST_GROWTH_MAX: f32 = 1.25;

/// Scratch memory of a build. Its contents do not matter between builds; keep it so that builds do not allocate.
#[derive(Clone, Debug, Default)]
pub struct BuildScratch {
    entries: Vec<BuildItem>,
    keys: Vec<u64>,
    sorted: Vec<u64>,
    offsets: Vec<u32>,
}

/// An item between its old slot and its new one.
#[derive(Clone, Copy, Debug)]
struct BuildItem {
    present: Aabb,
    previous: Aabb,
    item: u32,
    changed: bool,
    recheck: bool,
}

impl Tree {
    /// Whether a rebuild is worth its cost: many items were added or removed since the last one, or the leaves have
    /// grown. Growth is measured after a commit, when an eighth of the leaves changed since the last measurement; a
    /// tree that was never built is stale. A function of the tree's state alone. Cost: O(1) for each change.
    pub fn is_stale(&mut self) -> bool {
        let counts = &mut self.counts[0];
        let holes = counts.slots - counts.items;
        if 4 * (holes + counts.appended) > counts.items + 4 * SLACK {
            return true;
        }
        let leaf_count = counts.slots.div_ceil(LANES as u32);
        let was_built = counts.built_cost > 0.0;
        if was_built && counts.changed_leaves < leaf_count.div_ceil(LEAVES_PER_CHANGE) {
            return false;
        }
        counts.changed_leaves = 0;
        self.level_count() > 1 && self.cost() > COST_GROWTH_MAX * self.counts[0].built_cost
    }

    /// Sorts all items and packs them anew. Overlaps known before stay known, marks stay with their items.
    ///
    /// `filter_of` returns an item's filter; `moved_to` is called with the new slot of each item, in the order of
    /// slots.
    ///
    /// Cost: O(n), about 22 ns an item; does not allocate if `scratch` has seen as many items before.
    pub fn rebuild(
        &mut self,
        scratch: &mut BuildScratch,
        filter_of: impl Fn(u32) -> NodeFilter,
        mut moved_to: impl FnMut(u32, u32),
    ) {
        self.take_entries(&mut scratch.entries);
        scratch.sort();
        self.nodes.fill(Node::EMPTY);
        self.items.fill(NO_ITEM);
        for (slot, key) in scratch.keys.iter().enumerate() {
            let entry = &scratch.entries[(key & ((1 << INDEX_BITS) - 1)) as usize];
            let (leaf, lane) = (slot / LANES, slot % LANES);
            if lane == 0 {
                self.previous[leaf] = Node::EMPTY;
            }
            let node = &mut self.nodes[leaf];
            node.set_lane(lane, entry.present);
            node.widen(filter_of(entry.item));
            node.changed |= u32::from(entry.changed) << lane;
            node.recheck |= u32::from(entry.recheck) << lane;
            self.previous[leaf].set_lane(lane, entry.previous);
            self.items[slot] = entry.item;
            moved_to(entry.item, slot as u32);
        }
        let counts = &mut self.counts[0];
        debug_assert_eq!(scratch.keys.len(), counts.items as usize, "every item has a slot");
        counts.slots = counts.items;
        counts.appended = 0;
        counts.changed_leaves = 0;
        for leaf in &mut self.previous[(counts.items as usize).div_ceil(LANES)..] {
            *leaf = Node::EMPTY;
        }
        self.gather_all();
        self.counts[0].built_cost = self.cost();
    }

    fn take_entries(&self, entries: &mut Vec<BuildItem>) {
        entries.clear();
        for slot in 0..self.counts[0].slots {
            let item = self.items[slot as usize];
            if item == NO_ITEM {
                continue;
            }
            let (leaf, lane) = split(slot);
            let node = &self.nodes[leaf];
            entries.push(BuildItem {
                present: node.lane(lane),
                previous: self.previous[leaf].lane(lane),
                item,
                changed: node.changed >> lane & 1 != 0,
                recheck: node.recheck >> lane & 1 != 0,
            });
        }
    }
}

impl BuildScratch {
    /// Fills `keys` with the places of the entries, in their new order, below the keys that they are sorted by.
    fn sort(&mut self) {
        self.keys.clear();
        let mut bounds = Aabb::EMPTY;
        let mut extent_sum = 0.0;
        let mut count = 0;
        for entry in &self.entries {
            // An unbounded box gives no information about the positions and sizes of the others.
            if extent(entry.present) > EXTENT_OF_BOUNDED {
                continue;
            }
            let center = entry.present.center();
            bounds = bounds.union(Aabb::new(center, center));
            extent_sum += extent(entry.present);
            count += 1;
        }
        let size = bounds.max - bounds.min;
        let side = if size.x > size.y { size.x } else { size.y };
        let cells_per_meter = if side > 0.0 { 65_535.0 / side } else { 0.0 };
        let large = 4.0 * extent_sum / count.max(1) as f32;
        for (index, entry) in self.entries.iter().enumerate() {
            let cell = (entry.present.center() - bounds.min) * Vec2::splat(cells_per_meter);
            // A conversion to an integer saturates, so the index is never outside the table, whatever rounding does.
            let place = place_along_curve((cell.x as u32).min(65_535), (cell.y as u32).min(65_535));
            let key = u64::from(size_class(extent(entry.present), large)) << 32 | u64::from(place);
            self.keys.push(key << INDEX_BITS | index as u64);
        }
        if self.keys.len() < RADIX_COUNT_MIN {
            self.keys.sort_unstable();
        } else {
            self.radix_sort();
        }
    }

    /// Sorts the keys by a counting sort for each digit, lowest first. The index below the key needs no pass: the sort
    /// is stable and the keys start in its order.
    fn radix_sort(&mut self) {
        self.sorted.clear();
        self.sorted.resize(self.keys.len(), 0);
        for shift in [INDEX_BITS, INDEX_BITS + DIGIT_BITS, INDEX_BITS + 2 * DIGIT_BITS] {
            let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT_BITS) - 1);
            self.offsets.clear();
            self.offsets.resize(1 << DIGIT_BITS, 0);
            for &key in &self.keys {
                self.offsets[digit(key)] += 1;
            }
            let mut start = 0;
            for offset in &mut self.offsets {
                let count = core::mem::replace(offset, start);
                start += count;
            }
            for &key in &self.keys {
                let offset = &mut self.offsets[digit(key)];
                self.sorted[*offset as usize] = key;
                *offset += 1;
            }
            core::mem::swap(&mut self.keys, &mut self.sorted);
        }
    }
}

/// The longer edge of a box.
fn extent(value: Aabb) -> f32 {
    let size = value.max - value.min;
    if size.x > size.y { size.x } else { size.y }
}

/// The size class of an item: 0 up to `large`, then one class for each factor of four, 3 at most.
fn size_class(extent: f32, large: f32) -> u32 {
    u32::from(extent > large) + u32::from(extent > 4.0 * large) + u32::from(extent > 16.0 * large)
}

#[cfg(test)]
mod tests {
    use super::{BuildScratch, INDEX_BITS};

    #[test]
    fn the_radix_sort_is_a_sort() {
        let mut scratch = BuildScratch::default();
        let mut state = 1_u64;
        for index in 0..5000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Few distinct keys, so that ties are common, spread over all 34 bits.
            let key = (state >> 33) % 700 * 24_541_111 % (1 << 34);
            scratch.keys.push(key << INDEX_BITS | index);
        }
        let mut expected = scratch.keys.clone();
        expected.sort_unstable();
        scratch.radix_sort();
        assert_eq!(scratch.keys, expected);
    }
}
