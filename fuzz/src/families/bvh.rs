//! Family `bvh`: a bounding volume tree beside a list of boxes: queries, new overlaps, rebuilds; and forged arrays, as
//! a save may have, which the tree's check refuses or which work soundly afterwards.

use std::collections::{BTreeMap, BTreeSet};

use tombolo_geometry::bvh::{BuildScratch, NO_ITEM, NodeFilter, PairWalk, Tree, Visit};
use tombolo_geometry::{Aabb, Vec2};

use crate::family::{Family, hold, same};
use crate::random::{Forgery, Random};

/// The family.
pub(crate) struct Bvhs;

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Insert {
        at: [i16; 2],
        size: [u8; 2],
        categories: u8,
    },
    Move {
        which: usize,
        at: [i16; 2],
        size: [u8; 2],
    },
    Remove(usize),
    Recheck(usize),
    Query {
        at: [i16; 2],
        size: [u8; 2],
        categories: u8,
    },
    /// Reports new overlaps, which are not new from then on.
    Pairs,
    Rebuild,
    /// Changes in one of the four arrays; arrays that pass the check are used from then on.
    Forge(Vec<(usize, Forgery)>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Item {
    slot: u32,
    present: Aabb,
    /// The box at the last commit.
    previous: Aabb,
    categories: u64,
    is_rechecked: bool,
}

impl Family for Bvhs {
    const NAME: &'static str = "bvh";
    const ABOUT: &'static str = "bounding volume trees against a list of boxes, forged arrays";
    const CASES: u64 = 200_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let crowd = random.pick(&[8, 60, 400]);
        let at = move |random: &mut Random| [0; 2].map(|_| random.below(2 * crowd) as i16 - crowd as i16);
        let size = |random: &mut Random| [0; 2].map(|_| random.pick(&[0, 1, 2, 7, 30]) as u8);
        let categories = |random: &mut Random| random.pick(&[0, 1, 2, 3, 255]);
        (0..random.within(1..120))
            .map(|_| match random.below(20) {
                0..=9 => Operation::Insert {
                    at: at(random),
                    size: size(random),
                    categories: categories(random),
                },
                10..=12 => Operation::Move {
                    which: random.below(128),
                    at: at(random),
                    size: size(random),
                },
                13..=14 => Operation::Remove(random.below(128)),
                15 => Operation::Recheck(random.below(128)),
                16 => Operation::Query {
                    at: at(random),
                    size: size(random),
                    categories: categories(random),
                },
                17 => Operation::Pairs,
                18 => Operation::Rebuild,
                _ => Operation::Forge(
                    (0..random.within(1..3))
                        .map(|_| (random.below(4), Forgery::new(random)))
                        .collect(),
                ),
            })
            .collect()
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let mut tree = Tree::new();
        let mut items: BTreeMap<u32, Item> = BTreeMap::new();
        let mut scratch = BuildScratch::default();
        for (number, operation) in operations.iter().enumerate() {
            let picked = |which: usize| items.keys().nth(which % items.len().max(1)).copied();
            match operation {
                Operation::Insert { at, size, categories } => {
                    let present = box_at(*at, *size);
                    let filter = filter(u64::from(*categories));
                    let slot = tree
                        .insert(number as u32, present, filter)
                        .map_err(|error| error.to_string())?;
                    let item = Item {
                        slot,
                        present,
                        previous: Aabb::EMPTY,
                        categories: u64::from(*categories),
                        is_rechecked: false,
                    };
                    items.insert(number as u32, item);
                }
                Operation::Move { which, at, size } => {
                    if let Some(item) = picked(*which).and_then(|key| items.get_mut(&key)) {
                        item.present = box_at(*at, *size);
                        tree.set_box(item.slot, item.present)
                            .map_err(|error| error.to_string())?;
                    }
                }
                Operation::Remove(which) => {
                    if let Some(item) = picked(*which).and_then(|key| items.remove(&key)) {
                        tree.remove(item.slot);
                    }
                }
                Operation::Recheck(which) => {
                    if let Some(item) = picked(*which).and_then(|key| items.get_mut(&key)) {
                        item.is_rechecked = true;
                        tree.recheck(item.slot, filter(item.categories));
                    }
                }
                Operation::Query { at, size, categories } => {
                    query(&tree, &items, box_at(*at, *size), u64::from(*categories))?;
                }
                Operation::Pairs => {
                    pairs(&tree, &items)?;
                    tree.commit();
                    for item in items.values_mut() {
                        (item.previous, item.is_rechecked) = (item.present, false);
                    }
                    hold!(!tree.has_changed(), "something is new after a commit");
                }
                Operation::Rebuild => {
                    let categories: BTreeMap<u32, u64> =
                        items.iter().map(|(&key, item)| (key, item.categories)).collect();
                    tree.rebuild(
                        &mut scratch,
                        |item| filter(categories[&item]),
                        |item, slot| {
                            items.entry(item).and_modify(|item| item.slot = slot);
                        },
                    );
                }
                Operation::Forge(forgeries) => {
                    let mut forged = tree.clone();
                    for (array, forgery) in forgeries {
                        match array {
                            0 => forgery.apply(bytemuck::cast_slice_mut(&mut forged.nodes)),
                            1 => forgery.apply(bytemuck::cast_slice_mut(&mut forged.previous)),
                            2 => forgery.apply(bytemuck::cast_slice_mut(&mut forged.items)),
                            _ => forgery.apply(bytemuck::cast_slice_mut(&mut forged.counts)),
                        }
                    }
                    // The set of items is known only to their owner, so the check gets it from there.
                    let is_owned = items.iter().all(|(&key, item)| {
                        forged.holds(item.slot, key, item.present, filter(item.categories))
                    });
                    if forged.check().is_ok() && is_owned && forged.len() == items.len() {
                        tree = forged;
                        for item in items.values_mut() {
                            item.previous = tree.previous_box_at(item.slot);
                        }
                        // Items marked for a recheck cannot be listed, so all are marked.
                        for item in items.values_mut() {
                            item.is_rechecked = true;
                            tree.recheck(item.slot, filter(item.categories));
                        }
                    }
                }
            }
            tree.check().map_err(str::to_string)?;
            same!(tree.len(), items.len(), "the number of items");
        }
        query(
            &tree,
            &items,
            Aabb::new(Vec2::splat(-1.0e4), Vec2::splat(1.0e4)),
            u64::MAX,
        )?;
        pairs(&tree, &items)
    }
}

fn filter(categories: u64) -> NodeFilter {
    NodeFilter {
        categories,
        mask: u64::MAX,
        grouped: false,
    }
}

fn box_at(at: [i16; 2], size: [u8; 2]) -> Aabb {
    let min = Vec2::new(f32::from(at[0]), f32::from(at[1]));
    Aabb::new(min, min + Vec2::new(f32::from(size[0]), f32::from(size[1])))
}

/// A query may find more than its categories, since branches have only the union of theirs; never less.
fn query(tree: &Tree, items: &BTreeMap<u32, Item>, area: Aabb, categories: u64) -> Result<(), String> {
    let mut found = BTreeSet::new();
    let mut is_twice = false;
    tree.query_box(area, categories, |item| {
        is_twice |= item == NO_ITEM || !found.insert(item);
        Visit::Continue
    });
    hold!(!is_twice, "an item twice, or none");
    for (&key, item) in items {
        let overlaps = item.present.overlaps(area);
        hold!(
            overlaps || !found.contains(&key),
            "item {key} was found and is elsewhere"
        );
        let is_wanted = overlaps && item.categories & categories != 0;
        hold!(!is_wanted || found.contains(&key), "item {key} was not found");
    }
    hold!(
        found.iter().all(|key| items.contains_key(key)),
        "an item that is not there"
    );
    Ok(())
}

fn pairs(tree: &Tree, items: &BTreeMap<u32, Item>) -> Result<(), String> {
    let walk = PairWalk::within(tree);
    let (mut tasks, mut stack, mut found) = (Vec::new(), Vec::new(), BTreeSet::new());
    walk.split(8, &mut tasks);
    let mut is_twice = false;
    for task in tasks {
        walk.run(task, &mut stack, |a, b, _| {
            is_twice |= a == b || !found.insert((a.min(b), a.max(b)))
        });
    }
    hold!(!is_twice, "a pair twice");
    for (&a, one) in items {
        for (&b, other) in items.range(a + 1..) {
            let overlaps = one.present.overlaps(other.present);
            let is_known = one.previous.overlaps(other.previous) && !one.is_rechecked && !other.is_rechecked;
            let may_meet = one.categories != 0 && other.categories != 0;
            let is_found = found.contains(&(a, b));
            hold!(
                !is_found || (overlaps && !is_known),
                "{a} and {b} are no new pair"
            );
            hold!(
                is_found || !overlaps || is_known || !may_meet,
                "{a} and {b} are a new pair"
            );
        }
    }
    Ok(())
}
