//! The convex parts of a concave polygon, which collide with other bodies.
//!
//! Parts meet along lines from corner to corner. Corners at which the border is straight are removed first, so that a
//! body which slides along a straight side never meets the seam of two parts there: every remaining seam ends at a
//! convex or concave corner.

use crate::{PhysicsError, Shape, ShapeError};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::split::{ConcavePolygon, PART_VERTEX_COUNT_MAX, decompose};

/// The greatest distance in meters of a corner from the line of its neighbors to count as straight: far below the
/// effect on contacts, far above the rounding of a cut.
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
        let count = corners.len();
        for (index, &corner) in corners.iter().enumerate() {
            let before = if points.len() > start {
                points[points.len() - 1]
            } else {
                corners[(index + count - 1) % count]
            };
            let after = corners[(index + 1) % count];
            let along = (after - before).normalize_or_zero();
            let height = along.perp_dot(corner - before).abs();
            let lies_between = along.dot(corner - before) > 0.0 && along.dot(after - corner) > 0.0;
            if height > STRAIGHT_M || !lies_between {
                points.push(corner);
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

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
