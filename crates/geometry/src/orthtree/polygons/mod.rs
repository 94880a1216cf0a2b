//! [`Polygons`]: the strategy that splits the object. A polygon is cut on the planes between cells, and each piece goes
//! to its own cell.
//!
//! For content that is drawn, simulated or sent cell by cell: terrain, water, zones. The pieces' boxes together fit a
//! polygon much closer than its own box does. An object that moves much is cheaper as a box in a loose tree.
//!
//! | file | contents |
//! | --- | --- |
//! | `mod.rs` | polygons by id: insertion, update, removal, queries |
//! | `cut.rs` | the cutting of a polygon, and the pieces |
//! | `error.rs` | the errors |
//!
//! The tree below and the pieces by id are in `../pieces.rs`.

mod cut;
mod error;

use super::pieces::{CellPart, CellRange, Split, SplitObjects, box_around, extent};
use super::{Bounds, Cell, Lattice, Layout, Linear, Loose, Orthtree, OrthtreeError, Region};
use crate::split::{ConcavePolygon, Splitter};
use alloc::vec::Vec;
use core::ops::RangeInclusive;
pub use cut::CellPiece;
pub use error::PolygonError;
use glam::DVec2;
use tombolo_handles::Handle;

/// The id of a polygon of a [`Polygons`], until that is removed.
pub type PolygonId = Handle<Polygon>;

/// A polygon cut over the cells: its pieces by column, in each column from below; more than one in a cell if the
/// polygon is concave there. Their areas sum up to the polygon's except for rounding: a sliver whose area is less than
/// its rounding is left out.
pub type Polygon = Split<CellPiece>;

/// Polygons cut over the cells of one size, in a quadtree of any layout.
///
/// There is no save: the pieces follow from the polygons, which the caller has and which are smaller. The same
/// insertions in the same order give the same ids, pieces and answers.
///
/// ```
/// use glam::DVec2;
/// use tombolo_geometry::orthtree::{Bounds, Polygons};
/// use tombolo_geometry::split::ConcavePolygon;
/// // A root of 16 m, divided twice: cells of 4 m.
/// let mut fields: Polygons = Polygons::new(Bounds::new([0.0; 2], [16.0; 2]), 2, 0)?;
/// let corners = [(1.0, 1.0), (7.0, 1.0), (7.0, 3.0), (1.0, 3.0)].map(|(x, y)| DVec2::new(x, y));
/// let field = fields.insert(&ConcavePolygon::new(&corners)?, 7)?;
///
/// let pieces = fields.get(field).unwrap().pieces();
/// assert_eq!(pieces.map(|piece| piece.concave_polygon().area()).collect::<Vec<_>>(), [6.0, 6.0]);
/// assert_eq!(fields.query(&Bounds::new([6.0, 2.0], [8.0, 8.0])), [field]);
/// assert_eq!(fields.remove(field)?, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polygons<L: Layout<2> = Linear> {
    polygons: SplitObjects<2, L, CellPiece>,
    splitter: Splitter,
}

impl<L: Layout<2>> Polygons<L> {
    /// An empty set. Cells have the root's size divided by 2^`depth`; the root may grow by `growth_max` levels.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Orthtree::new`].
    pub fn new(root: Bounds<2>, depth: u32, growth_max: u32) -> Result<Self, OrthtreeError> {
        Ok(Self {
            polygons: SplitObjects::new(root, depth, growth_max)?,
            splitter: Splitter::new(),
        })
    }

    /// The number of polygons.
    pub fn len(&self) -> usize {
        self.polygons.objects().len()
    }

    /// Whether there are no polygons.
    pub fn is_empty(&self) -> bool {
        self.polygons.objects().is_empty()
    }

    /// The pieces' boxes in their cells, for drawing and for neighbors. An object's key is the bits of its polygon's
    /// id.
    pub fn tree(&self) -> &Orthtree<2, L, Loose> {
        self.polygons.tree()
    }

    /// A polygon; `None` if the id is stale.
    pub fn get(&self, id: PolygonId) -> Option<&Polygon> {
        self.polygons.objects().get(id)
    }

    /// Cuts a polygon and puts its pieces into their cells, with the caller's key. The root grows if it must and may.
    ///
    /// Costs O(v log c + p) look-ups and cuts for v vertices, c cells across and p pieces; allocates for each piece.
    ///
    /// # Errors
    ///
    /// [`PolygonError`]; nothing is changed then.
    pub fn insert(&mut self, concave_polygon: &ConcavePolygon, key: u64) -> Result<PolygonId, PolygonError> {
        let (range, pieces) = self.cut(concave_polygon)?;
        let inserted = self.polygons.insert(key, &range, pieces);
        inserted.map_err(PolygonError::Tree)
    }

    /// Replaces a polygon: it has moved, turned or changed. Where a piece stays in its cell, only its box is written
    /// and no node is visited.
    ///
    /// # Errors
    ///
    /// [`PolygonError`]; nothing is changed then.
    pub fn update(&mut self, id: PolygonId, concave_polygon: &ConcavePolygon) -> Result<(), PolygonError> {
        self.polygons.objects().try_get(id).map_err(PolygonError::Stale)?;
        let (range, pieces) = self.cut(concave_polygon)?;
        self.polygons.replace(id, &range, pieces);
        Ok(())
    }

    /// Removes a polygon and returns its key.
    ///
    /// # Errors
    ///
    /// [`PolygonError::Stale`].
    pub fn remove(&mut self, id: PolygonId) -> Result<u64, PolygonError> {
        self.polygons.objects().try_get(id).map_err(PolygonError::Stale)?;
        let Some(key) = self.polygons.remove(id) else {
            unreachable!("the id was just looked up")
        };
        Ok(key)
    }

    /// The polygons of which a piece's box overlaps a region, touching included, each once, in the order of their ids.
    pub fn query(&self, region: &impl Region<2>) -> Vec<PolygonId> {
        self.polygons.query(region)
    }

    /// The polygons that contain a point, borders included, each once, in the order of their ids. None at a point that
    /// is not finite.
    ///
    /// Costs a query of the tree, and for each polygon found the corners of its pieces in the point's cell. Where a plane
    /// crosses an edge the pieces' edges differ from the polygon's by the rounding of the crossing point.
    pub fn at(&self, point: DVec2) -> Vec<PolygonId> {
        let mut found = self.query(&box_around([(point.x, point.x), (point.y, point.y)]));
        found.retain(|&id| self.contains(id, point));
        found
    }

    /// Whether a polygon contains a point, borders included; false if the id is stale. As exact as [`at`](Self::at).
    pub fn contains(&self, id: PolygonId, point: DVec2) -> bool {
        let Some(polygon) = self.polygons.objects().get(id).filter(|_| point.is_finite()) else {
            return false;
        };
        let lattice = self.tree().lattice();
        let (root, corner) = (lattice.root(), lattice.root_corner());
        let [columns, lines] = [0, 1].map(|axis| cells_at(lattice, axis, point[axis]));
        let order = |x: i64, y: i64| [x - corner[0], y - corner[1]];
        let order_of = |piece: &CellPiece| piece.cell().offset_in(&root).map(i64::from);
        columns.into_iter().any(|x| {
            let (low, high) = (order(x, *lines.start()), order(x, *lines.end()));
            let start = polygon
                .entries()
                .partition_point(|(_, piece)| order_of(piece) < low);
            let pieces = polygon.entries()[start..].iter().map(|(_, piece)| piece);
            let mut pieces = pieces.take_while(|piece| order_of(piece) <= high);
            pieces.any(|piece| piece.concave_polygon().contains(point))
        })
    }

    /// The pieces of a polygon and their range of cells, after a check that the tree can hold them.
    fn cut(
        &mut self,
        concave_polygon: &ConcavePolygon,
    ) -> Result<(CellRange<2>, Vec<CellPiece>), PolygonError> {
        let ends = ends_of(concave_polygon);
        let range = self.polygons.range(&box_around(ends), ends);
        let range = range.map_err(PolygonError::Tree)?;
        let lattice = self.polygons.tree().lattice();
        let pieces = cut::cut(concave_polygon, lattice, &mut self.splitter)?;
        Ok((range, pieces))
    }
}

impl CellPart<2> for CellPiece {
    fn cell(&self) -> Cell<2> {
        self.cell()
    }

    fn bounds(&self) -> Bounds<2> {
        box_around(ends_of(self.concave_polygon()))
    }
}

/// The least and the greatest coordinate of a polygon along each axis.
fn ends_of(concave_polygon: &ConcavePolygon) -> [(f64, f64); 2] {
    [0, 1].map(|axis| extent(concave_polygon.points().iter().map(|point| point[axis])))
}

/// The cells along an axis that a coordinate lies in, counted from the first root's lower corner: two on a plane.
fn cells_at(lattice: &Lattice<2>, axis: usize, coordinate: f64) -> RangeInclusive<i64> {
    let mut cell = lattice.locate_absolute(coordinate, axis);
    // Locating may be off by a rounding, comparing with planes is not.
    if lattice.plane(axis, cell) > coordinate {
        cell -= 1;
    } else if lattice.plane(axis, cell + 1) <= coordinate {
        cell += 1;
    }
    let first = cell - i64::from(lattice.plane(axis, cell) == coordinate);
    first..=cell
}
