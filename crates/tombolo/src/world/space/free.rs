//! [`FreeSpace`]: the area where an agent fits between walls, as cells that are either free or near a wall.
//!
//! Every static shape, grown by the clearance, covers boxes of cells (`cover.rs`), and a cell without a box is free. The
//! cells depend only on the boxes, so walls may be added and removed in any order. Paths are searched in the free cells,
//! joined to rectangles ([`FreeRectangles`]).
//!
//! Why: `docs/decisions.md#free-space-is-boxes-of-cells`.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_geometry::orthtree::Bounds;

use super::clear::is_clear;
use super::rectangles::{CELL_COUNT, FreeRectangles, WallBox};
use super::search::{PathSearch, Point};

/// The limits in meters of the finest cells, which are half as large as the clearance.
const CELL_MIN: f32 = 0.125;
const CELL_MAX: f32 = 8.0;
/// The number of free spaces that a world keeps: the most recently used ones.
pub(in crate::world) const FREE_SPACES_MAX: usize = 16;

/// The area where the center of an agent may be: at least a clearance away from all static shapes that are no
/// sensors.
///
/// It reaches 2,048 finest cells from the origin along both axes; a cell has half the clearance, from 0.125 m to 8 m.
/// The clearance is kept to a thousandth of a cell. Points nearer to a wall than one and a half clearances and two
/// cells may count as wall.
#[derive(Clone, Debug)]
pub struct FreeSpace {
    pub(super) clearance: f32,
    pub(super) cell: f32,
    pub(super) walls: BTreeMap<Entity, Vec<WallBox>>,
    pub(super) rectangles: FreeRectangles,
    pub(super) search: PathSearch,
}

impl FreeSpace {
    /// Free space without walls. The clearance must be in range.
    pub(super) fn new(clearance: f32) -> Self {
        Self {
            clearance,
            cell: cell_for(clearance),
            walls: BTreeMap::new(),
            rectangles: FreeRectangles::new(),
            search: PathSearch::default(),
        }
    }

    /// The distance between an agent's center and walls, in meters.
    pub fn clearance(&self) -> f32 {
        self.clearance
    }

    /// The box of all of free space.
    pub fn bounds(&self) -> Bounds<2> {
        Bounds::around([0.0; 2], 0.5 * f32::from(CELL_COUNT) * self.cell)
    }

    /// Whether an agent fits at a point.
    pub fn is_free(&self, point: Vec2) -> bool {
        let place = self.to_cells(point);
        place.is_some_and(|place| !self.rectangles.is_wall(place.map(|part| part as i64)))
    }

    /// The point nearest to a given one where an agent fits, at most `reach` meters away.
    ///
    /// Costs the rectangles of free space within reach: a long one is no way to search a world.
    pub fn nearest_free(&self, point: Vec2, reach: f32) -> Option<Vec2> {
        if self.is_free(point) {
            return Some(point);
        }
        let reach = f64::from(reach / self.cell);
        let (_, place) = self.rectangles.nearest(self.to_cells(point)?, reach)?;
        Some(self.to_meters(place))
    }

    /// Whether an agent fits all along a segment, borders of free space included; never if an end is outside or not
    /// finite.
    ///
    /// Costs the finest cells along the segment.
    pub fn is_clear(&self, from: Vec2, to: Vec2) -> bool {
        let ends = self.to_cells(from).zip(self.to_cells(to));
        ends.is_some_and(|(from, to)| is_clear(&self.rectangles, from, to))
    }

    /// A point in cells from the lower corner; `None` if it is outside or not finite.
    pub(super) fn to_cells(&self, point: Vec2) -> Option<Point> {
        let low = self.bounds().min;
        let cells = [0, 1].map(|axis| (f64::from(point[axis]) - f64::from(low[axis])) / f64::from(self.cell));
        let is_inside = cells
            .iter()
            .all(|place| (0.0..f64::from(CELL_COUNT)).contains(place));
        is_inside.then_some(cells)
    }

    /// The inverse of [`to_cells`](Self::to_cells).
    pub(super) fn to_meters(&self, point: Point) -> Vec2 {
        let low = self.bounds().min;
        let [x, y] = [0, 1].map(|axis| (f64::from(low[axis]) + point[axis] * f64::from(self.cell)) as f32);
        Vec2::new(x, y)
    }
}

/// The size of the finest cells, in meters.
pub(super) fn cell_for(clearance: f32) -> f32 {
    (0.5 * clearance).clamp(CELL_MIN, CELL_MAX)
}
