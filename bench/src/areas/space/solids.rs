//! Boxes in space: our loose linear octree beside parry3d's bounding volume tree and an R*-tree, built, moved and
//! queried.

use std::hint::black_box;
use std::ops::ControlFlow;

use anyhow::ensure;
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use tombolo_geometry::orthtree::{Bounds, Linear, Loose, ObjectId, Orthtree, Settings};

use super::super::Run;
use super::scene::Random;
use crate::measure::{Contender, interleave};

const HALF_SIZE: f32 = 0.5;
const CELL_SIZE: f32 = 8.0;
/// Half the side of the cube of a query, in meters.
const REACH: f32 = 10.0;

struct Ours {
    tree: Orthtree<3, Linear, Loose>,
    ids: Vec<ObjectId>,
}

impl Ours {
    fn new(boxes: &[Bounds<3>], depth_max: u32) -> Self {
        let settings = Settings {
            depth_max,
            ..Settings::default()
        };
        let root = Bounds::new([0.0; 3], [CELL_SIZE * (1_u32 << depth_max) as f32; 3]);
        let mut tree = Orthtree::new(root, Loose::default(), settings).expect("the root is right");
        let insert =
            |(index, bounds): (usize, &Bounds<3>)| tree.insert(*bounds, index as u64).expect("inside");
        let ids = boxes.iter().enumerate().map(insert).collect();
        Self { tree, ids }
    }
}

fn aabb(bounds: &Bounds<3>) -> Aabb {
    Aabb::new(Vector::from(bounds.min), Vector::from(bounds.max))
}

fn bvh(boxes: &[Bounds<3>]) -> Bvh {
    let leaves: Vec<Aabb> = boxes.iter().map(aabb).collect();
    Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves)
}

type Item = GeomWithData<Rectangle<[f32; 3]>, u32>;

fn item((index, bounds): (usize, &Bounds<3>)) -> Item {
    GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), index as u32)
}

fn rstar(boxes: &[Bounds<3>]) -> RTree<Item> {
    RTree::bulk_load(boxes.iter().enumerate().map(item).collect())
}

/// Boxes of a meter, about four in each finest cell of 8 m.
pub(super) fn compare(run: &mut Run, count: usize) -> anyhow::Result<()> {
    let depth = ((count as f64 / 4.0).log2() / 3.0).round().max(1.0) as u32;
    let side = CELL_SIZE * (1_u32 << depth) as f32;
    let random = &mut Random(21);
    let boxes: Vec<Bounds<3>> = (0..count)
        .map(|_| Bounds::around(random.place(side), HALF_SIZE))
        .collect();
    let case = format!("{count} boxes, 3D");
    let rounds = if run.smoke { 1 } else { 7 };
    let [ours, parry, loaded] = interleave(
        &format!("{case}, build"),
        rounds,
        [
            Contender::new("tombolo", || done(Ours::new(&boxes, depth))),
            Contender::new("parry", || done(bvh(&boxes))),
            Contender::new("rstar", || done(rstar(&boxes))),
        ],
    )?;
    let per_object = count as f64;
    run.report.compare(
        &case,
        "build, per object",
        "ns",
        per_object,
        &ours,
        &[&parry, &loaded],
    );
    ask(
        run,
        &case,
        &boxes,
        (&Ours::new(&boxes, depth), &bvh(&boxes), &rstar(&boxes)),
    )?;
    for way in [0.1, 100.0] {
        moves(run, &case, &boxes, depth, way)?;
    }
    Ok(())
}

fn ask(
    run: &mut Run,
    case: &str,
    boxes: &[Bounds<3>],
    (ours, parry, rstar): (&Ours, &Bvh, &RTree<Item>),
) -> anyhow::Result<()> {
    let random = &mut Random(22);
    let asked: Vec<Bounds<3>> = (0..if run.smoke { 50 } else { 1_000 })
        .map(|_| {
            let at = boxes[(random.unit() * boxes.len() as f32) as usize].min;
            Bounds::around(at, REACH)
        })
        .collect();
    for area in asked.iter().take(20) {
        let expected = boxes.iter().filter(|bounds| bounds.overlaps(area)).count();
        let mut found = 0;
        ours.tree.query(area, |_| found += 1);
        ensure!(
            found == expected,
            "{case}: {found} found, {expected} by brute force"
        );
    }
    let rounds = if run.smoke { 1 } else { 9 };
    let [ours, parry, rstar] = interleave(
        &format!("{case}, ask"),
        rounds,
        [
            Contender::new("tombolo", || {
                let mut found = 0;
                for area in &asked {
                    ours.tree.query(area, |hit| found += 1 + hit.key);
                }
                found
            }),
            Contender::new("parry", || {
                let mut found = 0;
                for area in &asked {
                    let area = aabb(area);
                    let hits = parry.intersect_aabb(&area).map(|index| 1 + u64::from(index));
                    found += hits.sum::<u64>();
                }
                found
            }),
            Contender::new("rstar", || {
                let mut found = 0;
                for area in &asked {
                    let envelope = AABB::from_corners(area.min, area.max);
                    let _: ControlFlow<()> =
                        rstar.locate_in_envelope_intersecting_int(envelope, |hit: &Item| {
                            found += 1 + u64::from(hit.data);
                            ControlFlow::Continue(())
                        });
                }
                found
            }),
        ],
    )?;
    run.report.compare(
        case,
        "box query",
        "ns",
        asked.len() as f64,
        &ours,
        &[&parry, &rstar],
    );
    Ok(())
}

/// A tenth of the boxes moves by up to `way` along each axis; then all contenders are queried again.
fn moves(run: &mut Run, case: &str, start: &[Bounds<3>], depth: u32, way: f32) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { 7 };
    let side = CELL_SIZE * (1_u32 << depth) as f32;
    let random = &mut Random(23);
    let mut boxes = start.to_vec();
    let steps: Vec<Vec<(usize, Bounds<3>, Bounds<3>)>> = (0..=rounds)
        .map(|step| {
            let moved = (step % 10..boxes.len()).step_by(10);
            moved
                .map(|index| {
                    let from = boxes[index];
                    let to = from
                        .min
                        .map(|c| (c + HALF_SIZE + way * random.sign()).clamp(1.0, side - 1.0));
                    boxes[index] = Bounds::around(to, HALF_SIZE);
                    (index, from, boxes[index])
                })
                .collect()
        })
        .collect();
    let (mut ours, mut parry, mut loaded) = (Ours::new(start, depth), bvh(start), rstar(start));
    let mut workspace = BvhWorkspace::default();
    let [mut a, mut b, mut c] = [steps.iter(), steps.iter(), steps.iter()];
    let timings = interleave(
        &format!("{case}, moves of {way} m"),
        rounds,
        [
            Contender::new("tombolo", || {
                for (index, _, to) in a.next().expect("a step for each round") {
                    ours.tree.update(ours.ids[*index], *to).expect("inside");
                }
                0
            }),
            Contender::new("parry", || {
                for (index, _, to) in b.next().expect("a step for each round") {
                    parry.insert_or_update_partially(aabb(to), *index as u32, 0.0);
                }
                parry.refit(&mut workspace);
                parry.optimize_incremental(&mut workspace);
                0
            }),
            Contender::new("rstar", || {
                for (index, from, to) in c.next().expect("a step for each round") {
                    loaded.remove(&item((*index, from))).expect("it is there");
                    loaded.insert(item((*index, to)));
                }
                0
            }),
        ],
    )?;
    let case = format!("{case}, 10 % by {way} m");
    let [mine, theirs, other] = &timings;
    let moved = steps[0].len() as f64;
    run.report
        .compare(&case, "move", "ns", moved, mine, &[theirs, other]);
    ask(run, &case, &boxes, (&ours, &parry, &loaded))
}

fn done<T>(made: T) -> u64 {
    black_box(made);
    0
}
