//! Linear shape casts: a shape that moves along a straight line, without turning, until it meets another.
//!
//! Where two convex shapes first touch, a vertex of one core lies on the other core's border or at the sum of the radii
//! from it. So each vertex of one is cast as a ray against the other, its radius grown to that sum, and the first hit
//! counts: exact up to rounding, and not an iteration that has to converge. A half-space is met by the vertex that is
//! nearest to its line.

use super::nearest::{Distance, NOISE, distance};
use crate::math::Pose;
use crate::shape::{Course, LANES, RayHit, Shape};
use glam::Vec2;

crate::plain_data! {
    /// The hit of a moving shape on another one.
    #[derive(Debug, Default, PartialEq)]
    pub struct ShapeHit {
        /// The fraction of the translation at the hit, from 0 to the cast's `max_fraction`.
        pub fraction: f32,
        /// The unit vector from the first shape to the moving one, in the frame of the first; zero if the two
        /// overlapped from the start.
        pub normal: Vec2,
        /// The contact point, in the frame of the first shape.
        pub point: Vec2,
    }
}

/// Moves `b`, which begins at `b_in_a` in the frame of `a`, by up to `max_fraction` of `translation` until it meets
/// `a`. Meters, in the frame of `a`.
///
/// Shapes that overlap or touch at the start hit at once: fraction 0, normal zero. `None` if they do not meet, and for numbers
/// that are not finite or a negative `max_fraction`.
///
/// ```
/// use tombolo_geometry::{Pose, Vec2, distance::cast_shape, shape::Shape};
/// let wall = Shape::new_box(2.0, 10.0)?;
/// let crate_ = Shape::new_box(1.0, 1.0)?;
/// let start = Pose::new(Vec2::new(-5.5, 0.0), 0.0);
/// let hit = cast_shape(&wall, &crate_, start, Vec2::new(8.0, 0.0), 1.0).unwrap();
/// assert_eq!(hit.fraction, 0.5);
/// assert_eq!(hit.normal, Vec2::NEG_X);
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn cast_shape(
    a: &Shape,
    b: &Shape,
    b_in_a: Pose,
    translation: Vec2,
    max_fraction: f32,
) -> Option<ShapeHit> {
    let course = Course::new(translation, max_fraction)?;
    if !b_in_a.is_valid() {
        return None;
    }
    let start = distance(a, b, b_in_a);
    if start.distance <= 0.0 {
        return Some(ShapeHit {
            fraction: 0.0,
            normal: Vec2::ZERO,
            point: start.point_a,
        });
    }
    if a.is_half_space() || b.is_half_space() {
        return cast_half_space(a, b, b_in_a, translation, max_fraction);
    }
    let reach = a.radius + b.radius;
    if reach == 0.0 && are_in_line(a, b, b_in_a, translation) {
        return end_to_end(a, b, b_in_a, translation, max_fraction);
    }
    let mut first: Option<ShapeHit> = None;
    let mut keep = |hit: ShapeHit| {
        if first.is_none_or(|known| hit.fraction < known.fraction) {
            first = Some(hit);
        }
    };
    let to_a = |vertex| b_in_a.transform_point(vertex);
    from_vertices(b, to_a, (a, reach, &course), |_, hit| {
        let normal = or_at_start(hit.normal, &start);
        keep(ShapeHit {
            fraction: hit.fraction,
            normal,
            point: hit.point - b.radius * normal,
        });
    });
    // Seen from `b`, it is `a` that moves, in the opposite direction. Turned, the longest numbers may be too long.
    let Some(opposite) = Course::new(b_in_a.rotation.unrotate(-translation), max_fraction) else {
        return first;
    };
    let to_b = |vertex| b_in_a.inverse_transform_point(vertex);
    from_vertices(a, to_b, (b, reach, &opposite), |vertex, hit| {
        let normal = or_at_start(-b_in_a.rotation.rotate(hit.normal), &start);
        keep(ShapeHit {
            fraction: hit.fraction,
            normal,
            point: vertex + a.radius * normal,
        });
    });
    first
}

/// Casts the vertices of a shape, each moved to the frame of the other shape, on a course against that shape with another
/// radius, and calls `hit` for those that meet it, in their order, each with the vertex where it was.
#[inline]
fn from_vertices(
    shape: &Shape,
    to_other: impl Fn(Vec2) -> Vec2,
    (other, radius, course): (&Shape, f32, &Course),
    mut hit: impl FnMut(Vec2, RayHit),
) {
    for vertices in shape.vertices().chunks(LANES) {
        let mut origins = [to_other(vertices[0]); LANES];
        for (origin, &vertex) in origins.iter_mut().zip(vertices).skip(1) {
            *origin = to_other(vertex);
        }
        let met = other.may_be_met(radius, &origins, course);
        for (lane, &vertex) in vertices.iter().enumerate() {
            if met & 1 << lane != 0
                && let Some(found) = other.cast_when_rounded(radius, origins[lane], course)
            {
                hit(vertex, found);
            }
        }
    }
}

/// The normal of a hit; that of the start for a ray that begins on the border, which has none.
fn or_at_start(normal: Vec2, start: &Distance) -> Vec2 {
    if normal == Vec2::ZERO {
        start.normal
    } else {
        normal
    }
}

/// Whether two shapes are lines, and both they and the translation are along one, within rounding: then rays from one to
/// the other run along it.
fn are_in_line(a: &Shape, b: &Shape, b_in_a: Pose, translation: Vec2) -> bool {
    if a.count != 2 || b.count != 2 {
        return false;
    }
    let (origin, normal) = (a.vertices[0], a.normals[0]);
    let places = [0, 1].map(|end| b_in_a.transform_point(b.vertices[end]));
    let size = [origin, a.vertices[1], places[0], places[1]]
        .iter()
        .fold(0.0, |most: f32, place| most.max(place.abs().max_element()));
    normal.dot(translation).abs() <= NOISE * translation.abs().max_element()
        && places
            .iter()
            .all(|&place| normal.dot(place - origin).abs() <= NOISE * size)
}

/// Moves a line along itself until its end meets the end of another line, which is on the same one and apart from it.
fn end_to_end(a: &Shape, b: &Shape, b_in_a: Pose, translation: Vec2, max_fraction: f32) -> Option<ShapeHit> {
    let normal = a.normals[0];
    let along = Vec2::new(-normal.y, normal.x);
    let speed = along.dot(translation);
    let ahead = if speed < 0.0 { -along } else { along };
    let farthest = |[one, other]: [Vec2; 2], ahead: Vec2| {
        if ahead.dot(other - one) > 0.0 { other } else { one }
    };
    let end = farthest([a.vertices[0], a.vertices[1]], -ahead);
    let tip = farthest([0, 1].map(|end| b_in_a.transform_point(b.vertices[end])), ahead);
    let gap = ahead.dot(end - tip);
    let fraction = gap / speed.abs();
    (gap >= 0.0 && fraction <= max_fraction).then_some(ShapeHit {
        fraction,
        normal: -ahead,
        point: end,
    })
}

/// Like [`cast_shape`], for shapes that are apart, if one of them is a half-space.
#[cold]
fn cast_half_space(
    a: &Shape,
    b: &Shape,
    b_in_a: Pose,
    translation: Vec2,
    max_fraction: f32,
) -> Option<ShapeHit> {
    if a.is_half_space() {
        let entry = enter_half_space(a, b, b_in_a, translation, max_fraction)?;
        let normal = a.normals[0];
        let vertex = b_in_a.transform_point(entry.vertex) + entry.fraction * translation;
        return Some(ShapeHit {
            fraction: entry.fraction,
            normal,
            point: vertex - b.radius * normal,
        });
    }
    // Seen from `b`, it is `a` that moves, in the opposite direction.
    let opposite = b_in_a.rotation.unrotate(-translation);
    let entry = enter_half_space(b, a, b_in_a.to(Pose::IDENTITY), opposite, max_fraction)?;
    let normal = -b_in_a.rotation.rotate(b.normals[0]);
    Some(ShapeHit {
        fraction: entry.fraction,
        normal,
        point: entry.vertex + a.radius * normal,
    })
}

/// Where a moving shape meets a half-space.
struct HalfSpaceHit {
    fraction: f32,
    /// The vertex that is over the point where they touch, in the frame of the moving shape.
    vertex: Vec2,
}

/// Moves a shape that is apart from a half-space until they meet, in the frame of the half-space. The half-space is not
/// cut off anywhere, so the length of the way does not matter. Of a half-space that moves the point that defines its
/// line counts.
fn enter_half_space(
    half_space: &Shape,
    mover: &Shape,
    mover_in_half_space: Pose,
    translation: Vec2,
    max_fraction: f32,
) -> Option<HalfSpaceHit> {
    let height = |vertex: Vec2| half_space.height_over_line(mover_in_half_space.transform_point(vertex));
    let mut lowest = (mover.vertices[0], f32::INFINITY);
    for &vertex in mover.vertices() {
        let height = height(vertex);
        if height < lowest.1 {
            lowest = (vertex, height);
        }
    }
    let (vertex, height) = lowest;
    // In double precision the product is finite for every translation.
    let speed = -half_space.normals[0].as_dvec2().dot(translation.as_dvec2());
    // Shapes that are apart overlap by rounding at the most.
    let fraction = (f64::from((height - mover.radius).max(0.0)) / speed) as f32;
    (speed > 0.0 && fraction <= max_fraction).then_some(HalfSpaceHit { fraction, vertex })
}
