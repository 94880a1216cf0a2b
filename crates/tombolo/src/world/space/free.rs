//! [`FreeSpace`]: a quadtree whose leaves are either free or near a wall.
//!
//! Every static shape is a few boxes, grown by the clearance, in a tree that divides all cells that they cover in
//! part: a leaf without a box is wholly free. The tree depends only on the boxes in it, so walls may be added and
//! removed in any order. Paths are searched in its [`FreeRectangles`].

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_geometry::orthtree::{Block, Bounds, Cell, Code, ObjectId, Orthtree, Segment, Settings, Shared};

use super::rectangles::{CELL_COUNT, DEPTH, FreeRectangles};
use super::search::{PathSearch, Point};

/// The limits in meters of the finest cells, which are half as large as the clearance.
const CELL_MIN: f32 = 0.125;
const CELL_MAX: f32 = 8.0;
/// The share of a cell up to which a box that reaches into it counts as beside it: more than the rounding of points
/// in free space, and too little to affect an agent.
const TOUCH: f64 = 1.0 / 1024.0;
/// The number of free spaces that a world keeps: the most recently used ones.
pub(in crate::world) const FREE_SPACES_MAX: usize = 16;

/// A leaf of free space, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeCell {
    /// The locational code in the tree.
    pub code: Code<2, u32>,
    /// The box in the world.
    pub bounds: Bounds<2>,
    /// Whether an agent's center may be anywhere in it.
    pub is_free: bool,
}

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
    pub(super) tree: Orthtree<2, Block<2>, Shared>,
    pub(super) walls: BTreeMap<Entity, Vec<ObjectId>>,
    pub(super) rectangles: FreeRectangles,
    pub(super) search: PathSearch,
}

impl FreeSpace {
    /// Free space without walls. The clearance must be in range.
    pub(super) fn new(clearance: f32) -> Self {
        let cell = cell_for(clearance);
        let root = root_of(cell);
        let settings = Settings {
            depth_max: DEPTH,
            ..Settings::default()
        };
        Self {
            clearance,
            cell,
            tree: Orthtree::new(root, Shared, settings).expect("the root and the levels fit"),
            walls: BTreeMap::new(),
            rectangles: FreeRectangles::new(),
            search: PathSearch::default(),
        }
    }

    /// The distance between an agent's center and walls, in meters.
    pub fn clearance(&self) -> f32 {
        self.clearance
    }

    /// The box of the tree's root, which is all of free space.
    pub fn bounds(&self) -> Bounds<2> {
        self.tree.root_bounds()
    }

    /// The number of leaves.
    pub fn leaf_count(&self) -> usize {
        let mut count = 0;
        self.tree.visit_all(|view| count += usize::from(view.is_leaf));
        count
    }

    /// Calls `visit` for the leaves that overlap a box.
    pub fn cells(&self, area: &Bounds<2>, mut visit: impl FnMut(FreeCell)) {
        self.tree.cells(area, |view| {
            if view.is_leaf {
                visit(FreeCell {
                    code: self.code_of(&view.cell),
                    bounds: view.bounds,
                    is_free: view.count == 0,
                });
            }
        });
    }

    /// Whether an agent fits at a point.
    pub fn is_free(&self, point: Vec2) -> bool {
        let lattice = self.tree.lattice();
        let cell = [(point.x, 0), (point.y, 1)].map(|(part, axis)| lattice.locate(f64::from(part), axis));
        point.is_finite() && !self.rectangles.is_wall(cell)
    }

    /// The point nearest to a given one where an agent fits, at most `reach` meters away.
    ///
    /// Costs the leaves within reach: a long one is no way to search a world.
    pub fn nearest_free(&self, point: Vec2, reach: f32) -> Option<Vec2> {
        if self.is_free(point) {
            return Some(point);
        }
        let reach = f64::from(reach / self.cell);
        let (_, place) = self.rectangles.nearest(self.to_cells(point)?, reach)?;
        Some(self.to_meters(place))
    }

    /// Whether an agent fits all along a segment; never if an end is outside or not finite. The result may be true
    /// where a path avoids a cell that is wall in part only.
    pub fn is_clear(&self, from: Vec2, to: Vec2) -> bool {
        if self.to_cells(from).is_none() || self.to_cells(to).is_none() {
            return false;
        }
        let mut is_clear = true;
        let segment = Segment {
            origin: from.to_array(),
            translation: (to - from).to_array(),
        };
        self.tree.query(&segment, |_| is_clear = false);
        is_clear
    }

    /// A point in cells from the lower corner; `None` if it is outside or not finite.
    pub(super) fn to_cells(&self, point: Vec2) -> Option<Point> {
        let low = self.tree.root_bounds().min;
        let cells = [0, 1].map(|axis| (f64::from(point[axis]) - f64::from(low[axis])) / f64::from(self.cell));
        let is_inside = cells.iter().all(|place| (0.0..CELL_COUNT as f64).contains(place));
        is_inside.then_some(cells)
    }

    /// The inverse of [`to_cells`](Self::to_cells).
    pub(super) fn to_meters(&self, point: Point) -> Vec2 {
        let low = self.tree.root_bounds().min;
        let [x, y] = [0, 1].map(|axis| (f64::from(low[axis]) + point[axis] * f64::from(self.cell)) as f32);
        Vec2::new(x, y)
    }

    fn code_of(&self, cell: &Cell<2>) -> Code<2, u32> {
        let root = self.tree.lattice().root();
        let coordinates = cell.offset_in(&root).map(|offset| offset >> cell.height);
        Code::from_coordinates(coordinates, root.height - cell.height).expect("the tree has 12 levels")
    }

    /// The box to insert into the tree for a grown box, which an agent's center may touch from outside: without its
    /// edges, and cut to the root; `None` if nothing is left.
    ///
    /// It covers the cells that the grown box reaches into by more than [`TOUCH`]. By the tree's own rule a
    /// coordinate on a plane belongs to the cell above; a box with both edges on planes would have one more cell on
    /// its upper side than on its lower one, so that free space would depend on the direction of the axes; and edges
    /// are rounded, so those on planes are often a rounding step beside them. A box without extent that is on a plane
    /// covers the cells on both sides.
    pub(super) fn covered(&self, bounds: &Bounds<2>) -> Option<Bounds<2>> {
        let root = self.tree.root_bounds();
        let mut inside = *bounds;
        for axis in 0..2 {
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            // In cells from the origin, which is the root's center: the cells of a mirrored box are the mirrored
            // cells.
            let [low, high] = [min, max].map(|edge| f64::from(edge) / f64::from(self.cell));
            let (first, last) = (libm::floor(low + TOUCH), libm::ceil(high - TOUCH) - 1.0);
            let half = 0.5 * CELL_COUNT as f64;
            let (first, last) = (half + first.min(last), half + last.max(first));
            if !(last >= 0.0 && first < CELL_COUNT as f64) {
                return None;
            }
            let (first, last) = (first.max(0.0) as i64, (last as i64).min(CELL_COUNT - 1));
            let low = self.moved_into(min.next_up().max(root.min[axis]), first, axis);
            let high = self.moved_into(max.next_down().min(root.max[axis]), last, axis);
            (inside.min[axis], inside.max[axis]) = (low.min(high), low.max(high));
        }
        Some(inside)
    }

    /// A coordinate in a cell or beside it, moved until the tree counts it to the cell: by at most twice the
    /// necessary distance.
    fn moved_into(&self, place: f32, cell: i64, axis: usize) -> f32 {
        /// Far less than the rounding of a coordinate, as a share of a cell.
        const LEAST: f32 = 1.0e-12;
        let located = |place: f32| self.tree.lattice().locate(f64::from(place), axis);
        let inwards = match located(place).cmp(&cell) {
            Ordering::Less => self.cell,
            Ordering::Equal => return place,
            Ordering::Greater => -self.cell,
        };
        let mut step = inwards * LEAST;
        while located(place + step) != cell {
            step *= 2.0;
        }
        place + step
    }

    /// Marks the cells of a box that was added or is about to be removed.
    pub(super) fn mark(&mut self, bounds: &Bounds<2>) {
        let lattice = self.tree.lattice();
        let cells = |edge: [f32; 2]| [0, 1].map(|axis| lattice.locate(f64::from(edge[axis]), axis));
        self.rectangles.mark(cells(bounds.min), cells(bounds.max));
    }
}

/// The size of the finest cells, in meters.
pub(super) fn cell_for(clearance: f32) -> f32 {
    (0.5 * clearance).clamp(CELL_MIN, CELL_MAX)
}

/// The box of a free space with these cells.
pub(super) fn root_of(cell: f32) -> Bounds<2> {
    Bounds::around([0.0; 2], cell * (1_u32 << (DEPTH - 1)) as f32)
}
