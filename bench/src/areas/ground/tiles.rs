//! Tile grids: loading, bytes, edits, and boxes that fall on them beside the same boxes on one chain.

use std::hint::black_box;

use anyhow::{Context, ensure};
use tombolo_physics::{
    BodyDef, ChainDef, PhysicsWorld, Shape, ShapeDef, Tile, TileGridDef, TileGridId, Vec2, WorldDef,
};

use super::super::Run;
use crate::measure::{Contender, interleave, time};

const DT: f32 = 1.0 / 60.0;

/// A kind of ground: its name, and whether a cell of a world with a number of rows is full.
type Kind = (&'static str, fn(u32, u32, u32) -> bool);

const KINDS: [Kind; 3] = [
    ("all full", |_, _, _| true),
    ("ragged ground, caves below sky", |x, y, height| {
        let surface = height / 2 + hash(x / 3, 0) % (height / 4);
        let is_cave = hash(x / 24, y / 9).is_multiple_of(5);
        y < surface && !is_cave
    }),
    ("every other cell by chance", |x, y, _| {
        hash(x, y).is_multiple_of(2)
    }),
];

/// A pseudo-random number for a cell.
fn hash(x: u32, y: u32) -> u32 {
    let mixed = (u64::from(x) << 32 | u64::from(y)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 33) as u32
}

fn grid(kind: Kind, width: u32, height: u32) -> TileGridDef {
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| u8::from((kind.1)(x, y, height))));
    TileGridDef {
        width,
        height,
        tiles: vec![Tile::default()],
        cells: cells.collect(),
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
        let is_noise = kind.0 == KINDS[2].0;
        let (width, height) = match (run.smoke, is_noise) {
            (true, _) => (500, 200),
            (false, true) => (1000, 1000),
            (false, false) => (10_000, 1000),
        };
        let def = grid(kind, width, height);
        let case = format!("{width} by {height} cells, {}", kind.0);
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

/// Changes one cell after another to the other kind, at random positions.
fn edits(
    run: &mut Run,
    case: &str,
    world: &mut PhysicsWorld,
    grid: TileGridId,
    [width, height]: [u32; 2],
) -> anyhow::Result<()> {
    let count = if run.smoke { 50 } else { 2000 };
    let mut times = Vec::with_capacity(count as usize);
    for edit in 0..count {
        let (x, y) = (hash(edit, 1) % width, hash(edit, 2) % height);
        let view = world.tile_grid(grid).context("the grid lives")?;
        let tile = 1 - view.tile(x, y).context("the cell is in the grid")?;
        let (elapsed, edited) = time(|| world.set_tile(grid, x, y, tile));
        edited?;
        times.push(elapsed.as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[(share * (times.len() - 1) as f64) as usize];
    run.report.push(case, "an edit, median", "µs", at(0.5), None);
    run.report.push(case, "an edit, 99 of 100", "µs", at(0.99), None);
    Ok(())
}

/// The height of the ground's columns, in tiles.
fn column(x: u32) -> u32 {
    const HEIGHTS: [u32; 12] = [2, 2, 3, 3, 3, 4, 3, 3, 2, 2, 1, 1];
    HEIGHTS[x as usize % 12]
}

/// A ground of this many columns between two walls, as tiles or as one chain, and boxes above it.
fn world_of_boxes(columns: u32, boxes: u32, is_chain: bool) -> anyhow::Result<PhysicsWorld> {
    const WALL: u32 = 40;
    let mut world = PhysicsWorld::new(&WorldDef::default())?;
    let height = |x: u32| {
        if x == 0 || x + 1 == columns {
            WALL
        } else {
            column(x)
        }
    };
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    if is_chain {
        // From right to left, so that the chain is solid from above.
        let mut points = Vec::new();
        for x in (0..columns).rev() {
            let top = height(x) as f32;
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
        let cells = (0..WALL).flat_map(|y| (0..columns).map(move |x| u8::from(y < height(x))));
        let def = TileGridDef {
            width: columns,
            height: WALL,
            tiles: vec![Tile::default()],
            cells: cells.collect(),
            ..TileGridDef::default()
        };
        world.create_tile_grid(ground, &def)?;
    }
    let shape = Shape::new_box(0.5, 0.5)?;
    let a_row = columns - 4;
    for number in 0..boxes {
        let (x, y) = (2.5 + (number % a_row) as f32, 5.0 + 0.8 * (number / a_row) as f32);
        let body = world.create_body(&BodyDef::dynamic(x, y))?;
        world.create_shape(body, &ShapeDef::default(), &shape)?;
    }
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
