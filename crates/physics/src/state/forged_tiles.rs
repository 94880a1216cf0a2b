//! Tests of forged tile grids with valid checksums, which a restore must refuse.

use super::forger::{Forger, scaled};
use crate::settings::WorldDef;
use crate::tile_grid::{Tile, TileBlock, TileGridDef, TileGridPool, TileShape};
use crate::world::PhysicsWorld;
use crate::{BodyDef, ShapeDef};
use alloc::vec::Vec;
use tombolo_geometry::Vec2;
use tombolo_geometry::shape::Shape;

/// Two grids of several chunks, one of them on a falling body, a destroyed grid, and balls.
fn world() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let grid = |seed: u32, width: u32, height: u32| TileGridDef {
        origin: Vec2::new(-20.0, -30.0),
        width,
        height,
        tiles: [TileShape::Full, TileShape::SlopeUp, TileShape::BottomHalf]
            .map(Tile::new)
            .to_vec(),
        cells: (0..width * height)
            .map(|cell| {
                let (x, y) = (cell % width, cell / width);
                let is_mixed = (cell.wrapping_mul(seed) >> 7).is_multiple_of(5);
                if y >= 32 || !is_mixed { 1 } else { (x % 4) as u8 }
            })
            .collect(),
        ..TileGridDef::default()
    };
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let gone = world.create_tile_grid(body, &grid(77, 40, 5)).unwrap();
    world
        .create_tile_grid(body, &grid(2_654_435_761, 70, 64))
        .unwrap();
    let falling = world.create_body(&BodyDef::dynamic(0.0, 60.0)).unwrap();
    world.create_tile_grid(falling, &grid(40_503, 33, 3)).unwrap();
    world.destroy_tile_grid(gone).unwrap();
    for x in -10..10 {
        let body = world
            .create_body(&BodyDef::dynamic(2.0 * x as f32, 40.0))
            .unwrap();
        let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        world.create_shape(body, &ShapeDef::default(), &ball).unwrap();
    }
    (0..60).for_each(|_| world.step(1.0 / 60.0).unwrap());
    world.validate();
    world
}

fn bytes(pool: &mut TileGridPool) -> Vec<&mut [u8]> {
    let TileGridPool {
        records,
        tiles,
        chunks,
        cells,
        free_blocks,
        spans,
    } = pool;
    let mut arrays: Vec<&mut [u8]> = vec![
        bytemuck::cast_slice_mut(tiles.unmarked_mut()),
        bytemuck::cast_slice_mut(chunks.unmarked_mut()),
        cells.unmarked_mut(),
        bytemuck::cast_slice_mut(free_blocks.unmarked_mut()),
        bytemuck::cast_slice_mut(spans.unmarked_mut()),
        bytemuck::bytes_of_mut(records.value_at_mut(0).unwrap()),
    ];
    arrays.retain(|array| !array.is_empty());
    arrays
}

#[test]
fn forged_tile_grids_are_refused_or_the_world_goes_on() {
    let world = world();
    let mut forger = Forger::new(11);
    let (mut refused, mut accepted) = (0, 0);
    let cases = scaled(375);
    for _ in 0..cases {
        let mut forged = world.clone();
        let mut arrays = bytes(&mut forged.state.tile_grids);
        let which = forger.below(arrays.len());
        forger.change_byte(arrays[which]);
        let is_changed = forged.state_hash() != world.state_hash();
        let Ok(mut restored) = PhysicsWorld::from_save(&forged.save()) else {
            assert!(is_changed);
            refused += 1;
            continue;
        };
        accepted += usize::from(is_changed);
        let grids: Vec<_> = restored.tile_grids().map(|grid| grid.id()).collect();
        for grid in grids {
            let [width, height] = restored
                .tile_grid(grid)
                .map(|grid| [grid.width(), grid.height()])
                .unwrap();
            let block = TileBlock {
                x: width / 3,
                y: 0,
                width: width / 2,
                height: height.min(40),
            };
            restored.fill_tiles(grid, block, 0).unwrap();
            restored.step(1.0 / 60.0).unwrap();
            restored.validate();
            restored.destroy_tile_grid(grid).unwrap();
        }
        restored.step(1.0 / 60.0).unwrap();
        restored.validate();
    }
    // The accepted changes are of materials, events and user keys.
    assert!(
        refused > cases * 3 / 5 && accepted > cases / 75,
        "{refused} refused, {accepted} accepted"
    );
}
