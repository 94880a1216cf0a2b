//! Contact manifolds of circles with circles, and with shapes that have edges.

use super::{Manifold, ManifoldPoint};
use crate::math::Pose;
use crate::shape::{Shape, closest_on_segment};
use glam::Vec2;

/// Below this distance in meters from a corner, the direction away from it is rounding noise.
const DIRECTION_DISTANCE_MIN: f32 = 1.0e-6;

/// The manifold of two circles.
pub(super) fn collide_circles(a: &Shape, b: &Shape, b_in_a: Pose, speculative_distance: f32) -> Manifold {
    let from = a.vertices[0];
    let to = b_in_a.transform_point(b.vertices[0]);
    let offset = to - from;
    let distance = offset.length();
    let normal = if distance > DIRECTION_DISTANCE_MIN {
        offset / distance
    } else {
        Vec2::Y
    };
    let point = between(from, to, normal, distance, a.radius, b.radius);
    single_or_apart(normal, point, speculative_distance)
}

/// The manifold of a capsule, segment or polygon `a` and a circle `b`.
pub(super) fn collide_polygon_and_circle(
    a: &Shape,
    b: &Shape,
    b_in_a: Pose,
    speculative_distance: f32,
) -> Manifold {
    let center = b_in_a.transform_point(b.vertices[0]);
    let (face, separation) = a.face_separation(center);
    let radii = a.radius + b.radius;
    if separation > radii + speculative_distance {
        return Manifold::apart(separation - radii);
    }
    let face_normal = a.normals[face];
    let mut normal = face_normal;
    let mut distance = separation;
    // A core of two points has no inside: beyond its ends even a center on its line is outside.
    if separation > 0.0 || a.count == 2 {
        let (from, to) = a.edge(face);
        let closest = closest_on_segment(from, to, center);
        let to_corner = center.distance(closest);
        if (closest == from || closest == to) && to_corner > DIRECTION_DISTANCE_MIN {
            normal = (center - closest) / to_corner;
            distance = to_corner;
        }
    }
    let on_core = center - distance * normal;
    let point = between(on_core, center, normal, distance, a.radius, b.radius);
    single_or_apart(normal, point, speculative_distance)
}

/// The manifold of one point, or the distance of the shapes if it exceeds the speculative distance.
fn single_or_apart(normal: Vec2, point: ManifoldPoint, speculative_distance: f32) -> Manifold {
    if point.separation > speculative_distance {
        return Manifold::apart(point.separation);
    }
    Manifold::single(normal, point, speculative_distance)
}

/// The point between the surfaces around two core points that are `distance` apart along `normal`. A circle has only
/// one feature that can touch, so the id is always 0 and warm starting survives rolling over corners.
#[inline]
fn between(
    on_a: Vec2,
    on_b: Vec2,
    normal: Vec2,
    distance: f32,
    radius_a: f32,
    radius_b: f32,
) -> ManifoldPoint {
    ManifoldPoint {
        point: 0.5 * ((on_a + radius_a * normal) + (on_b - radius_b * normal)),
        separation: distance - radius_a - radius_b,
        id: 0,
    }
}
