//! A walk over the whole tree that checks every invariant its parts state.

use super::node::{LANES, Node};
use super::tree::{NO_ITEM, Tree};
use crate::Aabb;

impl Tree {
    /// Checks the whole structure. For tests and for callers that validate after each change. O(n).
    ///
    /// # Panics
    ///
    /// If an invariant does not hold, with a message that says which and where.
    pub fn validate(&self) {
        let counts = &self.counts[0];
        assert_eq!(
            self.items.len(),
            counts.leaf_capacity as usize * LANES,
            "room for items"
        );
        assert_eq!(
            self.previous.len(),
            counts.leaf_capacity as usize,
            "room for previous boxes"
        );
        let held = self.items.iter().filter(|&&item| item != NO_ITEM).count();
        assert_eq!(held, self.len(), "items held and counted");
        assert!(counts.items <= counts.slots && counts.slots <= counts.leaf_capacity * LANES as u32);
        for (slot, &item) in self.items.iter().enumerate() {
            let (leaf, lane) = (slot / LANES, slot % LANES);
            let here = self.nodes[leaf].lane(lane);
            if item == NO_ITEM {
                assert_eq!(here, Aabb::EMPTY, "free slot {slot} has a box");
                assert_eq!(
                    self.previous[leaf].lane(lane),
                    Aabb::EMPTY,
                    "free slot {slot} has a previous box"
                );
                let marks = self.nodes[leaf].changed | self.nodes[leaf].recheck;
                assert_eq!(marks >> lane & 1, 0, "free slot {slot} is marked");
            } else {
                assert!(
                    slot < counts.slots as usize && here.is_valid(),
                    "item {item} at slot {slot}: {here:?}"
                );
                let changed = self.nodes[leaf].changed >> lane & 1 != 0;
                assert!(
                    changed || here == self.previous[leaf].lane(lane),
                    "slot {slot} changed without a mark"
                );
            }
        }
        for level in 1..self.level_count() {
            let below = self.level(level - 1);
            for (index, node) in self.level(level).iter().enumerate() {
                validate_node(node, &below[index * LANES..below.len().min((index + 1) * LANES)]);
            }
        }
    }
}

fn validate_node(node: &Node, children: &[Node]) {
    assert_eq!(node.recheck, 0, "only leaves are rechecked");
    for lane in 0..LANES {
        let child = children.get(lane).unwrap_or(&Node::EMPTY);
        assert_eq!(node.lane(lane), child.bounds(), "lane {lane} and its child");
        assert_eq!(
            node.changed >> lane & 1 != 0,
            child.is_active(),
            "mark of lane {lane}"
        );
        assert_eq!(
            child.categories & !node.categories,
            0,
            "categories of lane {lane}"
        );
        assert_eq!(child.masks & !node.masks, 0, "masks of lane {lane}");
        assert!(child.grouped <= node.grouped, "group mark of lane {lane}");
    }
}
