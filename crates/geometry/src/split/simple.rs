//! Predicates of loops: their direction, whether a point is inside, how two edges meet. All exact; used when a polygon
//! is checked, and to find the piece that a hole belongs to.

use super::line::turn;
use glam::DVec2;

/// The position of a point relative to a loop.
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

/// The contact of two edges.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    Apart,
    Touch,
    Cross,
}

/// The direction of a loop: positive for a counter-clockwise one, negative for a clockwise one. Exact for simple loops:
/// the vertex that is lowest, then leftmost, is a corner of the hull, so the turn there is the turn of the loop.
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

/// The position of a point, by counting the edges that a ray to the right crosses. Exact.
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
        // Each edge includes its lower end and not its upper one, so that a ray through a vertex counts once.
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

/// Whether a point is strictly inside a loop.
pub(super) fn is_inside(point: DVec2, points: &[DVec2]) -> bool {
    locate(point, points.iter().copied()) == PointLocation::Inside
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
