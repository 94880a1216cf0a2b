//! The effort of adding walls to free space, for the charges of scripts: counted, so that it is the same on every machine
//! and in a restored world.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use tombolo_entity::Entity;

use super::cover::boxes_of;
use super::free::cell_for;
use super::walls::shapes_of;
use crate::world::World;

/// The effort for the part of a wall in a tile, in tenths of microseconds.
const PART: usize = 5;
/// The effort for each tile that is made anew.
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
    let (mut sum, mut tiles) = (0, BTreeSet::new());
    let mut boxes = Vec::new();
    for entity in entities {
        shapes_of(&world.physics, world.body_of(entity), |shape, pose| {
            if sum > most {
                return;
            }
            sum += ROW * boxes_of(shape, pose, clearance, cell, &mut boxes);
            for wall in boxes.drain(..) {
                let known = tiles.len();
                tiles.extend(wall.tiles());
                sum += PART * wall.tiles().count() + TILE * (tiles.len() - known);
            }
        });
        if sum > most {
            break;
        }
    }
    sum
}
