//! Cutting a triangle on the planes between cells: [`cut`], and its result, [`TrianglePiece`].
//!
//! The triangle is cut into slabs along x first, each slab into columns along y, each column into cells along z, always
//! at the middle plane of the rest. The side of a plane on which a corner lies is a comparison of two numbers and
//! exact. A crossing point has exactly the plane's coordinate, and its others lie between those of its edge's ends; so
//! a piece lies in its closed cell without any tolerance.
//!
//! Every edge of a piece is part of a *line*: an edge of the triangle, or the chord along which it was cut. A crossing point is
//! computed from its line's ends, in an order that does not depend on the direction, and a part of a line only bounds it. All
//! operations rise with the plane, so crossing points come out the same whatever was cut before: on both sides of a chord, and
//! in every triangle with the same edge.

use super::error::TriangleError;
use crate::orthtree::pieces::{CellRange, PIECE_COUNT_MAX, between_planes, extent};
use crate::orthtree::{Cell, Lattice};
use alloc::vec::Vec;
use core::cmp::Ordering;
use glam::DVec3;

/// In a piece's edges: the edge runs along a plane.
const PLANE: u32 = u32::MAX;

/// A triangle's edges are its first lines.
const EDGES: u32 = 3;

/// A part of a triangle that lies in one cell: a convex polygon of three to nine corners but for rounding, which goes around as
/// the triangle does.
#[derive(Clone, Debug, PartialEq)]
pub struct TrianglePiece {
    cell: Cell<3>,
    corners: Vec<DVec3>,
    /// For each edge the triangle's edge that it is a part of, or [`PLANE`].
    edges: Vec<u32>,
}

impl TrianglePiece {
    /// The cell. The piece lies in it, its faces included.
    pub fn cell(&self) -> Cell<3> {
        self.cell
    }

    /// The corners. Each coordinate differs from that of a point of the triangle by 16 roundings of the triangle's greatest
    /// coordinate at most.
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// The area in square meters; in each cell that of the triangle there, but for 16 roundings of its greatest coordinate times
    /// its circumference.
    pub fn area(&self) -> f64 {
        area(&self.corners)
    }

    /// The edge of the triangle that an edge of the piece is a part of, from 0, edge `i` starting at corner `i`; `None`
    /// if it runs along a plane between cells, because the triangle was cut there.
    ///
    /// # Panics
    ///
    /// If the piece has no such edge.
    pub fn edge_origin(&self, edge: usize) -> Option<u32> {
        let origin = self.edges[edge];
        (origin != PLANE).then_some(origin)
    }
}

/// The least and the greatest coordinate of points along each axis.
pub(super) fn ends_of(points: &[DVec3]) -> [(f64, f64); 3] {
    [0, 1, 2].map(|axis| extent(points.iter().map(|point| point[axis])))
}

fn area(corners: &[DVec3]) -> f64 {
    let first = corners[0];
    let pairs = corners[1..].iter().zip(&corners[2..]);
    let doubled = pairs.fold(DVec3::ZERO, |sum, (a, b)| sum + (*a - first).cross(*b - first));
    0.5 * doubled.length()
}

/// Whether a triangle has more area than rounding its corners changes it by.
fn has_area(corners: &[DVec3; 3]) -> bool {
    const ROUNDING: f64 = 4.0 * f64::EPSILON;
    let next = corners.iter().cycle().skip(1);
    let circumference: f64 = corners.iter().zip(next).map(|(a, b)| a.distance(*b)).sum();
    let reach = corners
        .iter()
        .fold(0.0, |reach, corner| corner.abs().max_element().max(reach));
    // Coordinates too large for this arithmetic are out of reach, which is checked elsewhere.
    let rounded_away = area(corners) <= ROUNDING * reach * circumference;
    !rounded_away
}

/// Checks that a triangle can be cut.
///
/// # Errors
///
/// [`TriangleError::NotFinite`] and [`TriangleError::NoArea`].
pub(super) fn check(corners: &[DVec3; 3]) -> Result<(), TriangleError> {
    if let Some(corner) = corners.iter().position(|corner| !corner.is_finite()) {
        return Err(TriangleError::NotFinite { corner });
    }
    if has_area(corners) {
        Ok(())
    } else {
        Err(TriangleError::NoArea)
    }
}

/// Cuts a triangle that was checked on the planes between the finest cells of its range: its pieces by cell, along x first.
///
/// # Errors
///
/// [`TriangleError::TooManyPieces`].
pub(super) fn cut(
    corners: &[DVec3; 3],
    range: &CellRange<3>,
    lattice: &Lattice<3>,
) -> Result<Vec<TrianglePiece>, TriangleError> {
    // One zero, so that equal corners have equal bits.
    let corners = corners.map(|corner| corner + DVec3::ZERO);
    let [a, b, c] = corners;
    let mut cutter = TriangleCutter {
        lattice,
        lines: [(a, b), (b, c), (c, a)]
            .map(|(from, to)| in_order(from, to))
            .to_vec(),
    };
    let whole = Part {
        corners: corners.to_vec(),
        lines: (0..EDGES).collect(),
    };
    let mut parts = alloc::vec![([0; 3], whole)];
    for axis in 0..3 {
        let uncut = core::mem::take(&mut parts);
        for (place, part) in uncut {
            let cells = (range.low[axis], range.high[axis]);
            cutter.cut_along(axis, place, part, cells, &mut parts)?;
        }
    }
    debug_assert!(
        parts.is_sorted_by(|a, b| a.0 < b.0),
        "one piece in a cell, in order"
    );
    let pieces = parts.into_iter().map(|(place, part)| part.into_piece(place));
    Ok(pieces.collect())
}

/// The ends of a line, in an order that does not depend on its direction.
fn in_order(from: DVec3, to: DVec3) -> [DVec3; 2] {
    match from.to_array().partial_cmp(&to.to_array()) {
        Some(Ordering::Greater) => [to, from],
        _ => [from, to],
    }
}

/// A part of the triangle, not yet cut.
#[derive(Default)]
struct Part {
    corners: Vec<DVec3>,
    /// For each corner the line of the edge that starts there.
    lines: Vec<u32>,
}

impl Part {
    /// Adds a corner; one that equals the one before drops the edge between them.
    fn push(&mut self, corner: DVec3, line: u32) {
        if let (Some(last), Some(last_line)) = (self.corners.last(), self.lines.last_mut())
            && *last == corner
        {
            *last_line = line;
            return;
        }
        self.corners.push(corner);
        self.lines.push(line);
    }

    /// Drops the last corner if it is the first one again.
    fn close(&mut self) {
        if self.corners.len() > 1 && self.corners.first() == self.corners.last() {
            self.corners.pop();
            self.lines.pop();
        }
    }

    fn into_piece(self, place: [i64; 3]) -> TrianglePiece {
        let edge = |line| if line < EDGES { line } else { PLANE };
        TrianglePiece {
            cell: Cell {
                corner: place.map(|cell| cell as u32),
                height: 0,
            },
            corners: self.corners,
            edges: self.lines.into_iter().map(edge).collect(),
        }
    }
}

struct TriangleCutter<'a> {
    lattice: &'a Lattice<3>,
    /// The ends of each line: first the triangle's edges, then the chords.
    lines: Vec<[DVec3; 2]>,
}

impl TriangleCutter<'_> {
    /// Cuts a part on all planes across an axis between some cells, the lower ones first.
    fn cut_along(
        &mut self,
        axis: usize,
        mut place: [i64; 3],
        part: Part,
        (low, high): (i64, i64),
        out: &mut Vec<([i64; 3], Part)>,
    ) -> Result<(), TriangleError> {
        if part.corners.len() < 3 {
            // Rounding has merged its corners; both of its sides have the same edge now.
            return Ok(());
        }
        let ends = extent(part.corners.iter().map(|corner| corner[axis]));
        let (first, last) = between_planes(self.lattice, axis, ends);
        // A part that rounding moved into a plane stays on the side that it was cut off on.
        let (first, last) = (first.clamp(low, high), last.clamp(low, high));
        if first == last {
            place[axis] = first;
            out.push((place, part));
            return match out.len() {
                0..=PIECE_COUNT_MAX => Ok(()),
                _ => Err(TriangleError::TooManyPieces),
            };
        }
        let middle = first + (last - first + 1) / 2;
        let [below, above] = self.split(&part, axis, self.lattice.plane(axis, middle));
        self.cut_along(axis, place, below, (first, middle - 1), out)?;
        self.cut_along(axis, place, above, (middle, last), out)
    }

    /// The parts below and above a plane across an axis; corners in the plane belong to both.
    fn split(&mut self, part: &Part, axis: usize, plane: f64) -> [Part; 2] {
        let chord = self.lines.len() as u32;
        let mut ends: Option<[DVec3; 2]> = None;
        let mut note_end = |point: DVec3| {
            let [first, last] = ends.unwrap_or([point; 2]);
            ends = Some([in_order(first, point)[0], in_order(last, point)[1]]);
        };
        let mut sides = [
            (Ordering::Less, Part::default()),
            (Ordering::Greater, Part::default()),
        ];
        for (index, (&from, &line)) in part.corners.iter().zip(&part.lines).enumerate() {
            let to = part.corners[(index + 1) % part.corners.len()];
            let [here, there] = [from, to].map(|corner| {
                let side = corner[axis].partial_cmp(&plane);
                side.unwrap_or(Ordering::Equal)
            });
            let crossing = (here.is_ne() && here == there.reverse())
                .then(|| self.crossing(line, [from, to], axis, plane));
            if here.is_eq() {
                note_end(from);
            }
            if let Some(point) = crossing {
                note_end(point);
            }
            for (kept, side) in &mut sides {
                if here == *kept || here.is_eq() {
                    let leaves = here.is_eq() && there == kept.reverse();
                    side.push(from, if leaves { chord } else { line });
                }
                if let Some(point) = crossing {
                    side.push(point, if there == *kept { line } else { chord });
                }
            }
        }
        self.lines.extend(ends);
        sides.map(|(_, mut side)| {
            side.close();
            side
        })
    }

    /// The point where a part of a line crosses a plane that its ends lie on different sides of.
    fn crossing(&self, line: u32, part: [DVec3; 2], axis: usize, plane: f64) -> DVec3 {
        let share_of = |[first, last]: [DVec3; 2]| (plane - first[axis]) / (last[axis] - first[axis]);
        let mut ends = self.lines[line as usize];
        if !(0.0..=1.0).contains(&share_of(ends)) {
            // Rounding has moved the part off a line that hardly leaves the plane.
            ends = in_order(part[0], part[1]);
        }
        let mut point = ends[0] + share_of(ends) * (ends[1] - ends[0]);
        for other in 0..3 {
            let (low, high) = extent(part.iter().map(|end| end[other]));
            point[other] = point[other].clamp(low, high);
        }
        point[axis] = plane;
        point
    }
}
