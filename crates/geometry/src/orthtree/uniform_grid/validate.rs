//! Checks of every invariant of the files of a [`UniformGrid`], over the whole grid; tests call them after each change.

use super::{Home, TILE_CELLS, UniformGrid, in_tile, place_in, size_of_box};

impl UniformGrid {
    /// Checks the whole structure: tiles, cells, objects, and that each object is in the cell of its center. O(n).
    ///
    /// # Errors
    ///
    /// A description of the first invariant that does not hold.
    pub fn validate(&self) -> Result<(), &'static str> {
        if self.cells.len() != self.tiles.len() * TILE_CELLS {
            return Err("a tile has other cells than it should");
        }
        let mut found = 0;
        let mut used = 0;
        for (number, tile) in self.tiles.iter().enumerate() {
            let cells = &self.cells[number * TILE_CELLS..][..TILE_CELLS];
            let count: usize = cells.iter().map(|members| members.len()).sum();
            if count != tile.count as usize {
                return Err("a tile counts other objects than are in its cells");
            }
            if count > 0 {
                used += 1;
                if self.table.get(tile.place) != Some(number as u32) {
                    return Err("the table does not lead to a tile");
                }
            }
            found += count;
            for (cell, members) in cells.iter().enumerate() {
                for member in 0..members.len() {
                    self.validate_member(number, cell, member)?;
                }
            }
        }
        let live = self
            .homes
            .iter()
            .filter(|home| home.cell != Home::NOWHERE)
            .count();
        if (found, live) != (self.count, self.count) {
            return Err("the objects that are counted, named and in cells are not as many");
        }
        if used != self.table.len() || used + self.free_tiles.len() != self.tiles.len() {
            return Err("a tile is neither in the table nor free");
        }
        Ok(())
    }

    fn validate_member(&self, tile: usize, cell: usize, member: usize) -> Result<(), &'static str> {
        let number = tile * TILE_CELLS + cell;
        let object = &self.cells[number][member];
        let place = place_in(self.size.inverse, &object.bounds.get());
        if place.map(|place| place >> super::TILE_BITS) != self.tiles[tile].place || in_tile(place) != cell {
            return Err("an object is in another cell than that of its middle");
        }
        let bounds = object.bounds.get();
        if size_of_box(&bounds) > self.size_max {
            return Err("an object is larger than noted");
        }
        let size = |axis: usize| f64::from(bounds.max[axis]) - f64::from(bounds.min[axis]);
        if (0..2).any(|axis| 0.5 * size(axis) > self.spill()) {
            return Err("an object reaches out of its cell further than it may");
        }
        match self.home(object.id) {
            Ok(home) if (home.cell as usize, home.member as usize) == (number, member) => Ok(()),
            _ => Err("an object's id does not lead to it"),
        }
    }
}
