//! The strategy that splits the object: a polygon is cut on the planes of the cells of one level, and each piece goes to its
//! own cell, so that no object lies in two cells and none higher than that level.
//!
//! For what is drawn or simulated cell by cell, such as terrain. Everything else is cheaper as a box in several cells.

use super::{Bounds, Cell, Lattice, Layout, ObjectId, Orthtree, OrthtreeError, Strategy};
use crate::split::{CutLine, Outline, Side, Slivers, SplitError, Splitter};
use alloc::vec::Vec;
use core::fmt;
use glam::DVec2;

/// A piece of a polygon in its cell.
#[derive(Clone, Debug)]
pub struct CellPiece {
    /// Which cell.
    pub cell: Cell<2>,
    /// The piece.
    pub outline: Outline,
}

/// Why a polygon could not be split over cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PiecesError {
    /// It reaches out of the root, or a piece was refused by the tree.
    Tree(OrthtreeError),
    /// A cut failed.
    Split(SplitError),
}

impl fmt::Display for PiecesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tree(error) => error.fmt(f),
            Self::Split(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PiecesError {}

/// Cuts a polygon on the planes of the cells of a height: its pieces by column, in each column from below. A concave
/// polygon may have several in one cell. Neighbouring pieces have the same corners on their common plane.
///
/// # Errors
///
/// [`OrthtreeError::OutOfReach`] if it is not inside the root; what the splitter says.
pub fn split_over_cells(
    outline: &Outline,
    lattice: &Lattice<2>,
    height: u32,
) -> Result<Vec<CellPiece>, PiecesError> {
    let height = height.min(lattice.root().height);
    let last = (lattice.root_size() - 1) >> height;
    let mut cutter = Cutter {
        lattice,
        height,
        splitter: Splitter::new(),
    };
    for axis in 0..2 {
        let (low, high) = cutter.range(outline, axis);
        if low < 0 || high > last {
            return Err(PiecesError::Tree(OrthtreeError::OutOfReach {
                axis,
                growth_left: 0,
            }));
        }
    }
    let mut columns = Vec::new();
    cutter.cut(outline.clone(), 0, &mut columns)?;
    let mut pieces = Vec::new();
    for (x, column) in columns {
        let mut cells = Vec::new();
        cutter.cut(column, 1, &mut cells)?;
        let root = lattice.root();
        pieces.extend(cells.into_iter().map(|(y, outline)| CellPiece {
            cell: Cell {
                corner: [
                    root.corner[0].wrapping_add((x << height) as u32),
                    root.corner[1].wrapping_add((y << height) as u32),
                ],
                height,
            },
            outline,
        }));
    }
    Ok(pieces)
}

struct Cutter<'a> {
    lattice: &'a Lattice<2>,
    height: u32,
    splitter: Splitter,
}

impl Cutter<'_> {
    /// The cells that an outline reaches along an axis. One that ends on a plane does not reach the cell above it.
    fn range(&self, outline: &Outline, axis: usize) -> (i64, i64) {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for point in outline.points() {
            (min, max) = (min.min(point[axis]), max.max(point[axis]));
        }
        let low = self.lattice.locate(min, axis) >> self.height;
        let high = self.lattice.locate(max, axis) >> self.height;
        if high > low && self.plane(axis, high) >= max {
            return (low, high - 1);
        }
        (low, high)
    }

    fn plane(&self, axis: usize, cell: i64) -> f64 {
        self.lattice.plane(axis, cell << self.height)
    }

    /// Cuts along one axis, at the middle plane first.
    fn cut(
        &mut self,
        outline: Outline,
        axis: usize,
        out: &mut Vec<(i64, Outline)>,
    ) -> Result<(), PiecesError> {
        let (low, high) = self.range(&outline, axis);
        if low == high {
            out.push((low, outline));
            return Ok(());
        }
        let middle = self.plane(axis, low + (high - low + 1) / 2);
        // Upwards along a plane of x, to the left along a plane of y: the lower cells are on its left.
        let (from, to) = if axis == 0 {
            (DVec2::new(middle, 0.0), DVec2::new(middle, 1.0))
        } else {
            (DVec2::new(0.0, middle), DVec2::new(-1.0, middle))
        };
        let refused = PiecesError::Tree(OrthtreeError::InvalidBox { axis });
        let line = CutLine::through(from, to).map_err(|_| refused)?;
        let pieces = self
            .splitter
            .split(&outline, &line, Slivers::default())
            .map_err(PiecesError::Split)?;
        if !pieces.is_cut() {
            // The plane touches it only; rounding put it on both sides.
            let cell = if outline.centroid()[axis] < middle {
                low
            } else {
                high
            };
            out.push((cell, outline));
            return Ok(());
        }
        let [below, above] = [Side::Left, Side::Right].map(|side| {
            let of_side = pieces.iter().filter(move |piece| piece.side() == side);
            of_side.map(|piece| piece.to_outline()).collect::<Vec<_>>()
        });
        for piece in below.into_iter().chain(above) {
            self.cut(piece, axis, out)?;
        }
        Ok(())
    }
}

impl<L: Layout<2>, S: Strategy<2>> Orthtree<2, L, S> {
    /// Splits a polygon over the cells of a height and inserts each piece with the same number. A piece's box ends before
    /// the upper planes of its cell, as cells do, so that with [`Smallest`](super::Smallest) it is in that cell or one
    /// within it.
    ///
    /// ```
    /// use glam::DVec2;
    /// use tombolo_geometry::orthtree::{Bounds, Linear, Orthtree, Settings, Smallest};
    /// use tombolo_geometry::split::Outline;
    /// let settings = Settings { depth_max: 4, ..Settings::default() };
    /// let root = Bounds::new([0.0; 2], [16.0; 2]);
    /// let mut tree: Orthtree<2, Linear, Smallest> = Orthtree::new(root, Smallest, settings).unwrap();
    /// let field = Outline::new(&[(1, 1), (7, 1), (7, 3), (1, 3)].map(|(x, y)| DVec2::new(x as f64, y as f64))).unwrap();
    /// // Cells of 4 m: two columns of one row.
    /// let pieces = tree.insert_pieces(&field, 2, 7).unwrap();
    /// let areas: Vec<f64> = pieces.iter().map(|(_, piece)| piece.outline.area()).collect();
    /// assert_eq!(areas, [6.0, 6.0]);
    /// ```
    ///
    /// # Errors
    ///
    /// As [`split_over_cells`]; the tree is then as it was.
    pub fn insert_pieces(
        &mut self,
        outline: &Outline,
        height: u32,
        key: u64,
    ) -> Result<Vec<(ObjectId, CellPiece)>, PiecesError> {
        let pieces = split_over_cells(outline, self.lattice(), height)?;
        let mut inserted: Vec<(ObjectId, CellPiece)> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match self.insert(self.box_in_cell(&piece), key) {
                Ok(id) => inserted.push((id, piece)),
                Err(error) => {
                    for (id, _) in inserted {
                        let removed = self.remove(id);
                        debug_assert!(removed.is_ok(), "was just inserted");
                    }
                    return Err(PiecesError::Tree(error));
                }
            }
        }
        Ok(inserted)
    }

    /// The box around a piece, within its half-open cell.
    fn box_in_cell(&self, piece: &CellPiece) -> Bounds<2> {
        let mut bounds = Bounds::new([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for point in piece.outline.points() {
            for axis in 0..2 {
                let edge = point[axis] as f32;
                let (below, above) = (edge.next_down(), edge.next_up());
                let low = if f64::from(edge) > point[axis] {
                    below
                } else {
                    edge
                };
                let high = if f64::from(edge) < point[axis] {
                    above
                } else {
                    edge
                };
                bounds.min[axis] = bounds.min[axis].min(low);
                bounds.max[axis] = bounds.max[axis].max(high);
            }
        }
        let offset = piece.cell.offset_in(&self.lattice().root());
        for (axis, &first) in offset.iter().enumerate() {
            let first = i64::from(first);
            let end = first + (1_i64 << piece.cell.height);
            // One step makes up for the rounding to f32, and another for that of the plane.
            while self.lattice().locate(f64::from(bounds.min[axis]), axis) < first {
                bounds.min[axis] = bounds.min[axis].next_up();
            }
            while self.lattice().locate(f64::from(bounds.max[axis]), axis) >= end {
                bounds.max[axis] = bounds.max[axis].next_down();
            }
        }
        bounds
    }
}
