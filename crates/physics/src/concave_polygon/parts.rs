//! The convex parts of a concave polygon, which collide with other bodies.
//!
//! Parts meet along lines from corner to corner. Corners at which the border is straight are removed first, so that a
//! body which slides along a straight side never meets the seam of two parts there: every remaining seam ends at a
//! convex or concave corner.

use crate::{PhysicsError, Shape, ShapeError};
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use tombolo_geometry::split::{ConcavePolygon, PART_VERTEX_COUNT_MAX, decompose};

/// The greatest distance in meters of a corner that is left out from the border without it: far below the effect on
/// contacts, far above the rounding of a cut.
const STRAIGHT_M: f64 = 1.0e-5;

/// The parts of a concave polygon as shapes; slivers thinner than a shape may be are omitted, so that there may be
/// none.
///
/// # Errors
///
/// If the concave polygon crosses itself, or is too large for shapes.
pub(crate) fn convex_parts(
    concave_polygon: &ConcavePolygon,
    radius: f32,
) -> Result<Vec<Shape>, PhysicsError> {
    let straight = straightened(concave_polygon);
    if let Some(concave_polygon) = &straight
        && let Ok(parts) = parts_of(concave_polygon, radius)
    {
        return Ok(parts);
    }
    parts_of(concave_polygon, radius)
}

fn parts_of(concave_polygon: &ConcavePolygon, radius: f32) -> Result<Vec<Shape>, PhysicsError> {
    let mut shapes = Vec::new();
    let mut add = |part: &[u32]| -> Result<(), PhysicsError> {
        let mut points = [Vec2::ZERO; PART_VERTEX_COUNT_MAX];
        for (point, &vertex) in points.iter_mut().zip(part) {
            *point = concave_polygon.points()[vertex as usize].as_vec2();
        }
        match Shape::polygon(&points[..part.len()], radius) {
            Ok(shape) => shapes.push(shape),
            Err(ShapeError::Degenerate { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    };
    if is_one_part(concave_polygon) {
        let all: Vec<u32> = (0..concave_polygon.points().len() as u32).collect();
        add(&all)?;
        return Ok(shapes);
    }
    let parts = decompose(concave_polygon).map_err(PhysicsError::Decompose)?;
    for part in parts.iter() {
        add(part)?;
    }
    Ok(shapes)
}

/// Whether a concave polygon is convex and small enough to be a shape as it is: the fast path for most pieces.
fn is_one_part(concave_polygon: &ConcavePolygon) -> bool {
    let points = concave_polygon.points();
    let count = points.len();
    let turns_left = |index: usize| {
        let [a, b, c] = [0, 1, 2].map(|step| points[(index + step) % count]);
        (b - a).perp_dot(c - b) > 0.0
    };
    // The border does not cross itself, so left turns alone cannot wind around twice.
    concave_polygon.loop_count() == 1 && count <= PART_VERTEX_COUNT_MAX && (0..count).all(turns_left)
}

/// The concave polygon without its straight corners; `None` if it has none, or if a loop would vanish.
fn straightened(concave_polygon: &ConcavePolygon) -> Option<ConcavePolygon> {
    let mut points = Vec::with_capacity(concave_polygon.points().len());
    let mut loop_ends = Vec::with_capacity(concave_polygon.loop_count());
    for loop_index in 0..concave_polygon.loop_count() {
        let corners = concave_polygon.loop_points(loop_index);
        let start = points.len();
        let is_kept = bent_corners(corners);
        let bent = corners.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
        points.extend(bent.map(|(&corner, _)| corner));
        if points.len() < start + 3 {
            return None;
        }
        loop_ends.push(points.len() as u32);
    }
    if points.len() == concave_polygon.points().len() {
        return None;
    }
    ConcavePolygon::from_saved(points, loop_ends).ok()
}

/// For each corner of a loop whether it is needed: between two that are, all others are within [`STRAIGHT_M`] of the line.
///
/// From the last corner that is needed, the directions that pass all corners since near enough are a narrow sector (J.
/// Sklansky, V. Gonzalez, *Fast polygonal approximation of digitized curves*, 1980). The first is the corner farthest from
/// the middle, which lies on no straight side; of several the first of the loop.
fn bent_corners(corners: &[DVec2]) -> Vec<bool> {
    let count = corners.len();
    let middle = corners.iter().sum::<DVec2>() / count as f64;
    let out = |index: usize| corners[index].distance_squared(middle);
    let first = (1..count).fold(0, |best, index| if out(index) > out(best) { index } else { best });
    let mut is_kept = alloc::vec![false; count];
    is_kept[first] = true;
    let (mut before, mut sector) = (corners[first], Sector::ALL);
    for step in 1..count {
        let index = (first + step) % count;
        let (corner, after) = (corners[index], corners[(index + 1) % count]);
        let along = after - before;
        let lies_between = along.dot(corner - before) > 0.0 && along.dot(after - corner) > 0.0;
        sector.narrow(corner - before);
        if !(lies_between && sector.has(along)) {
            is_kept[index] = true;
            (before, sector) = (corner, Sector::ALL);
        }
    }
    is_kept
}

/// The directions from a point that pass some others within [`STRAIGHT_M`].
#[derive(Clone, Copy)]
struct Sector {
    /// The first and the last direction, counter-clockwise; `None` if all directions pass.
    ends: Option<[DVec2; 2]>,
}

impl Sector {
    const ALL: Self = Self { ends: None };

    /// Keeps the directions that pass one more point at this offset.
    fn narrow(&mut self, offset: DVec2) {
        let distance = offset.length();
        if distance <= STRAIGHT_M {
            return;
        }
        let sin = STRAIGHT_M / distance;
        let turn = DVec2::new(libm::sqrt(1.0 - sin * sin), sin);
        let to = offset / distance;
        let [right, left] = [DVec2::new(turn.x, -turn.y).rotate(to), turn.rotate(to)];
        let [first, last] = self.ends.unwrap_or([right, left]);
        self.ends = Some([
            if first.perp_dot(right) > 0.0 { right } else { first },
            if last.perp_dot(left) < 0.0 { left } else { last },
        ]);
    }

    fn has(&self, direction: DVec2) -> bool {
        self.ends
            .is_none_or(|[first, last]| first.perp_dot(direction) >= 0.0 && direction.perp_dot(last) >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_seam_ends_on_a_straight_side() {
        // A notched bar whose top has straight corners, as a user's level may have.
        let mut points: Vec<DVec2> = [(0.0, 0.0), (2.0, 0.0), (2.5, 0.4), (3.0, 0.0), (10.0, 0.0)]
            .map(|(x, y)| DVec2::new(x, y))
            .to_vec();
        points.extend((0..20).map(|i| DVec2::new(10.0 - 0.5 * f64::from(i), 1.0)));
        points.push(DVec2::new(0.0, 1.0));
        let concave_polygon = ConcavePolygon::new(&points).unwrap();
        let parts = convex_parts(&concave_polygon, 0.0).unwrap();
        let seams = parts
            .iter()
            .flat_map(|part| part.vertices())
            .filter(|v| v.y == 1.0 && v.x > 0.0 && v.x < 10.0);
        assert_eq!(seams.count(), 0);
        let area: f32 = parts.iter().map(|part| part.mass_properties(1.0).mass).sum();
        assert!((area - 9.8).abs() < 1e-4, "{area}");
    }

    #[test]
    fn slivers_are_left_out() {
        let thin = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0e-5), (0.0, 1.0e-5)].map(|(x, y)| DVec2::new(x, y));
        assert!(
            convex_parts(&ConcavePolygon::new(&thin).unwrap(), 0.0)
                .unwrap()
                .is_empty()
        );
    }
}
