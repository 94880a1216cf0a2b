//! Checks of a broad phase whose arrays somebody may have forged: trees of the form that their changes give them, and
//! trees, proxies and boxes that say the same. What passes can be walked, changed and packed anew like any other.

use super::{BroadPhase, FREE, Proxy};
use alloc::vec::Vec;
use tombolo_geometry::Aabb;
use tombolo_geometry::bvh::{LANES, NO_ITEM, Node, Tree};

/// The rest of this file's functions answer with what does not hold.
type Checked = Result<(), &'static str>;

/// Stops a check with what does not hold.
macro_rules! hold {
    ($condition:expr, $why:literal) => {
        if !$condition {
            return Err($why);
        }
    };
}

impl BroadPhase {
    /// Whether the arrays are such as calls leave them. Costs all of them.
    pub(crate) fn check(&self) -> Checked {
        hold!(
            self.proxies.len() == self.boxes.len(),
            "not as many boxes as proxies"
        );
        hold!(
            self.proxies
                .iter()
                .all(|proxy| (proxy.tree as usize) < self.trees.len() && proxy.reserved == 0),
            "a proxy of a tree that there is not"
        );
        for (kind, tree) in (0_u32..).zip(&self.trees) {
            let starts = check_counts(tree)?;
            let levels: Vec<&[Node]> = starts
                .windows(2)
                .map(|level| &tree.nodes[level[0]..level[1]])
                .collect();
            let used = tree.counts[0].slots as usize;
            self.check_leaves(kind, tree, levels.first().copied().unwrap_or(&[]))?;
            for pair in levels.windows(2) {
                let (children, nodes) = (pair[0], pair[1]);
                for (index, node) in nodes.iter().enumerate() {
                    let first = (index * LANES).min(children.len());
                    let last = (first + LANES).min(children.len());
                    check_node(node, &children[first..last])?;
                }
            }
            let unused = &tree.items[used..];
            hold!(
                unused.iter().all(|&item| item == NO_ITEM),
                "an item behind the last slot"
            );
            let live = |proxy: &&Proxy| proxy.slot != FREE && proxy.tree == kind;
            hold!(
                self.proxies.iter().filter(live).count() == tree.len(),
                "a proxy that is in no tree"
            );
        }
        Ok(())
    }

    /// The box of a live proxy when pairs were last found: empty if it came since. Of arrays that were checked.
    pub(crate) fn known_box(&self, proxy: u32) -> Aabb {
        let Proxy { tree, slot, .. } = self.proxies[proxy as usize];
        let (leaf, lane) = (slot as usize / LANES, slot as usize % LANES);
        self.trees[tree as usize].previous[leaf].lane(lane)
    }

    /// Each item is a proxy that knows its slot, with its box and filter; a slot without one is empty.
    fn check_leaves(&self, kind: u32, tree: &Tree, leaves: &[Node]) -> Checked {
        let mut held = 0;
        for (index, (leaf, previous)) in leaves.iter().zip(&tree.previous).enumerate() {
            hold!(is_plain(leaf), "a leaf with marks that there are none of");
            for lane in 0..LANES {
                let slot = index * LANES + lane;
                let item = tree.items[slot];
                let (here, before) = (leaf.lane(lane), previous.lane(lane));
                let marks = (leaf.changed | leaf.recheck) >> lane & 1;
                if item == NO_ITEM {
                    hold!(
                        here == Aabb::EMPTY && before == Aabb::EMPTY && marks == 0,
                        "a slot without an item that has a box"
                    );
                    continue;
                }
                let Some(proxy) = self.proxies.get(item as usize) else {
                    return Err("an item that is no proxy");
                };
                held += 1;
                hold!(
                    proxy.slot as usize == slot && proxy.tree == kind,
                    "an item whose proxy is elsewhere"
                );
                hold!(
                    here == self.boxes[item as usize] && here.is_valid(),
                    "an item with another box than its proxy"
                );
                let changed = leaf.changed >> lane & 1 != 0;
                hold!(
                    if changed {
                        before == Aabb::EMPTY || before.is_valid()
                    } else {
                        before == here
                    },
                    "a box that changed without a mark"
                );
                hold!(
                    leaf.categories & proxy.categories == proxy.categories
                        && leaf.masks & proxy.mask == proxy.mask
                        && (leaf.grouped != 0 || proxy.group <= 0),
                    "a leaf with another filter than its items"
                );
            }
        }
        hold!(held == tree.len(), "items that are not counted");
        Ok(())
    }
}

/// Lengths and counts of a tree are those of a tree with its room for leaves; answers where the levels start, and where
/// the last one ends.
fn check_counts(tree: &Tree) -> Result<Vec<usize>, &'static str> {
    let counts = &tree.counts[0];
    let capacity = counts.leaf_capacity as usize;
    hold!(
        capacity == 0 || capacity >= 4 && capacity.is_power_of_two(),
        "room for a number of leaves that no tree has"
    );
    let mut starts = Vec::from([0]);
    let mut size = capacity;
    while size > 0 {
        starts.push(starts[starts.len() - 1] + size);
        size = if size == 1 { 0 } else { size.div_ceil(LANES) };
    }
    let levels = starts.len() - 1;
    hold!(
        levels <= counts.level_starts.len()
            && counts.levels as usize == levels
            && tree.nodes.len() == starts[levels]
            && tree.previous.len() == capacity
            && tree.items.len() == capacity * LANES,
        "levels that are not those of a tree"
    );
    let mut said = counts.level_starts.iter().map(|&start| start as usize);
    let expected = starts[..levels].iter().copied().chain(core::iter::repeat(0));
    hold!(
        said.by_ref()
            .zip(expected)
            .all(|(said, expected)| said == expected),
        "levels that start elsewhere"
    );
    hold!(
        counts.items <= counts.slots
            && counts.appended <= counts.slots
            && counts.slots as usize <= capacity * LANES
            && counts.built_cost.is_finite()
            && counts.built_cost >= 0.0,
        "counts that are not those of a tree"
    );
    Ok(starts)
}

/// Whether a node has no marks but for its lanes, and nothing where nothing is.
fn is_plain(node: &Node) -> bool {
    let lanes = (1 << LANES) - 1;
    (node.changed | node.recheck) & !lanes == 0 && node.grouped <= 1 && node.reserved == 0
}

/// A node above the leaves has the boxes, marks and filters of its children.
fn check_node(node: &Node, children: &[Node]) -> Checked {
    hold!(
        is_plain(node) && node.recheck == 0,
        "a node with marks that there are none of"
    );
    for lane in 0..LANES {
        let child = children.get(lane).unwrap_or(&Node::EMPTY);
        hold!(
            node.lane(lane) == child.bounds() && (node.changed >> lane & 1 != 0) == child.is_active(),
            "a node with other boxes or marks than its children"
        );
        hold!(
            child.categories & !node.categories == 0
                && child.masks & !node.masks == 0
                && child.grouped <= node.grouped,
            "a node with another filter than its children"
        );
    }
    Ok(())
}
