//! Tile grids: loading, bytes, edits, and boxes that fall on them beside the same boxes on one chain.

use std::hint::black_box;

use anyhow::{Context, ensure};
use tombolo_bench_protocol::tiles::{HILL_ROWS, Kind, Tiles, add_boxes, hill};
use tombolo_physics::{BodyDef, ChainDef, PhysicsWorld, Tile, TileGridDef, TileGridId, Vec2, WorldDef};

use super::super::Run;
use crate::measure::{Contender, interleave, time};

const DT: f32 = 1.0 / 60.0;

const KINDS: [Kind; 3] = [Kind::Full, Kind::Ragged, Kind::Noise];

fn grid(kind: Kind, size: [u32; 2]) -> TileGridDef {
    let tiles = Tiles::new(kind, size);
    TileGridDef {
        width: size[0],
        height: size[1],
        tiles: vec![Tile::default()],
        cells: tiles.cells.iter().map(|&is_full| u8::from(is_full)).collect(),
        ..TileGridDef::default()
    }
}

fn world_with(def: &TileGridDef) -> anyhow::Result<(PhysicsWorld, TileGridId)> {
    let mut world = PhysicsWorld::new(&WorldDef::default())?;
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    let grid = world.create_tile_grid(body, def)?;
    Ok((world, grid))
}

/// Ten million cells; of noise a tenth, since each pair of its cells is a shape.
pub(super) fn loads_and_edits(run: &mut Run) -> anyhow::Result<()> {
    for kind in KINDS {
        let (width, height) = match (run.smoke, kind) {
            (true, _) => (500, 200),
            (false, Kind::Noise) => (1000, 1000),
            (false, _) => (10_000, 1000),
        };
        let def = grid(kind, [width, height]);
        let case = format!("{width} by {height} cells, {}", kind.name());
        let cells = f64::from(width) * f64::from(height);
        let rounds = if run.smoke { 1 } else { 5 };
        let [load] = interleave(
            &case,
            rounds,
            [Contender::new("load", || {
                let (world, grid) = world_with(black_box(&def)).expect("a grid in range");
                world.tile_grid(grid).map_or(0, |grid| grid.shape_count() as u64)
            })],
        )?;
        run.report
            .push(&case, "load", "ms", load.minimum_ns() * 1e-6, None);
        let (mut world, grid) = world_with(&def)?;
        world.step(DT)?;
        // The bytes of a clone; the capacity of the handle maps and the memory of steps are not counted.
        let bytes = world.save().len() as f64;
        run.report
            .push(&case, "bytes a cell, saved", "B", bytes / cells, None);
        edits(run, &case, &mut world, grid, [width, height])?;
    }
    Ok(())
}

/// The times of edits in microseconds, sorted: each changes a cell at a random position to the other kind.
fn edit_times(
    world: &mut PhysicsWorld,
    grid: TileGridId,
    size: [u32; 2],
    count: u32,
) -> anyhow::Result<Vec<f64>> {
    let mut times = Vec::with_capacity(count as usize);
    for edit in 0..count {
        let [x, y] = Tiles::edited(edit, size);
        let view = world.tile_grid(grid).context("the grid lives")?;
        let tile = 1 - view.tile(x, y).context("the cell is in the grid")?;
        let (elapsed, edited) = time(|| world.set_tile(grid, x, y, tile));
        edited?;
        times.push(elapsed.as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

fn edits(
    run: &mut Run,
    case: &str,
    world: &mut PhysicsWorld,
    grid: TileGridId,
    size: [u32; 2],
) -> anyhow::Result<()> {
    let times = edit_times(world, grid, size, if run.smoke { 50 } else { 2000 })?;
    let at = |share: f64| times[(share * (times.len() - 1) as f64) as usize];
    run.report.push(case, "an edit, median", "µs", at(0.5), None);
    run.report.push(case, "an edit, 99 of 100", "µs", at(0.99), None);
    Ok(())
}

/// The same edits of a large and of a small grid, in turns: an edit costs its chunk, whatever the size of the grid.
pub(super) fn edits_by_size(run: &mut Run) -> anyhow::Result<()> {
    let sides = if run.smoke { [256, 64] } else { [4096, 64] };
    let case = format!(
        "an edit of {0} by {0} cells beside {1} by {1}",
        sides[0], sides[1]
    );
    let mut worlds = Vec::new();
    for side in sides {
        let (mut world, grid) = world_with(&grid(Kind::Ragged, [side; 2]))?;
        world.step(DT)?;
        worlds.push((world, grid, [side; 2]));
    }
    let mut medians = [f64::INFINITY; 2];
    for _ in 0..if run.smoke { 1 } else { 9 } {
        for ((world, grid, size), best) in worlds.iter_mut().zip(&mut medians) {
            let times = edit_times(world, *grid, *size, if run.smoke { 20 } else { 500 })?;
            *best = best.min(times[times.len() / 2]);
        }
    }
    let small = format!("{0} by {0} cells", sides[1]);
    run.report
        .push(&case, "median", "µs", medians[0], Some((&small, medians[1])));
    Ok(())
}

/// A ground of this many columns between two walls, as tiles or as one chain, and boxes above it.
fn world_of_boxes(columns: u32, boxes: u32, is_chain: bool) -> anyhow::Result<PhysicsWorld> {
    let mut world = PhysicsWorld::new(&WorldDef::default())?;
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    if is_chain {
        // From right to left, so that the chain is solid from above.
        let mut points = Vec::new();
        for x in (0..columns).rev() {
            let top = hill(x, columns) as f32;
            for end in [x + 1, x] {
                let point = Vec2::new(end as f32, top);
                if points.last() != Some(&point) {
                    points.push(point);
                }
            }
        }
        // Points within straight runs are not corners of the ground.
        let is_corner = |three: &[Vec2]| (three[1] - three[0]).perp_dot(three[2] - three[1]) != 0.0;
        let inner = points
            .windows(3)
            .filter(|three| is_corner(three))
            .map(|three| three[1]);
        let ends = [points[0], points[points.len() - 1]];
        let points: Vec<Vec2> = [ends[0]].into_iter().chain(inner).chain([ends[1]]).collect();
        world.create_chain(
            ground,
            &ChainDef {
                points,
                ..ChainDef::default()
            },
        )?;
    } else {
        world.create_tile_grid(ground, &grid(Kind::Hills, [columns, HILL_ROWS]))?;
    }
    add_boxes(&mut world, columns, boxes)?;
    Ok(world)
}

/// Boxes that fall on tiles and come to rest, beside the same boxes on one chain.
pub(super) fn boxes(run: &mut Run) -> anyhow::Result<()> {
    let (columns, count, steps) = if run.smoke { (30, 60, 90) } else { (254, 5000, 300) };
    let case = format!("{count} boxes fall");
    let fall = |world: &PhysicsWorld| {
        let mut world = world.clone();
        for _ in 0..steps {
            world.step(DT).expect("a step in range");
        }
        world
    };
    let [tiles, chain] = [false, true].map(|is_chain| world_of_boxes(columns, count, is_chain));
    let [tiles, chain] = [tiles?, chain?];
    for (name, world) in [("tiles", &tiles), ("one chain", &chain)] {
        let after = fall(world);
        let fallen = after.bodies().filter(|body| body.position().y < 0.0).count();
        ensure!(fallen == 0, "{fallen} boxes fell through {name}");
    }
    let rounds = if run.smoke { 1 } else { 9 };
    let answer = |world: &PhysicsWorld| fall(world).counters().bodies as u64;
    let [ours, theirs] = interleave(
        &case,
        rounds,
        [
            Contender::new("tiles", || answer(&tiles)),
            Contender::new("one chain", || answer(&chain)),
        ],
    )?;
    run.report.compare(
        &case,
        "a step on tiles",
        "µs",
        1e3 * f64::from(steps),
        &ours,
        &[&theirs],
    );
    Ok(())
}
