//! Points: insertion and nearest neighbors beside k-d trees and an R*-tree; in space beside an octree of cells.

use std::hint::black_box;
use std::num::NonZeroUsize;

use anyhow::ensure;
use kiddo::{ImmutableKdTree, MutableKdTree, SquaredEuclidean};
use oktree::prelude::{Aabb as CellBox, Octree, Position, TUVec3};
use rstar::RTree;
use rstar::primitives::GeomWithData;
use tombolo_geometry::orthtree::{Bounds, Linear, Loose, ObjectId, Orthtree, Settings, Smallest, Strategy};

use super::super::Run;
use super::scene::Random;
use crate::measure::{Contender, interleave};

const SIDE: f32 = 1024.0;
const NEAREST: usize = 10;
const QUESTION_COUNT: usize = 1_000;

pub(super) fn compare(run: &mut Run, count: usize) -> anyhow::Result<()> {
    // About four points in a finest cell.
    let flat = ((count as f64 / 4.0).log2() / 2.0).round().max(1.0) as u32;
    let deep = ((count as f64 / 4.0).log2() / 3.0).round().max(1.0) as u32;
    in_dimension::<2>(run, count, flat)?;
    in_dimension::<3>(run, count, deep)?;
    cells(run, count)
}

fn tree<const D: usize, S: Strategy<D>>(
    places: &[[f32; D]],
    strategy: S,
    depth_max: u32,
) -> (Orthtree<D, Linear, S>, Vec<ObjectId>)
where
    Linear: tombolo_geometry::orthtree::Layout<D>,
{
    let settings = Settings {
        depth_max,
        ..Settings::default()
    };
    let root = Bounds::new([0.0; D], [SIDE; D]);
    let mut tree = Orthtree::new(root, strategy, settings).expect("the root is right");
    let insert = |(index, place): (usize, &[f32; D])| {
        tree.insert(Bounds::point(*place), index as u64).expect("inside")
    };
    let ids = places.iter().enumerate().map(insert).collect();
    (tree, ids)
}

/// The loose tree with all points inserted at once.
fn filled<const D: usize>(places: &[[f32; D]], depth_max: u32) -> Orthtree<D, Linear, Loose>
where
    Linear: tombolo_geometry::orthtree::Layout<D>,
{
    let settings = Settings {
        depth_max,
        ..Settings::default()
    };
    let root = Bounds::new([0.0; D], [SIDE; D]);
    let mut tree = Orthtree::new(root, Loose::default(), settings).expect("the root is right");
    let numbered = places.iter().zip(0..);
    let items: Vec<_> = numbered
        .map(|(place, key)| (Bounds::point(*place), key))
        .collect();
    tree.insert_many(&items).expect("inside");
    tree
}

type Item<const D: usize> = GeomWithData<[f32; D], u32>;

fn in_dimension<const D: usize>(run: &mut Run, count: usize, depth: u32) -> anyhow::Result<()>
where
    Linear: tombolo_geometry::orthtree::Layout<D>,
{
    let random = &mut Random(11);
    let places: Vec<[f32; D]> = (0..count).map(|_| random.place(SIDE)).collect();
    let case = format!("{count} points, {D}D");
    let rounds = if run.smoke { 1 } else { 7 };
    let mutable = || {
        let mut tree: MutableKdTree<f32, D> = MutableKdTree::default();
        for (index, place) in places.iter().enumerate() {
            tree.add(place, index as u32).expect("room");
        }
        tree
    };
    let items = || -> Vec<Item<D>> {
        let items = places.iter().enumerate();
        items
            .map(|(index, place)| GeomWithData::new(*place, index as u32))
            .collect()
    };
    let one_by_one = || {
        let mut tree = RTree::new();
        items().into_iter().for_each(|item| tree.insert(item));
        tree
    };
    let [loose, smallest, kiddo, rstar] = interleave(
        &format!("{case}, insert"),
        rounds,
        [
            Contender::new("tombolo", || done(tree(&places, Loose::default(), depth))),
            Contender::new("tombolo", || done(tree(&places, Smallest, depth))),
            Contender::new("kiddo", || done(mutable())),
            Contender::new("rstar", || done(one_by_one())),
        ],
    )?;
    let report = &mut run.report;
    report.compare(
        &case,
        "insert, loose",
        "ns",
        count as f64,
        &loose,
        &[&kiddo, &rstar],
    );
    report.compare(
        &case,
        "insert, smallest",
        "ns",
        count as f64,
        &smallest,
        &[&kiddo, &rstar],
    );

    at_once(run, &case, &places, depth)?;

    let ours = filled(&places, depth);
    let theirs = ImmutableKdTree::<f32, D>::new_from_slice(&places)?;
    let changing = mutable();
    let loaded = RTree::bulk_load(items());
    let asked: Vec<[f32; D]> = (0..if run.smoke { 50 } else { QUESTION_COUNT })
        .map(|_| random.place(SIDE))
        .collect();
    let wanted = NonZeroUsize::new(NEAREST).expect("is not 0");
    for point in asked.iter().take(50) {
        let mut expected: Vec<f64> = places
            .iter()
            .map(|place| Bounds::point(*place).distance_squared(point))
            .collect();
        expected.sort_by(f64::total_cmp);
        let found: Vec<f64> = ours
            .nearest(*point, NEAREST)?
            .iter()
            .map(|(_, distance)| *distance)
            .collect();
        ensure!(
            found == expected[..NEAREST],
            "{case}: the nearest are {expected:?}, found {found:?}"
        );
    }
    let [ours, fixed, changing, loaded] = interleave(
        &format!("{case}, nearest"),
        rounds,
        [
            Contender::new("tombolo", || {
                let count = |point: &[f32; D]| {
                    ours.nearest(*point, NEAREST)
                        .map_or(0, |found| found.len() as u64)
                };
                asked.iter().map(count).sum()
            }),
            Contender::new("kiddo, immutable", || {
                let count = |point: &[f32; D]| {
                    let query = theirs.query(point).nearest_n::<SquaredEuclidean<f32>>(wanted);
                    query.execute().len() as u64
                };
                asked.iter().map(count).sum()
            }),
            Contender::new("kiddo, mutable", || {
                let count = |point: &[f32; D]| {
                    let query = changing.query(point).nearest_n::<SquaredEuclidean<f32>>(wanted);
                    query.execute().len() as u64
                };
                asked.iter().map(count).sum()
            }),
            Contender::new("rstar", || {
                let count = |point: &[f32; D]| {
                    let found = loaded.nearest_neighbor_iter(*point).take(NEAREST);
                    found.map(black_box).count() as u64
                };
                asked.iter().map(count).sum()
            }),
        ],
    )?;
    run.report.compare(
        &case,
        "10 nearest",
        "ns",
        asked.len() as f64,
        &ours,
        &[&fixed, &changing, &loaded],
    );
    Ok(())
}

/// All points at once, as all peers but the mutable one advise.
fn at_once<const D: usize>(
    run: &mut Run,
    case: &str,
    places: &[[f32; D]],
    depth_max: u32,
) -> anyhow::Result<()>
where
    Linear: tombolo_geometry::orthtree::Layout<D>,
{
    let loaded = || {
        let numbered = places.iter().zip(0_u32..);
        RTree::bulk_load(
            numbered
                .map(|(place, key)| GeomWithData::new(*place, key))
                .collect(),
        )
    };
    let [ours, kiddo, rstar] = interleave(
        &format!("{case}, insert at once"),
        if run.smoke { 1 } else { 7 },
        [
            Contender::new("tombolo", || done(filled(places, depth_max))),
            Contender::new("kiddo, immutable", || {
                done(ImmutableKdTree::<f32, D>::new_from_slice(places).is_ok())
            }),
            Contender::new("rstar, loaded", || done(loaded())),
        ],
    )?;
    let (count, peers) = (places.len() as f64, [&kiddo, &rstar]);
    run.report
        .compare(case, "insert at once, loose", "ns", count, &ours, &peers);
    Ok(())
}

fn done<T>(made: T) -> u64 {
    black_box(made);
    0
}

/// A cell of the octree with integer coordinates.
struct Voxel(TUVec3<u16>);

impl Position for Voxel {
    type U = u16;
    fn position(&self) -> TUVec3<u16> {
        self.0
    }
}

/// Distinct integer positions: insertion, and look-up by position. The peer holds one object a cell, and can move none.
fn cells(run: &mut Run, count: usize) -> anyhow::Result<()> {
    let random = &mut Random(12);
    let mut places: Vec<[u16; 3]> = (0..count)
        .map(|_| random.place::<3>(SIDE).map(|c| c as u16))
        .collect();
    places.sort_unstable();
    places.dedup();
    let plain: Vec<[f32; 3]> = places.iter().map(|place| place.map(f32::from)).collect();
    let rounds = if run.smoke { 1 } else { 5 };
    let voxels = || -> anyhow::Result<Octree<u16, Voxel>> {
        let [x, y, z] = [SIDE as u16 / 2; 3];
        let root = CellBox::new(TUVec3::new(x, y, z), SIDE as u16 / 2)
            .map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let mut tree = Octree::from_aabb_with_capacity(root, places.len());
        for [x, y, z] in &places {
            tree.insert(Voxel(TUVec3::new(*x, *y, *z)))
                .map_err(|error| anyhow::anyhow!("{error:?}"))?;
        }
        Ok(tree)
    };
    let case = format!("{} voxels, 3D", places.len());
    let [ours, theirs] = interleave(
        &format!("{case}, insert"),
        rounds,
        [
            Contender::new("tombolo", || done(tree(&plain, Smallest, 10))),
            Contender::new("oktree", || done(voxels().is_ok())),
        ],
    )?;
    run.report
        .compare(&case, "insert", "ns", places.len() as f64, &ours, &[&theirs]);
    let (tree, _) = tree(&plain, Smallest, 10);
    let voxels = voxels()?;
    let [ours, theirs] = interleave(
        &format!("{case}, find"),
        rounds,
        [
            Contender::new("tombolo", || {
                let mut found = 0;
                for place in &plain {
                    tree.query(&Bounds::point(*place), |_| found += 1);
                }
                found
            }),
            Contender::new("oktree", || {
                let find =
                    |place: &&[u16; 3]| voxels.find(&TUVec3::new(place[0], place[1], place[2])).is_some();
                places.iter().filter(find).count() as u64
            }),
        ],
    )?;
    run.report
        .compare(&case, "find", "ns", places.len() as f64, &ours, &[&theirs]);
    Ok(())
}
