//! Checks of every invariant that the parts of the tree state, over the whole tree.

use super::node::{LANES, Node, NodeFilter};
use super::tree::{LEVEL_COUNT_MAX, NO_ITEM, Tree, levels_for, split};
use crate::Aabb;

impl Tree {
    /// Checks the whole structure, whatever is in its arrays: a tree that passes upholds all invariants, and no call on
    /// it panics that would not on the tree that it was saved from. For trees that come from outside; O(n).
    ///
    /// The items and their filters are known only to the tree's owner: see [`holds`](Self::holds).
    ///
    /// # Errors
    ///
    /// A description of the first invariant that does not hold.
    pub fn check(&self) -> Result<(), &'static str> {
        self.check_counts()?;
        for (slot, &item) in self.items.iter().enumerate() {
            self.check_slot(slot, item)?;
        }
        for node in &self.nodes {
            if (node.changed | node.recheck) >> LANES != 0 || node.grouped > 1 || node.reserved != 0 {
                return Err("a node has marks for lanes that it has not");
            }
        }
        for level in 1..self.level_count() {
            self.check_level(level)?;
        }
        Ok(())
    }

    /// Panics where [`check`](Self::check) fails. For tests and for callers that validate after each change.
    ///
    /// # Panics
    ///
    /// If an invariant does not hold, with a message that names it.
    pub fn validate(&self) {
        let checked = self.check();
        assert!(checked.is_ok(), "{checked:?}");
    }

    /// Whether a slot holds this item with this box, and all nodes above include the filter. For any slot.
    pub fn holds(&self, slot: u32, item: u32, value: Aabb, filter: NodeFilter) -> bool {
        let (leaf, lane) = split(slot);
        item != NO_ITEM
            && self.items.get(slot as usize) == Some(&item)
            && self.nodes.get(leaf).is_some_and(|node| {
                node.lane(lane) == value
                    && filter.categories & !node.categories == 0
                    && filter.mask & !node.masks == 0
                    && u32::from(filter.grouped) <= node.grouped
            })
    }

    /// Checks the counts, and the lengths of the arrays that follow from them.
    fn check_counts(&self) -> Result<(), &'static str> {
        let counts = &self.counts[0];
        let capacity = counts.leaf_capacity as usize;
        let (starts, levels, node_count) = match capacity {
            0 => ([0; LEVEL_COUNT_MAX], 0, 0),
            _ => levels_for(capacity).ok_or("more leaves than slots have numbers")?,
        };
        if (counts.level_starts, counts.levels as usize) != (starts, levels) {
            return Err("the levels are not where they should be");
        }
        if [self.nodes.len(), self.previous.len()] != [node_count, capacity]
            || capacity.checked_mul(LANES) != Some(self.items.len())
        {
            return Err("the arrays have another size than the counts say");
        }
        let held = self.items.iter().filter(|&&item| item != NO_ITEM).count();
        if held != self.len()
            || counts.items > counts.slots
            || counts.appended > counts.slots
            || counts.slots as usize > self.items.len()
        {
            return Err("another number of items than the counts say");
        }
        // It may be infinite, with the largest boxes.
        if counts.built_cost.is_nan() || counts.built_cost < 0.0 {
            return Err("a cost that is none");
        }
        Ok(())
    }

    fn check_slot(&self, slot: usize, item: u32) -> Result<(), &'static str> {
        let (leaf, lane) = (slot / LANES, slot % LANES);
        let (node, previous) = (&self.nodes[leaf], self.previous[leaf].lane(lane));
        let here = node.lane(lane);
        if item == NO_ITEM {
            if here != Aabb::EMPTY || previous != Aabb::EMPTY {
                return Err("a free slot has a box");
            }
            if (node.changed | node.recheck) >> lane & 1 != 0 {
                return Err("a free slot is marked");
            }
            return Ok(());
        }
        if slot >= self.counts[0].slots as usize || !here.is_valid() {
            return Err("an item has no box");
        }
        if here != previous {
            if node.changed >> lane & 1 == 0 {
                return Err("a box changed without a mark");
            }
            if previous != Aabb::EMPTY && !previous.is_valid() {
                return Err("a previous box is none");
            }
        }
        Ok(())
    }

    /// Checks the nodes of a level, also those that are not in use yet, and the nodes below them.
    fn check_level(&self, level: usize) -> Result<(), &'static str> {
        let below = self.level(level - 1);
        let used = self.used(level);
        let start = self.place(level, 0);
        let end = if level + 1 == self.level_count() {
            self.nodes.len()
        } else {
            self.place(level + 1, 0)
        };
        for (index, node) in self.nodes[start..end].iter().enumerate() {
            let first = (index * LANES).min(below.len());
            let children = if index < used {
                &below[first..below.len().min(first + LANES)]
            } else {
                &[]
            };
            check_node(node, children)?;
        }
        Ok(())
    }
}

fn check_node(node: &Node, children: &[Node]) -> Result<(), &'static str> {
    if node.recheck != 0 {
        return Err("a node above the leaves is rechecked");
    }
    for lane in 0..LANES {
        let child = children.get(lane).unwrap_or(&Node::EMPTY);
        if node.lane(lane) != child.bounds() {
            return Err("a node is not the box around its child");
        }
        if (node.changed >> lane & 1 != 0) != child.is_active() {
            return Err("a node does not know that its child changed");
        }
        if child.categories & !node.categories != 0
            || child.masks & !node.masks != 0
            || child.grouped > node.grouped
        {
            return Err("a node does not know all filters below it");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::bvh::{BuildScratch, NO_ITEM, NodeFilter, Tree};
    use crate::{Aabb, Vec2};

    fn tree() -> Tree {
        let mut tree = Tree::new();
        for item in 0..200_u32 {
            let min = Vec2::new((item * 37 % 100) as f32, (item * 59 % 100) as f32);
            tree.insert(item, Aabb::new(min, min + Vec2::ONE), NodeFilter::ALL)
                .unwrap();
            if item == 100 {
                tree.commit();
                tree.rebuild(&mut BuildScratch::default(), |_| NodeFilter::ALL, |_, _| {});
            }
        }
        tree.remove(3);
        tree.check().unwrap();
        tree
    }

    /// Each array, each field: every forged value is found.
    #[test]
    fn a_forged_tree_is_found_out() {
        let forge: [fn(&mut Tree); 16] = [
            |tree| tree.counts[0].level_starts[1] += 1,
            |tree| tree.counts[0].levels += 1,
            |tree| tree.counts[0].leaf_capacity = u32::MAX,
            |tree| tree.counts[0].appended = u32::MAX,
            |tree| tree.counts[0].slots -= 8,
            |tree| tree.counts[0].slots = u32::MAX,
            |tree| tree.counts[0].built_cost = f32::NAN,
            |tree| tree.items[5] = NO_ITEM,
            |tree| tree.items[3] = 7,
            |tree| tree.nodes[2].min_x[1] = f32::NAN,
            |tree| tree.nodes[2].max_y[1] += 50.0,
            |tree| tree.nodes[2].changed |= 1 << 9,
            |tree| tree.nodes.last_mut().unwrap().recheck = 1,
            |tree| tree.nodes.last_mut().unwrap().categories = 0,
            |tree| tree.previous[1].min_y[2] = 1.0e9,
            |tree| tree.nodes.truncate(10),
        ];
        for (index, forge) in forge.into_iter().enumerate() {
            let mut tree = tree();
            forge(&mut tree);
            assert!(tree.check().is_err(), "forgery {index}");
        }
        assert!(Tree::new().check().is_ok());
        let tree = tree();
        let value = tree.box_at(9);
        assert!(tree.holds(9, tree.items[9], value, NodeFilter::ALL));
        assert!(!tree.holds(u32::MAX, tree.items[9], value, NodeFilter::ALL));
        assert!(!tree.holds(8, tree.items[9], value, NodeFilter::ALL));
    }
}
