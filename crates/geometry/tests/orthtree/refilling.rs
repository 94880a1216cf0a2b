//! Batches that move most objects to other cells, for which all cells are made anew: the same result as single moves,
//! in the stated order, also in a restored tree.

use std::collections::BTreeMap;

use crate::model::{LOW, Random, SIDE, first_root, random_box};
use tombolo_geometry::orthtree::{
    Block, Bounds, Cell, Convex, Full, Layout, Linear, Loose, Move, ObjectId, Orthtree, Settings, Smallest,
    Standard, Strategy, Unlinked,
};

const COUNT: u64 = 3_000;

fn tree<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S, seed: u64) -> Orthtree<D, L, S> {
    let settings = Settings {
        depth_max: 4,
        growth_max: 2,
        ..Settings::default()
    };
    let mut tree = Orthtree::new(first_root(), strategy.clone(), settings).unwrap();
    let random = &mut Random(seed);
    let ids: Vec<ObjectId> = (0..COUNT)
        .map(|key| tree.insert(random_box(random, LOW, SIDE), key).unwrap())
        .collect();
    // Free places, and some that are used again.
    for id in ids.iter().step_by(7) {
        tree.remove(*id).unwrap();
    }
    for key in 0..50 {
        tree.insert(random_box(random, LOW, SIDE), COUNT + key).unwrap();
    }
    tree
}

/// Of nine objects in ten, in an order of chance; one in five of these hardly moves.
fn batch<const D: usize, L: Layout<D>, S: Strategy<D>>(
    tree: &Orthtree<D, L, S>,
    random: &mut Random,
    side: f32,
) -> Vec<Move<D>> {
    let mut moves: Vec<(u64, Move<D>)> = Vec::new();
    for id in tree.ids().filter(|id| id.index() % 10 != 3) {
        let mut bounds = random_box(random, LOW, side);
        if random.below(5) == 0 {
            bounds = tree.bounds(id).unwrap();
            bounds.max[0] = bounds.max[0].next_up();
        }
        moves.push((random.next(), Move { id, bounds }));
    }
    moves.sort_unstable_by_key(|(chance, _)| *chance);
    moves.into_iter().map(|(_, item)| item).collect()
}

/// By corner and height of a cell its objects, in the order of a query.
type Cells<const D: usize> = BTreeMap<([u32; D], u32), Vec<(ObjectId, Bounds<D>, u64)>>;

fn by_cell<const D: usize, L: Layout<D>, S: Strategy<D>>(tree: &Orthtree<D, L, S>) -> Cells<D> {
    let mut counts: Vec<(Cell<D>, u32)> = Vec::new();
    tree.visit_all(|view| counts.push((view.cell, view.count)));
    let mut hits = Vec::new();
    tree.query(&Convex::new(&[]), |hit| hits.push((hit.id, hit.bounds, hit.key)));
    let mut hits = hits.into_iter();
    let mut cells = BTreeMap::new();
    for (cell, count) in counts {
        if count > 0 {
            cells.insert(
                (cell.corner, cell.height),
                hits.by_ref().take(count as usize).collect(),
            );
        }
    }
    assert_eq!(hits.next(), None);
    cells
}

/// The same with the objects of each cell by id.
fn sorted<const D: usize>(cells: &Cells<D>) -> Cells<D> {
    let mut cells = cells.clone();
    cells
        .values_mut()
        .for_each(|objects| objects.sort_by_key(|object| object.0));
    cells
}

fn refills<const D: usize, L: Layout<D>, S: Strategy<D>>(strategy: &S) {
    for seed in 0..3 {
        let start = tree::<D, L, S>(strategy, seed);
        let random = &mut Random(seed + 90);
        // The last time the root must grow.
        let side = if seed == 2 { 1.9 * SIDE } else { SIDE };
        let moves = batch(&start, random, side);
        let mut batched = start.clone();
        batched.update_many(&moves).unwrap();
        batched.validate().unwrap();
        let mut single = start.clone();
        for item in &moves {
            single.update(item.id, item.bounds).unwrap();
        }
        let (batched_cells, single_cells) = (by_cell(&batched), by_cell(&single));
        assert_eq!(sorted(&batched_cells), sorted(&single_cells));
        check_order(&start, &batched_cells, &moves);

        // A restored one goes the same way, now and afterwards.
        let mut restored = Orthtree::<D, L, S>::restore(strategy.clone(), &start.save()).unwrap();
        restored.update_many(&moves).unwrap();
        assert_eq!(restored.save(), batched.save());
        let back = batch(&batched, random, SIDE);
        for tree in [&mut restored, &mut batched] {
            let gone: Vec<ObjectId> = tree.ids().step_by(5).collect();
            tree.update_many(&back).unwrap();
            gone.iter().for_each(|id| assert!(tree.remove(*id).is_ok()));
            tree.insert(Bounds::point([LOW + 1.0; D]), 7).unwrap();
            tree.validate().unwrap();
        }
        assert_eq!(restored.save(), batched.save());

        // What is refused changes nothing.
        let mut wrong = moves.clone();
        wrong[2_000].bounds = Bounds::point([f32::NAN; D]);
        let before = batched.state_hash();
        assert!(batched.update_many(&wrong).is_err());
        assert_eq!(batched.state_hash(), before);
    }
}

/// In each cell those that stayed, by place, then those that came, in the order of the batch; told by fours from the end.
fn check_order<const D: usize, L: Layout<D>, S: Strategy<D>>(
    start: &Orthtree<D, L, S>,
    cells: &Cells<D>,
    moves: &[Move<D>],
) {
    let turns: BTreeMap<ObjectId, usize> = moves.iter().map(|item| item.id).zip(0..).collect();
    let mut homes = BTreeMap::new();
    for (cell, objects) in by_cell(start) {
        homes.extend(objects.into_iter().map(|object| (object.0, cell)));
    }
    let mut came = 0;
    for (cell, objects) in cells {
        let mut list: Vec<_> = objects.chunks(4).rev().flatten().collect();
        // The block that is not full comes first.
        let rest = objects.len() % 4;
        if rest > 0 {
            list = objects[rest..]
                .chunks(4)
                .rev()
                .flatten()
                .chain(&objects[..rest])
                .collect();
        }
        let turn = |id: &ObjectId| match turns.get(id) {
            Some(turn) if homes[id] != *cell => (1, *turn),
            _ => (0, id.index() as usize),
        };
        let order: Vec<_> = list.iter().map(|(id, ..)| turn(id)).collect();
        assert!(order.is_sorted(), "{cell:?}: {order:?}");
        came += order.iter().filter(|turn| turn.0 == 1).count();
    }
    assert!(
        came > start.len() / 2,
        "{came} of {} came, too few for what is tested",
        start.len()
    );
}

#[test]
fn ot_7_most_objects_elsewhere_in_a_plane() {
    refills::<2, Linear, _>(&Loose::default());
    refills::<2, Block<2, Unlinked>, _>(&Loose::default());
    refills::<2, Full<2>, _>(&Smallest);
}

#[test]
fn ot_7_most_objects_elsewhere_in_space() {
    refills::<3, Linear<u32>, _>(&Smallest);
    refills::<3, Standard<3>, _>(&Loose::default());
}
