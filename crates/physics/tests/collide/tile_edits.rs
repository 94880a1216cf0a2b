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
