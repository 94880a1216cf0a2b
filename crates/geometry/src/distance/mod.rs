//! How far apart shapes are, and when they meet.
//!
//! Here live [`distance`] and [`closest_point`]; `cast.rs` moves a shape along a line, `impact.rs` follows two bodies
//! that move and turn. All of them are pure functions in the frame of the first shape.
//!
//! Cores have at most eight vertices, so the nearest features are found directly, by comparing all edges, and not by
//! an iteration such as that of Gilbert, Johnson and Keerthi: nothing can fail to converge, however short an edge or
//! thin a shape, and the time is the same for all poses.

mod cast;
mod impact;

pub use cast::{ShapeHit, cast_shape};
pub use impact::{
    IMPACT_TARGET, IMPACT_TOLERANCE, ImpactState, Sweep, TimeOfImpact, stays_apart, time_of_impact,
};

use crate::math::{Pose, cross};
use crate::shape::{Moved, Outline, Shape, best_face, closest_on_segment, facing_edge};
use glam::Vec2;

crate::plain_data! {
    /// The nearest points of two shapes, in the frame of the first.
    #[derive(Debug, Default, PartialEq)]
    pub struct Distance {
        /// Metres between the surfaces; 0 if they touch or overlap.
        pub distance: f32,
        /// The unit vector from the first shape to the second; zero if the cores overlap.
        pub normal: Vec2,
        /// The nearest point of the first shape. Where the shapes overlap this is a point they share, or nearly so.
        pub point_a: Vec2,
        /// The nearest point of the second shape; equal to `point_a` where the shapes overlap.
        pub point_b: Vec2,
    }
}

/// The nearest points of `a` and `b`, with `b` at `b_in_a` in the frame of `a`.
///
/// No panic for valid shapes; a pose that is not a number gives numbers that are none. The cost grows with the product
/// of the vertex counts.
///
/// The method: of all faces of two convex cores that are apart, the one with the greatest separation belongs to the
/// pair of nearest features. (Separation along a turning axis rises towards the direction of the nearest points and
/// falls behind it, so the best face is next to that direction.)
///
/// ```
/// use tombolo_geometry::{Pose, Vec2, distance::distance, shape::Shape};
/// let box_ = Shape::rectangle(1.0, 1.0)?;
/// let ball = Shape::circle(Vec2::ZERO, 0.5)?;
/// let found = distance(&box_, &ball, Pose::new(Vec2::new(4.0, 5.0), 0.0));
/// assert_eq!(found.distance, 4.5); // a 3-4-5 triangle from corner to centre, less the radius
/// assert_eq!(found.point_a, Vec2::new(1.0, 1.0));
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn distance(a: &Shape, b: &Shape, b_in_a: Pose) -> Distance {
    let (on_a, on_b) = nearest_core_points(a, b, b_in_a);
    let offset = on_b - on_a;
    let between_cores = offset.length();
    if between_cores <= 0.0 {
        return Distance {
            point_a: on_a,
            point_b: on_a,
            ..Distance::default()
        };
    }
    let normal = offset / between_cores;
    let distance = between_cores - a.radius - b.radius;
    if distance <= 0.0 {
        // On the line between the cores, the middle of what both radii cover.
        let from = (between_cores - b.radius).max(0.0);
        let to = between_cores.min(a.radius);
        let shared = on_a + 0.5 * (from + to) * normal;
        return Distance {
            distance: 0.0,
            normal,
            point_a: shared,
            point_b: shared,
        };
    }
    Distance {
        distance,
        normal,
        point_a: on_a + a.radius * normal,
        point_b: on_b - b.radius * normal,
    }
}

/// The point of a solid shape nearest to `point`, both in the shape's own frame: the point itself if it lies inside.
///
/// ```
/// use tombolo_geometry::{Vec2, distance::closest_point, shape::Shape};
/// let plank = Shape::rectangle(2.0, 0.1)?;
/// assert_eq!(closest_point(&plank, Vec2::new(5.0, 0.0)), Vec2::new(2.0, 0.0));
/// assert_eq!(closest_point(&plank, Vec2::new(1.0, 0.0)), Vec2::new(1.0, 0.0));
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn closest_point(shape: &Shape, point: Vec2) -> Vec2 {
    let on_core = shape.core_closest_point(point);
    let offset = point - on_core;
    let distance = offset.length();
    if distance <= shape.radius {
        point
    } else {
        on_core + shape.radius / distance * offset
    }
}

/// The nearest points of two cores in the frame of `a`; one point twice if they overlap.
fn nearest_core_points(a: &Shape, b: &Shape, b_in_a: Pose) -> (Vec2, Vec2) {
    if b.count == 1 {
        let point = b_in_a.transform_point(b.vertices[0]);
        return (a.core_closest_point(point), point);
    }
    if a.count == 1 {
        let point = a.vertices[0];
        let on_b = b.core_closest_point(b_in_a.inverse_transform_point(point));
        return (point, b_in_a.transform_point(on_b));
    }
    let moved = Moved::new(b, b_in_a);
    let (a, b) = (a.outline(), moved.outline());
    let face_a = best_face(&a, b.vertices);
    let face_b = best_face(&b, a.vertices);
    // Two lines have no inside, and their edges' normals do not see a gap between lines end to end.
    let lines = a.vertices.len() == 2 && b.vertices.len() == 2;
    let overlap = face_a.separation.max(face_b.separation) <= 0.0;
    if overlap && !lines {
        let shared = shared_point(&a, &b);
        return (shared, shared);
    }
    if face_a.separation >= face_b.separation {
        nearest_on_edges(&a, &b, face_a.index)
    } else {
        let (on_b, on_a) = nearest_on_edges(&b, &a, face_b.index);
        (on_a, on_b)
    }
}

/// A point of two overlapping outlines: a vertex of one inside the other, or else a point where edges cross.
fn shared_point(a: &Outline<'_>, b: &Outline<'_>) -> Vec2 {
    // The vertex that is deepest, also where rounding lets outlines that only touch have no such point at all.
    let mut deepest = (a.vertices[0], f32::INFINITY);
    for (outline, other) in [(a, b), (b, a)] {
        for &vertex in outline.vertices {
            let separation = best_face(other, &[vertex]).separation;
            if separation < deepest.1 {
                deepest = (vertex, separation);
            }
        }
    }
    if deepest.1 < 0.0 {
        return deepest.0;
    }
    for p in 0..a.vertices.len() {
        for r in 0..b.vertices.len() {
            let (q, s) = (a.next(p), b.next(r));
            if let Some(point) = crossing(a.vertices[p], a.vertices[q], b.vertices[r], b.vertices[s]) {
                return point;
            }
        }
    }
    deepest.0
}

/// The nearest points of a face and of the edge that looks at it. One point twice where the two cross.
fn nearest_on_edges(outline: &Outline<'_>, other: &Outline<'_>, face: usize) -> (Vec2, Vec2) {
    let edge = facing_edge(other, outline.normals[face]);
    let (p, q) = (outline.vertices[face], outline.vertices[outline.next(face)]);
    let (r, s) = (other.vertices[edge], other.vertices[other.next(edge)]);
    if let Some(crossing) = crossing(p, q, r, s) {
        return (crossing, crossing);
    }
    // Lines that do not cross are nearest at an end of one of them.
    let mut best = (closest_on_segment(p, q, r), r);
    for candidate in [
        (closest_on_segment(p, q, s), s),
        (p, closest_on_segment(r, s, p)),
        (q, closest_on_segment(r, s, q)),
    ] {
        if candidate.0.distance_squared(candidate.1) < best.0.distance_squared(best.1) {
            best = candidate;
        }
    }
    best
}

/// Where two segments cross in their insides.
fn crossing(p: Vec2, q: Vec2, r: Vec2, s: Vec2) -> Option<Vec2> {
    let (r_side, s_side) = (cross(q - p, r - p), cross(q - p, s - p));
    let (p_side, q_side) = (cross(s - r, p - r), cross(s - r, q - r));
    if r_side * s_side < 0.0 && p_side * q_side < 0.0 {
        Some(p + p_side / (p_side - q_side) * (q - p))
    } else {
        None
    }
}
