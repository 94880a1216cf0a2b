//! What the tests of tile grids share: grids drawn with digits, tiles of all shapes, random blocks.
#![allow(dead_code, reason = "each test uses a part of it")]

use crate::world_support::Random;
use tombolo_physics::{
    BodyDef, BodyId, PhysicsWorld, Shape, ShapeDef, Tile, TileBlock, TileGridDef, TileGridId, TileShape,
    Vec2, WorldDef,
};

pub(crate) fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

pub(crate) fn smooth(shape: TileShape) -> Tile {
    Tile {
        shape,
        def: ShapeDef {
            friction: 0.0,
            ..ShapeDef::default()
        },
    }
}

/// All that have names, and one that has none.
pub(crate) fn every_tile() -> Vec<Tile> {
    let named = TileShape::NAMED.into_iter().map(|(_, shape)| Tile::new(shape));
    let roof = [(0.0, 0.0), (1.0, 0.0), (0.5, 1.0)].map(Vec2::from).to_vec();
    named
        .chain([Tile::new(TileShape::Convex { corners: roof })])
        .collect()
}

pub(crate) fn grid_of(world: &mut PhysicsWorld, def: &TileGridDef) -> TileGridId {
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    world.create_tile_grid(body, def).unwrap()
}

/// A grid from rows of digits, the uppermost first.
pub(crate) fn rows(tiles: Vec<Tile>, rows: &[&str]) -> TileGridDef {
    let letters = rows.iter().rev().flat_map(|row| row.bytes());
    TileGridDef {
        width: rows[0].len() as u32,
        height: rows.len() as u32,
        tiles,
        cells: letters
            .map(|letter| if letter == b'.' { 0 } else { letter - b'0' })
            .collect(),
        ..TileGridDef::default()
    }
}

pub(crate) fn drop_at(world: &mut PhysicsWorld, x: f32, y: f32, shape: &Shape) -> BodyId {
    let body = world.create_body(&BodyDef::dynamic(x, y)).unwrap();
    world.create_shape(body, &ShapeDef::default(), shape).unwrap();
    body
}

pub(crate) fn place(world: &PhysicsWorld, body: BodyId) -> Vec2 {
    world.body(body).unwrap().position().to_vec2()
}

pub(crate) fn random_block(random: &mut Random, width: u32, height: u32) -> TileBlock {
    let (x, y) = (
        random.below(width as usize) as u32,
        random.below(height as usize) as u32,
    );
    TileBlock {
        x,
        y,
        width: 1 + random.below((width - x) as usize) as u32,
        height: 1 + random.below((height - y) as usize) as u32,
    }
}
