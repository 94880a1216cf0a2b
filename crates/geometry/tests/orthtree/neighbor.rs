//! Neighbors of cells against the definition, applied to all pairs of nodes.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{LOW, Random, SIDE, Twin};
use tombolo_geometry::orthtree::{
    Block, Bounds, Cell, Layout, NeighborMode, Orthtree, Settings, Smallest, Strategy,
};

/// A cell as its lower corner and size along each axis, from the root's corner.
type Plain<const D: usize> = ([i64; D], i64);

fn plain<const D: usize>(cell: &Cell<D>, root: &Cell<D>) -> Plain<D> {
    (cell.offset_in(root).map(i64::from), 1 << cell.height)
}

fn directions<const D: usize>() -> Vec<[i32; D]> {
    let all = (0..3_usize.pow(D as u32))
        .map(|number| std::array::from_fn(|axis| (number / 3_usize.pow(axis as u32) % 3) as i32 - 1));
    all.filter(|direction| *direction != [0; D]).collect()
}

/// The definition of contact: end to end along the axes of the direction, a common stretch along the others.
fn in_contact<const D: usize>(a: &Plain<D>, b: &Plain<D>, direction: &[i32; D]) -> bool {
    (0..D).all(|axis| match direction[axis] {
        1 => b.0[axis] == a.0[axis] + a.1,
        -1 => b.0[axis] + b.1 == a.0[axis],
        _ => b.0[axis] < a.0[axis] + a.1 && a.0[axis] < b.0[axis] + b.1,
    })
}

fn covers<const D: usize>(outer: &Plain<D>, inner: &Plain<D>) -> bool {
    (0..D).all(|axis| outer.0[axis] <= inner.0[axis] && inner.0[axis] + inner.1 <= outer.0[axis] + outer.1)
}

/// The definition of the covering mode.
fn covering<const D: usize>(
    nodes: &BTreeMap<Plain<D>, bool>,
    here: &Plain<D>,
    direction: &[i32; D],
    side: i64,
) -> BTreeSet<Plain<D>> {
    let mut beside = *here;
    for (axis, &step) in direction.iter().enumerate() {
        beside.0[axis] += here.1 * i64::from(step);
        if !(0..side).contains(&beside.0[axis]) {
            return BTreeSet::new();
        }
    }
    let smallest = nodes
        .keys()
        .filter(|node| covers(node, &beside))
        .min_by_key(|node| node.1)
        .unwrap();
    if smallest.1 > here.1 {
        return BTreeSet::from([*smallest]);
    }
    let leaves = nodes
        .iter()
        .filter(|(node, is_leaf)| **is_leaf && covers(&beside, node));
    leaves
        .map(|(node, _)| *node)
        .filter(|node| in_contact(here, node, direction))
        .collect()
}

/// Random trees of two capacities, some grown to the negative side; all nodes, inner ones too, in all directions.
pub(crate) fn against_brute_force<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S) {
    for (seed, capacity) in [(1, 0), (2, 1), (3, 2), (4, 0)] {
        let depth_max = if D == 2 { 4 } else { 2 };
        let settings = Settings {
            depth_max,
            capacity,
            collapse_count: capacity,
            growth_max: 1,
        };
        let mut twin: Twin<D, L, S> = Twin::new(strategy.clone(), settings);
        let random = &mut Random(seed);
        let low = if seed == 4 { LOW - SIDE } else { LOW };
        for _ in 0..4 + random.below(10) {
            let point = std::array::from_fn(|_| low + SIDE * 0.99 * random.unit());
            twin.insert(Bounds::point(point));
        }
        check(&twin);
    }
}

fn check<const D: usize, L: Layout<D>, S: Strategy<D>>(twin: &Twin<D, L, S>) {
    let root = twin.tree.lattice().root();
    let side = 1_i64 << root.height;
    let mut handles = Vec::new();
    let mut nodes = BTreeMap::new();
    twin.tree.visit_all(|view| {
        handles.push(view.node);
        nodes.insert(plain(&view.cell, &root), view.is_leaf);
    });
    let mut touching = BTreeSet::new();
    for node in handles {
        let here = plain(&twin.tree.cell_of(node), &root);
        for direction in directions::<D>() {
            let found = |mode| {
                let mut list = Vec::new();
                twin.tree.neighbors(node, direction, mode, |n| {
                    list.push(plain(&twin.tree.cell_of(n), &root))
                });
                let set: BTreeSet<_> = list.iter().copied().collect();
                assert_eq!(set.len(), list.len(), "no neighbor twice");
                set
            };
            assert_eq!(
                found(NeighborMode::Covering),
                covering(&nodes, &here, &direction, side)
            );
            let leaves = nodes
                .iter()
                .filter(|(_, is_leaf)| **is_leaf)
                .map(|(leaf, _)| *leaf);
            let expected: BTreeSet<_> = leaves
                .filter(|leaf| in_contact(&here, leaf, &direction))
                .collect();
            let contact = found(NeighborMode::Contact);
            assert_eq!(contact, expected);
            if nodes[&here] {
                touching.extend(contact.into_iter().map(|there| (here, direction, there)));
            }
        }
    }
    for (here, direction, there) in &touching {
        assert!(
            touching.contains(&(*there, direction.map(|d| -d), *here)),
            "contact is symmetric"
        );
    }
}

#[test]
fn ot_6_root_alone_has_no_neighbors() {
    let tree: Orthtree<2, Block<2>, Smallest> =
        Orthtree::new(crate::model::first_root(), Smallest, Settings::default()).unwrap();
    let root = tree.node_at([0.0, 0.0]).unwrap();
    for mode in [NeighborMode::Covering, NeighborMode::Contact] {
        tree.all_neighbors(root, mode, |_, _| panic!("the root stands alone"));
    }
}

#[test]
fn ot_6_counts_across_levels() {
    // One deep corner beside an undivided cell: as many smaller neighbors as the side has finest cells.
    let settings = Settings {
        depth_max: 4,
        capacity: 1,
        collapse_count: 1,
        growth_max: 0,
    };
    let mut tree: Orthtree<2, Block<2>, Smallest> =
        Orthtree::new(Bounds::new([0.0; 2], [16.0; 2]), Smallest, settings).unwrap();
    // All cells along the plane x = 8 on its left are finest ones.
    for y in 0..16 {
        tree.insert(Bounds::point([7.25, y as f32 + 0.25]), 0).unwrap();
        tree.insert(Bounds::point([7.75, y as f32 + 0.75]), 0).unwrap();
    }
    let right = tree.node_at([12.0, 4.0]).unwrap();
    assert_eq!(tree.cell_of(right).height, 3);
    let mut count = 0;
    tree.neighbors(right, [-1, 0], NeighborMode::Contact, |_| count += 1);
    assert_eq!(count, 8);
}
