//! The type [`ConcavePolygon`]: a simple polygon with holes whose validity is checked once, when it is created.
//!
//! Only `checks.rs` creates one from a caller's points and only [`super::pieces`] from a split; both keep the
//! invariants below, and the rest of the folder relies on them.

use super::line::{COORDINATE_RANGE, FEATURE_SIZE_RELATIVE, in_range};
use super::simple::{PointLocation, locate};
use alloc::vec::Vec;
use core::fmt;
use glam::DVec2;

/// The most vertices that all loops of a polygon may have together.
pub const VERTEX_COUNT_MAX: usize = 1 << 24;

/// A polygon, perhaps concave, perhaps with holes, in meters and double precision.
///
/// Vertices are numbered through all loops: those of the outer border first, then hole after hole. Edge `i` leads from
/// vertex `i` to [`ConcavePolygon::next`] of `i`.
///
/// Invariants: the first loop is the outer border and runs counter-clockwise; the others are holes and run clockwise,
/// so that the inside is on the left of every edge. No two edges cross. A polygon made by [`ConcavePolygon::new`] does
/// not touch itself either; a piece of a split may, where a hole touched the line, and then in a vertex of both loops.
///
/// ```
/// use glam::DVec2;
/// use tombolo_geometry::split::{ConcavePolygon, ConcavePolygonError};
/// let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from_array);
/// let polygon = ConcavePolygon::new(&square).unwrap();
/// assert_eq!((polygon.area(), polygon.centroid()), (4.0, DVec2::ONE));
///
/// let bow_tie = [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 1.0]].map(DVec2::from_array);
/// assert_eq!(ConcavePolygon::new(&bow_tie), Err(ConcavePolygonError::EdgesCross { edge: 0, other: 2 }));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConcavePolygon {
    points: Vec<DVec2>,
    /// One past the last vertex of each loop; never empty.
    loop_ends: Vec<u32>,
    /// The greatest magnitude of a coordinate.
    farthest: f64,
}

/// The reason why points do not make a polygon. Vertices and edges are numbered through all loops, in the order given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConcavePolygonError {
    /// A loop has fewer than three vertices.
    TooFewVertices {
        /// The number of the loop: 0 is the outer border.
        loop_index: u32,
        /// The number of its vertices.
        count: u32,
    },
    /// More than [`VERTEX_COUNT_MAX`] vertices.
    TooManyVertices,
    /// A coordinate is NaN, infinite, or outside [`COORDINATE_RANGE`].
    OutOfRange {
        /// The number of the vertex.
        vertex: u32,
    },
    /// A vertex has the same coordinates as the one before it.
    RepeatedPoint {
        /// The second of the two vertices.
        vertex: u32,
    },
    /// The border reverses its direction at a vertex.
    FoldsBack {
        /// The vertex at the tip.
        vertex: u32,
    },
    /// All vertices of a loop lie on one line.
    ZeroArea {
        /// The number of the loop.
        loop_index: u32,
    },
    /// The outer border runs clockwise, or a hole counter-clockwise.
    WrongOrientation {
        /// The number of the loop.
        loop_index: u32,
    },
    /// Two edges cross.
    EdgesCross {
        /// The lower edge.
        edge: u32,
        /// The higher edge.
        other: u32,
    },
    /// Two edges that are not neighbors touch without crossing.
    EdgesTouch {
        /// The lower edge.
        edge: u32,
        /// The higher edge.
        other: u32,
    },
    /// A feature is smaller than the fraction [`FEATURE_SIZE_RELATIVE`] of the greatest coordinate.
    TooSmall {
        /// An edge at the feature.
        edge: u32,
        /// The least size accepted here, in meters.
        least: f64,
    },
    /// A hole is not inside the outer border.
    HoleOutside {
        /// The number of the loop.
        loop_index: u32,
    },
    /// A hole is inside another hole.
    HoleInHole {
        /// The number of the loop.
        loop_index: u32,
    },
}

impl fmt::Display for ConcavePolygonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooFewVertices { loop_index, count } => {
                write!(
                    f,
                    "loop {loop_index} has {count} vertices; a loop needs at least three"
                )
            }
            Self::TooManyVertices => {
                write!(
                    f,
                    "a polygon takes at most {VERTEX_COUNT_MAX} vertices; simplify it"
                )
            }
            Self::OutOfRange { vertex } => write!(
                f,
                "vertex {vertex} is not finite or out of range; use 0 or magnitudes from {:e} to {:e} m",
                COORDINATE_RANGE.0, COORDINATE_RANGE.1
            ),
            Self::RepeatedPoint { vertex } => {
                write!(
                    f,
                    "vertex {vertex} repeats the one before it; remove it or repair the polygon"
                )
            }
            Self::FoldsBack { vertex } => {
                write!(
                    f,
                    "the border turns back on itself at vertex {vertex}; remove it or repair the polygon"
                )
            }
            Self::ZeroArea { loop_index } => {
                write!(
                    f,
                    "loop {loop_index} encloses no area; move a vertex off the line of the others"
                )
            }
            Self::WrongOrientation { loop_index } => write!(
                f,
                "loop {loop_index} runs the wrong way; the border runs counter-clockwise and holes clockwise"
            ),
            Self::EdgesCross { edge, other } => {
                write!(
                    f,
                    "edges {edge} and {other} cross; a polygon must not cross itself"
                )
            }
            Self::EdgesTouch { edge, other } => {
                write!(
                    f,
                    "edges {edge} and {other} touch; move them apart or split the polygon there"
                )
            }
            Self::TooSmall { edge, least } => write!(
                f,
                "edge {edge} belongs to a feature under {least:e} m, too small for its distance from the origin; \
                 move the polygon nearer to the origin or remove the feature"
            ),
            Self::HoleOutside { loop_index } => {
                write!(
                    f,
                    "hole {loop_index} is not inside the outer border; move or remove it"
                )
            }
            Self::HoleInHole { loop_index } => {
                write!(
                    f,
                    "hole {loop_index} is inside another hole; make it a polygon of its own"
                )
            }
        }
    }
}

impl core::error::Error for ConcavePolygonError {}

impl ConcavePolygon {
    /// A polygon from its former [`ConcavePolygon::points`] and ends of loops, for polygons that were stored elsewhere
    /// meanwhile. Only the conditions of memory safety and range are checked again; with points that never passed
    /// [`ConcavePolygon::new`], splitting and decomposing may give errors or nonsense. O(n).
    ///
    /// # Errors
    ///
    /// Too few vertices in a loop (ends that do not rise to the number of points count as such), or coordinates out of
    /// range.
    pub fn from_saved(points: Vec<DVec2>, loop_ends: Vec<u32>) -> Result<Self, ConcavePolygonError> {
        let mut start = 0;
        for (loop_index, &end) in loop_ends.iter().enumerate() {
            if end < start + 3 || end as usize > points.len() {
                return Err(ConcavePolygonError::TooFewVertices {
                    loop_index: loop_index as u32,
                    count: end.saturating_sub(start),
                });
            }
            start = end;
        }
        if loop_ends.is_empty() || start as usize != points.len() {
            return Err(ConcavePolygonError::TooFewVertices {
                loop_index: loop_ends.len() as u32,
                count: points.len() as u32 - start,
            });
        }
        match points.iter().position(|&point| !in_range(point)) {
            Some(vertex) => Err(ConcavePolygonError::OutOfRange {
                vertex: vertex as u32,
            }),
            None => Ok(Self::from_sound_parts(points, loop_ends)),
        }
    }

    /// A polygon whose invariants the caller has established.
    pub(super) fn from_sound_parts(points: Vec<DVec2>, loop_ends: Vec<u32>) -> Self {
        Self {
            farthest: farthest(&points),
            points,
            loop_ends,
        }
    }

    /// The greatest magnitude of a coordinate, in meters.
    #[inline]
    pub(super) fn farthest(&self) -> f64 {
        self.farthest
    }

    /// The vertices of all loops, one loop after the other.
    pub fn points(&self) -> &[DVec2] {
        &self.points
    }

    /// One past the last vertex of each loop.
    pub fn loop_ends(&self) -> &[u32] {
        &self.loop_ends
    }

    /// The number of loops: the border and the holes.
    pub fn loop_count(&self) -> usize {
        self.loop_ends.len()
    }

    /// The numbers of the vertices of a loop; loop 0 is the outer border.
    ///
    /// # Panics
    ///
    /// If there is no such loop.
    #[inline]
    pub fn loop_range(&self, loop_index: usize) -> core::ops::Range<usize> {
        let start = match loop_index {
            0 => 0,
            _ => self.loop_ends[loop_index - 1] as usize,
        };
        start..self.loop_ends[loop_index] as usize
    }

    /// The vertices of a loop; loop 0 is the outer border.
    ///
    /// # Panics
    ///
    /// If there is no such loop.
    pub fn loop_points(&self, loop_index: usize) -> &[DVec2] {
        &self.points[self.loop_range(loop_index)]
    }

    /// The vertex after `vertex` in its loop, at which edge `vertex` ends. O(log loops).
    ///
    /// # Panics
    ///
    /// If there is no such vertex.
    pub fn next(&self, vertex: usize) -> usize {
        let loop_index = self.loop_ends.partition_point(|&end| end as usize <= vertex);
        let range = self.loop_range(loop_index);
        if vertex + 1 == range.end {
            range.start
        } else {
            vertex + 1
        }
    }

    /// Whether a point lies inside or on a border, that of a hole included. Exact; not for a point that is not finite. O(n).
    ///
    /// ```
    /// use glam::DVec2;
    /// use tombolo_geometry::split::ConcavePolygon;
    /// let corner = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]].map(DVec2::from_array);
    /// let corner = ConcavePolygon::new(&corner)?;
    /// assert!(corner.contains(DVec2::new(1.5, 1.0)));
    /// assert!(!corner.contains(DVec2::new(1.5, 1.5)));
    /// # Ok::<(), tombolo_geometry::split::ConcavePolygonError>(())
    /// ```
    pub fn contains(&self, point: DVec2) -> bool {
        let seen_from = |loop_index| locate(point, self.loop_points(loop_index).iter().copied());
        match seen_from(0) {
            PointLocation::Outside => false,
            PointLocation::Border => true,
            PointLocation::Inside => {
                (1..self.loop_count()).all(|hole| seen_from(hole) != PointLocation::Inside)
            }
        }
    }

    /// The area inside, in square meters. O(n).
    pub fn area(&self) -> f64 {
        self.measure().area
    }

    /// The center of the area, in meters. O(n).
    pub fn centroid(&self) -> DVec2 {
        self.measure().centroid(self.points[0])
    }

    fn measure(&self) -> Measure {
        let mut measure = Measure::default();
        for loop_index in 0..self.loop_count() {
            measure.add_loop(self.loop_points(loop_index).iter().copied(), self.points[0]);
        }
        measure
    }
}

/// The area and first moment of loops, summed up relative to a point near them so that few digits cancel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measure {
    /// Area in square meters, negative for clockwise loops.
    pub(super) area: f64,
    /// First moment in cubic meters: the area times the centroid's distance from the reference point.
    moment: DVec2,
    /// The area without cancellation: its product with the machine's precision bounds the area's error.
    magnitude: f64,
    vertex_count: u32,
}

impl Measure {
    /// Adds a loop of points, relative to `reference`.
    #[inline]
    pub(super) fn add_loop(&mut self, points: impl Iterator<Item = DVec2>, reference: DVec2) {
        let mut points = points.map(|p| p - reference);
        let Some(first) = points.next() else { return };
        self.add_path(first, points.chain([first]));
    }

    /// Adds a loop of points, relative to its first one: the triangles of the first edge and the last have no area.
    /// Returns whether two neighbors may coincide: then their triangle has none either.
    #[inline]
    pub(super) fn add_loop_about_first(&mut self, mut points: impl Iterator<Item = DVec2>) -> bool {
        let Some(first) = points.next() else { return false };
        let mut points = points.map(|p| p - first);
        let Some(second) = points.next() else { return false };
        let (last, is_flat) = self.add_path(second, points);
        self.vertex_count += 2;
        is_flat | (second == DVec2::ZERO) | (last == DVec2::ZERO)
    }

    /// Adds the triangles of the edges from a point along some others with the origin. Returns the last point, and
    /// whether any triangle has no area.
    #[inline]
    fn add_path(&mut self, mut a: DVec2, points: impl Iterator<Item = DVec2>) -> (DVec2, bool) {
        let mut sum = Self::default();
        let mut is_flat = false;
        points.for_each(|b| {
            let (left, right) = (a.x * b.y, a.y * b.x);
            let cross = left - right;
            is_flat |= cross == 0.0;
            sum.area += cross;
            sum.moment += (a + b) * cross;
            sum.magnitude += left.abs() + right.abs();
            sum.vertex_count += 1;
            a = b;
        });
        self.area += 0.5 * sum.area;
        self.moment += sum.moment * (1.0 / 6.0);
        self.magnitude += 0.5 * sum.magnitude;
        self.vertex_count += sum.vertex_count;
        (a, is_flat)
    }

    /// The center of the area; the reference point itself if there is none.
    pub(super) fn centroid(&self, reference: DVec2) -> DVec2 {
        if self.area == 0.0 {
            reference
        } else {
            reference + self.moment / self.area
        }
    }

    /// The bound of the error of [`Measure::area`], in square meters: each product carries three roundings of half a
    /// step, and the sum one for each term.
    pub(super) fn area_error(&self) -> f64 {
        (f64::from(self.vertex_count) + 3.0) * f64::EPSILON * self.magnitude
    }
}

/// The size below which a feature is refused, for points of these coordinates, in meters.
pub(super) fn least_feature(points: &[DVec2]) -> f64 {
    farthest(points) * FEATURE_SIZE_RELATIVE
}

fn farthest(points: &[DVec2]) -> f64 {
    points.iter().fold(0.0f64, |m, p| m.max(p.abs().max_element()))
}
