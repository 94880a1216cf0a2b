//! Exports for grids of tiles: creation, state, the tiles of cells, and edits.
#![allow(unsafe_code)]

#[cfg(feature = "scenes")]
use tombolo::component::{TILES, Tiles};
#[cfg(feature = "scenes")]
use tombolo::entity::{Dense, Entity};
use tombolo_physics::{
    PhysicsWorld, Position, Tile, TileBlock, TileGridDef, TileGridId, TileGridRef, TileShape,
};

use crate::bodies::body_id;
use crate::exchange::{Failure, Input, Row};
use crate::shapes::{SHAPE_WORDS, points, shape_def};
#[cfg(feature = "scenes")]
use crate::worlds::AnyWorld;
#[cfg(feature = "scenes")]
use crate::worlds::entity_of;
use crate::worlds::{look_at_physics, with_physics, with_world};

/// Words before those of the kinds of tiles.
const GRID_WORDS: usize = 2;

fn grid_id(bits: u64) -> Result<TileGridId, Failure> {
    Ok(TileGridId::from_bits(bits).ok_or("this is no id of a grid of tiles")?)
}

fn grid(world: &PhysicsWorld, bits: u64) -> Result<TileGridRef<'_>, Failure> {
    let grid = world.tile_grid(grid_id(bits)?);
    Ok(grid.ok_or("the grid of tiles was destroyed")?)
}

/// A kind of tile. Words: those of [`shape_def`]. Row: its row, the place of the shape in the list of named ones, the
/// number of coordinates of corners that follow, and these; they are read for the place after the last of the list.
fn tile(input: &Input, at: usize, row: &mut Row<'_>) -> Result<Tile, Failure> {
    let def = shape_def(input, at, row)?;
    let named = TileShape::NAMED.into_iter().nth(row.next() as usize);
    let corners = row.0.get(1..).unwrap_or_default();
    let corners = corners.split_at_checked(row.next() as usize);
    let (corners, rest) = corners.ok_or("fewer corners than the tile needs")?;
    row.0 = rest;
    let shape = match named {
        Some((_, shape)) => shape,
        None => TileShape::Convex {
            corners: points(Row(corners)),
        },
    };
    Ok(Tile { shape, def })
}

/// Creates a grid of tiles on a body. Words: columns and rows, then those of each kind of [`tile`]. Row: size of a cell, origin,
/// each kind of tile. Bytes: the kind of tile in each cell, row by row from below.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tile_grid_create(
    world: u32,
    body: u64,
    tiles: usize,
    numbers: usize,
    cells: usize,
) -> i32 {
    with_physics(world, |world, input, output| {
        let [width, height] = input.words_from::<GRID_WORDS>(0)?.map(|side| side as u32);
        let words = tiles.saturating_mul(SHAPE_WORDS).saturating_add(GRID_WORDS);
        let mut row = input.row(words, numbers)?;
        let mut def = TileGridDef {
            width,
            height,
            ..TileGridDef::default()
        };
        row.number(&mut def.cell_size);
        row.vector(&mut def.origin);
        for kind in 0..tiles {
            def.tiles
                .push(tile(input, GRID_WORDS + kind * SHAPE_WORDS, &mut row)?);
        }
        let row_words = numbers.div_ceil(2);
        let cells = input.bytes((words + row_words) * size_of::<u64>(), cells)?;
        def.cells = cells.to_vec();
        let grid = world.create_tile_grid(body_id(body)?, &def)?;
        output.ids.push(grid.to_bits());
        Ok(1)
    })
}

/// Removes a grid of tiles from its body.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tile_grid_destroy(world: u32, grid: u64) -> i32 {
    with_physics(world, |world, _, _| {
        world.destroy_tile_grid(grid_id(grid)?)?;
        Ok(0)
    })
}

/// The state of a grid. Ids: its body, columns, rows. Numbers: size of a cell, origin. 0 if there is no such grid.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tile_grid_state(world: u32, grid: u64) -> i32 {
    look_at_physics(world, |world, _, output| {
        let Some(grid) = TileGridId::from_bits(grid).and_then(|id| world.tile_grid(id)) else {
            return Ok(0);
        };
        let sides = [grid.width(), grid.height()].map(u64::from);
        output.ids.push(grid.body().id().to_bits());
        output.ids.extend(sides);
        let origin = grid.origin();
        output.numbers.extend([grid.cell_size(), origin.x, origin.y]);
        Ok(1)
    })
}

/// The kind of tile in a cell.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tile_get(world: u32, grid: u64, x: u32, y: u32) -> i32 {
    look_at_physics(world, |world, _, _| {
        let grid = self::grid(world, grid)?;
        let (width, height) = (grid.width(), grid.height());
        let tile = grid.tile(x, y).ok_or_else(|| {
            Failure::from(format_args!(
                "the grid has {width} columns and {height} rows, and no cell {x}, {y}"
            ))
        })?;
        Ok(usize::from(tile))
    })
}

/// The entity whose tiles a grid is, and the character of a kind of tile in their legend. `None` for a grid that is not the
/// one of an entity's Tiles, and for a kind that it does not have.
#[cfg(feature = "scenes")]
fn in_legend(world: &tombolo::World, grid: TileGridId, tile: u8) -> Option<(Entity, char)> {
    let entity = entity_of(world, world.physics().tile_grid(grid)?.body().id())?;
    let tiles = world.manager::<Dense<Tiles>>(TILES)?.newest(entity)?;
    let letter = tiles.letter_of(tile);
    (tiles.id() == Some(grid) && tiles.tile_of(letter) == Some(tile)).then_some((entity, letter))
}

/// Fills a rectangle of cells with a kind of tile.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tiles_fill(
    world: u32,
    grid: u64,
    x: u32,
    y: u32,
    width: u32,
    height: u32,
    tile: u32,
) -> i32 {
    with_world(world, |world, _, _| {
        let (grid, block) = (grid_id(grid)?, TileBlock { x, y, width, height });
        let tile = u8::try_from(tile).map_err(|_| "a kind of tile is a number from 0 to 255")?;
        #[cfg(feature = "scenes")]
        if let AnyWorld::Entities(world) = world
            && let Some((entity, letter)) = in_legend(world, grid, tile)
        {
            world.fill_tiles(entity, block, letter)?;
            return Ok(0);
        }
        world.physics_mut().fill_tiles(grid, block, tile)?;
        Ok(0)
    })
}

/// The cell that contains a point of the world. Row: the point. Ids: column and row. 0 if it is outside.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tile_cell_at(world: u32, grid: u64) -> i32 {
    look_at_physics(world, |world, input, output| {
        let mut row = input.row(0, 2)?;
        let place = Position::new(row.next(), row.next());
        let Some(cell) = self::grid(world, grid)?.cell_at(place) else {
            return Ok(0);
        };
        output.ids.extend(cell.map(u64::from));
        Ok(1)
    })
}

/// The center of a cell in the world. Numbers: the point.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn tile_cell_center(world: u32, grid: u64, x: u32, y: u32) -> i32 {
    look_at_physics(world, |world, _, output| {
        let center = self::grid(world, grid)?.cell_center(x, y).to_vec2();
        output.numbers.extend([center.x, center.y]);
        Ok(1)
    })
}
