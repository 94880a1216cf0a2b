//! Checks that points make a [`ConcavePolygon`]: simple, each loop in the right direction, the holes inside. All exact.

use super::concave_polygon::{ConcavePolygon, ConcavePolygonError, VERTEX_COUNT_MAX, least_feature};
use super::line::{in_range, turn};
use super::simple::{Meeting, SweepEdge, is_flat, is_inside, meeting, orientation};
use alloc::vec::Vec;
use glam::{DVec2, Vec2};

impl ConcavePolygon {
    /// A polygon without holes from its vertices, counter-clockwise, in meters.
    ///
    /// Costs O(n log n) where few edges overlap along one axis, O(n²) at worst; splitting does not check again.
    ///
    /// # Errors
    ///
    /// [`ConcavePolygonError`] names the first error; [`super::repair_polygon`] repairs what can be repaired.
    pub fn new(border: &[DVec2]) -> Result<Self, ConcavePolygonError> {
        Self::with_holes(border, &[])
    }

    /// A polygon with holes: the border counter-clockwise, each hole clockwise, in meters. Cost as
    /// [`ConcavePolygon::new`].
    ///
    /// # Errors
    ///
    /// [`ConcavePolygonError`] names the first error; [`super::repair_polygon`] repairs what can be repaired.
    ///
    /// ```
    /// use glam::DVec2;
    /// use tombolo_geometry::split::ConcavePolygon;
    /// let border = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]].map(DVec2::from_array);
    /// let hole = [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0]].map(DVec2::from_array);
    /// assert_eq!(ConcavePolygon::with_holes(&border, &[&hole]).unwrap().area(), 15.0);
    /// ```
    pub fn with_holes(border: &[DVec2], holes: &[&[DVec2]]) -> Result<Self, ConcavePolygonError> {
        let count = holes.iter().fold(border.len(), |sum, hole| sum + hole.len());
        if count > VERTEX_COUNT_MAX {
            return Err(ConcavePolygonError::TooManyVertices);
        }
        let mut points = Vec::with_capacity(count);
        let mut loop_ends = Vec::with_capacity(1 + holes.len());
        for of_loop in core::iter::once(&border).chain(holes) {
            points.extend_from_slice(of_loop);
            loop_ends.push(points.len() as u32);
        }
        let polygon = Self::from_sound_parts(points, loop_ends);
        check_loops(&polygon)?;
        check_edges(&polygon)?;
        check_orientation(&polygon)?;
        check_nesting(&polygon)?;
        Ok(polygon)
    }

    /// [`ConcavePolygon::new`] from points in single precision: every value is kept exactly.
    ///
    /// # Errors
    ///
    /// In the same cases as [`ConcavePolygon::new`].
    pub fn from_vec2(border: &[Vec2]) -> Result<Self, ConcavePolygonError> {
        let points: Vec<DVec2> = border.iter().map(|p| p.as_dvec2()).collect();
        Self::new(&points)
    }
}

/// Checks each loop by itself: count, range, repeated points and area.
fn check_loops(polygon: &ConcavePolygon) -> Result<(), ConcavePolygonError> {
    for loop_index in 0..polygon.loop_count() {
        let range = polygon.loop_range(loop_index);
        let loop_index = loop_index as u32;
        if range.len() < 3 {
            return Err(ConcavePolygonError::TooFewVertices {
                loop_index,
                count: range.len() as u32,
            });
        }
        if let Some(vertex) = range.clone().find(|&v| !in_range(polygon.points()[v])) {
            return Err(ConcavePolygonError::OutOfRange {
                vertex: vertex as u32,
            });
        }
        let mut before = range.end - 1;
        for vertex in range {
            if polygon.points()[before] == polygon.points()[vertex] {
                return Err(ConcavePolygonError::RepeatedPoint {
                    vertex: vertex as u32,
                });
            }
            before = vertex;
        }
        if is_flat(polygon.loop_points(loop_index as usize)) {
            return Err(ConcavePolygonError::ZeroArea { loop_index });
        }
    }
    Ok(())
}

/// Checks the direction of each loop. The loops are simple already.
fn check_orientation(polygon: &ConcavePolygon) -> Result<(), ConcavePolygonError> {
    for loop_index in 0..polygon.loop_count() {
        let is_counter_clockwise = orientation(polygon.loop_points(loop_index)) > 0.0;
        if is_counter_clockwise != (loop_index == 0) {
            let loop_index = loop_index as u32;
            return Err(ConcavePolygonError::WrongOrientation { loop_index });
        }
    }
    Ok(())
}

/// Checks that each hole is inside the border and in no other hole. No edges meet, so one vertex decides for its loop.
fn check_nesting(polygon: &ConcavePolygon) -> Result<(), ConcavePolygonError> {
    for hole in 1..polygon.loop_count() {
        let point = polygon.loop_points(hole)[0];
        let loop_index = hole as u32;
        if !is_inside(point, polygon.loop_points(0)) {
            return Err(ConcavePolygonError::HoleOutside { loop_index });
        }
        let inside = |other| other != hole && is_inside(point, polygon.loop_points(other));
        if (1..polygon.loop_count()).any(inside) {
            return Err(ConcavePolygonError::HoleInHole { loop_index });
        }
    }
    Ok(())
}

/// Checks that no edges cross, touch, fold back or come nearer than the least feature.
///
/// Sweep and prune (D. Baraff, 1992) along the axis on which the edges are shorter in sum; of all errors the pair that
/// the sweep meets first is reported.
fn check_edges(polygon: &ConcavePolygon) -> Result<(), ConcavePolygonError> {
    let least = least_feature(polygon.points());
    let mut edges = edges_of(polygon, least);
    let spread = edges.iter().fold(DVec2::ZERO, |sum, e| sum + (e.max - e.min));
    let axis = usize::from(spread.y < spread.x);
    edges.sort_unstable_by(|a, b| {
        a.min[axis]
            .total_cmp(&b.min[axis])
            .then_with(|| a.index.cmp(&b.index))
    });
    let mut open: Vec<SweepEdge> = Vec::new();
    for edge in edges {
        open.retain(|other| other.max[axis] >= edge.min[axis]);
        for &other in &open {
            let apart = (other.max.cmplt(edge.min) | edge.max.cmplt(other.min)).any();
            if !apart {
                let (low, high) = if other.index < edge.index {
                    (other, edge)
                } else {
                    (edge, other)
                };
                check_pair(low, high, least)?;
            }
        }
        open.push(edge);
    }
    Ok(())
}

fn edges_of(polygon: &ConcavePolygon, least: f64) -> Vec<SweepEdge> {
    let mut edges = Vec::with_capacity(polygon.points().len());
    for loop_index in 0..polygon.loop_count() {
        let range = polygon.loop_range(loop_index);
        for index in range.clone() {
            let start = polygon.points()[index];
            let next = if index + 1 == range.end {
                range.start
            } else {
                index + 1
            };
            let end = polygon.points()[next];
            edges.push(SweepEdge::new(index as u32, next as u32, start, end, least));
        }
    }
    edges
}

fn check_pair(low: SweepEdge, high: SweepEdge, least: f64) -> Result<(), ConcavePolygonError> {
    let (edge, other) = (low.index, high.index);
    for (first, second) in [(low, high), (high, low)] {
        if first.follower == second.index {
            return check_corner(first, second, least);
        }
    }
    match meeting(low, high) {
        Meeting::Cross => Err(ConcavePolygonError::EdgesCross { edge, other }),
        Meeting::Touch => Err(ConcavePolygonError::EdgesTouch { edge, other }),
        Meeting::Apart => {
            let near = is_near(low.start, high, least)
                || is_near(low.end, high, least)
                || is_near(high.start, low, least)
                || is_near(high.end, low, least);
            if near {
                Err(ConcavePolygonError::TooSmall { edge, least })
            } else {
                Ok(())
            }
        }
    }
}

/// Checks two edges of which the second starts where the first ends.
fn check_corner(first: SweepEdge, second: SweepEdge, least: f64) -> Result<(), ConcavePolygonError> {
    let straight = turn(first.start, first.end, second.end) == 0.0;
    if straight && (first.end - first.start).dot(second.end - second.start) < 0.0 {
        return Err(ConcavePolygonError::FoldsBack { vertex: second.index });
    }
    let long = |e: SweepEdge| (e.end - e.start).abs().max_element() >= least;
    for edge in [first, second] {
        if !long(edge) {
            let edge = edge.index;
            return Err(ConcavePolygonError::TooSmall { edge, least });
        }
    }
    // In a triangle the far ends may not come near the other edge either; there all pairs of edges share a corner.
    if is_near(first.start, second, least) || is_near(second.end, first, least) {
        let edge = first.index;
        return Err(ConcavePolygonError::TooSmall { edge, least });
    }
    Ok(())
}

/// Whether a point is nearer to an edge than the least feature.
fn is_near(point: DVec2, edge: SweepEdge, least: f64) -> bool {
    let along = edge.end - edge.start;
    let t = ((point - edge.start).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    (edge.start + along * t - point).length_squared() < least * least
}
