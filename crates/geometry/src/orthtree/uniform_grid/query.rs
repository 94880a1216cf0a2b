//! Queries of a [`UniformGrid`]: objects that overlap a region, and the nearest.

use super::{TILE, TILE_BITS, TILE_CELLS, UniformGrid, locate};
use crate::orthtree::region::{Ball, Region};
use crate::orthtree::{Bounds, Hit, OrthtreeError};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A relative bound above the rounding of an object's center and of an edge in `f64`.
const ROUNDING: f64 = 1.0e-15;

/// A range of cells, both ends included.
#[derive(Clone, Copy)]
struct GridRange {
    low: [i32; 2],
    high: [i32; 2],
}

impl GridRange {
    /// The part in a tile; without cells if there is none.
    #[inline]
    fn in_tile(&self, tile: [i32; 2]) -> Self {
        let first = tile.map(|place| place << TILE_BITS);
        Self {
            low: [0, 1].map(|axis| self.low[axis].max(first[axis])),
            high: [0, 1].map(|axis| self.high[axis].min(first[axis] + TILE as i32 - 1)),
        }
    }
}

impl UniformGrid {
    /// Calls `visit` for each object whose box overlaps a region, in the order that [`UniformGrid`] states. Costs the cells in
    /// the region's box, or all tiles if these are fewer.
    pub fn query<R: Region<2>>(&self, region: &R, mut visit: impl FnMut(Hit<2>)) {
        let Some(range) = self.range(region.bounds()) else {
            return;
        };
        let low = range.low.map(|cell| cell >> TILE_BITS);
        let high = range.high.map(|cell| cell >> TILE_BITS);
        let [columns, rows] = [0, 1].map(|axis| (i64::from(high[axis]) - i64::from(low[axis]) + 1) as u64);
        if columns.saturating_mul(rows) > self.table.len() as u64 {
            for (number, tile) in self.tiles.iter().enumerate() {
                if tile.count > 0 {
                    self.visit_tile(number, &range.in_tile(tile.place), region, &mut visit);
                }
            }
            return;
        }
        for row in low[1]..=high[1] {
            for column in low[0]..=high[0] {
                if let Some(number) = self.table.get([column, row]) {
                    let cells = range.in_tile([column, row]);
                    self.visit_tile(number as usize, &cells, region, &mut visit);
                }
            }
        }
    }

    #[inline]
    fn visit_tile<R: Region<2>>(
        &self,
        number: usize,
        range: &GridRange,
        region: &R,
        visit: &mut impl FnMut(Hit<2>),
    ) {
        let cells = &self.cells[number * TILE_CELLS..][..TILE_CELLS];
        for row in range.low[1]..=range.high[1] {
            for column in range.low[0]..=range.high[0] {
                let members = &cells[super::in_tile([column, row])];
                if members.is_empty() || !(R::IS_BOX || region.overlaps(&self.outer_bounds([column, row]))) {
                    continue;
                }
                for member in members {
                    let bounds = member.bounds.get();
                    if region.overlaps(&bounds) {
                        visit(Hit {
                            id: member.id,
                            key: member.key,
                            bounds,
                        });
                    }
                }
            }
        }
    }

    /// The cells of all objects that may overlap a box; all cells if there is none.
    fn range(&self, bounds: Option<Bounds<2>>) -> Option<GridRange> {
        let Some(bounds) = bounds else {
            return Some(GridRange {
                low: [i32::MIN; 2],
                high: [i32::MAX; 2],
            });
        };
        let mut range = GridRange {
            low: [0; 2],
            high: [0; 2],
        };
        for axis in 0..2 {
            let (min, max) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
            if min.is_nan() || max.is_nan() {
                return None;
            }
            range.low[axis] = locate(self.size.inverse, min - self.spill() - min.abs() * ROUNDING);
            range.high[axis] = locate(self.size.inverse, max + self.spill() + max.abs() * ROUNDING);
        }
        Some(range)
    }

    /// A box that surely holds all objects of a cell.
    fn outer_bounds(&self, place: [i32; 2]) -> Bounds<2> {
        let edge = |cell: f64, side: f64| {
            let plane = cell * self.size.edge;
            // Further out than the rounding to `f32`.
            (plane + side * (self.spill() + plane.abs() * f64::from(f32::EPSILON))) as f32
        };
        Bounds::new(
            place.map(|cell| edge(f64::from(cell), -1.0)),
            place.map(|cell| edge(f64::from(cell) + 1.0, 1.0)),
        )
    }

    /// The `count` objects whose boxes are nearest to a point, nearest first, equally near ones by their ids; with the
    /// square of the distance, 0 if the box holds the point. Costs the objects in a square of up to twice their
    /// distance.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::InvalidBox`] if the point is not finite.
    pub fn nearest(&self, point: [f32; 2], count: usize) -> Result<Vec<(Hit<2>, f64)>, OrthtreeError> {
        Bounds::point(point).check()?;
        let count = count.min(self.len());
        let mut found: Vec<(Hit<2>, f64)> = Vec::new();
        // If cells hold many objects, the nearest are much nearer than a cell's size.
        let mut radius = (0.125 * self.size.edge as f32).max(f32::MIN_POSITIVE);
        while found.len() < count {
            found.clear();
            self.query(
                &Ball {
                    center: point,
                    radius,
                },
                |hit| {
                    found.push((hit, hit.bounds.distance_squared(&point)));
                },
            );
            radius *= 2.0;
        }
        let order = |a: &(Hit<2>, f64), b: &(Hit<2>, f64)| -> Ordering {
            a.1.total_cmp(&b.1).then_with(|| a.0.id.cmp(&b.0.id))
        };
        found.sort_unstable_by(order);
        found.truncate(count);
        Ok(found)
    }
}
