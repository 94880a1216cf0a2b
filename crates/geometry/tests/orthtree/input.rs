//! Bad input, planes between cells, limits of depth, and moves that must not touch anything.

use crate::model::Random;
use tombolo_geometry::orthtree::{
    Block, Bounds, Full, Layout, Linear, Loose, Move, Orthtree, OrthtreeError, Settings, Shared, Smallest,
    Strategy, depth_bound,
};

type Quad<S> = Orthtree<2, Linear, S>;

fn quad<S: Strategy<2>>(strategy: S, depth_max: u32) -> Quad<S> {
    let settings = Settings {
        depth_max,
        ..Settings::default()
    };
    Orthtree::new(Bounds::new([0.0; 2], [16.0; 2]), strategy, settings).unwrap()
}

#[test]
fn ot_2_numbers_that_are_none_are_refused_and_nothing_changes() {
    let mut tree = quad(Smallest, 4);
    let id = tree.insert(Bounds::point([1.0, 1.0]), 3).unwrap();
    let epoch = tree.epoch();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for bounds in [
            Bounds::new([0.0, bad], [1.0, 1.0]),
            Bounds::new([0.0, 0.0], [1.0, bad]),
        ] {
            let error = OrthtreeError::InvalidBox { axis: 1 };
            assert_eq!(tree.insert(bounds, 0), Err(error));
            assert_eq!(tree.update(id, bounds), Err(error));
            assert_eq!(tree.update_many(&[Move { id, bounds }]), Err(error));
        }
        assert!(tree.nearest([bad, 0.0], 1).is_err());
        assert_eq!(tree.node_at([bad, 0.0]), None);
    }
    let inverted = Bounds::new([2.0, 0.0], [1.0, 1.0]);
    assert_eq!(
        tree.insert(inverted, 0),
        Err(OrthtreeError::InvalidBox { axis: 0 })
    );
    assert_eq!(
        (tree.epoch(), tree.len(), tree.bounds(id)),
        (epoch, 1, Ok(Bounds::point([1.0, 1.0])))
    );
}

#[test]
fn ot_2_roots_without_extent_are_refused() {
    let root = |min: f32, max: f32, depth_max| {
        let settings = Settings {
            depth_max,
            ..Settings::default()
        };
        Quad::<Smallest>::new(Bounds::new([0.0, min], [1.0, max]), Smallest, settings).map(|_| ())
    };
    assert_eq!(root(2.0, 2.0, 4), Err(OrthtreeError::InvalidRoot { axis: 1 }));
    assert_eq!(root(2.0, 1.0, 4), Err(OrthtreeError::InvalidRoot { axis: 1 }));
    assert_eq!(
        root(0.0, f32::INFINITY, 4),
        Err(OrthtreeError::InvalidRoot { axis: 1 })
    );
    assert_eq!(
        root(f32::MIN, f32::MAX, 4),
        Err(OrthtreeError::InvalidRoot { axis: 1 })
    );
    assert_eq!(
        root(0.0, f32::NAN, 4),
        Err(OrthtreeError::InvalidRoot { axis: 1 })
    );
    // At 1000 000 the spacing of f32 is 1/16.
    assert!(root(1.0e6, 1.0e6 + 1.0, 2).is_ok());
    assert!(matches!(
        root(1.0e6, 1.0e6 + 1.0, 5),
        Err(OrthtreeError::CellTooSmall { .. })
    ));
    assert_eq!(
        root(0.0, 1.0, 32),
        Err(OrthtreeError::TooDeep {
            depth: 32,
            depth_max: 31
        })
    );
}

#[test]
fn ot_2_loose_factors_are_checked() {
    for factor in [1.0, 0.0, -1.0, 4.1, f32::NAN, f32::INFINITY] {
        let tree = Quad::<Loose>::new(
            Bounds::new([0.0; 2], [1.0; 2]),
            Loose { factor },
            Settings::default(),
        );
        assert!(matches!(tree, Err(OrthtreeError::LooseFactor { .. })));
    }
}

#[test]
fn stale_ids_and_doubles_are_refused() {
    let mut tree = quad(Smallest, 4);
    let gone = tree.insert(Bounds::point([1.0; 2]), 1).unwrap();
    tree.remove(gone).unwrap();
    let id = tree.insert(Bounds::point([2.0; 2]), 2).unwrap();
    assert_eq!((gone.index(), gone == id), (id.index(), false));
    let stale = OrthtreeError::StaleId { index: gone.index() };
    let bounds = Bounds::point([3.0; 2]);
    assert_eq!(tree.update(gone, bounds), Err(stale));
    assert_eq!(tree.remove(gone), Err(stale));
    assert_eq!(tree.bounds(gone), Err(stale));
    assert_eq!(tree.key(gone), Err(stale));
    let twice = [Move { id, bounds }; 2];
    assert_eq!(
        tree.update_many(&twice),
        Err(OrthtreeError::DuplicateId { index: id.index() })
    );
    let far = Move {
        id,
        bounds: Bounds::point([99.0; 2]),
    };
    assert!(matches!(
        tree.update_many(&[far]),
        Err(OrthtreeError::OutOfReach { .. })
    ));
    assert_eq!(tree.bounds(id), Ok(Bounds::point([2.0; 2])));
}

#[test]
fn ot_1_cells_are_half_open_and_so_is_the_root() {
    let mut tree = quad(Smallest, 4);
    for (point, corner) in [
        ([8.0, 8.0], [8, 8]),
        ([8.0_f32.next_down(), 8.0], [7, 8]),
        ([0.0, 0.0], [0, 0]),
    ] {
        tree.insert(Bounds::point(point), 0).unwrap();
        let cell = tree.cell_of(tree.node_at(point).unwrap());
        assert_eq!((cell.corner, cell.height), (corner, 0));
    }
    assert!(tree.insert(Bounds::point([16.0, 0.0]), 0).is_err());
    assert!(tree.insert(Bounds::point([0.0_f32.next_down(), 0.0]), 0).is_err());
    // A box up to the plane reaches the cell above it; one step less, it fits below.
    let height_of = |max: f32| {
        let mut tree = quad(Smallest, 4);
        tree.insert(Bounds::new([7.0, 0.0], [max, 0.5]), 0).unwrap();
        let mut height = None;
        tree.visit_all(|view| height = height.or((view.count > 0).then_some(view.cell.height)));
        height.unwrap()
    };
    assert_eq!(height_of(8.0), 4);
    assert_eq!(height_of(8.0_f32.next_down()), 0);
}

#[test]
fn ot_11_level_from_size_at_powers_of_two() {
    // Factor 2: an object of size 2^h stands on level h, one step more a level higher.
    for (factor, size, height) in [
        (2.0, 0.0, 0),
        (2.0, 1.0, 0),
        (2.0, 1.0_f32.next_up(), 1),
        (2.0, 4.0, 2),
        (2.0, 4.0_f32.next_up(), 3),
        (3.0, 4.0, 1),
        (1.25, 1.0, 2),
    ] {
        let mut tree = quad(Loose { factor }, 4);
        tree.insert(Bounds::new([2.0, 2.0], [2.0 + size, 2.0]), 0)
            .unwrap();
        let mut found = None;
        tree.visit_all(|view| found = found.or((view.count > 0).then_some(view.cell.height)));
        let rounded_away = size.to_bits() & 1 == 1 && (2.0 + size) - 2.0 != size;
        assert!(
            found == Some(height) || rounded_away,
            "factor {factor}, size {size}: {found:?}"
        );
    }
}

fn duplicates<L: Layout<2>, S: Strategy<2>>(strategy: S) {
    let settings = Settings {
        depth_max: 5,
        capacity: 2,
        collapse_count: 2,
        growth_max: 0,
    };
    let mut tree: Orthtree<2, L, S> =
        Orthtree::new(Bounds::new([0.0; 2], [16.0; 2]), strategy, settings).unwrap();
    for key in 0..20 {
        tree.insert(Bounds::point([3.3, 3.3]), key).unwrap();
    }
    let mut holding = Vec::new();
    tree.visit_all(|view| {
        if view.count > 0 {
            holding.push((view.depth, view.count));
        }
    });
    assert_eq!(holding, [(5, 20)]);
}

#[test]
fn ot_3_duplicates_stop_at_the_last_level() {
    duplicates::<Linear, _>(Smallest);
    duplicates::<Linear, _>(Shared);
    duplicates::<Block<2>, _>(Loose::default());
    duplicates::<Full<2>, _>(Smallest);
}

#[test]
fn boxes_that_cover_all_cells_do_not_divide_a_shared_tree() {
    let settings = Settings {
        depth_max: 12,
        capacity: 2,
        collapse_count: 2,
        growth_max: 0,
    };
    let root = Bounds::new([0.0; 2], [16.0; 2]);
    let mut tree: Orthtree<2, Linear, Shared> = Orthtree::new(root, Shared, settings).unwrap();
    for key in 0..20 {
        tree.insert(Bounds::new([0.0; 2], [16.0_f32.next_down(); 2]), key)
            .unwrap();
    }
    let mut count = 0;
    tree.visit_all(|_| count += 1);
    assert_eq!(count, 1);
}

/// The depth of a tree of points with capacity 1, and their least distance.
fn depth_and_distance<const D: usize, L: Layout<D>>(points: &[[f32; D]]) -> (u32, f64) {
    let settings = Settings {
        depth_max: 14,
        capacity: 1,
        collapse_count: 1,
        growth_max: 0,
    };
    let mut tree: Orthtree<D, L, Smallest> =
        Orthtree::new(Bounds::new([0.0; D], [1.0; D]), Smallest, settings).unwrap();
    let mut distance = f64::INFINITY;
    for (index, point) in points.iter().enumerate() {
        for other in &points[..index] {
            distance = distance.min(Bounds::point(*point).distance_squared(other).sqrt());
        }
        tree.insert(Bounds::point(*point), 0).unwrap();
    }
    let mut depth = 0;
    tree.visit_all(|view| depth = depth.max(view.depth));
    (depth, distance)
}

fn bound_holds<const D: usize, L: Layout<D>>() {
    for seed in 0..200 {
        let random = &mut Random(seed);
        let spread = 1.0 / (1 << random.below(9)) as f32;
        let centers: [[f32; D]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| random.unit()));
        let points: Vec<[f32; D]> = (0..2 + random.below(8))
            .map(|n| centers[n as usize % 2].map(|c| (c + spread * random.unit()).min(0.999)))
            .collect();
        let (depth, distance) = depth_and_distance::<D, L>(&points);
        if let Some(bound) = depth_bound::<D>(1.0, distance).filter(|&bound| bound <= 14) {
            assert!(depth <= bound, "depth {depth}, bound {bound}");
        }
    }
}

#[test]
fn ot_4_depth_bound_holds_for_clusters() {
    bound_holds::<2, Linear>();
    bound_holds::<3, Linear>();
    assert_eq!(depth_bound::<2>(1.0, 0.0), None);
    assert_eq!(depth_bound::<2>(0.0, 1.0), None);
    // Distances of which the root has more than the greatest number.
    for (root, distance, bound) in [
        (1.0e300, 1.0e-300, 1994),
        (f64::MAX, f64::from_bits(1), 2099),
        (f64::MAX, 1.0, 1025),
        (1.0e-300, 1.0e300, 1),
        (1.0, f64::INFINITY, 1),
    ] {
        assert_eq!(
            depth_bound::<2>(root, distance),
            Some(bound),
            "{root} by {distance}"
        );
    }
}

#[test]
fn ot_4_two_clusters_make_ever_more_nodes_of_four_points() {
    let node_count = |distance: f32| {
        let settings = Settings {
            depth_max: 14,
            capacity: 1,
            collapse_count: 1,
            growth_max: 0,
        };
        let mut tree: Orthtree<2, Linear, Smallest> =
            Orthtree::new(Bounds::new([0.0; 2], [1.0; 2]), Smallest, settings).unwrap();
        for corner in [0.0, 0.75] {
            tree.insert(Bounds::point([corner; 2]), 0).unwrap();
            tree.insert(Bounds::point([corner + distance; 2]), 0).unwrap();
        }
        let mut count = 0;
        tree.visit_all(|_| count += 1);
        count
    };
    // Each halving of the distance adds a level of two nodes at least: those that the pairs are apart in.
    let counts = [0.16, 0.08, 0.04, 0.02, 0.01, 0.005].map(node_count);
    assert!(counts.windows(2).all(|pair| pair[1] >= pair[0] + 2), "{counts:?}");
}

#[test]
fn ot_7_a_move_within_the_cell_touches_nothing_but_the_box() {
    let mut tree = quad(Loose::default(), 4);
    let id = tree.insert(Bounds::around([4.5, 4.5], 0.25), 0).unwrap();
    let epoch = tree.epoch();
    tree.update(id, Bounds::around([4.7, 4.3], 0.25)).unwrap();
    assert_eq!(tree.epoch(), epoch);
    tree.update(id, Bounds::around([5.2, 4.3], 0.25)).unwrap();
    assert!(tree.epoch() > epoch);
}

#[test]
fn ot_7_an_object_goes_up_across_a_plane_and_down_behind_it() {
    let mut tree = quad(Smallest, 4);
    let id = tree.insert(Bounds::around([7.5, 4.5], 0.25), 0).unwrap();
    let height = |tree: &Quad<Smallest>| {
        let mut height = None;
        tree.visit_all(|view| height = height.or((view.count > 0).then_some(view.cell.height)));
        height.unwrap()
    };
    assert_eq!(height(&tree), 0);
    tree.update(id, Bounds::around([8.0, 4.5], 0.25)).unwrap();
    assert_eq!(height(&tree), 4);
    tree.update(id, Bounds::around([8.5, 4.5], 0.25)).unwrap();
    assert_eq!(height(&tree), 0);
}

#[test]
fn ot_10_collapse_waits_for_its_count() {
    let settings = Settings {
        depth_max: 4,
        capacity: 4,
        collapse_count: 2,
        growth_max: 0,
    };
    let mut tree: Orthtree<2, Linear, Smallest> =
        Orthtree::new(Bounds::new([0.0; 2], [16.0; 2]), Smallest, settings).unwrap();
    let mut ids: Vec<_> = [[1.0, 1.0], [1.0, 9.0], [9.0, 1.0], [9.0, 9.0], [5.0, 5.0]]
        .map(|point| tree.insert(Bounds::point(point), 0).unwrap())
        .to_vec();
    let is_divided = |tree: &Orthtree<2, Linear, Smallest>| {
        let mut count = 0;
        tree.visit_all(|_| count += 1);
        count > 1
    };
    for divided in [true, true, false] {
        tree.remove(ids.pop().unwrap()).unwrap();
        assert_eq!(is_divided(&tree), divided);
    }
}
