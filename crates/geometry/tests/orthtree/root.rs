//! Growing and shrinking of roots: objects, ids and cells keep their places.

use crate::model::{LOW, Random, SIDE, Twin, random_box, seeds};
use tombolo_geometry::orthtree::{
    Bounds, Convex, Full, Layout, Linear, Loose, Orthtree, OrthtreeError, Settings, Smallest, Standard,
    Strategy,
};

/// Objects wander over four times the first root in each direction and back; ids, boxes and queries stay right.
pub(crate) fn grows_and_shrinks<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, capacity: u32) {
    let depth_max = if D == 2 { 4 } else { 2 };
    let settings = Settings {
        depth_max,
        capacity,
        collapse_count: capacity,
        // Two are enough for places; a hardly loose tree also needs a root some times as large as its largest object.
        growth_max: 6,
    };
    for seed in seeds(4) {
        let mut twin: Twin<D, L, S> = Twin::new(strategy.clone(), settings);
        let random = &mut Random(seed);
        let (low, side) = (LOW - SIDE, 2.5 * SIDE);
        for _ in 0..30 {
            twin.step(random, LOW, SIDE);
        }
        for _ in 0..60 {
            twin.step(random, low, side);
        }
        holds(&twin);
        let height = twin.tree.lattice().root().height;
        assert!(height > depth_max);
        // All home to one place: the root shrinks to its first size and no further, and nothing is lost.
        for id in twin.model.keys().copied().collect::<Vec<_>>() {
            twin.update(id, Bounds::around([LOW + 1.5; D], 0.25));
        }
        assert_eq!(twin.tree.shrink_root(), height - depth_max);
        assert_eq!(twin.tree.lattice().root().height, depth_max);
        assert_eq!(twin.tree.shrink_root(), 0);
        holds(&twin);
        // And once more out, in a direction of chance.
        for _ in 0..30 {
            twin.step(random, low, side);
        }
        holds(&twin);
        straddlers_keep_the_root(&mut twin, random);
    }
}

#[test]
fn ot_8_ot_9_a_hardly_loose_root_grows_for_large_objects_too() {
    for factor in [1.25, 1.5] {
        grows_and_shrinks::<2, Linear, _>(&Loose { factor }, 0);
        grows_and_shrinks::<2, Linear, _>(&Loose { factor }, 4);
        grows_and_shrinks::<3, Linear, _>(&Loose { factor }, 0);
    }
}

/// An object across the root's middle keeps it from shrinking.
fn straddlers_keep_the_root<const D: usize, L: Layout<D>, S: Strategy<D>>(
    twin: &mut Twin<D, L, S>,
    random: &mut Random,
) {
    let root = twin.tree.root_bounds();
    let middle = std::array::from_fn(|axis| 0.5 * (root.min[axis] + root.max[axis]));
    let extent = 0.45 * (root.max[0] - root.min[0]);
    twin.insert(Bounds::around(middle, extent));
    twin.insert(random_box(random, LOW, SIDE));
    assert_eq!(twin.tree.shrink_root(), 0);
    holds(twin);
}

fn holds<const D: usize, L: Layout<D>, S: Strategy<D>>(twin: &Twin<D, L, S>) {
    let mut found = Vec::new();
    twin.tree.query(&Convex::new(&[]), |hit| {
        found.push((hit.id, (hit.bounds, hit.key)))
    });
    found.sort_by_key(|(id, _)| *id);
    let expected: Vec<_> = twin.model.iter().map(|(id, value)| (*id, *value)).collect();
    assert_eq!(found, expected);
    for (id, (bounds, _)) in &twin.model {
        assert_eq!(twin.tree.bounds(*id), Ok(*bounds));
        let mut hit_itself = false;
        twin.tree.query(bounds, |hit| hit_itself |= hit.id == *id);
        assert!(hit_itself);
    }
}

type Oct = Orthtree<3, Linear, Smallest>;

fn octree(growth_max: u32) -> Oct {
    let settings = Settings {
        depth_max: 1,
        growth_max,
        ..Settings::default()
    };
    Orthtree::new(Bounds::new([0.0; 3], [1.0; 3]), Smallest, settings).unwrap()
}

#[test]
fn ot_8_grows_towards_each_of_eight_outliers() {
    for octant in 0..8 {
        let mut tree = octree(1);
        let below = |axis: usize| octant >> axis & 1 == 1;
        tree.insert(
            Bounds::point(std::array::from_fn(|axis| if below(axis) { -0.5 } else { 1.5 })),
            0,
        )
        .unwrap();
        let root = tree.root_bounds();
        for axis in 0..3 {
            let expected = if below(axis) { (-1.0, 1.0) } else { (0.0, 2.0) };
            assert_eq!((root.min[axis], root.max[axis]), expected);
        }
    }
}

#[test]
fn ot_8_ties_grow_upwards() {
    let mut tree = octree(1);
    tree.insert(Bounds::point([-0.5, 0.5, 0.5]), 0).unwrap();
    let expected = Bounds::new([-1.0, 0.0, 0.0], [1.0, 2.0, 2.0]);
    assert_eq!(tree.root_bounds(), expected);
}

#[test]
fn ot_8_a_far_outlier_takes_as_many_steps_as_bits() {
    let far = (1 << 19) as f32 * 1.5;
    let mut tree = octree(20);
    let near = tree.insert(Bounds::point([0.3; 3]), 1).unwrap();
    tree.insert(Bounds::point([-far; 3]), 2).unwrap();
    assert_eq!(tree.lattice().root().height, 21);
    assert_eq!(tree.key(near), Ok(1));

    let mut tree = octree(20);
    let epoch = tree.epoch();
    let error = tree.insert(Bounds::point([4.0 * far; 3]), 2).unwrap_err();
    assert_eq!(
        error,
        OrthtreeError::OutOfReach {
            axis: 0,
            growth_left: 20
        }
    );
    assert_eq!(
        (tree.epoch(), tree.root_bounds(), tree.len()),
        (epoch, octree(0).root_bounds(), 0)
    );
}

#[test]
fn a_layout_that_cannot_hold_the_root_refuses_growth() {
    let settings = Settings {
        depth_max: 8,
        growth_max: 20,
        ..Settings::default()
    };
    let root = Bounds::new([0.0; 3], [1.0; 3]);
    let mut linear: Orthtree<3, Linear<u32>, Smallest> = Orthtree::new(root, Smallest, settings).unwrap();
    linear.insert(Bounds::point([3.5; 3]), 0).unwrap();
    let error = linear.insert(Bounds::point([9.0; 3]), 0).unwrap_err();
    assert_eq!(
        error,
        OrthtreeError::TooDeep {
            depth: 11,
            depth_max: 10
        }
    );

    let settings = Settings {
        depth_max: 7,
        growth_max: 20,
        ..Settings::default()
    };
    let mut full: Orthtree<3, Full<3>, Smallest> = Orthtree::new(root, Smallest, settings).unwrap();
    let error = full.insert(Bounds::point([9.0; 3]), 0).unwrap_err();
    assert!(matches!(error, OrthtreeError::TooMuchMemory { .. }));
    assert_eq!(full.lattice().root().height, 7);
}

#[test]
fn ot_9_growing_and_shrinking_by_turns_changes_nothing_else() {
    let mut tree = octree(4);
    let still = tree.insert(Bounds::point([0.3; 3]), 1).unwrap();
    let first = tree.root_bounds();
    for sign in [1.0, -1.0, 1.0, -1.0] {
        let outlier = tree.insert(Bounds::point([sign * 2.5; 3]), 2).unwrap();
        assert_eq!(tree.shrink_root(), 0, "the outlier keeps the root");
        tree.remove(outlier).unwrap();
        tree.shrink_root();
        assert_eq!(tree.root_bounds(), first);
        assert!(tree.contains(still));
    }
}

/// All nodes hold their codes while a linear tree grows: not one of them is touched.
#[test]
fn codes_do_not_change_when_the_root_grows() {
    let settings = Settings {
        depth_max: 6,
        growth_max: 8,
        ..Settings::default()
    };
    let mut tree: Orthtree<2, Linear, Loose> =
        Orthtree::new(Bounds::new([0.0; 2], [64.0; 2]), Loose::default(), settings).unwrap();
    let mut pointers: Orthtree<2, Standard<2>, Loose> =
        Orthtree::new(Bounds::new([0.0; 2], [64.0; 2]), Loose::default(), settings).unwrap();
    let random = &mut Random(3);
    for key in 0..50 {
        let bounds = random_box(random, 0.0, 64.0);
        tree.insert(bounds, key).unwrap();
        pointers.insert(bounds, key).unwrap();
    }
    let below_root = |tree: &Orthtree<2, Linear, Loose>| {
        let mut codes = Vec::new();
        tree.visit_all(|view| {
            if view.cell.height < 6 {
                codes.push((view.node, view.count));
            }
        });
        codes
    };
    let before = below_root(&tree);
    let outlier = tree.insert(Bounds::point([-300.0, 500.0]), 99).unwrap();
    tree.remove(outlier).unwrap();
    let outlier = pointers.insert(Bounds::point([-300.0, 500.0]), 99).unwrap();
    pointers.remove(outlier).unwrap();
    assert_eq!(below_root(&tree), before);
    assert_eq!(
        Twin::of(tree).content(),
        Twin::of(pointers).content(),
        "layouts agree"
    );
}
