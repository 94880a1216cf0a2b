//! Tests of the tree on its own: queries against brute force, degenerate input, and rebuilding.

use super::{BoxCast, BuildScratch, LANES, Node, NodeFilter, PairWalk, Tree, Visit};
use crate::{Aabb, Vec2};
use proptest::prelude::*;

fn any_box() -> impl Strategy<Value = Aabb> {
    (-20..20_i32, -20..20_i32, 0.0..4.0_f32, 0.0..4.0_f32).prop_map(|(x, y, width, height)| {
        let min = Vec2::new(x as f32, y as f32);
        Aabb::new(min, min + Vec2::new(width, height))
    })
}

fn tree_of(boxes: &[Aabb]) -> Tree {
    let mut tree = Tree::new();
    for (item, &value) in boxes.iter().enumerate() {
        let filter = NodeFilter {
            categories: 1 << (item % 3),
            ..NodeFilter::ALL
        };
        tree.insert(item as u32, value, filter).unwrap();
    }
    tree
}

/// Rebuilds the tree and checks it against its own records.
fn rebuild(tree: &mut Tree) {
    let filter = |item: u32| NodeFilter {
        categories: 1 << (item % 3),
        ..NodeFilter::ALL
    };
    let mut slots = Vec::new();
    tree.rebuild(&mut BuildScratch::default(), filter, |item, slot| {
        slots.push((item, slot))
    });
    for (item, slot) in slots {
        assert_eq!(tree.items[slot as usize], item);
    }
    tree.validate();
}

fn new_pairs(tree: &Tree, task_count_min: usize) -> Vec<(u32, u32)> {
    let walk = PairWalk::within(tree);
    let (mut tasks, mut stack, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    walk.split(task_count_min, &mut tasks);
    for &task in &tasks {
        walk.run(task, &mut stack, |a, b, _| pairs.push((a.min(b), a.max(b))));
    }
    pairs.sort_unstable();
    pairs
}

/// The first fraction at which a moving box meets another, by the textbook, in double precision.
fn meets(cast: &BoxCast, value: Aabb) -> Option<f64> {
    let mut span = (0.0_f64, f64::from(cast.fraction_max));
    for axis in 0..2 {
        let start = f64::from(cast.start[axis]);
        let translation = f64::from(cast.translation[axis]);
        let min = f64::from(value.min[axis]) - f64::from(cast.half_size[axis]);
        let max = f64::from(value.max[axis]) + f64::from(cast.half_size[axis]);
        if translation == 0.0 {
            if start < min || start > max {
                return None;
            }
        } else {
            let (one, other) = ((min - start) / translation, (max - start) / translation);
            span = (span.0.max(one.min(other)), span.1.min(one.max(other)));
        }
    }
    (span.0 <= span.1).then_some(span.0)
}

/// Whether rounding may decide: the answer changes when the box grows or shrinks slightly.
fn is_near_miss(cast: &BoxCast, value: Aabb) -> bool {
    meets(cast, value.grown(1e-4)).is_some() != meets(cast, value.grown(-1e-4)).is_some()
}

/// A box with edges on few places, at zeros of both signs too, so that many are equal.
fn box_on_few_places() -> impl Strategy<Value = Aabb> {
    let edges = || {
        (
            prop::sample::select(vec![-1.0, -0.0, 0.0_f32]),
            prop::sample::select(vec![-0.0, 0.0, 2.0_f32]),
        )
    };
    (edges(), edges())
        .prop_map(|((left, right), (low, high))| Aabb::new(Vec2::new(left, low), Vec2::new(right, high)))
}

/// The bits of all boxes above the leaves, and their marks.
fn upper_nodes(tree: &Tree) -> Vec<([[u32; 8]; 4], u32)> {
    let bits = |edges: [f32; 8]| edges.map(f32::to_bits);
    let start = tree.counts[0].leaf_capacity as usize;
    let upper = tree.nodes[start..].iter();
    let boxes = |node: &Node| [node.min_x, node.min_y, node.max_x, node.max_y].map(bits);
    upper.map(|node| (boxes(node), node.changed)).collect()
}

proptest! {
    /// A change of one item stops at the first node that stays as it is: what is above it must be as if all of it had been
    /// gathered again.
    #[test]
    fn the_nodes_above_a_change_are_those_of_all_leaves(
        boxes in prop::collection::vec(box_on_few_places(), 1..200),
        calls in prop::collection::vec((0..5_u32, any::<prop::sample::Index>(), box_on_few_places()), 0..60),
    ) {
        let mut tree = tree_of(&boxes);
        let mut slots: Vec<u32> = (0..boxes.len() as u32).collect();
        for (call, place, value) in calls {
            match (call, slots.is_empty()) {
                (0, _) => slots.push(tree.insert(9_999, value, NodeFilter::ALL).unwrap()),
                (1, false) => tree.remove(slots.swap_remove(place.index(slots.len()))),
                (2, false) => tree.recheck(slots[place.index(slots.len())], NodeFilter::ALL),
                (3, _) => tree.commit(),
                (_, false) => tree.set_box(slots[place.index(slots.len())], value).unwrap(),
                _ => {}
            }
            tree.validate();
            let mut gathered = tree.clone();
            gathered.gather_all();
            prop_assert_eq!(upper_nodes(&tree), upper_nodes(&gathered));
        }
    }

    #[test]
    fn box_queries_agree_with_brute_force(
        boxes in prop::collection::vec(any_box(), 0..300),
        area in any_box(),
        categories in 1..8_u64,
        packed in any::<bool>(),
    ) {
        let mut tree = tree_of(&boxes);
        if packed {
            rebuild(&mut tree);
        }
        let mut found = Vec::new();
        tree.query_box(area, categories, |item| {
            found.push(item);
            Visit::Continue
        });
        // Whole branches are skipped by category, single items are not.
        found.retain(|item| categories >> (item % 3) & 1 != 0);
        found.sort_unstable();
        let expected: Vec<u32> = (0..boxes.len() as u32)
            .filter(|&item| boxes[item as usize].overlaps(area) && categories >> (item % 3) & 1 != 0)
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn casts_agree_with_brute_force(
        boxes in prop::collection::vec(any_box(), 0..300),
        start in (-30..30_i32, -30..30_i32),
        translation in (-60..60_i32, -60..60_i32),
        half_size in prop_oneof![Just(0.0_f32), 0.0..2.0_f32],
        packed in any::<bool>(),
    ) {
        let mut tree = tree_of(&boxes);
        if packed {
            rebuild(&mut tree);
        }
        let cast = BoxCast {
            start: Vec2::new(start.0 as f32, start.1 as f32),
            translation: Vec2::new(translation.0 as f32, translation.1 as f32),
            half_size: Vec2::splat(half_size),
            fraction_max: 1.0,
        };
        let mut found = vec![false; boxes.len()];
        tree.cast(&cast, u64::MAX, |item, fraction_max| {
            assert!(!std::mem::replace(&mut found[item as usize], true), "item {item} twice");
            fraction_max
        });
        for (item, &value) in boxes.iter().enumerate() {
            let expected = meets(&cast, value).is_some();
            prop_assert!(found[item] == expected || is_near_miss(&cast, value), "item {item}: {value:?}");
        }
        let mut nearest = (f32::INFINITY, usize::MAX);
        tree.cast(&cast, u64::MAX, |item, fraction_max| match meets(&cast, boxes[item as usize]) {
            Some(fraction) if (fraction as f32) < nearest.0 => {
                nearest = (fraction as f32, item as usize);
                // A little more, so that rounding does not hide another at the same place.
                (nearest.0 + 1e-4).min(fraction_max)
            }
            _ => fraction_max,
        });
        let expected = boxes.iter().filter_map(|&value| meets(&cast, value)).fold(f64::INFINITY, f64::min);
        let near_miss = boxes.iter().any(|&value| is_near_miss(&cast, value));
        prop_assert!(near_miss || nearest.0 == expected as f32, "{} instead of {expected}", nearest.0);
    }

    #[test]
    fn rebuilding_and_splitting_into_tasks_change_no_pair(boxes in prop::collection::vec(any_box(), 0..400)) {
        let mut tree = tree_of(&boxes);
        tree.validate();
        let pairs = new_pairs(&tree, 1);
        for task_count_min in [2, 16, 500] {
            prop_assert_eq!(&new_pairs(&tree, task_count_min), &pairs);
        }
        rebuild(&mut tree);
        prop_assert_eq!(&new_pairs(&tree, 16), &pairs);
        tree.commit();
        rebuild(&mut tree);
        prop_assert_eq!(new_pairs(&tree, 16), vec![]);
    }

    /// Each leaf for itself, in another order, as workers do it.
    #[test]
    fn a_commit_in_parts_is_a_commit(
        boxes in prop::collection::vec(any_box(), 1..900),
        moves in prop::collection::vec((any::<prop::sample::Index>(), any_box(), any::<bool>()), 0..40),
    ) {
        let mut tree = tree_of(&boxes);
        tree.commit();
        for (slot, value, rechecks) in moves {
            let slot = slot.index(boxes.len()) as u32;
            if rechecks {
                tree.recheck(slot, NodeFilter::ALL);
            } else {
                tree.set_box(slot, value).unwrap();
            }
        }
        let mut whole = tree.clone();
        whole.commit();
        let active: Vec<u32> = (0..boxes.len().div_ceil(LANES))
            .filter(|&leaf| tree.nodes[leaf].is_active())
            .map(|leaf| leaf as u32)
            .collect();
        let mut leaves = Vec::new();
        tree.list_leaves_to_commit(&mut leaves);
        prop_assert_eq!(&leaves, &active);
        let commit = |&leaf: &u32| tree.nodes[leaf as usize].commit(&mut tree.previous[leaf as usize]);
        let moved = leaves.iter().rev().map(commit).filter(|&moved| moved).count();
        tree.add_changed_leaves(moved as u32);
        prop_assert_eq!(tree, whole);
    }
}

#[test]
fn a_stopped_query_reports_nothing_more() {
    let tree = tree_of(&[Aabb::new(Vec2::ZERO, Vec2::ONE); 100]);
    let mut count = 0;
    tree.query_box(Aabb::new(Vec2::ZERO, Vec2::ONE), u64::MAX, |_| {
        count += 1;
        if count == 5 { Visit::Stop } else { Visit::Continue }
    });
    assert_eq!(count, 5);
}

/// Depth follows from the number of items alone, so no input can make it grow.
#[test]
fn equal_collinear_and_huge_boxes_pack_like_all_others() {
    let at = |x: f32, y: f32, half: f32| Aabb::new(Vec2::new(x, y), Vec2::new(x, y)).grown(half);
    let families: [&dyn Fn(u32) -> Aabb; 5] = [
        &|_| at(3.0, -2.0, 0.5),
        &|_| at(0.0, 0.0, 0.0),
        &|item| at(item as f32, 0.0, 0.4),
        &|item| at(if item == 0 { 3.0e38 } else { -3.0e38 }, item as f32, 0.0),
        &|item| at(0.0, 0.0, 1.0e30 * (item % 7) as f32),
    ];
    for family in families {
        let boxes: Vec<Aabb> = (0..4096).map(family).collect();
        let mut tree = tree_of(&boxes);
        rebuild(&mut tree);
        assert_eq!(tree.level_count(), 4);
        let mut found = 0;
        tree.query_box(boxes[17], u64::MAX, |_| {
            found += 1;
            Visit::Continue
        });
        assert_eq!(
            found,
            boxes.iter().filter(|value| value.overlaps(boxes[17])).count()
        );
    }
}

#[test]
fn a_tree_with_many_holes_or_newcomers_asks_to_be_rebuilt_and_one_just_built_does_not() {
    let boxes: Vec<Aabb> = (0..200)
        .map(|item| Aabb::new(Vec2::splat(item as f32), Vec2::splat(item as f32 + 1.5)))
        .collect();
    let mut tree = tree_of(&boxes);
    assert!(tree.is_stale(), "all are newcomers");
    rebuild(&mut tree);
    assert!(tree.has_changed());
    tree.commit();
    assert!(!tree.has_changed() && !tree.is_stale());
    for slot in 0..120 {
        tree.remove(slot);
    }
    assert!(tree.is_stale(), "more than half are holes");
    rebuild(&mut tree);
    assert!(!tree.is_stale());
    for slot in 0..80 {
        tree.set_box(
            slot,
            Aabb::new(Vec2::splat((slot * 37 % 80) as f32), Vec2::splat(81.0)),
        )
        .unwrap();
    }
    assert!(tree.has_changed());
    tree.commit();
    assert!(tree.is_stale(), "the leaves have grown");
}

#[test]
fn a_tree_that_was_cleared_is_as_good_as_new() {
    let boxes: Vec<Aabb> = (0..200)
        .map(|item| Aabb::new(Vec2::splat(item as f32), Vec2::splat(item as f32 + 1.5)))
        .collect();
    let mut tree = tree_of(&boxes);
    rebuild(&mut tree);
    tree.commit();
    tree.clear();
    tree.validate();
    assert!(tree.is_empty() && !tree.has_changed());
    tree.query_box(boxes[0].union(boxes[199]), u64::MAX, |item| {
        panic!("{item} is gone")
    });
    assert_eq!(new_pairs(&tree, 4), []);
    // Fewer items than before, and other ones.
    let mut fresh = tree_of(&boxes[150..]);
    for (item, &value) in boxes[150..].iter().enumerate() {
        let filter = NodeFilter {
            categories: 1 << (item % 3),
            ..NodeFilter::ALL
        };
        tree.insert(item as u32, value, filter).unwrap();
    }
    assert_eq!(new_pairs(&tree, 4), new_pairs(&fresh, 4));
    for tree in [&mut tree, &mut fresh] {
        rebuild(tree);
        tree.commit();
        assert!(!tree.is_stale());
    }
    assert_eq!(tree.items[..64], fresh.items[..64]);
}

#[test]
#[should_panic(expected = "slot 3 holds no item")]
fn removing_twice_is_named() {
    let mut tree = tree_of(&[Aabb::new(Vec2::ZERO, Vec2::ONE); 8]);
    tree.remove(3);
    tree.remove(3);
}
