//! The charges of scripts for grids of tiles: for cells that are filled, and for grids that are made anew because a
//! property of their component is set, or spawned.

use tombolo_entity::{Dense, Entity, InstanceId, NameHash, Planned, Value};
use tombolo_physics::{TileBlock, TileCut};

use crate::component::{TILES, Tiles};
use crate::world::World;

/// Operations for a grid, or for filling cells, besides those for each cell.
const GRID_COST: u64 = 200;
/// Operations for each cell that is filled: it may become a slope with a shape of its own, in place of others.
const FILLED_COST: u64 = 5;
/// Operations for each cell of a grid that is made. A grid of slopes is a shape for each cell, and one of a million cells
/// at random, a quarter of them shapes, takes half a second (`docs/performance/tiles.md`): 2 µs a shape.
const MADE_COST: u64 = 10;
/// Operations for each cell of a grid that is replaced: its shapes part from what touches them.
const GONE_COST: u64 = 5;
/// Operations for each byte of the rows and the legend of a grid that is made from them.
const TEXT_COST: u64 = 1;

/// Operations for filling a block of cells.
pub(super) fn cost_of_filling(block: &TileBlock) -> u64 {
    GRID_COST + FILLED_COST * block.cell_count()
}

/// The bytes of a component's rows and legend.
fn text_bytes(tiles: &Tiles) -> u64 {
    let lines = tiles.rows.iter().chain(&tiles.legend);
    lines.map(|line| line.len() as u64).sum()
}

/// The cells of a component's rows.
fn cells_of(tiles: &Tiles) -> u64 {
    Tiles::cell_count(tiles.rows.iter().map(|row| &**row))
}

/// The cells of its rows once a property, or a part of it, is set to a value.
fn cells_with(tiles: &Tiles, property: &str, value: &Value) -> u64 {
    match (property.split_once('.'), value) {
        (None, Value::List(lines)) if property == "rows" => {
            Tiles::cell_count(lines.iter().filter_map(text_of))
        }
        (Some(("rows", place)), Value::String(line)) => {
            let place = place.parse::<usize>().ok();
            let rows = tiles.rows.iter().enumerate();
            Tiles::cell_count(rows.map(|(row, text)| if Some(row) == place { &**line } else { &**text }))
        }
        _ => cells_of(tiles),
    }
}

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Operations for making a grid of some cells for a component.
fn cost_of_making(cell_count: u64, tiles: &Tiles) -> u64 {
    GRID_COST + MADE_COST * cell_count + TEXT_COST * text_bytes(tiles)
}

impl World {
    /// Operations for the grid that is made anew when a property of an entity's tiles is set to a value; 0 if the path
    /// leads to no tiles.
    pub(super) fn cost_of_setting_tiles(&self, entity: Entity, path: &str, value: &Value) -> u64 {
        let Some((component, property)) = path.split_once('.') else {
            return 0;
        };
        let all = self.entities.manager::<Dense<Tiles>>(TILES);
        let instance = InstanceId::from(NameHash::of(component));
        let Some(tiles) = all.and_then(|all| all.value(entity, instance)) else {
            return 0;
        };
        // Each property has the whole grid replaced.
        let grid = tiles.id().and_then(|id| self.physics.tile_grid(id));
        let gone = grid.map_or(0, |grid| u64::from(grid.width()) * u64::from(grid.height()));
        cost_of_making(cells_with(tiles, property, value), tiles) + GONE_COST * gone
    }

    /// Operations for emptying the cells in the reach of a cut.
    pub(super) fn cost_of_cutting_tiles(&self, cut: &TileCut) -> u64 {
        let grids = self.physics.tile_grids().len() as u64;
        let reached = self.physics.tiles_in_reach(cut);
        grids
            + reached
                .iter()
                .map(|(_, block)| cost_of_filling(block))
                .sum::<u64>()
    }

    /// Operations for the grids of the entities that a spawn of a resource would create.
    pub(super) fn cost_of_planned_tiles(&self, resource: &str) -> u64 {
        let planned = self.library.planned(&self.entities, resource, &[]);
        let planned = planned.unwrap_or_default();
        let entries = planned.iter().flat_map(Planned::components);
        let tiles = entries.filter(|(entry, _)| entry.manager == TILES);
        let costs = tiles.map(|(_, values)| {
            let tiles: Tiles = self.value_with(TILES, values);
            cost_of_making(cells_of(&tiles), &tiles)
        });
        costs.sum()
    }
}
