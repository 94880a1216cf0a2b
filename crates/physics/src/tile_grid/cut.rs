//! [`TileCut`]: a segment with a radius that empties the cells of tile grids in its reach.

use super::def::TileBlock;
use super::records::{TileGridRecord, TileRecord};
use crate::PhysicsError;
use crate::error::Range;
use crate::field::ExplosionDef;
use tombolo_geometry::{Pose, Position};

/// A segment with a reach to all sides: the cells of tile grids that it touches are emptied
/// ([`PhysicsWorld::cut_tiles`](crate::PhysicsWorld::cut_tiles)).
///
/// A cell counts as a whole square, whatever the shape of the tile in it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TileCut {
    /// One end.
    pub from: Position,
    /// The other end; a disc if it is the same point.
    pub to: Position,
    /// The reach around the segment, in meters from 0 to 100,000; 0 by default, for the cells that the segment crosses
    /// or touches.
    #[cfg_attr(feature = "serde", serde(default))]
    pub radius: f32,
    /// Only tiles with one of these categories are removed; all by default.
    #[cfg_attr(feature = "serde", serde(default = "all_categories"))]
    pub mask: u64,
}

#[cfg(feature = "serde")]
fn all_categories() -> u64 {
    u64::MAX
}

impl TileCut {
    /// A cut along a segment, as thin as it can be, through tiles of all categories.
    pub fn between(from: Position, to: Position) -> Self {
        Self {
            from,
            to,
            radius: 0.0,
            mask: u64::MAX,
        }
    }

    /// The disc in which an explosion removes tiles; `None` if it leaves them.
    pub fn of_explosion(explosion: &ExplosionDef) -> Option<Self> {
        (explosion.tile_radius > 0.0).then(|| Self {
            radius: explosion.tile_radius,
            mask: explosion.mask,
            ..Self::between(explosion.position, explosion.position)
        })
    }

    /// Checks the numbers, like [`PhysicsWorld::cut_tiles`](crate::PhysicsWorld::cut_tiles).
    ///
    /// # Errors
    ///
    /// Returns the first number that is out of range, and the accepted range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        Range::POSITION.check_vector("from", self.from.to_vec2())?;
        Range::POSITION.check_vector("to", self.to.to_vec2())?;
        Range::LENGTH.check("radius", self.radius)
    }
}

/// A cut in units of the cells of a grid. In `f64`, in which the columns of the largest grid and their halves are exact.
#[derive(Debug)]
pub(crate) struct CellCut {
    ends: [[f64; 2]; 2],
    radius: f64,
    /// Whether the tiles of a kind are removed, by its number from 1.
    removes: [bool; 256],
}

impl CellCut {
    /// The cut in the frame of a grid whose body is at a pose.
    pub(crate) fn new(cut: &TileCut, record: &TileGridRecord, tiles: &[TileRecord], pose: Pose) -> Self {
        let size = f64::from(record.cell_size);
        let ends = [cut.from, cut.to].map(|end| {
            let local = pose.inverse_transform_point(end.to_vec2());
            [
                (f64::from(local.x) - f64::from(record.origin.x)) / size,
                (f64::from(local.y) - f64::from(record.origin.y)) / size,
            ]
        });
        let mut removes = [false; 256];
        for (place, tile) in removes[1..].iter_mut().zip(tiles) {
            *place = tile.category & cut.mask != 0;
        }
        Self {
            ends,
            radius: f64::from(cut.radius) / size,
            removes,
        }
    }

    /// The least block with all cells of a grid that the cut may reach; `None` if it reaches none.
    pub(crate) fn block(&self, record: &TileGridRecord) -> Option<TileBlock> {
        let [a, b] = self.ends;
        let span = |axis: usize, count: u32| {
            let low = a[axis].min(b[axis]) - self.radius;
            let high = a[axis].max(b[axis]) + self.radius;
            // One cell more on each side, for those that are touched; a cast to u32 stops at its ends.
            let first = (low - 1.0).max(0.0) as u32;
            let end = ((high + 2.0).max(0.0) as u32).min(count);
            (first < end).then(|| (first, end - first))
        };
        let (x, width) = span(0, record.width)?;
        let (y, height) = span(1, record.height)?;
        Some(TileBlock { x, y, width, height })
    }

    /// What a cell holds after the cut.
    pub(crate) fn after(&self, x: u32, y: u32, tile: u8) -> u8 {
        if self.removes[usize::from(tile)] && self.reaches(TileBlock::cell(x, y)) {
            0
        } else {
            tile
        }
    }

    /// Whether the cut touches a block of cells.
    pub(crate) fn reaches(&self, block: TileBlock) -> bool {
        let low = [f64::from(block.x), f64::from(block.y)];
        let high = [low[0] + f64::from(block.width), low[1] + f64::from(block.height)];
        if self.crosses(low, high) {
            return true;
        }
        // Two convex figures apart are nearest at a corner of one of them.
        let from_box = self.ends.map(|end| {
            let away = [0, 1].map(|axis| (low[axis] - end[axis]).max(end[axis] - high[axis]).max(0.0));
            away[0] * away[0] + away[1] * away[1]
        });
        let corners = [low, [high[0], low[1]], high, [low[0], high[1]]];
        let from_segment = corners.map(|corner| self.distance_squared(corner));
        let nearest = from_box
            .into_iter()
            .chain(from_segment)
            .fold(f64::INFINITY, f64::min);
        nearest <= self.radius * self.radius
    }

    /// Whether the segment has a point in a closed box.
    fn crosses(&self, low: [f64; 2], high: [f64; 2]) -> bool {
        let [a, b] = self.ends;
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for axis in 0..2 {
            let way = b[axis] - a[axis];
            if way == 0.0 {
                if a[axis] < low[axis] || a[axis] > high[axis] {
                    return false;
                }
                continue;
            }
            let [near, far] = [low, high].map(|side| (side[axis] - a[axis]) / way);
            enters = enters.max(near.min(far));
            leaves = leaves.min(near.max(far));
        }
        enters <= leaves
    }

    /// The squared distance of a point from the segment.
    fn distance_squared(&self, point: [f64; 2]) -> f64 {
        let [a, b] = self.ends;
        let way = [b[0] - a[0], b[1] - a[1]];
        let offset = [point[0] - a[0], point[1] - a[1]];
        let length_squared = way[0] * way[0] + way[1] * way[1];
        let along = if length_squared > 0.0 {
            ((offset[0] * way[0] + offset[1] * way[1]) / length_squared).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let away = [offset[0] - along * way[0], offset[1] - along * way[1]];
        away[0] * away[0] + away[1] * away[1]
    }
}
