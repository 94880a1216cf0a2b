//! Cutting a polygon on the planes between cells: [`cut`], and its result, [`CellPiece`].
//!
//! The polygon is cut into columns first, then each column into cells, always at the middle plane of the rest, so that
//! a corner takes part in O(log cells) cuts. A plane has one value, [`Lattice::plane`]; a crossing point has exactly
//! that coordinate (see [`CutLine::vertical`]), and its other one lies between those of its edge's ends. So a piece
//! lies in its closed cell without any tolerance, and pieces on both sides of a plane have corners of the same bits.

use super::error::PolygonError;
use crate::orthtree::pieces::{PIECE_COUNT_MAX, between_planes, extent};
use crate::orthtree::{Cell, Lattice, OrthtreeError};
use crate::split::{ConcavePolygon, CutLine, EdgeOrigin, Pieces, Side, Slivers, Splitter};
use alloc::vec::Vec;

/// In a piece's edges: the edge runs along a plane.
const PLANE: u32 = u32::MAX;

/// A part of a polygon that lies in one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPiece {
    cell: Cell<2>,
    concave_polygon: ConcavePolygon,
    /// For each edge the polygon's edge that it is a part of, or [`PLANE`].
    edges: Vec<u32>,
}

impl CellPiece {
    /// The cell. The piece lies in it, borders included, and has area there.
    pub fn cell(&self) -> Cell<2> {
        self.cell
    }

    /// The piece as a polygon. A hole of the polygon is a hole of the piece if no plane crosses it.
    pub fn concave_polygon(&self) -> &ConcavePolygon {
        &self.concave_polygon
    }

    /// The edge of the polygon that an edge of the piece is a part of; `None` if it runs along a plane between cells,
    /// because the polygon was cut there.
    ///
    /// # Panics
    ///
    /// If the piece has no such edge.
    pub fn edge_origin(&self, edge: usize) -> Option<u32> {
        let origin = self.edges[edge];
        (origin != PLANE).then_some(origin)
    }
}

/// A part of the polygon, not yet cut, with the origins of its edges.
struct PolygonPart {
    concave_polygon: ConcavePolygon,
    edges: Vec<u32>,
}

/// Cuts a polygon on the planes between finest cells: its pieces by column, in each column from below. A concave polygon
/// may have several in one cell.
///
/// # Errors
///
/// The errors of the splitter, too many pieces, or no piece at all because the polygon's area is less than its
/// rounding.
pub(super) fn cut(
    concave_polygon: &ConcavePolygon,
    lattice: &Lattice<2>,
    splitter: &mut Splitter,
) -> Result<Vec<CellPiece>, PolygonError> {
    let mut cutter = Cutter { lattice, splitter };
    let whole = PolygonPart {
        concave_polygon: concave_polygon.clone(),
        edges: (0..concave_polygon.points().len() as u32).collect(),
    };
    let mut columns = Vec::new();
    cutter.cut_along(0, whole, &mut columns)?;
    let mut parts = Vec::new();
    let mut cells = Vec::new();
    for (x, column) in columns {
        cutter.cut_along(1, column, &mut cells)?;
        parts.extend(cells.drain(..).map(|(y, part)| ([x, y], part)));
        if parts.len() > PIECE_COUNT_MAX {
            return Err(PolygonError::TooManyPieces);
        }
    }
    if parts.is_empty() {
        return Err(PolygonError::NoArea);
    }
    // The arms of a concave polygon were cut one after the other.
    parts.sort_by_key(|(place, _)| *place);
    let piece = |([x, y], part): ([i64; 2], PolygonPart)| CellPiece {
        cell: Cell {
            corner: [x as u32, y as u32],
            height: 0,
        },
        concave_polygon: part.concave_polygon,
        edges: part.edges,
    };
    Ok(parts.into_iter().map(piece).collect())
}

struct Cutter<'a> {
    lattice: &'a Lattice<2>,
    splitter: &'a mut Splitter,
}

impl Cutter<'_> {
    /// Cuts a part on all planes across an axis, the lower cells first.
    fn cut_along(
        &mut self,
        axis: usize,
        part: PolygonPart,
        out: &mut Vec<(i64, PolygonPart)>,
    ) -> Result<(), PolygonError> {
        let ends = extent(part.concave_polygon.points().iter().map(|point| point[axis]));
        let (low, high) = between_planes(self.lattice, axis, ends);
        if low == high {
            out.push((low, part));
            return match out.len() {
                0..=PIECE_COUNT_MAX => Ok(()),
                _ => Err(PolygonError::TooManyPieces),
            };
        }
        let line = self.line_at(axis, low + (high - low + 1) / 2)?;
        let pieces = self
            .splitter
            .split(&part.concave_polygon, &line, Slivers::default())
            .map_err(PolygonError::Split)?;
        if !pieces.is_cut() {
            // Corners on both sides and no crossing: not a polygon that was checked.
            return Err(PolygonError::Split(crate::split::SplitError::Unsound { edge: 0 }));
        }
        let [below, above] = [Side::Left, Side::Right].map(|side| parts_on(side, pieces, &part.edges));
        for part in below.into_iter().chain(above) {
            self.cut_along(axis, part, out)?;
        }
        Ok(())
    }

    /// A plane as a line, the lower cells on its left.
    fn line_at(&self, axis: usize, place: i64) -> Result<CutLine, PolygonError> {
        let plane = self.lattice.plane(axis, place);
        let line = if axis == 0 {
            CutLine::vertical(plane)
        } else {
            CutLine::horizontal(plane)
        };
        line.map_err(|_| PolygonError::Tree(OrthtreeError::InvalidBox { axis }))
    }
}

fn parts_on(side: Side, pieces: &Pieces, edges: &[u32]) -> Vec<PolygonPart> {
    let of_side = pieces.iter().filter(|piece| piece.side() == side);
    let part = |piece: crate::split::Piece<'_>| {
        let origin = |edge| match edge {
            EdgeOrigin::Input(index) => edges[index as usize],
            EdgeOrigin::Cut(_) => PLANE,
        };
        PolygonPart {
            concave_polygon: piece.to_polygon(),
            edges: piece
                .vertices()
                .iter()
                .map(|vertex| origin(vertex.edge()))
                .collect(),
        }
    };
    of_side.map(part).collect()
}
