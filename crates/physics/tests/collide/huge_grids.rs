//! A grid of a hundred million cells, as large as a world that is generated: it is made, edited, hashed, saved and stepped like a
//! small one, in memory and time for what differs in it.

use crate::tile_support::{drop_at, place, world};
use crate::world_support::DT;
use tombolo_physics::{
    BodyDef, BodyId, PhysicsWorld, Position, Shape, Tile, TileBlock, TileCut, TileGridDef, TileGridId, Vec2,
};

const WIDTH: u32 = 12_500;
const HEIGHT: u32 = 8_000;
/// The height of the ground, which is ragged by one cell.
const GROUND: u32 = 4_000;
/// Cells of a quarter of a meter, around the origin: the grid is 3 km wide and 2 km high.
const SIZE: f32 = 0.25;

/// The column of a place, and the row.
fn cell(x: f32, y: f32) -> [u32; 2] {
    let column = (x / SIZE + WIDTH as f32 / 2.0) as u32;
    [column, (y / SIZE + GROUND as f32) as u32]
}

fn block([x, y]: [u32; 2], width: u32, height: u32) -> TileBlock {
    TileBlock { x, y, width, height }
}

/// Bytes of all arrays of a world.
fn memory(world: &PhysicsWorld) -> usize {
    let arrays = world.memory().into_iter();
    arrays.map(|array| array.element_size * array.count).sum()
}

/// The grid, and a ball that falls on its middle.
fn ground() -> (PhysicsWorld, TileGridId, BodyId) {
    let mut world = world();
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let mut cells = vec![0; WIDTH as usize * HEIGHT as usize];
    let (below, above) = cells.split_at_mut(WIDTH as usize * GROUND as usize);
    below.fill(1);
    above[..WIDTH as usize].chunks_mut(3).for_each(|part| part[0] = 1);
    let def = TileGridDef {
        cell_size: SIZE,
        origin: -SIZE * Vec2::new(WIDTH as f32 / 2.0, GROUND as f32),
        width: WIDTH,
        height: HEIGHT,
        tiles: vec![Tile::default()],
        cells,
    };
    let grid = world.create_tile_grid(body, &def).unwrap();
    let ball = drop_at(&mut world, 0.1, 3.0, &Shape::circle(Vec2::ZERO, 0.4).unwrap());
    (world, grid, ball)
}

#[test]
fn a_grid_of_a_hundred_million_cells_is_made_edited_hashed_saved_and_stepped() {
    let (mut world, grid, ball) = ground();
    let view = world.tile_grid(grid).unwrap();
    assert!(u64::from(view.width()) * u64::from(view.height()) >= 100_000_000);
    // A chunk of full cells is one shape, and one row of chunks is ragged.
    let chunks = WIDTH.div_ceil(32) as usize;
    assert!(
        view.shape_count() < chunks * (GROUND as usize / 32 + 40),
        "{}",
        view.shape_count()
    );
    let bytes = memory(&world);
    assert!(bytes < 100_000_000, "{bytes} bytes are more than one a cell");

    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    let rests = place(&world, ball);
    assert!((0.35..0.7).contains(&rests.y), "it lies on the ground: {rests}");

    // Edits at both ends, and a pit below the ball, 25 m deep.
    let before = world.state_hash();
    world.set_tile(grid, 0, HEIGHT - 1, 1).unwrap();
    world.set_tile(grid, WIDTH - 1, 0, 0).unwrap();
    assert_ne!(world.state_hash(), before);
    world.set_tile(grid, 0, HEIGHT - 1, 0).unwrap();
    world.set_tile(grid, WIDTH - 1, 0, 1).unwrap();
    assert!(world.set_tile(grid, WIDTH, 0, 1).is_err());
    world
        .fill_tiles(grid, block(cell(-1.0, -25.0), 9, 102), 0)
        .unwrap();
    for _ in 0..240 {
        world.step(DT).unwrap();
    }
    let fallen = place(&world, ball);
    assert!(
        (-24.65..-24.55).contains(&fallen.y),
        "it fell to the bottom: {fallen}"
    );

    // A cut from corner to corner of the ground, 3 km long and a cell wide.
    let half = SIZE * WIDTH as f32 / 2.0;
    let cut = TileCut::between(Position::new(-half, -1000.0), Position::new(half, 0.0));
    let count = world.cut_tiles(&cut).unwrap();
    assert!((14_000..20_000).contains(&count), "{count} cells");
    let view = world.tile_grid(grid).unwrap();
    let tile = |x: f32, y: f32| {
        let [x, y] = cell(x, y);
        view.tile(x, y).unwrap()
    };
    assert_eq!(
        [tile(-500.0, -660.0), tile(-500.0, -650.0), tile(700.0, -276.0)],
        [0, 1, 0]
    );

    // Saved, it is large where cells differ, and goes on to the same bits.
    let saved = world.save();
    assert!(saved.len() < 100_000_000, "{} bytes", saved.len());
    let mut restored = self::world();
    restored.restore(&saved).unwrap();
    assert_eq!(restored.state_hash(), world.state_hash());
    for world in [&mut world, &mut restored] {
        world.set_tile(grid, WIDTH / 2, 10, 0).unwrap();
        world.step(DT).unwrap();
    }
    assert_eq!(restored.state_hash(), world.state_hash());
    assert_eq!(place(&restored, ball), place(&world, ball));
}

/// Emptied again it has no shapes, and is gone when it is destroyed.
#[test]
fn a_huge_grid_is_emptied_and_destroyed() {
    let (mut world, grid, _) = ground();
    let all = TileBlock {
        x: 0,
        y: 0,
        width: WIDTH,
        height: HEIGHT,
    };
    world.fill_tiles(grid, all, 0).unwrap();
    let view = world.tile_grid(grid).unwrap();
    assert_eq!(view.shape_count(), 0);
    assert_eq!(view.tile(WIDTH / 2, GROUND / 2), Some(0));
    world.step(DT).unwrap();
    world.destroy_tile_grid(grid).unwrap();
    assert_eq!(world.tile_grids().len(), 0);
}
