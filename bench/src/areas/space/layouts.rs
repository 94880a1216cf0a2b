//! Our own trees side by side: layouts, strategies, neighbors, growing roots, and the worst case of two clusters.

use std::hint::black_box;

use anyhow::ensure;
use tombolo_geometry::orthtree::{
    Block, Bounds, Full, Layout, Linear, Loose, NeighborMode, ObjectId, Orthtree, Settings, Shared, Sibling,
    Smallest, Standard, StandardApart, Strategy, Unlinked,
};

use super::super::Run;
use super::grid::Grid;
use super::scene::{HALF_SIZE, Question, Random, Scene, Spread};
use crate::measure::{Contender, Timing, interleave};

const QUESTION_COUNT: usize = 1_000;

/// Bytes, insertion, box queries and updates of every layout, then of the strategies with and without a capacity; for
/// boxes that are uniform, in clusters, and sparse.
pub(super) fn side_by_side(run: &mut Run, count: usize) -> anyhow::Result<()> {
    for spread in Spread::ALL {
        let scene = Scene::new(count, spread);
        layouts_of(run, &scene)?;
        one_level(run, &scene)?;
        strategies_of(run, &scene)?;
    }
    Ok(())
}

fn layouts_of(run: &mut Run, scene: &Scene) -> anyhow::Result<()> {
    row::<Standard<2>, _>(run, scene, "standard", Loose::default(), 0)?;
    row::<Standard<2, Unlinked>, _>(run, scene, "standard, no parent links", Loose::default(), 0)?;
    row::<StandardApart<2>, _>(run, scene, "standard, apart", Loose::default(), 0)?;
    row::<Block<2>, _>(run, scene, "block", Loose::default(), 0)?;
    row::<Sibling<2>, _>(run, scene, "sibling", Loose::default(), 0)?;
    row::<Linear<u32, true>, _>(run, scene, "linear, 32 bits, mask", Loose::default(), 0)?;
    row::<Linear<u64, true>, _>(run, scene, "linear, 64 bits, mask", Loose::default(), 0)?;
    row::<Linear<u64, false>, _>(run, scene, "linear, 64 bits, no mask", Loose::default(), 0)?;
    row::<Full<2>, _>(run, scene, "full", Loose::default(), 0)
}

/// A tree of boxes of one size has one level with objects: cells found by arithmetic (a full tree), of three sizes,
/// beside the grid without levels, and the linear tree with the same cells.
fn one_level(run: &mut Run, scene: &Scene) -> anyhow::Result<()> {
    for (levels, cells) in [(-1, 16), (0, 8), (1, 4)] {
        let scene = scene.deeper(levels);
        let name = |layout| format!("one level, {layout}, cells of {cells} m");
        row::<Full<2>, _>(run, &scene, &name("full"), Loose::default(), 0)?;
        row::<Linear, _>(run, &scene, &name("linear"), Loose::default(), 0)?;
        grid_row(run, &scene, &name("grid"), cells as f32)?;
    }
    Ok(())
}

/// Like [`row`], for the uniform grid.
fn grid_row(run: &mut Run, scene: &Scene, name: &str, cell: f32) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { 5 };
    let count = scene.boxes.len() as f64;
    let case = format!("{}, {name}", scene.name);
    let make = || Grid::new(scene.side, cell, HALF_SIZE, &scene.boxes);
    let mut grid = make();
    let questions = scene.questions("box", if run.smoke { 100 } else { QUESTION_COUNT });
    let mut moved = scene.clone();
    let random = &mut Random(5);
    let steps: Vec<_> = (0..=rounds).map(|_| moved.step(random, 1.0, 1.0)).collect();
    let bytes = grid.bytes() as f64 / count;
    let [build, ask] = interleave(
        &format!("{case}, build and ask"),
        rounds,
        [
            Contender::new("grid", || {
                black_box(make());
                0
            }),
            Contender::new("grid", || {
                let mut found = 0_u64;
                for question in &questions {
                    if let Question::Box(area) = question {
                        grid.query_box(area, |_| found += 1);
                    }
                }
                black_box(found);
                0
            }),
        ],
    )?;
    let mut steps = steps.iter();
    let [update] = interleave(
        &format!("{case}, update"),
        rounds,
        [Contender::new("grid", || {
            for shift in steps.next().expect("a step for each round") {
                grid.update(shift.index, &shift.to);
            }
            0
        })],
    )?;
    let report = &mut run.report;
    report.push(&case, "bytes per object", "B", bytes, None);
    let mut figure = |metric, count: f64, timing: &Timing| {
        report.push(&case, metric, "ns", timing.minimum_ns() / count, None);
    };
    figure("insert", count, &build);
    figure("box query", questions.len() as f64, &ask);
    figure("update", count, &update);
    Ok(())
}

fn strategies_of(run: &mut Run, scene: &Scene) -> anyhow::Result<()> {
    row::<Linear, _>(run, scene, "smallest", Smallest, 0)?;
    row::<Linear, _>(run, scene, "smallest, capacity 8", Smallest, 8)?;
    row::<Linear, _>(run, scene, "loose, capacity 8", Loose::default(), 8)?;
    row::<Linear, _>(run, scene, "loose, factor 1.5", Loose { factor: 1.5 }, 0)?;
    row::<Linear, _>(run, scene, "shared", Shared, 0)?;
    row::<Linear, _>(run, scene, "shared, capacity 8", Shared, 8)
}

fn tree_of<L: Layout<2>, S: Strategy<2>>(
    scene: &Scene,
    strategy: S,
    capacity: u32,
) -> (Orthtree<2, L, S>, Vec<ObjectId>) {
    let settings = Settings {
        depth_max: scene.depth,
        capacity,
        collapse_count: capacity,
        growth_max: 0,
    };
    let mut tree = Orthtree::new(scene.root(), strategy, settings).expect("the root is right");
    let insert = |(index, bounds): (usize, &Bounds<2>)| tree.insert(*bounds, index as u64).expect("inside");
    let ids = scene.boxes.iter().enumerate().map(insert).collect();
    (tree, ids)
}

fn row<L: Layout<2>, S: Strategy<2>>(
    run: &mut Run,
    scene: &Scene,
    name: &str,
    strategy: S,
    capacity: u32,
) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { 5 };
    let count = scene.boxes.len() as f64;
    let case = format!("{}, {name}", scene.name);
    let [build] = interleave(
        &format!("{case}, build"),
        rounds,
        [Contender::new("tombolo", || {
            black_box(tree_of::<L, S>(scene, strategy.clone(), capacity));
            0
        })],
    )?;
    let (mut tree, ids) = tree_of::<L, S>(scene, strategy.clone(), capacity);
    let nodes = tree.layout().bytes() as f64 / count;
    let questions = scene.questions("box", if run.smoke { 100 } else { QUESTION_COUNT });
    let [ask] = interleave(
        &format!("{case}, ask"),
        rounds,
        [Contender::new("tombolo", || {
            let mut found = 0;
            for question in &questions {
                if let Question::Box(area) = question {
                    tree.query(area, |_| found += 1);
                }
            }
            found
        })],
    )?;
    if run.smoke {
        for question in &questions {
            let Question::Box(area) = question else { continue };
            let expected = scene.boxes.iter().filter(|bounds| bounds.overlaps(area)).count();
            let mut found = 0;
            tree.query(area, |_| found += 1);
            ensure!(
                found == expected,
                "{case}: {found} found, {expected} by brute force"
            );
        }
    }
    let mut moved = scene.clone();
    let random = &mut Random(5);
    let steps: Vec<_> = (0..=rounds).map(|_| moved.step(random, 1.0, 1.0)).collect();
    let bytes = tree.bytes() as f64 / count;
    let mut steps = steps.iter();
    let [update] = interleave(
        &format!("{case}, update"),
        rounds,
        [Contender::new("tombolo", || {
            for shift in steps.next().expect("a step for each round") {
                tree.update(ids[shift.index as usize], shift.to).expect("inside");
            }
            0
        })],
    )?;
    let report = &mut run.report;
    report.push(&case, "bytes of nodes per object", "B", nodes, None);
    report.push(&case, "bytes per object", "B", bytes, None);
    let mut figure = |metric, unit, count: f64, timing: &Timing| {
        report.push(&case, metric, unit, timing.minimum_ns() / count, None);
    };
    figure("insert", "ns", count, &build);
    figure("box query", "ns", questions.len() as f64, &ask);
    figure("update", "ns", count, &update);
    Ok(())
}

/// Neighbors, roots that grow, and the two-cluster case.
pub(super) fn cells(run: &mut Run, count: usize) -> anyhow::Result<()> {
    neighbors::<2, Linear>(run, count, "quadtree, linear")?;
    neighbors::<2, Block<2>>(run, count, "quadtree, block")?;
    neighbors::<3, Linear>(run, count, "octree, linear")?;
    neighbors::<3, Block<3>>(run, count, "octree, block")?;
    growing::<Linear>(run, count, "linear")?;
    growing::<Standard<2>>(run, count, "standard")?;
    two_clusters(run)
}

/// All neighbors of the leaves of a tree, in one call and one direction after another.
fn neighbors<const D: usize, L: Layout<D>>(run: &mut Run, count: usize, name: &str) -> anyhow::Result<()> {
    const SIDE: f32 = 1024.0;
    let random = &mut Random(3);
    let settings = Settings {
        depth_max: 10,
        capacity: 4,
        collapse_count: 4,
        growth_max: 0,
    };
    let mut tree: Orthtree<D, L, Smallest> =
        Orthtree::new(Bounds::new([0.0; D], [SIDE; D]), Smallest, settings)?;
    for key in 0..count as u64 {
        tree.insert(Bounds::point(random.place(SIDE)), key)?;
    }
    let asked = if run.smoke { 500 } else { 20_000 };
    let nodes: Vec<L::Node> = (0..asked)
        .map(|_| tree.node_at(random.place(SIDE)).expect("inside"))
        .collect();
    let rounds = if run.smoke { 1 } else { 9 };
    for mode in [NeighborMode::Covering, NeighborMode::Contact] {
        let [together, apart] = interleave(
            &format!("neighbors, {name}, {mode:?}"),
            rounds,
            [
                Contender::new("tombolo", || {
                    let mut found = 0;
                    for &node in &nodes {
                        tree.all_neighbors(node, mode, |_, _| found += 1);
                    }
                    found
                }),
                Contender::new("one by one", || {
                    let mut found = 0;
                    for &node in &nodes {
                        for number in 0..3_i32.pow(D as u32) {
                            let direction =
                                std::array::from_fn(|axis| number / 3_i32.pow(axis as u32) % 3 - 1);
                            tree.neighbors(node, direction, mode, |_| found += 1);
                        }
                    }
                    found
                }),
            ],
        )?;
        let case = format!("{count} points, {name}, {mode:?}");
        let metric = format!("{} neighbors of a leaf", 3_i32.pow(D as u32) - 1);
        run.report
            .compare(&case, &metric, "ns", asked as f64, &together, &[&apart]);
    }
    Ok(())
}

/// The root grows by one level and shrinks again, which the article calls very costly for a hashed tree.
fn growing<L: Layout<2>>(run: &mut Run, count: usize, name: &str) -> anyhow::Result<()> {
    let scene = Scene::new(count, Spread::Uniform);
    let settings = Settings {
        depth_max: scene.depth,
        growth_max: 1,
        ..Settings::default()
    };
    let mut tree: Orthtree<2, L, Smallest> = Orthtree::new(scene.root(), Smallest, settings)?;
    // No box is on the middle planes of the root, which would keep it from shrinking.
    let quarter = 0.5 * scene.root().max[0];
    for (index, bounds) in scene.boxes.iter().enumerate() {
        let center: [f32; 2] = std::array::from_fn(|axis| 0.49 * quarter * bounds.min[axis] / scene.side);
        tree.insert(Bounds::point(center), index as u64)?;
    }
    let outlier = Bounds::point([-quarter; 2]);
    let rounds = if run.smoke { 1 } else { 101 };
    let [timing] = interleave(
        &format!("growing, {name}"),
        rounds,
        [Contender::new("tombolo", || {
            let id = tree.insert(outlier, 0).expect("the root may grow");
            tree.remove(id).expect("was just inserted");
            u64::from(tree.shrink_root())
        })],
    )?;
    let case = format!("{count} points, {name}");
    let metric = "insert outside, remove, shrink";
    run.report.push(&case, metric, "ns", timing.minimum_ns(), None);
    Ok(())
}

/// Four points in two clusters, ever closer: the number of nodes has no bound in the number of points, the depth has
/// one in their distance.
fn two_clusters(run: &mut Run) -> anyhow::Result<()> {
    for halvings in [4, 8, 16] {
        let distance = 0.2 / f64::from(1 << halvings) as f32;
        let settings = Settings {
            depth_max: 20,
            capacity: 1,
            collapse_count: 1,
            growth_max: 0,
        };
        let mut tree: Orthtree<2, Linear, Smallest> =
            Orthtree::new(Bounds::new([0.0; 2], [1.0; 2]), Smallest, settings)?;
        for corner in [0.0, 0.75] {
            tree.insert(Bounds::point([corner; 2]), 0)?;
            tree.insert(Bounds::point([corner + distance; 2]), 0)?;
        }
        let mut nodes = 0;
        tree.visit_all(|_| nodes += 1);
        let case = format!(
            "two pairs of points, 1/{} of the root apart",
            (1.0 / distance).round()
        );
        run.report.push(&case, "nodes", "", f64::from(nodes), None);
    }
    Ok(())
}
