//! The properties of every tree, whatever its layout, strategy and capacity: the suite, stamped on some pairs of a layout
//! and a strategy in `layouts.rs`, and on all in the program `every_layout`.

use std::collections::BTreeMap;

use crate::model::{LOW, Random, SIDE, Twin, random_box, seeds};
use tombolo_geometry::orthtree::{
    Ball, Bounds, Bounds4, Convex, HalfSpace, Hit, Layout, Move, ObjectId, Orthtree, Region, Segment,
    Settings, Strategy,
};
use tombolo_threads::Executor;

fn settings<const D: usize>(capacity: u32) -> Settings {
    Settings {
        depth_max: if D == 2 { 5 } else { 4 },
        capacity,
        collapse_count: capacity,
        growth_max: 2,
    }
}

fn twin<const D: usize, L: Layout<D>, S: Strategy<D>>(
    strategy: &S,
    capacity: u32,
    seed: u64,
    step_count: usize,
) -> Twin<D, L, S> {
    let mut twin = Twin::new(strategy.clone(), settings::<D>(capacity));
    let random = &mut Random(seed);
    for _ in 0..step_count {
        twin.step(random, LOW, SIDE);
    }
    twin
}

/// Any region as one type, so that the suite is compiled once for each tree and not once for each region too.
#[derive(Clone, Copy)]
enum Any<'a, const D: usize> {
    Box(Bounds<D>),
    Ball(Ball<D>),
    Segment(Segment<D>),
    Convex(Convex<'a, D>),
}

impl<const D: usize> Region<D> for Any<'_, D> {
    fn overlaps(&self, bounds: &Bounds<D>) -> bool {
        match self {
            Self::Box(region) => region.overlaps(bounds),
            Self::Ball(region) => region.overlaps(bounds),
            Self::Segment(region) => region.overlaps(bounds),
            Self::Convex(region) => region.overlaps(bounds),
        }
    }

    fn overlaps_four(&self, boxes: &Bounds4<D>) -> u32 {
        match self {
            Self::Box(region) => region.overlaps_four(boxes),
            Self::Ball(region) => region.overlaps_four(boxes),
            Self::Segment(region) => region.overlaps_four(boxes),
            Self::Convex(region) => region.overlaps_four(boxes),
        }
    }

    fn bounds(&self) -> Option<Bounds<D>> {
        match self {
            Self::Box(region) => region.bounds(),
            Self::Ball(region) => region.bounds(),
            Self::Segment(region) => region.bounds(),
            Self::Convex(region) => region.bounds(),
        }
    }
}

fn check_region<const D: usize, L: Layout<D>, S: Strategy<D>>(twin: &Twin<D, L, S>, region: Any<'_, D>) {
    let mut found = BTreeMap::new();
    twin.tree.query(&region, |Hit { id, key, bounds }| {
        assert_eq!(found.insert(id, (bounds, key)), None, "reported twice");
    });
    let expected: BTreeMap<_, _> = twin
        .model
        .iter()
        .filter(|(_, (bounds, _))| region.overlaps(bounds))
        .map(|(id, v)| (*id, *v))
        .collect();
    match region {
        Any::Convex(region) if S::SHARED => check_culling(&found, &expected, &region),
        _ => assert_eq!(found, expected),
    }
}

/// A shared tree asks a convex region cell by cell, which may rightly leave out a box beside its edge that the test of the
/// whole box lets pass: but none that shares a point with the region.
fn check_culling<const D: usize>(
    found: &BTreeMap<ObjectId, (Bounds<D>, u64)>,
    expected: &BTreeMap<ObjectId, (Bounds<D>, u64)>,
    region: &Convex<'_, D>,
) {
    assert!(found.iter().all(|(id, value)| expected.get(id) == Some(value)));
    for (bounds, _) in expected
        .iter()
        .filter(|(id, _)| !found.contains_key(id))
        .map(|(_, value)| value)
    {
        for number in 0..5_usize.pow(D as u32) {
            let point = std::array::from_fn(|axis| {
                let share = (number / 5_usize.pow(axis as u32) % 5) as f32 / 4.0;
                bounds.min[axis] + share * (bounds.max[axis] - bounds.min[axis])
            });
            assert!(!region.overlaps(&Bounds::point(point)));
        }
    }
}

/// Regions of all kinds, also outside the root, against brute force over the list of boxes (OT-12, OT-13).
pub(crate) fn queries<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, capacity: u32) {
    for seed in seeds(6) {
        let twin = twin::<D, L, S>(strategy, capacity, seed, 90);
        let random = &mut Random(seed + 1000);
        for _ in 0..12 {
            let bounds: Bounds<D> = random_box(random, LOW - 4.0, SIDE + 8.0);
            let center = bounds.min;
            let radius = bounds.max[0] - center[0];
            let sides = sides(random, &bounds);
            check_region(&twin, Any::Box(bounds));
            check_region(&twin, Any::Box(Bounds::point(center)));
            check_region(&twin, Any::Ball(Ball { center, radius }));
            check_region(&twin, Any::Segment(segment(random, &bounds)));
            check_region(&twin, Any::Convex(Convex::new(&sides)));
            check_region(&twin, Any::Convex(Convex::within(&sides, bounds)));
            check_region(&twin, Any::Convex(Convex::within(&[], bounds)));
            nearest(&twin, center, 1 + random.below(9) as usize);
        }
        pairs(&twin);
    }
}

/// A segment, one time in two parallel to an axis and on a plane of the cells.
fn segment<const D: usize>(random: &mut Random, bounds: &Bounds<D>) -> Segment<D> {
    let mut translation = std::array::from_fn(|axis| bounds.max[axis] - bounds.min[axis]);
    let mut origin = bounds.min;
    if random.below(2) == 0 {
        translation = [0.0; D];
        translation[random.below(D as u64) as usize] = 20.0 * random.unit() - 10.0;
        origin = origin.map(f32::floor);
    }
    Segment { origin, translation }
}

/// A wedge with its edge at the box: two half-spaces.
fn sides<const D: usize>(random: &mut Random, bounds: &Bounds<D>) -> [HalfSpace<D>; 2] {
    [(); 2].map(|()| {
        let normal: [f32; D] = std::array::from_fn(|_| random.unit() - 0.5);
        let offset = (0..D).map(|axis| normal[axis] * bounds.min[axis]).sum();
        HalfSpace { normal, offset }
    })
}

fn nearest<const D: usize, L: Layout<D>, S: Strategy<D>>(
    twin: &Twin<D, L, S>,
    point: [f32; D],
    count: usize,
) {
    let found: Vec<_> = twin
        .tree
        .nearest(point, count)
        .unwrap()
        .iter()
        .map(|(hit, d)| (*d, hit.id))
        .collect();
    let mut expected: Vec<_> = twin
        .model
        .iter()
        .map(|(id, (bounds, _))| (bounds.distance_squared(&point), *id))
        .collect();
    expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
    expected.truncate(count);
    assert_eq!(found, expected);
}

fn pairs<const D: usize, L: Layout<D>, S: Strategy<D>>(twin: &Twin<D, L, S>) {
    let mut expected = Vec::new();
    for (a, (box_a, _)) in &twin.model {
        let others = twin
            .model
            .iter()
            .filter(|(b, (box_b, _))| a < b && box_a.overlaps(box_b));
        expected.extend(others.map(|(b, _)| (*a, *b)));
    }
    assert_eq!(twin.tree.overlapping_pairs(), expected);
}

/// However it came about, the content of the cells is that of a tree made from the final boxes (OT-7, OT-10); and the
/// same calls give the same nodes in the same order (OT-14).
pub(crate) fn history<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, capacity: u32) {
    for seed in seeds(8) {
        let moved = twin::<D, L, S>(strategy, capacity, seed, 150);
        let mut fresh: Orthtree<D, L, S> = Orthtree::new(
            crate::model::first_root(),
            strategy.clone(),
            settings::<D>(capacity),
        )
        .unwrap();
        for (bounds, key) in moved.model.values().rev() {
            fresh.insert(*bounds, *key).unwrap();
        }
        let fresh = Twin::of(fresh);
        assert_eq!(moved.content(), fresh.content());

        let again = twin::<D, L, S>(strategy, capacity, seed, 150);
        let nodes = |twin: &Twin<D, L, S>| {
            let mut nodes = Vec::new();
            twin.tree.visit_all(|view| nodes.push(view));
            nodes
        };
        assert_eq!(nodes(&moved), nodes(&again));
    }
}

/// A tree from which everything was removed has a root and nothing else (OT-10).
pub(crate) fn emptied<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, capacity: u32) {
    let mut twin = twin::<D, L, S>(strategy, capacity, 5, 120);
    let ids: Vec<_> = twin.model.keys().copied().collect();
    for id in ids {
        twin.remove(id);
    }
    assert!(twin.tree.is_empty());
    let mut count = 0;
    twin.tree.visit_all(|_| count += 1);
    if !L::ALWAYS_COMPLETE {
        assert_eq!(count, 1);
    }
}

/// Workers in turn, so that what one worker does cannot depend on another.
struct Turns(usize);

impl Executor for Turns {
    fn worker_count(&self) -> usize {
        self.0
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        (0..self.0).rev().for_each(task);
    }
}

/// A batch gives what one move after another gives, and the same order of everything on every executor.
pub(crate) fn batches<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, capacity: u32) {
    let start = twin::<D, L, S>(strategy, capacity, 9, 150);
    let random = &mut Random(77);
    let moves: Vec<Move<D>> = start
        .model
        .keys()
        .map(|&id| Move {
            id,
            bounds: random_box(random, LOW, SIDE),
        })
        .collect();
    let mut single = start.tree.clone();
    for item in &moves {
        single.update(item.id, item.bounds).unwrap();
    }
    let mut batched = start.tree.clone();
    batched.update_many(&moves).unwrap();
    let mut parallel = start.tree.clone();
    parallel.update_many_on(&Turns(3), &moves).unwrap();

    let hits = |tree: &Orthtree<D, L, S>| {
        let mut hits = Vec::new();
        tree.query(&Convex::new(&[]), |hit| hits.push(hit));
        hits
    };
    assert_eq!(hits(&batched), hits(&parallel));
    // And putting the memory in order changes nothing that can be seen.
    parallel.tidy();
    assert_eq!(hits(&batched), hits(&parallel));
    assert_eq!(batched.save(), parallel.save());
    let mut tidied = parallel.clone();
    for tree in [&mut batched, &mut tidied] {
        for id in start.model.keys().step_by(3) {
            tree.remove(*id).unwrap();
        }
        tree.update_many(&moves[1..2]).unwrap();
    }
    assert_eq!(hits(&batched), hits(&tidied));
    batched = parallel;
    assert_eq!(Twin::of(single).content(), Twin::of(batched).content());
}

/// What is inserted at once is in the cells, under the ids and with the answers of one insertion after the other, also into
/// a tree that holds something and has had removals, and with a root that must grow.
pub(crate) fn filled_at_once<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, capacity: u32) {
    for seed in seeds(4) {
        let start = twin::<D, L, S>(strategy, capacity, seed, 10 * seed as usize);
        let random = &mut Random(seed + 50);
        let side = if seed == 3 { 2.0 * SIDE } else { SIDE };
        let items: Vec<(Bounds<D>, u64)> = (0..80)
            .map(|key| (random_box(random, LOW, side), 1000 + key))
            .collect();
        let mut single = start.tree.clone();
        let ids: Vec<_> = items
            .iter()
            .map(|(bounds, key)| single.insert(*bounds, *key).unwrap())
            .collect();
        let mut filled = start.tree.clone();
        assert_eq!(filled.insert_many(&items), Ok(ids));
        assert_eq!(filled.overlapping_pairs(), single.overlapping_pairs());
        let (mut single, mut filled) = (Twin::of(single), Twin::of(filled));
        assert_eq!(filled.content(), single.content());
        // And both go on alike.
        let id = filled.tree.ids().nth(3).unwrap();
        for tree in [&mut single.tree, &mut filled.tree] {
            tree.remove(id).unwrap();
            tree.insert(Bounds::point([LOW + 1.0; D]), 7).unwrap();
        }
        assert_eq!(filled.content(), single.content());

        let hash = filled.tree.state_hash();
        let wrong = [items[0], (Bounds::point([f32::NAN; D]), 0)];
        assert!(filled.tree.insert_many(&wrong).is_err());
        let far = [items[0], (Bounds::point([1.0e6; D]), 0)];
        assert!(filled.tree.insert_many(&far).is_err());
        assert_eq!(filled.tree.state_hash(), hash, "a refused batch changes nothing");
    }
}

/// Stamps the suite on layouts: of each the name of its tests, the dimension, the layout, and its strategies.
macro_rules! stamp {
    ($($name:ident: $dimension:literal, $layout:ty, $($strategy:ident)+;)*) => {$(
        mod $name {
            use super::*;
            $(stamp!(@strategy $strategy, $dimension, $layout);)+
        }
    )*};
    (@strategy smallest, $dimension:literal, $layout:ty) => {
        stamp!(@tests smallest, $dimension, $layout, Smallest, &Smallest);
        stamp!(@root ot_8_ot_9_root_of_smallest, $dimension, $layout, &Smallest, 0 3);
    };
    (@strategy loose, $dimension:literal, $layout:ty) => {
        stamp!(@tests loose, $dimension, $layout, Loose, &Loose::default());
        stamp!(@root ot_8_ot_9_root_of_loose, $dimension, $layout, &Loose::default(), 0);
        stamp!(@tests very_loose, $dimension, $layout, Loose, &Loose { factor: 4.0 });
        stamp!(@tests hardly_loose, $dimension, $layout, Loose, &Loose { factor: 1.25 });
    };
    (@strategy shared, $dimension:literal, $layout:ty) => {
        stamp!(@tests shared, $dimension, $layout, Shared, &Shared);
        stamp!(@root ot_8_ot_9_root_of_shared, $dimension, $layout, &Shared, 3);
    };
    (@root $name:ident, $dimension:literal, $layout:ty, $value:expr, $($capacity:literal)+) => {
        #[test]
        fn $name() {
            $(crate::root::grows_and_shrinks::<$dimension, $layout, _>($value, $capacity);)+
        }
    };
    (@tests $name:ident, $dimension:literal, $layout:ty, $strategy:ty, $value:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn ot_6_neighbors() {
                crate::neighbor::against_brute_force::<$dimension, $layout, $strategy>($value);
            }

            #[test]
            fn ot_11_ot_12_ot_13_queries_equal_brute_force() {
                crate::suite::queries::<$dimension, $layout, $strategy>($value, 0);
                crate::suite::queries::<$dimension, $layout, $strategy>($value, 3);
            }

            #[test]
            fn ot_7_ot_14_history_does_not_show() {
                crate::suite::history::<$dimension, $layout, $strategy>($value, 0);
                crate::suite::history::<$dimension, $layout, $strategy>($value, 3);
            }

            #[test]
            fn ot_10_removal_leaves_nothing() {
                crate::suite::emptied::<$dimension, $layout, $strategy>($value, 0);
                crate::suite::emptied::<$dimension, $layout, $strategy>($value, 3);
            }

            #[test]
            fn ot_14_saves_go_the_same_way() {
                crate::save::goes_the_same_way::<$dimension, $layout, $strategy>($value, 0);
                crate::save::goes_the_same_way::<$dimension, $layout, $strategy>($value, 3);
            }

            #[test]
            fn ot_14_filled_at_once_is_filled_one_by_one() {
                crate::suite::filled_at_once::<$dimension, $layout, $strategy>($value, 0);
                crate::suite::filled_at_once::<$dimension, $layout, $strategy>($value, 3);
            }

            #[test]
            fn ot_7_batches_equal_single_moves() {
                crate::suite::batches::<$dimension, $layout, $strategy>($value, 0);
                crate::suite::batches::<$dimension, $layout, $strategy>($value, 3);
            }
        }
    };
}
pub(crate) use stamp;
