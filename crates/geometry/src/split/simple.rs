//! Is a polygon simple? In which direction does it run, what lies inside? All exact; used when a polygon is checked,
//! and to find the piece that a hole belongs to.

use super::concave_polygon::{ConcavePolygon, ConcavePolygonError, least_feature};
use super::line::turn;
use alloc::vec::Vec;
use glam::DVec2;

/// Where a point lies, seen from a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointLocation {
    Inside,
    Border,
    Outside,
}

/// An edge in the sweep, with its box grown by the least feature.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepEdge {
    pub(super) index: u32,
    /// The edge that starts where this one ends.
    pub(super) follower: u32,
    pub(super) start: DVec2,
    pub(super) end: DVec2,
    pub(super) min: DVec2,
    pub(super) max: DVec2,
}

impl SweepEdge {
    pub(super) fn new(index: u32, follower: u32, start: DVec2, end: DVec2, least: f64) -> Self {
        Self {
            index,
            follower,
            start,
            end,
            min: start.min(end) - least,
            max: start.max(end) + least,
        }
    }
}

/// How two edges meet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    Apart,
    Touch,
    Cross,
}

/// Positive for a counter-clockwise loop, negative for a clockwise one. Exact for simple loops: the vertex that is
/// lowest, then leftmost, is a corner of the hull, so the turn there is the turn of the loop.
pub(super) fn orientation(points: &[DVec2]) -> f64 {
    let lower = |a: DVec2, b: DVec2| a.y < b.y || (a.y == b.y && a.x < b.x);
    let mut lowest = 0;
    for index in 1..points.len() {
        if lower(points[index], points[lowest]) {
            lowest = index;
        }
    }
    let count = points.len();
    let before = points[(lowest + count - 1) % count];
    let after = points[(lowest + 1) % count];
    turn(before, points[lowest], after)
}

/// Whether all points lie on one line. The first two differ.
pub(super) fn is_flat(points: &[DVec2]) -> bool {
    points.iter().all(|&p| turn(points[0], points[1], p) == 0.0)
}

/// Where a point lies, by counting the edges that a ray to the right crosses. Exact.
pub(super) fn locate(point: DVec2, points: impl Iterator<Item = DVec2> + Clone) -> PointLocation {
    let Some(mut a) = points.clone().last() else {
        return PointLocation::Outside;
    };
    let mut inside = false;
    for b in points {
        let level = a.y == point.y && b.y == point.y;
        if b == point || (level && (a.x < point.x) != (b.x < point.x)) {
            return PointLocation::Border;
        }
        // Each edge holds its lower end and not its upper one, so that a ray through a vertex counts once.
        if (a.y <= point.y) != (b.y <= point.y) {
            let side = turn(a, b, point);
            if side == 0.0 {
                return PointLocation::Border;
            }
            inside ^= (side > 0.0) == (b.y > a.y);
        }
        a = b;
    }
    if inside {
        PointLocation::Inside
    } else {
        PointLocation::Outside
    }
}

/// Whether a point lies strictly inside a loop.
pub(super) fn is_inside(point: DVec2, points: &[DVec2]) -> bool {
    locate(point, points.iter().copied()) == PointLocation::Inside
}

/// Checks that no edges cross, touch, fold back or come nearer than the least feature.
///
/// Sweep and prune (D. Baraff, 1992) along the axis on which the edges are shorter in sum; of what is wrong the pair
/// that the sweep meets first is reported.
pub(super) fn check(polygon: &ConcavePolygon) -> Result<(), ConcavePolygonError> {
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
    // In a triangle the far ends may not come near the other edge either; there every pair is a corner.
    if is_near(first.start, second, least) || is_near(second.end, first, least) {
        let edge = first.index;
        return Err(ConcavePolygonError::TooSmall { edge, least });
    }
    Ok(())
}

pub(super) fn meeting(a: SweepEdge, b: SweepEdge) -> Meeting {
    let b_start = turn(a.start, a.end, b.start);
    let b_end = turn(a.start, a.end, b.end);
    let a_start = turn(b.start, b.end, a.start);
    let a_end = turn(b.start, b.end, a.end);
    let opposite = |x: f64, y: f64| (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0);
    if opposite(b_start, b_end) && opposite(a_start, a_end) {
        return Meeting::Cross;
    }
    let within = |p: DVec2, e: SweepEdge| (p.cmpge(e.start.min(e.end)) & p.cmple(e.start.max(e.end))).all();
    let touch = (b_start == 0.0 && within(b.start, a))
        || (b_end == 0.0 && within(b.end, a))
        || (a_start == 0.0 && within(a.start, b))
        || (a_end == 0.0 && within(a.end, b));
    if touch { Meeting::Touch } else { Meeting::Apart }
}

/// Whether a point is nearer to an edge than the least feature.
fn is_near(point: DVec2, edge: SweepEdge, least: f64) -> bool {
    let along = edge.end - edge.start;
    let t = ((point - edge.start).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    (edge.start + along * t - point).length_squared() < least * least
}
