//! A scene tree stored by handles, sorted so that siblings are neighbors in memory: a little in each frame, while nodes
//! come and go, and no handle in the tree needs repair.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use tombolo_handles::{Handle, HandleMap, OrderId, SortBudget, Sorter};

/// Parents before children, siblings side by side.
const BY_DEPTH_AND_PARENT: OrderId = OrderId(1);

struct Node {
    parent: Option<Handle<Node>>,
    children: Vec<Handle<Node>>,
    depth: u32,
}

fn add(tree: &mut HandleMap<Node>, parent: Option<Handle<Node>>) -> Handle<Node> {
    let depth = parent
        .and_then(|parent| tree.get(parent))
        .map_or(0, |parent| parent.depth + 1);
    let node = tree.insert(Node {
        parent,
        children: Vec::new(),
        depth,
    });
    if let Some(parent) = parent.and_then(|parent| tree.get_mut(parent)) {
        parent.children.push(node);
    }
    node
}

/// How many steps of memory lie between siblings, on average: 1 if all are neighbors.
fn sibling_distance(tree: &HandleMap<Node>) -> f64 {
    let (mut steps, mut pairs) = (0, 0);
    for node in tree.values() {
        let places: Vec<usize> = node
            .children
            .iter()
            .filter_map(|&child| tree.dense_index(child))
            .collect();
        steps += places
            .windows(2)
            .map(|pair| pair[0].abs_diff(pair[1]))
            .sum::<usize>();
        pairs += places.len().saturating_sub(1);
    }
    steps as f64 / pairs as f64
}

fn main() {
    let mut tree = HandleMap::new();
    let root = add(&mut tree, None);
    let branches: Vec<_> = (0..50).map(|_| add(&mut tree, Some(root))).collect();
    // Children are born in turn, so those of one branch lie far apart.
    for _ in 0..40 {
        for &branch in &branches {
            add(&mut tree, Some(branch));
        }
    }
    let before = sibling_distance(&tree);

    let mut sorter = Sorter::new(BY_DEPTH_AND_PARENT);
    let budget = SortBudget {
        comparisons: 2000,
        swaps: 200,
    };
    let by_depth_and_parent =
        |a: &Node, b: &Node| a.depth.cmp(&b.depth).then_with(|| a.parent.cmp(&b.parent));
    let mut frames = 0;
    loop {
        frames += 1;
        if frames < 20 {
            add(&mut tree, Some(branches[frames % branches.len()]));
        }
        if sorter.advance(&mut tree, budget, by_depth_and_parent).is_ordered && frames >= 20 {
            break;
        }
    }
    let after = sibling_distance(&tree);
    println!(
        "{} nodes, {frames} frames: siblings were {before:.1} apart, now {after:.1}",
        tree.len()
    );
    assert!(after < before / 10.0);

    // Every handle in the tree still names its node.
    for (handle, node) in &tree {
        assert!(
            node.children
                .iter()
                .all(|&child| tree[child].parent == Some(handle))
        );
        assert!(
            node.parent
                .is_none_or(|parent| tree[parent].children.contains(&handle))
        );
    }
}
