//! The definition of a tile grid: [`TileGridDef`], its kinds of tiles ([`Tile`], [`TileShape`]) and blocks of cells
//! ([`TileBlock`]).

use crate::PhysicsError;
use crate::constants::{TILE_CELLS_MAX, TILE_SIZE_MAX_M, TILE_SIZE_MIN_M};
use crate::error::finite;
use crate::shape::ShapeDef;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::shape::{COORDINATE_MAX, LENGTH_MIN, Shape, WELD_RELATIVE};

/// The part of its cell that a tile fills. Each is convex. Up is toward the next row, right toward the next column.
///
/// A slope is named by its direction from left to right; two gentle ones side by side rise or fall by one cell.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum TileShape {
    /// The whole cell is solid.
    #[default]
    Full,
    /// The lower half.
    BottomHalf,
    /// The upper half.
    TopHalf,
    /// The left half.
    LeftHalf,
    /// The right half.
    RightHalf,
    /// Ground that rises to the right by 45 degrees: all below the diagonal.
    SlopeUp,
    /// Ground that falls to the right by 45 degrees.
    SlopeDown,
    /// A ceiling that rises to the right by 45 degrees: all above the diagonal.
    CeilingUp,
    /// A ceiling that falls to the right by 45 degrees.
    CeilingDown,
    /// Ground that rises from the bottom to half of the cell.
    GentleUpLow,
    /// Ground that rises from half of the cell to the top.
    GentleUpHigh,
    /// Ground that falls from the top to half of the cell.
    GentleDownHigh,
    /// Ground that falls from half of the cell to the bottom.
    GentleDownLow,
    /// A custom convex polygon.
    Convex {
        /// Three to eight corners in any order; (0, 0) is the lower left corner of the cell, (1, 1) the upper right one.
        corners: Vec<Vec2>,
    },
}

impl TileShape {
    /// The shapes without custom corners, by the names in scene files.
    pub const NAMED: [(&'static str, Self); 13] = [
        ("Full", Self::Full),
        ("BottomHalf", Self::BottomHalf),
        ("TopHalf", Self::TopHalf),
        ("LeftHalf", Self::LeftHalf),
        ("RightHalf", Self::RightHalf),
        ("SlopeUp", Self::SlopeUp),
        ("SlopeDown", Self::SlopeDown),
        ("CeilingUp", Self::CeilingUp),
        ("CeilingDown", Self::CeilingDown),
        ("GentleUpLow", Self::GentleUpLow),
        ("GentleUpHigh", Self::GentleUpHigh),
        ("GentleDownHigh", Self::GentleDownHigh),
        ("GentleDownLow", Self::GentleDownLow),
    ];

    /// The corners, in units of a cell.
    pub fn corners(&self) -> Vec<Vec2> {
        let corners: &[(f32, f32)] = match self {
            Self::Full => &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
            Self::BottomHalf => &[(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5)],
            Self::TopHalf => &[(0.0, 0.5), (1.0, 0.5), (1.0, 1.0), (0.0, 1.0)],
            Self::LeftHalf => &[(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (0.0, 1.0)],
            Self::RightHalf => &[(0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 1.0)],
            Self::SlopeUp => &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)],
            Self::SlopeDown => &[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)],
            Self::CeilingUp => &[(0.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
            Self::CeilingDown => &[(1.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
            Self::GentleUpLow => &[(0.0, 0.0), (1.0, 0.0), (1.0, 0.5)],
            Self::GentleUpHigh => &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.5)],
            Self::GentleDownHigh => &[(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 1.0)],
            Self::GentleDownLow => &[(0.0, 0.0), (1.0, 0.0), (0.0, 0.5)],
            Self::Convex { corners } => return corners.clone(),
        };
        corners.iter().copied().map(Vec2::from).collect()
    }
}

/// A kind of tile: its shape and its material.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct Tile {
    /// The part of the cell that it fills.
    pub shape: TileShape,
    /// Material, filter and events of the shapes made of it.
    pub def: ShapeDef,
}

impl Tile {
    /// A tile of this shape, with defaults for everything else.
    pub fn new(shape: TileShape) -> Self {
        Self {
            shape,
            def: ShapeDef::default(),
        }
    }
}

/// The definition of a tile grid: cells in rows and columns, each of which is empty or holds a tile.
///
/// ```
/// use tombolo_physics::{Tile, TileGridDef, TileShape};
/// // Rows from the bottom.
/// let def = TileGridDef {
///     width: 4,
///     height: 2,
///     tiles: vec![Tile::default(), Tile::new(TileShape::SlopeUp)],
///     cells: vec![1, 1, 1, 1, 0, 2, 1, 1],
///     ..TileGridDef::default()
/// };
/// def.validate()?;
/// # Ok::<(), tombolo_physics::PhysicsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct TileGridDef {
    /// Width and height of a cell in meters; 1 by default, 0.02 to 10,000.
    pub cell_size: f32,
    /// The lower left corner of the grid in the body's frame, in meters.
    pub origin: Vec2,
    /// The number of columns; 1 by default.
    pub width: u32,
    /// The number of rows; 1 by default. At most 134,217,728 (2²⁷) cells in total.
    pub height: u32,
    /// The kinds of tiles, at most 255. Cells refer to them by number, beginning with 1; 0 is an empty cell.
    pub tiles: Vec<Tile>,
    /// A number for each cell, row by row from the bottom, each from left to right; empty if all cells are.
    pub cells: Vec<u8>,
}

impl Default for TileGridDef {
    fn default() -> Self {
        Self {
            cell_size: 1.0,
            origin: Vec2::ZERO,
            width: 1,
            height: 1,
            tiles: Vec::new(),
            cells: Vec::new(),
        }
    }
}

/// A rectangle of cells of a tile grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileBlock {
    /// The column of the leftmost cells.
    pub x: u32,
    /// The row of the lowest cells.
    pub y: u32,
    /// The number of columns.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
}

impl TileBlock {
    /// A block of one cell.
    pub const fn cell(x: u32, y: u32) -> Self {
        Self {
            x,
            y,
            width: 1,
            height: 1,
        }
    }

    /// The number of cells.
    pub const fn cell_count(self) -> u64 {
        self.width as u64 * self.height as u64
    }
}

fn out_of_range(what: &'static str, got: f32, expected: &'static str) -> PhysicsError {
    PhysicsError::InvalidNumber { what, got, expected }
}

impl TileGridDef {
    /// Checks everything, like [`PhysicsWorld::create_tile_grid`](crate::PhysicsWorld::create_tile_grid) before it
    /// creates anything.
    ///
    /// # Errors
    ///
    /// Returns the first value that is out of range, and the accepted range; for tiles and cells also which one.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        if !(TILE_SIZE_MIN_M..=TILE_SIZE_MAX_M).contains(&self.cell_size) {
            let expected = "a number of meters from 0.02 to 10000";
            return Err(out_of_range("cell_size", self.cell_size, expected));
        }
        let cells = u64::from(self.width) * u64::from(self.height);
        for (what, side) in [("width", self.width), ("height", self.height)] {
            if side == 0 {
                return Err(out_of_range(what, 0.0, "at least 1"));
            }
        }
        if cells > TILE_CELLS_MAX {
            return Err(PhysicsError::TooMany {
                what: "cells of a tile grid",
                limit: TILE_CELLS_MAX as usize,
            });
        }
        finite("origin.x", self.origin.x)?;
        finite("origin.y", self.origin.y)?;
        let end = self.origin + self.cell_size * Vec2::new(self.width as f32, self.height as f32);
        for (what, reach) in [
            ("origin.x", self.origin.x.abs().max(end.x.abs())),
            ("origin.y", self.origin.y.abs().max(end.y.abs())),
        ] {
            if reach > COORDINATE_MAX {
                let expected = "a place from which all cells are within 100000 meters of the body's origin";
                return Err(out_of_range(what, reach, expected));
            }
        }
        if self.tiles.len() > 255 {
            return Err(PhysicsError::TooMany {
                what: "kinds of tiles",
                limit: 255,
            });
        }
        for (index, tile) in self.tiles.iter().enumerate() {
            self.check_tile(tile).map_err(|why| PhysicsError::Tile {
                tile: index as u32 + 1,
                why: alloc::boxed::Box::new(why),
            })?;
        }
        if !self.cells.is_empty() && self.cells.len() as u64 != cells {
            let expected = "none, or as many as width times height";
            return Err(out_of_range("number of cells", self.cells.len() as f32, expected));
        }
        check_cells(&self.cells, self.tiles.len(), |place| {
            let place = place as u64;
            let width = u64::from(self.width);
            ((place % width) as u32, (place / width) as u32)
        })
    }

    /// Checks that a tile can be created anywhere in the grid: its features are large enough for the rounding of all
    /// places of the grid, and its mass is not too great at the grid's corners.
    fn check_tile(&self, tile: &Tile) -> Result<(), PhysicsError> {
        let corners = tile.shape.corners();
        let unit = Shape::polygon(&corners, 0.0)?;
        if let Some(corner) = corners
            .iter()
            .find(|corner| corner.min_element() < 0.0 || corner.max_element() > 1.0)
        {
            let got = if (0.0..=1.0).contains(&corner.x) {
                corner.y
            } else {
                corner.x
            };
            let expected = "coordinates from 0 to 1, which are the sides of the cell";
            return Err(out_of_range("corner", got, expected));
        }
        if !self.keeps_corners(unit.vertices()) {
            let expected =
                "cells large enough, so far from the origin, to tell the corners of the tiles apart";
            return Err(out_of_range("cell_size", self.cell_size, expected));
        }
        for (x, y) in [
            (0, 0),
            (self.width - 1, 0),
            (0, self.height - 1),
            (self.width - 1, self.height - 1),
        ] {
            let cell = Vec2::new(x as f32, y as f32);
            let placed: Vec<Vec2> = corners
                .iter()
                .map(|&corner| self.origin + self.cell_size * (cell + corner))
                .collect();
            tile.def.validate_with(&Shape::polygon(&placed, 0.0)?)?;
        }
        Ok(())
    }

    /// Whether no cell of the grid is so far from the origin that rounding could weld the corners of a tile or flatten
    /// one, of whose hull in a cell of one meter these are the corners. Which cells round worst is a matter of their
    /// places, so it is the bound that counts.
    fn keeps_corners(&self, corners: &[Vec2]) -> bool {
        let extent = self.cell_size * Vec2::new(self.width as f32, self.height as f32);
        let farthest = self.origin.abs().max((self.origin + extent).abs()).max_element();
        let weld = LENGTH_MIN.max(WELD_RELATIVE * farthest);
        // Half a step each: of the column and row, of their product with the size, and of the sum.
        let rounding = 0.5 * f32::EPSILON * (2.0 * extent.max_element() + farthest);
        let off = core::f32::consts::SQRT_2 * rounding;
        let count = corners.len();
        (0..count).all(|index| {
            let [before, corner, after] = [0, 1, 2].map(|step| corners[(index + step) % count]);
            let height = (after - before).normalize_or_zero().perp_dot(before - corner);
            let is_apart = |other: &Vec2| self.cell_size * other.distance(corner) >= weld + 2.0 * off;
            let others = corners.iter().filter(|other| **other != corner);
            others.into_iter().all(is_apart) && self.cell_size * height >= 0.25 * weld + 3.0 * off
        })
    }
}

/// Returns an error for cells with a tile that does not exist; `place` returns column and row of the cell at an index.
pub(crate) fn check_cells(
    cells: &[u8],
    tile_count: usize,
    place: impl Fn(usize) -> (u32, u32),
) -> Result<(), PhysicsError> {
    let most = cells.iter().fold(0, |most, &cell| cell.max(most));
    if usize::from(most) <= tile_count {
        return Ok(());
    }
    let index = cells
        .iter()
        .position(|&cell| usize::from(cell) > tile_count)
        .unwrap_or(0);
    let (x, y) = place(index);
    Err(PhysicsError::NoSuchTile {
        x,
        y,
        tile: cells[index],
        tile_count: tile_count as u32,
    })
}
