//! [`UniformGrid`]: cells of one size and nothing above them, for objects in the plane that are not larger than a cell.
//!
//! If objects are of one size this is faster than every tree: a cell is found by arithmetic, and its objects are
//! contiguous in memory. Larger objects belong into a tree beside it.
//!
//! | file | contents |
//! | --- | --- |
//! | `mod.rs` | objects by id: inserting, moving, removing |
//! | `box_cell.rs` | an object's box, which a worker may write while others write their neighbors |
//! | `staying.rs` | the boxes of objects that stay in their cells, written by many workers |
//! | `query.rs` | objects that overlap a region, the nearest |
//! | `table.rs` | the hash table of tiles |
//! | `validate.rs` | every invariant, checked |
//!
//! An object is in the cell of its box's center. Cells are made by tiles of 8 × 8, which are in a hash table and are
//! removed when they are empty; so the plane has no border, and memory depends on where objects are.

mod box_cell;
mod query;
pub(super) mod staying;
mod table;
mod validate;

use super::{Bounds, ObjectId, OrthtreeError};
use alloc::vec::Vec;
use box_cell::BoxCell;
use core::num::NonZeroU32;
use table::TileTable;

/// Cells of a tile along an axis: 2^3.
const TILE_BITS: u32 = 3;
const TILE: usize = 1 << TILE_BITS;
const TILE_CELLS: usize = TILE * TILE;

/// The greatest distance of a cell from the origin along an axis, in cells.
const PLACE_MAX: f64 = (1 << 30) as f64;

/// An object in its cell.
#[derive(Clone, Debug)]
struct GridMember {
    bounds: BoxCell,
    key: u64,
    id: ObjectId,
}

/// The location of an object.
#[derive(Clone, Copy, Debug)]
struct Home {
    generation: NonZeroU32,
    /// [`NOWHERE`](Self::NOWHERE) while no object has this place.
    cell: u32,
    /// Its position among the members of the cell.
    member: u32,
}

impl Home {
    const NOWHERE: u32 = u32::MAX;
}

/// The size of cells.
#[derive(Clone, Copy, Debug)]
struct CellSize {
    edge: f64,
    inverse: f64,
}

impl CellSize {
    /// The cell of a box.
    #[inline]
    fn place(self, bounds: &Bounds<2>) -> Result<[i32; 2], OrthtreeError> {
        bounds.check()?;
        for axis in 0..2 {
            let (min, max) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
            if max - min > self.edge {
                return Err(OrthtreeError::LargerThanCell { axis });
            }
            if (0.5 * (min + max) * self.inverse).abs() > PLACE_MAX {
                return Err(OrthtreeError::OutOfReach { axis, growth_left: 0 });
            }
        }
        Ok(place_in(self.inverse, bounds))
    }

    /// Whether [`place`](Self::place) has this result, which costs less to ask than to compute.
    #[inline]
    fn is_place(self, place: [i32; 2], bounds: &Bounds<2>) -> bool {
        let is_place = |axis: usize| {
            let (min, max) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
            let (cell, along) = (f64::from(place[axis]), 0.5 * (min + max) * self.inverse);
            // Not a number is in no range. Without branches: most objects stay.
            let fits = (min <= max) & (max - min <= self.edge) & (along.abs() <= PLACE_MAX);
            fits & (cell <= along) & (along < cell + 1.0)
        };
        is_place(0) & is_place(1)
    }
}

#[derive(Clone, Copy, Debug)]
struct Tile {
    place: [i32; 2],
    /// Number of objects in its cells; a tile without is free.
    count: u32,
}

/// Boxes and points of the plane in cells of one size.
///
/// The same calls give the same results in the same order: by tile from the lowest row, in each from its lowest row,
/// each row from the left; for a region that reaches over more tiles than there are, tile by tile in the order of their
/// numbers, where a new tile has that of the one removed last, or else the next. The objects of a cell are in the order
/// of insertion, except that the last one takes the place of a removed one.
///
/// There is no save: everything follows from boxes and keys, which the caller has.
///
/// ```
/// use tombolo_geometry::orthtree::{Bounds, UniformGrid};
/// let mut crates = UniformGrid::new(4.0)?;
/// let one = crates.insert(Bounds::around([10.0, 10.0], 0.5), 7)?;
/// crates.update(one, Bounds::around([-200.0, 10.0], 0.5))?;
///
/// let mut found = Vec::new();
/// crates.query(&Bounds::new([-210.0, 0.0], [-190.0, 20.0]), |hit| found.push(hit.key));
/// assert_eq!(found, [7]);
/// assert_eq!(crates.remove(one)?, 7);
/// # Ok::<(), tombolo_geometry::orthtree::OrthtreeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct UniformGrid {
    size: CellSize,
    table: TileTable,
    tiles: Vec<Tile>,
    free_tiles: Vec<u32>,
    /// [`TILE_CELLS`] cells of each tile, row by row.
    cells: Vec<Vec<GridMember>>,
    homes: Vec<Home>,
    free_homes: Vec<u32>,
    count: usize,
    /// The greatest size of an object along an axis since the grid was last empty; not negative.
    size_max: f32,
}

impl UniformGrid {
    /// An empty grid, with cells of a size in the caller's unit.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::CellSize`] unless the size is positive and finite.
    pub fn new(cell_size: f32) -> Result<Self, OrthtreeError> {
        if !(cell_size > 0.0 && cell_size.is_finite()) {
            return Err(OrthtreeError::CellSize { value: cell_size });
        }
        Ok(Self {
            size: CellSize {
                edge: f64::from(cell_size),
                inverse: 1.0 / f64::from(cell_size),
            },
            table: TileTable::new(),
            tiles: Vec::new(),
            free_tiles: Vec::new(),
            cells: Vec::new(),
            homes: Vec::new(),
            free_homes: Vec::new(),
            count: 0,
            size_max: 0.0,
        })
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether the grid accepts an object with this box: it is valid, no larger than a cell along either axis, and within
    /// 2^30 cells of the origin.
    pub fn fits(&self, bounds: &Bounds<2>) -> bool {
        self.place(bounds).is_ok()
    }

    /// Adds an object with the caller's key. A point is a box without extent. O(1).
    ///
    /// # Errors
    ///
    /// An invalid box, one that is larger than a cell, farther than 2^30 cells from the origin, or no room.
    pub fn insert(&mut self, bounds: Bounds<2>, key: u64) -> Result<ObjectId, OrthtreeError> {
        let place = self.place(&bounds)?;
        let is_full = self.homes.len() >= Home::NOWHERE as usize && self.free_homes.is_empty();
        if is_full || self.tiles.len() >= Home::NOWHERE as usize / TILE_CELLS {
            return Err(OrthtreeError::Full);
        }
        let index = self.free_homes.pop().unwrap_or_else(|| {
            self.homes.push(Home {
                generation: NonZeroU32::MIN,
                cell: Home::NOWHERE,
                member: 0,
            });
            self.homes.len() as u32 - 1
        });
        let id = ObjectId::from_parts(index, self.homes[index as usize].generation);
        let bounds = BoxCell::new(bounds);
        self.put(GridMember { bounds, key, id }, place);
        self.count += 1;
        Ok(id)
    }

    /// Sets an object's box. O(1).
    ///
    /// # Errors
    ///
    /// A stale id, or the errors of [`insert`](Self::insert).
    pub fn update(&mut self, id: ObjectId, bounds: Bounds<2>) -> Result<(), OrthtreeError> {
        let home = *self.home(id)?;
        let place = self.place(&bounds)?;
        // The old box would also show whether the object stays, but is seldom in a cache, which the tiles are.
        if cell_place(&self.tiles, home.cell) == place {
            self.size_max = self.size_max.max(size_of_box(&bounds));
            self.cells[home.cell as usize][home.member as usize].bounds = BoxCell::new(bounds);
            return Ok(());
        }
        let bounds = BoxCell::new(bounds);
        let member = self.take(&home);
        self.put(GridMember { bounds, ..member }, place);
        Ok(())
    }

    /// Removes an object and returns its key. O(1).
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::StaleId`].
    pub fn remove(&mut self, id: ObjectId) -> Result<u64, OrthtreeError> {
        let home = *self.home(id)?;
        let member = self.take(&home);
        self.count -= 1;
        if self.count == 0 {
            self.size_max = 0.0;
        }
        let home = &mut self.homes[id.index() as usize];
        home.cell = Home::NOWHERE;
        // A place that has used its generations stays out of use, with one that no id was given for.
        if let Some(generation) = home.generation.checked_add(1) {
            home.generation = generation;
            if generation != NonZeroU32::MAX {
                self.free_homes.push(id.index());
            }
        }
        Ok(member.key)
    }

    /// The box of an object.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::StaleId`].
    pub fn bounds(&self, id: ObjectId) -> Result<Bounds<2>, OrthtreeError> {
        let home = self.home(id)?;
        Ok(self.cells[home.cell as usize][home.member as usize].bounds.get())
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        let members: usize = self.cells.iter().map(Vec::capacity).sum();
        self.table.bytes()
            + self.tiles.capacity() * size_of::<Tile>()
            + self.cells.capacity() * size_of::<Vec<GridMember>>()
            + members * size_of::<GridMember>()
            + self.homes.capacity() * size_of::<Home>()
            + (self.free_tiles.capacity() + self.free_homes.capacity()) * size_of::<u32>()
    }

    fn home(&self, id: ObjectId) -> Result<&Home, OrthtreeError> {
        home_of(&self.homes, id).ok_or_else(|| OrthtreeError::StaleId { index: id.index() })
    }

    /// The most by which objects reach out of the cells of their centers.
    #[inline]
    fn spill(&self) -> f64 {
        // A half, and more than the rounding of a box's center and of its size.
        const HALF: f64 = 0.500_000_2;
        HALF * f64::from(self.size_max)
    }

    /// The cell of a box.
    fn place(&self, bounds: &Bounds<2>) -> Result<[i32; 2], OrthtreeError> {
        self.size.place(bounds)
    }

    /// Puts a member, which is in no cell, into one.
    fn put(&mut self, member: GridMember, place: [i32; 2]) {
        self.size_max = self.size_max.max(size_of_box(&member.bounds.get()));
        let tile_place = place.map(|cell| cell >> TILE_BITS);
        let tile = match self.table.get(tile_place) {
            Some(tile) => tile,
            None => self.make_tile(tile_place),
        };
        self.tiles[tile as usize].count += 1;
        let cell = cell_of(tile, place);
        let members = &mut self.cells[cell as usize];
        let home = &mut self.homes[member.id.index() as usize];
        (home.cell, home.member) = (cell, members.len() as u32);
        members.push(member);
    }

    fn make_tile(&mut self, place: [i32; 2]) -> u32 {
        let tile = Tile { place, count: 0 };
        let number = match self.free_tiles.pop() {
            Some(number) => {
                self.tiles[number as usize] = tile;
                number
            }
            None => {
                self.tiles.push(tile);
                self.cells.resize_with(self.cells.len() + TILE_CELLS, Vec::new);
                self.tiles.len() as u32 - 1
            }
        };
        self.table.put(place, number);
        number
    }

    /// Removes a member from its cell; the last one takes its place. A tile that becomes empty is freed, with its
    /// memory.
    fn take(&mut self, home: &Home) -> GridMember {
        let members = &mut self.cells[home.cell as usize];
        let member = members.swap_remove(home.member as usize);
        if let Some(moved) = members.get(home.member as usize) {
            self.homes[moved.id.index() as usize].member = home.member;
        }
        let number = home.cell as usize / TILE_CELLS;
        let tile = &mut self.tiles[number];
        tile.count -= 1;
        if tile.count == 0 {
            self.table.take(tile.place);
            self.free_tiles.push(number as u32);
            self.cells[number * TILE_CELLS..][..TILE_CELLS].fill_with(Vec::new);
        }
        member
    }
}

/// The location of the object with an id; `None` if the id is stale.
#[inline]
fn home_of(homes: &[Home], id: ObjectId) -> Option<&Home> {
    let home = homes.get(id.index() as usize)?;
    (home.cell != Home::NOWHERE && home.generation == id.generation()).then_some(home)
}

/// The place of a cell in use.
#[inline]
fn cell_place(tiles: &[Tile], cell: u32) -> [i32; 2] {
    let [x, y] = tiles[cell as usize / TILE_CELLS].place;
    let cell = cell as usize % TILE_CELLS;
    [
        (x << TILE_BITS) + (cell % TILE) as i32,
        (y << TILE_BITS) + (cell / TILE) as i32,
    ]
}

/// The index of a cell among those of its tile.
#[inline]
fn in_tile([x, y]: [i32; 2]) -> usize {
    y as usize % TILE * TILE + x as usize % TILE
}

/// The number of a cell in a tile.
#[inline]
fn cell_of(tile: u32, place: [i32; 2]) -> u32 {
    tile * TILE_CELLS as u32 + in_tile(place) as u32
}

/// The cell along an axis that a coordinate lies in, on a plane the upper one. It rises with the coordinate;
/// coordinates beyond the last cells are clamped.
#[inline]
fn locate(inverse_size: f64, coordinate: f64) -> i32 {
    const LAST: f64 = i32::MAX as f64;
    let place = (coordinate * inverse_size).clamp(-LAST, LAST);
    // A conversion truncates towards zero; below zero that is one too high, except for whole numbers.
    let cut = place as i32;
    cut - i32::from(f64::from(cut) > place)
}

#[inline]
fn place_in(inverse_size: f64, bounds: &Bounds<2>) -> [i32; 2] {
    [0, 1].map(|axis| {
        let middle = 0.5 * (f64::from(bounds.min[axis]) + f64::from(bounds.max[axis]));
        locate(inverse_size, middle)
    })
}

/// The greater of a box's sizes along the axes, never minus zero, which a box from 0 to -0 is as wide.
#[inline]
fn size_of_box(bounds: &Bounds<2>) -> f32 {
    let [width, height] = [0, 1].map(|axis| bounds.max[axis] - bounds.min[axis]);
    width.max(height).abs()
}

const _: () = assert!(size_of::<GridMember>() == 32 && size_of::<Home>() == 12);
