//! Grids of tiles at their edges: great maps, and cells so far out that rounding tells.

use crate::tile_support::{grid_of, world};
use crate::world_support::DT;
use tombolo_physics::{
    BodyDef, BodyId, PhysicsWorld, Shape, ShapeDef, Tile, TileBlock, TileGridDef, TileShape, Vec2,
};

/// Of a great map only what is near changed cells wakes, not what is between them.
#[test]
fn an_edit_of_distant_cells_wakes_nothing_between_them() {
    let mut world = world();
    let side = 320_u32;
    let mut cells = vec![0_u8; (side * side) as usize];
    cells[..(side * 160) as usize].fill(1);
    let def = TileGridDef {
        width: side,
        height: side,
        tiles: vec![Tile::default()],
        cells: cells.clone(),
        ..TileGridDef::default()
    };
    let grid = grid_of(&mut world, &def);
    let [near, middle] = [1.5, 160.5].map(|x| {
        let body = world.create_body(&BodyDef::dynamic(x, 160.5)).unwrap();
        let shape = Shape::new_box(1.0, 1.0).unwrap();
        world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
        body
    });
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    let is_awake = |world: &PhysicsWorld, body: BodyId| world.body(body).unwrap().is_awake();
    assert!(!is_awake(&world, near) && !is_awake(&world, middle), "both rest");
    // Two corners of the map: a cell beside the one body, and one far from both.
    cells[(side * 160) as usize] = 1;
    *cells.last_mut().unwrap() = 1;
    let all = TileBlock {
        x: 0,
        y: 0,
        width: side,
        height: side,
    };
    world.set_tiles(grid, all, &cells).unwrap();
    assert!(is_awake(&world, near), "it is beside a changed cell");
    assert!(
        !is_awake(&world, middle),
        "the box around both cells is not near them"
    );
}

/// Where a grid is accepted, each of its cells can hold each of its tiles.
#[test]
fn each_cell_of_a_grid_that_is_accepted_has_a_shape_for_each_tile() {
    let mut accepted = 0;
    for (cell_size, x) in [
        (0.1, -100_000.0),
        (0.1, -20_000.0),
        (0.1, -5_000.0),
        (0.5, -100_000.0),
        (1.0, 90_000.0),
    ] {
        for shape in [
            TileShape::Full,
            TileShape::BottomHalf,
            TileShape::SlopeUp,
            TileShape::GentleUpHigh,
        ] {
            let def = TileGridDef {
                cell_size,
                origin: Vec2::new(x, 0.0),
                width: 1000,
                height: 1,
                tiles: vec![Tile::new(shape)],
                ..TileGridDef::default()
            };
            if def.validate().is_err() {
                continue;
            }
            accepted += 1;
            let mut world = world();
            let grid = grid_of(&mut world, &def);
            for column in (0..1000).step_by(2) {
                world.set_tile(grid, column, 0, 1).unwrap();
                let count = world.tile_grid(grid).unwrap().body().shapes().count();
                assert_eq!(
                    count as u32,
                    column / 2 + 1,
                    "column {column} at {x} m, cells of {cell_size} m"
                );
            }
        }
    }
    assert!(accepted >= 8, "{accepted}");
}
