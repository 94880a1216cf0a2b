//! The cutting line: the side on which a point lies, and the point at which an edge is crossed.
//!
//! Every decision about sides and turns in the folder goes through [`turn`], which is exact. Nothing else may compare
//! a cross product with zero.

use super::offset::{LineDistance, doubled_area_exactly};
use alloc::vec::Vec;
use core::fmt;
use glam::DVec2;
use robust::{Coord, orient2d};

/// The least and the greatest magnitude of a coordinate other than zero, in meters.
///
/// Between them the expansions of the exact predicate neither underflow nor overflow; every finite `f32` lies between.
pub const COORDINATE_RANGE: (f64, f64) = (1.0e-100, 1.0e100);

/// The shortest feature that is accepted, as a fraction of the greatest coordinate: 2^16 steps of an `f64` at that
/// place.
///
/// A crossing point is rounded by about one step; this leaves it four decimal digits of margin.
pub const FEATURE_SIZE_RELATIVE: f64 = 65536.0 * f64::EPSILON;

/// The side of a point or a piece, seen along the line from its first point to its second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Counter-clockwise of the line's direction.
    Left,
    /// Exactly on the line; for a piece, on both sides of it, which only an uncut piece can be.
    On,
    /// Clockwise of the line's direction.
    Right,
}

impl Side {
    #[inline]
    pub(super) fn from_turn(turn: f64) -> Self {
        if turn > 0.0 {
            Self::Left
        } else if turn < 0.0 {
            Self::Right
        } else {
            Self::On
        }
    }
}

/// The side of a piece that has vertices on the left, on the right, or on both.
pub(super) fn side_of(is_left: bool, is_right: bool) -> Side {
    match (is_left, is_right) {
        (true, false) => Side::Left,
        (false, true) => Side::Right,
        _ => Side::On,
    }
}

/// The reason why two points do not define a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineError {
    /// A coordinate is NaN, infinite, or outside [`COORDINATE_RANGE`].
    OutOfRange,
    /// Both points are the same: give two that differ.
    ZeroLength,
    /// The points are nearer to each other than the fraction [`FEATURE_SIZE_RELATIVE`] of their greatest coordinate:
    /// rounding them has already rotated the line by more than about 1/65536 of a right angle. Give points farther
    /// apart.
    TooShort,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfRange => {
                "a coordinate of the cutting line is not a number or out of range; give finite coordinates"
            }
            Self::ZeroLength => "the cutting line's two points are the same; give two points that differ",
            Self::TooShort => {
                "the cutting line's two points are so near to each other, for their distance from the origin, that \
                 rounding decides its direction; give points farther apart"
            }
        })
    }
}

impl core::error::Error for LineError {}

/// The cutting line: the infinite line through two points, or the segment between them.
///
/// ```
/// use glam::DVec2;
/// use tombolo_geometry::split::{CutLine, LineError, Side};
/// let line = CutLine::through(DVec2::ZERO, DVec2::new(3.0, 1.0)).unwrap();
/// assert_eq!(line.side(DVec2::new(0.0, 1.0)), Side::Left);
/// assert_eq!(line.side(DVec2::new(6.0, 2.0)), Side::On);
/// assert_eq!(CutLine::through(DVec2::ONE, DVec2::ONE), Err(LineError::ZeroLength));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutLine {
    from: DVec2,
    to: DVec2,
    is_segment: bool,
    /// The axis along which all points of the line have one coordinate, if the line was made so.
    axis: Option<usize>,
}

impl CutLine {
    /// The infinite line through two points, in meters.
    ///
    /// # Errors
    ///
    /// [`LineError`] if a coordinate is not finite, or the points are the same or too near to each other to define a
    /// direction.
    pub fn through(from: DVec2, to: DVec2) -> Result<Self, LineError> {
        if !(in_range(from) && in_range(to)) {
            return Err(LineError::OutOfRange);
        }
        if from == to {
            return Err(LineError::ZeroLength);
        }
        let farthest = from.abs().max(to.abs()).max_element();
        if (to - from).abs().max_element() < FEATURE_SIZE_RELATIVE * farthest {
            return Err(LineError::TooShort);
        }
        Ok(Self {
            from,
            to,
            is_segment: false,
            axis: None,
        })
    }

    /// The line through a point along an axis.
    fn along_axis(from: DVec2, direction: DVec2, axis: usize) -> Result<Self, LineError> {
        if !in_range(from) {
            return Err(LineError::OutOfRange);
        }
        Ok(Self {
            from,
            to: from + direction,
            is_segment: false,
            axis: Some(axis),
        })
    }

    /// The line of all points with this x, in meters, upwards: its left side has lower x. Crossing points have exactly
    /// this x, which a line through two points does not guarantee: rounding moves them along the line only.
    ///
    /// # Errors
    ///
    /// [`LineError::OutOfRange`].
    ///
    /// ```
    /// use glam::DVec2;
    /// use tombolo_geometry::split::{CutLine, ConcavePolygon, Slivers, Splitter};
    /// let corners = [(0.1, 0.0), (0.9, 0.3), (0.2, 0.7)].map(|(x, y)| DVec2::new(x, y));
    /// let mut splitter = Splitter::new();
    /// let line = CutLine::vertical(0.3)?;
    /// let pieces = splitter.split(&ConcavePolygon::new(&corners)?, &line, Slivers::default())?;
    /// assert!(pieces.cuts().iter().all(|cut| cut.from.x == 0.3 && cut.to.x == 0.3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn vertical(x: f64) -> Result<Self, LineError> {
        Self::along_axis(DVec2::new(x, 0.0), DVec2::Y, 0)
    }

    /// The line of all points with this y, towards lower x: its left side has lower y. See
    /// [`vertical`](Self::vertical).
    ///
    /// # Errors
    ///
    /// [`LineError::OutOfRange`].
    pub fn horizontal(y: f64) -> Result<Self, LineError> {
        Self::along_axis(DVec2::new(0.0, y), DVec2::NEG_X, 1)
    }

    /// The segment between two points: it cuts only where it leads from border to border, never only a part of that.
    ///
    /// # Errors
    ///
    /// In the same cases as [`CutLine::through`].
    pub fn segment_cut(from: DVec2, to: DVec2) -> Result<Self, LineError> {
        Self::through(from, to).map(|line| Self {
            is_segment: true,
            ..line
        })
    }

    /// The first of the two points.
    pub fn from(&self) -> DVec2 {
        self.from
    }

    /// The second of the two points.
    pub fn to(&self) -> DVec2 {
        self.to
    }

    /// Whether only the part between the two points cuts.
    pub fn is_segment(&self) -> bool {
        self.is_segment
    }

    /// The same line in the other direction: left and right are exchanged.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            from: self.to,
            to: self.from,
            ..*self
        }
    }

    /// The side of a point, exactly.
    #[inline]
    pub fn side(&self, point: DVec2) -> Side {
        Side::from_turn(self.offset(point))
    }

    /// The signed distance of a point on the left, in a unit of its own. The sign is exact, the value is accurate to
    /// about a step at the distance of the line's first point; [`Self::distance`] is accurate.
    #[inline]
    fn offset(&self, point: DVec2) -> f64 {
        match self.axis {
            Some(axis) => self.offset_from_axis(axis, point),
            // With the line's first point in the middle: the others' distance from it is the same for all points.
            None => turn(self.to, point, self.from),
        }
    }

    #[inline]
    fn offset_from_axis(&self, axis: usize, point: DVec2) -> f64 {
        // Upwards, and towards lower x, the left side has the lower coordinate.
        let is_turned = (self.to - self.from)[1 - axis] < 0.0;
        let distance = self.from[axis] - point[axis];
        if is_turned == (axis == 0) {
            -distance
        } else {
            distance
        }
    }

    /// The offsets of many points.
    #[inline]
    pub(super) fn offsets(&self, points: &[DVec2], offsets: &mut Vec<f64>) {
        offsets.clear();
        match self.axis {
            Some(axis) => offsets.extend(points.iter().map(|&p| self.offset_from_axis(axis, p))),
            None => {
                // All estimates first, without a branch for each; few lines come so near to a vertex that a sign is
                // uncertain.
                let mut is_sure = true;
                offsets.extend(points.iter().map(|&p| {
                    let (estimate, is_sign_sure) = estimated_turn(self.to, p, self.from);
                    is_sure &= is_sign_sure;
                    estimate
                }));
                if !is_sure {
                    let exact = points.iter().map(|&p| turn(self.to, p, self.from));
                    offsets
                        .iter_mut()
                        .zip(exact)
                        .for_each(|(offset, exact)| *offset = exact);
                }
            }
        }
    }

    /// An offset that is greater than that of all points within `distance` meters of the line; those of points somewhat
    /// farther away may be less too. `farthest` is the greatest coordinate of the points.
    #[inline]
    pub(super) fn offset_limit(&self, distance: f64, farthest: f64) -> f64 {
        if self.axis.is_some() {
            return distance + distance;
        }
        let along = (self.to - self.from).abs();
        // The largest error of an offset, at the distance of the line's first point.
        let rounding = 8.0 * f64::EPSILON * (farthest + self.from.abs().max_element());
        (along.x + along.y) * (distance + rounding)
    }

    /// The distance of a point from the line, in meters, accurate to a few steps of the distance itself.
    pub(super) fn distance(&self, point: DVec2) -> f64 {
        match self.axis {
            Some(axis) => (self.from[axis] - point[axis]).abs(),
            None => {
                let along = self.to - self.from;
                doubled_area_exactly(self.from, self.to, point).abs() / libm::hypot(along.x, along.y)
            }
        }
    }

    /// The position along the line of a point *of the line*. Only the order of the values has a meaning, and it is
    /// exact: the value is the coordinate in which the line advances most, so no arithmetic takes place.
    #[inline]
    pub(super) fn advance(&self, point: DVec2) -> f64 {
        self.direction().advance(point)
    }

    /// The function from points of the line to their positions along it.
    #[inline]
    pub(super) fn direction(&self) -> LineDirection {
        let direction = self.to - self.from;
        // By index and not by a branch: lines have all directions.
        let axis = usize::from(direction.x.abs() < direction.y.abs());
        LineDirection {
            axis,
            sign: 1.0_f64.copysign([direction.x, direction.y][axis]),
        }
    }

    /// Whether a cut may end at a point of the line: anywhere for a line, between its ends for a segment.
    #[inline]
    pub(super) fn reaches(&self, point: DVec2) -> bool {
        let advance = self.advance(point);
        !self.is_segment || (self.advance(self.from) <= advance && advance <= self.advance(self.to))
    }
}

/// The coordinate that gives the position of a point along a line, and its sign.
#[derive(Clone, Copy)]
pub(super) struct LineDirection {
    axis: usize,
    sign: f64,
}

impl LineDirection {
    /// The same as [`CutLine::advance`].
    #[inline]
    pub(super) fn advance(self, point: DVec2) -> f64 {
        self.sign * [point.x, point.y][self.axis]
    }
}

/// Whether the coordinates are such that [`turn`] is exact for them.
pub(super) fn in_range(point: DVec2) -> bool {
    let one = |c: f64| c == 0.0 || (COORDINATE_RANGE.0..=COORDINATE_RANGE.1).contains(&c.abs());
    one(point.x) && one(point.y)
}

/// A point whose coordinates that are too small for [`COORDINATE_RANGE`] are zero.
#[inline]
fn flushed(point: DVec2) -> DVec2 {
    let is_large = point.abs().cmpge(DVec2::splat(COORDINATE_RANGE.0));
    DVec2::select(is_large, point, DVec2::ZERO)
}

/// The direction in which `a`, `b`, `c` turn: positive counter-clockwise, negative clockwise, zero on one line. The
/// sign is exact.
///
/// Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997,
/// through the crate `robust`, of which the first stage is written out here, with the bound of K. Ozaki et al., "Simple
/// floating-point filters for the two-dimensional orientation problem", 2016: it compares a magnitude, where the crate
/// branches by the sign, which no processor can predict. The value itself is only an estimate.
#[inline]
pub(super) fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    match estimated_turn(a, b, c) {
        (estimate, true) => estimate,
        _ => exact_turn(a, b, c),
    }
}

/// An estimate of [`turn`], and whether its sign is exact.
#[inline]
fn estimated_turn(a: DVec2, b: DVec2, c: DVec2) -> (f64, bool) {
    const THETA: f64 = 3.330_669_062_177_372e-16;
    let left = (a.x - c.x) * (b.y - c.y);
    let right = (a.y - c.y) * (b.x - c.x);
    let estimate = left - right;
    (estimate, estimate.abs() >= THETA * (left + right).abs())
}

#[cold]
#[inline(never)]
fn exact_turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(coord(a), coord(b), coord(c))
}

/// The computation of the points at which edges cross a line.
#[derive(Clone, Copy)]
pub(super) enum Crosser {
    /// All points of the line have this coordinate along this axis.
    Axis(usize, f64),
    Line(LineDistance),
}

impl Crosser {
    #[inline]
    pub(super) fn new(line: &CutLine) -> Self {
        match line.axis {
            Some(axis) => Self::Axis(axis, line.from[axis]),
            None => Self::Line(LineDistance::new(line.from, line.to)),
        }
    }

    /// The point at which an edge from `start` to `end` meets the line, and its position along the edge, in `[0, 1]`.
    ///
    /// The ends must lie on opposite sides. The point is measured from the end that is nearer, so that it has the same bits
    /// for the edge and its reverse, and for the line and its reverse.
    ///
    /// A coordinate below [`COORDINATE_RANGE`] is zero; else each is within 4 steps of the greater end coordinate of the
    /// true crossing. In such steps, where the nearer
    /// end is as far as the other, which is the worst: the distances and their sum carry 1 each, the division, the
    /// difference of the ends, the product and the last sum a half each.
    #[inline]
    pub(super) fn crossing(&self, start: DVec2, end: DVec2) -> (DVec2, f64) {
        let [from_start, from_end] = self.distances(start, end);
        let (mut position, t) = if from_start == from_end {
            (start * 0.5 + end * 0.5, 0.5)
        } else {
            // By index and not by a branch: which end is nearer cannot be predicted.
            let flip = usize::from(from_end < from_start);
            let ends = [start, end];
            let t = from_start.min(from_end) / (from_start + from_end);
            let position = ends[flip] + (ends[1 - flip] - ends[flip]) * t;
            (position, [t, 1.0 - t][flip])
        };
        if let Self::Axis(axis, coordinate) = *self {
            position[axis] = coordinate;
        }
        (flushed(position), t)
    }

    /// The distances of an edge's ends from the line, in a unit of their own, each rounded once.
    #[inline]
    fn distances(&self, start: DVec2, end: DVec2) -> [f64; 2] {
        /// The largest error before they are computed exactly, as a fraction of their sum: a sixty-fourth of a step.
        const SLACK: f64 = f64::EPSILON / 128.0;
        match self {
            Self::Axis(axis, coordinate) => [start, end].map(|p| (coordinate - p[*axis]).abs()),
            Self::Line(ruler) => {
                let (values, errors) = ruler.doubled_areas([start, end]);
                let distances = values.abs();
                if errors.max_element() <= distances.element_sum() * SLACK {
                    distances.to_array()
                } else {
                    [start, end].map(|p| ruler.doubled_area_exactly(p).abs())
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crossing_has_the_same_bits_from_both_ends_and_for_both_lines() {
        let (a, b) = (DVec2::new(0.1, -0.3), DVec2::new(0.7, 1.9));
        let line = CutLine::through(DVec2::new(-1.0, 0.2), DVec2::new(5.0, 0.9)).unwrap();
        let there = Crosser::new(&line).crossing(a, b).0;
        let back = Crosser::new(&line).crossing(b, a).0;
        let mirrored = Crosser::new(&line.reversed()).crossing(a, b).0;
        assert_eq!(there, back);
        assert_eq!(there, mirrored);
    }

    #[test]
    fn coordinates_out_of_range_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, 1.0e101, 1.0e-101] {
            assert_eq!(
                CutLine::through(DVec2::new(bad, 0.0), DVec2::ONE),
                Err(LineError::OutOfRange)
            );
        }
        assert!(CutLine::through(DVec2::ZERO, DVec2::splat(f64::from(f32::MIN_POSITIVE))).is_ok());
    }

    #[test]
    fn the_order_along_a_line_reverses_with_it() {
        let line = CutLine::through(DVec2::ZERO, DVec2::new(1.0, -2.0)).unwrap();
        let (near, far) = (DVec2::new(1.0, -2.0), DVec2::new(2.0, -4.0));
        assert!(line.advance(near) < line.advance(far));
        assert!(line.reversed().advance(near) > line.reversed().advance(far));
    }
}
