//! Signed distances of two surfaces, and the nearest feature of the second shape: the data that a character mover needs
//! about an obstacle.

use super::nearest::{EdgeOf, nearest_core_points, without_end};
use crate::collide::collide;
use crate::math::Pose;
use crate::shape::Shape;
use glam::Vec2;

/// The nearest places of two surfaces, in the frame of the first shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surfaces {
    /// Distance between the surfaces, in meters; below zero where they overlap.
    pub separation: f32,
    /// The unit vector from the first shape to the second.
    pub normal: Vec2,
    /// The nearest place on the surface of the second shape.
    pub point_b: Vec2,
    /// The vertex of the second shape that is nearest; `None` if it is the inside of an edge, or the cores overlap.
    pub corner_b: Option<u32>,
}

/// The separation of the surfaces of `a` and `b`, with `b` at `b_in_a` in the frame of `a`. `None` where a one-sided
/// chain segment has no contact within `reach` meters; other shapes have a result at any distance, and ignore `reach`.
///
/// Where only the radii overlap, the normal is that of the nearest points of the cores; where the cores do, that of the
/// contact manifold. A chain segment gives the same as in [`collide`], without the corners of its joints.
///
/// ```
/// use tombolo_geometry::{Pose, Vec2, distance::surfaces, shape::Shape};
/// let ball = Shape::circle(Vec2::ZERO, 0.5)?;
/// let floor = Shape::new_box(4.0, 1.0)?;
/// let found = surfaces(&ball, &floor, Pose::new(Vec2::new(0.0, -0.9), 0.0), 1.0).unwrap();
/// assert!((found.separation + 0.1).abs() < 1e-6); // they overlap by 10 cm
/// assert_eq!(found.normal, Vec2::NEG_Y);
/// assert_eq!(found.corner_b, None);
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn surfaces(a: &Shape, b: &Shape, b_in_a: Pose, reach: f32) -> Option<Surfaces> {
    if a.is_chain_segment() || b.is_chain_segment() {
        return from_manifold(a, b, b_in_a, reach);
    }
    if a.is_half_space() || b.is_half_space() {
        let [a, b] = without_end(a, b, b_in_a, reach.max(0.0));
        return surfaces(&a, &b, b_in_a, reach);
    }
    let nearest = nearest_core_points(a, b, b_in_a);
    if nearest.distance <= 0.0 {
        return from_manifold(a, b, b_in_a, reach.max(0.0));
    }
    let corner_b = match nearest.edge {
        Some(EdgeOf::B(_)) => None,
        _ => Some(nearest_vertex(b, b_in_a.inverse_transform_point(nearest.on_b))),
    };
    Some(Surfaces {
        separation: nearest.distance - a.radius - b.radius,
        normal: nearest.normal,
        point_b: nearest.on_b - b.radius * nearest.normal,
        corner_b,
    })
}

fn from_manifold(a: &Shape, b: &Shape, b_in_a: Pose, reach: f32) -> Option<Surfaces> {
    let manifold = collide(a, b, b_in_a, reach);
    let mut points = manifold.active_points().iter();
    let mut deepest = *points.next()?;
    for point in points {
        if point.separation < deepest.separation {
            deepest = *point;
        }
    }
    Some(Surfaces {
        separation: deepest.separation,
        normal: manifold.normal,
        point_b: deepest.point + 0.5 * deepest.separation * manifold.normal,
        corner_b: None,
    })
}

fn nearest_vertex(shape: &Shape, point: Vec2) -> u32 {
    let mut best = (0, f32::INFINITY);
    for (index, vertex) in (0..).zip(shape.vertices()) {
        let distance = vertex.distance_squared(point);
        if distance < best.1 {
            best = (index, distance);
        }
    }
    best.0
}
