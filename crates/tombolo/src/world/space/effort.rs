//! The effort of adding walls to free space, for the charges of scripts: counted, so that it is the same on every machine
//! and in a restored world.

use alloc::vec::Vec;

use tombolo_entity::Entity;

use super::cover::boxes_of;
use super::free::cell_for;
use super::rectangles::TILE_COUNT;
use super::walls::shapes_of;
use crate::world::World;

/// The effort for the part of a wall in a tile, in tenths of microseconds.
const PART: usize = 5;
/// The effort for each tile that is made anew, unless a wall covers all of it.
const TILE: usize = 30;
/// The effort for each row of cells that a round or tilted shape is followed through.
const ROW: usize = 1;

/// The effort of adding the walls of some entities to the free space of a clearance, in tenths of microseconds. Counting
/// ends beyond `most`.
pub(super) fn effort(
    world: &World,
    entities: impl Iterator<Item = Entity>,
    clearance: f32,
    most: usize,
) -> usize {
    let cell = cell_for(clearance);
    let (mut sum, mut tiles) = (0, TileSet::new());
    let mut boxes = Vec::new();
    for entity in entities {
        shapes_of(&world.physics, world.body_of(entity), |shape, pose| {
            if sum > most {
                return;
            }
            sum += ROW * boxes_of(shape, pose, clearance, cell, &mut boxes);
            for wall in boxes.drain(..) {
                for tile in wall.tiles() {
                    let is_in_parts = !wall.covers(tile) && tiles.insert(tile);
                    sum += PART + if is_in_parts { TILE } else { 0 };
                }
            }
        });
        if sum > most {
            break;
        }
    }
    sum
}

/// A set of tiles.
struct TileSet([u64; TILE_COUNT as usize]);

impl TileSet {
    fn new() -> Self {
        Self([0; TILE_COUNT as usize])
    }

    /// Adds a tile; returns whether it is new.
    fn insert(&mut self, tile: u16) -> bool {
        let (word, bit) = (usize::from(tile / TILE_COUNT), 1_u64 << (tile % TILE_COUNT));
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }
}
