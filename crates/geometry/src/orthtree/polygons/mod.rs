//! [`Polygons`]: the strategy that splits the object. A polygon is cut on the planes between cells, and each piece goes to
//! its own cell.
//!
//! For what is drawn, simulated or sent cell by cell: terrain, water, zones. The pieces' boxes together fit a polygon much
//! closer than its own box does. Anything that moves much is cheaper as a box in a loose tree.
//!
//! | file | contents |
//! | --- | --- |
//! | `mod.rs` | polygons by id: insertion, update, removal, queries |
//! | `cut.rs` | how a polygon is cut, and the pieces |
//! | `error.rs` | why one is refused |
//!
//! The tree below holds the pieces' boxes in the cells that the cut gave them. A box is rounded outward to `f32` and
//! may exceed its cell by a rounding; the tree records that as it does for loose cells.

mod cut;
mod error;

use super::{Bounds, Lattice, Layout, Linear, Loose, ObjectId, Orthtree, OrthtreeError, Region, Settings};
use crate::split::{ConcavePolygon, Splitter};
use alloc::vec::Vec;
use core::ops::RangeInclusive;
pub use cut::CellPiece;
use cut::CellRange;
pub use error::{PIECE_COUNT_MAX, PolygonError};
use glam::DVec2;
use tombolo_handles::{Handle, HandleMap};

/// Names a polygon of a [`Polygons`] until that is removed.
pub type PolygonId = Handle<Polygon>;

/// A polygon as it lies in the cells.
#[derive(Clone, Debug)]
pub struct Polygon {
    key: u64,
    /// By column, in each column from below; the tree's name for each.
    pieces: Vec<(ObjectId, CellPiece)>,
}

impl Polygon {
    /// The caller's number.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The pieces, by column, in each column from below; more than one in a cell if the polygon is concave there. Their
    /// areas sum up to the polygon's but for rounding: a sliver whose area is less than its rounding is left out.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = &CellPiece> {
        self.pieces.iter().map(|(_, piece)| piece)
    }
}

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
    tree: Orthtree<2, L, Loose>,
    polygons: HandleMap<Polygon>,
    splitter: Splitter,
}

impl<L: Layout<2>> Polygons<L> {
    /// None yet. Cells have the root's size divided by 2^`depth`; the root may grow by `growth_max` levels.
    ///
    /// # Errors
    ///
    /// As [`Orthtree::new`].
    pub fn new(root: Bounds<2>, depth: u32, growth_max: u32) -> Result<Self, OrthtreeError> {
        let settings = Settings {
            depth_max: depth,
            growth_max,
            ..Settings::default()
        };
        Ok(Self {
            tree: Orthtree::new(root, Loose::default(), settings)?,
            polygons: HandleMap::new(),
            splitter: Splitter::new(),
        })
    }

    /// How many polygons there are.
    pub fn len(&self) -> usize {
        self.polygons.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.polygons.is_empty()
    }

    /// The pieces' boxes in their cells, for drawing and for neighbors. An object's key are the bits of its polygon's
    /// id.
    pub fn tree(&self) -> &Orthtree<2, L, Loose> {
        &self.tree
    }

    /// A polygon; `None` if the id is stale.
    pub fn get(&self, id: PolygonId) -> Option<&Polygon> {
        self.polygons.get(id)
    }

    /// Cuts a polygon and puts its pieces into their cells, with a number of the caller's. The root grows if it must and
    /// may.
    ///
    /// Costs O(v log c + p) look-ups and cuts for v vertices, c cells across and p pieces; allocates for each piece.
    ///
    /// # Errors
    ///
    /// [`PolygonError`]; nothing has changed.
    pub fn insert(&mut self, concave_polygon: &ConcavePolygon, key: u64) -> Result<PolygonId, PolygonError> {
        let (range, pieces) = self.cut(concave_polygon)?;
        let polygon = Polygon {
            key,
            pieces: Vec::new(),
        };
        let id = self
            .polygons
            .try_insert(polygon)
            .map_err(|_| PolygonError::Tree(OrthtreeError::Full))?;
        self.sync_pieces(id, &range, pieces);
        Ok(id)
    }

    /// Gives a polygon another polygon: it has moved, turned or changed. Where a piece stays in its cell, only its box
    /// is written and no node is looked at.
    ///
    /// # Errors
    ///
    /// [`PolygonError`]; nothing has changed.
    pub fn update(&mut self, id: PolygonId, concave_polygon: &ConcavePolygon) -> Result<(), PolygonError> {
        self.polygons.try_get(id).map_err(PolygonError::Stale)?;
        let (range, pieces) = self.cut(concave_polygon)?;
        self.sync_pieces(id, &range, pieces);
        Ok(())
    }

    /// Removes a polygon and gives back its number.
    ///
    /// # Errors
    ///
    /// [`PolygonError::Stale`].
    pub fn remove(&mut self, id: PolygonId) -> Result<u64, PolygonError> {
        self.polygons.try_get(id).map_err(PolygonError::Stale)?;
        let Some(polygon) = self.polygons.remove(id) else {
            unreachable!("the id was just looked up")
        };
        for (object, _) in polygon.pieces {
            self.take_out(object);
        }
        Ok(polygon.key)
    }

    /// The polygons of which a piece's box overlaps a region, touching included, each once, in the order of their ids.
    pub fn query(&self, region: &impl Region<2>) -> Vec<PolygonId> {
        let mut found = Vec::new();
        self.tree
            .query(region, |hit| found.extend(PolygonId::from_bits(hit.key)));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The polygons that a point lies in, borders included, each once, in the order of their ids. None at a point that is
    /// not finite.
    ///
    /// Costs a query of the tree, and for each polygon found the corners of its pieces in the point's cell. Where a plane
    /// crosses an edge the pieces' edges differ from the polygon's by the rounding of the crossing point.
    pub fn at(&self, point: DVec2) -> Vec<PolygonId> {
        let mut found = self.query(&box_of_points(&[point]));
        found.retain(|&id| self.contains(id, point));
        found
    }

    /// Whether a point lies in a polygon, borders included; never in one whose id is stale. As exact as [`at`](Self::at).
    pub fn contains(&self, id: PolygonId, point: DVec2) -> bool {
        let Some(polygon) = self.polygons.get(id).filter(|_| point.is_finite()) else {
            return false;
        };
        let lattice = self.tree.lattice();
        let (root, corner) = (lattice.root(), lattice.root_corner());
        let [columns, lines] = [0, 1].map(|axis| cells_at(lattice, axis, point[axis]));
        let order = |x: i64, y: i64| [x - corner[0], y - corner[1]];
        let order_of = |piece: &CellPiece| piece.cell().offset_in(&root).map(i64::from);
        columns.into_iter().any(|x| {
            let (low, high) = (order(x, *lines.start()), order(x, *lines.end()));
            let start = polygon.pieces.partition_point(|(_, piece)| order_of(piece) < low);
            let pieces = polygon.pieces[start..].iter().map(|(_, piece)| piece);
            let mut pieces = pieces.take_while(|piece| order_of(piece) <= high);
            pieces.any(|piece| piece.concave_polygon().contains(point))
        })
    }

    /// The pieces of a polygon and the cells that they are in, after it is sure that the tree can hold them.
    fn cut(&mut self, concave_polygon: &ConcavePolygon) -> Result<(CellRange, Vec<CellPiece>), PolygonError> {
        let lattice = self.tree.lattice();
        let range = CellRange::of(concave_polygon, lattice)
            .and_then(|range| {
                box_around(concave_polygon).check()?;
                self.tree.check_growth(|lattice| range.reach(lattice))?;
                // The lists have room for as many pieces as there may be beyond what is checked.
                self.tree.check_capacity()?;
                Ok(range)
            })
            .map_err(PolygonError::Tree)?;
        let pieces = cut::cut(concave_polygon, lattice, &mut self.splitter)?;
        Ok((range, pieces))
    }

    /// Replaces a polygon's pieces. Both lists are in the order of cells, so they are walked side by side, and a piece takes
    /// over the place of an old one in its cell.
    fn sync_pieces(&mut self, id: PolygonId, range: &CellRange, pieces: Vec<CellPiece>) {
        self.tree.grow_as_checked(|lattice| range.reach(lattice));
        let root = self.tree.lattice().root();
        let order = |piece: &CellPiece| piece.cell().offset_in(&root);
        let old = match self.polygons.get_mut(id) {
            Some(polygon) => core::mem::take(&mut polygon.pieces),
            None => unreachable!("the caller has looked it up"),
        };
        let mut old = old.into_iter().peekable();
        let mut synced = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let place = order(&piece);
            while let Some((gone, _)) = old.next_if(|(_, other)| order(other) < place) {
                self.take_out(gone);
            }
            let bounds = box_around(piece.concave_polygon());
            let object = match old.next_if(|(_, other)| order(other) == place) {
                Some((object, _)) => {
                    self.tree.write_in_cell(object, &bounds);
                    object
                }
                None => self.tree.insert_in_cell(&piece.cell(), &bounds, id.to_bits()),
            };
            synced.push((object, piece));
        }
        old.for_each(|(gone, _)| self.take_out(gone));
        self.polygons[id].pieces = synced;
    }

    fn take_out(&mut self, object: ObjectId) {
        let removed = self.tree.remove(object);
        debug_assert!(removed.is_ok(), "a piece is in the tree while its polygon has it");
    }
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

/// The box around a polygon, rounded outwards.
fn box_around(concave_polygon: &ConcavePolygon) -> Bounds<2> {
    box_of_points(concave_polygon.points())
}

fn box_of_points(points: &[DVec2]) -> Bounds<2> {
    let mut bounds = Bounds::new([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
    for point in points {
        for axis in 0..2 {
            let nearest = point[axis] as f32;
            let is_above = f64::from(nearest) > point[axis];
            let is_below = f64::from(nearest) < point[axis];
            let low = if is_above { nearest.next_down() } else { nearest };
            let high = if is_below { nearest.next_up() } else { nearest };
            bounds.min[axis] = bounds.min[axis].min(low);
            bounds.max[axis] = bounds.max[axis].max(high);
        }
    }
    bounds
}
