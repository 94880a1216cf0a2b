//! Contact manifolds of chain segments with other shapes: one-sided, and without corners at the ends where the chain
//! continues.
//!
//! A shape with its center behind the line does not touch it. Otherwise the segment is first treated as a plain one. A
//! normal that leans over one of its ends is kept only if the chain turns left there, so that the corner is convex, and
//! if the normal lies between those of the two segments that meet: then it is the corner's. Any other leaning normal
//! would stop a shape that slides along the chain at a seam that is no corner; the segment's own normal replaces it,
//! and only the part of a shape over the segment touches it. (After the Gauss maps in Gregorius, "The Separating Axis
//! Test", GDC 2013, and the ghost vertices of Box2D.)

use super::circle::collide_polygon_and_circle;
use super::polygon::{collide_polygons, collide_with_face};
use super::{Manifold, ManifoldPoint};
use crate::math::{Pose, cross};
use crate::shape::Shape;
use glam::Vec2;

/// The least turn of a chain that makes a corner, and the tolerance by which a normal may lie beyond the normals of the
/// two segments that meet there, as the sine of the angle: it covers rounding, and the noise of bodies that lie on the
/// chain. Where there is no corner, a normal that leans by less is not kept either: bodies that slide fast would climb
/// on it, seam by seam.
const NORMAL_TOLERANCE: f32 = 0.01;

/// The manifold of a chain segment `a` and a shape `b` that is not one.
pub(super) fn collide_chain(a: &Shape, b: &Shape, b_in_a: Pose, speculative_distance: f32) -> Manifold {
    if a.is_behind(b_in_a.transform_point(b.centroid)) {
        return Manifold::EMPTY;
    }
    let plain = if b.count == 1 {
        collide_polygon_and_circle(a, b, b_in_a, speculative_distance)
    } else {
        collide_polygons(a, b, b_in_a, speculative_distance)
    };
    if plain.count == 0 {
        return plain;
    }
    match classify_normal(a, plain.normal) {
        NormalKind::Segment | NormalKind::Corner => plain,
        NormalKind::Seam => collide_along_segment_normal(a, b, b_in_a, speculative_distance),
    }
}

/// The kinds of normals that a segment treated as a plain one gives.
enum NormalKind {
    /// The segment's own normal.
    Segment,
    /// A normal of a convex corner of the chain.
    Corner,
    /// A normal over an end where there is no corner, into the adjacent segment, or backwards.
    Seam,
}

fn classify_normal(segment: &Shape, normal: Vec2) -> NormalKind {
    if normal == segment.normals[0] {
        return NormalKind::Segment;
    }
    let [start, end] = [segment.vertices[0], segment.vertices[1]];
    let along = (end - start).normalize_or_zero();
    let over = normal.dot(along);
    if normal.dot(segment.normals[0]) <= 0.0 {
        return NormalKind::Seam;
    }
    // Bodies are to the right: the corner is convex where the chain turns left.
    let (corner, within) = if over < 0.0 {
        let before = (start - segment.vertices[2]).normalize_or_zero();
        (
            cross(before, along) > NORMAL_TOLERANCE,
            normal.dot(before) >= -NORMAL_TOLERANCE,
        )
    } else {
        let after = (segment.vertices[3] - end).normalize_or_zero();
        (
            cross(along, after) > NORMAL_TOLERANCE,
            normal.dot(after) <= NORMAL_TOLERANCE,
        )
    };
    if corner && within {
        NormalKind::Corner
    } else {
        NormalKind::Seam
    }
}

/// The contact along the segment's own normal; empty unless part of `b` is over the segment.
pub(crate) fn collide_along_segment_normal(
    a: &Shape,
    b: &Shape,
    b_in_a: Pose,
    speculative_distance: f32,
) -> Manifold {
    let normal = a.normals[0];
    let along = Vec2::new(-normal.y, normal.x);
    let start = a.vertices[0];
    let length = along.dot(a.vertices[1] - start);
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for &vertex in b.vertices() {
        let place = along.dot(b_in_a.transform_point(vertex) - start);
        (low, high) = (low.min(place), high.max(place));
    }
    if high < 0.0 || low > length {
        return Manifold::EMPTY;
    }
    if b.count > 1 {
        return collide_with_face(a, b, b_in_a, speculative_distance);
    }
    let center = b_in_a.transform_point(b.vertices[0]);
    let height = normal.dot(center - start);
    let point = ManifoldPoint {
        point: center - 0.5 * (height + b.radius) * normal,
        separation: height - b.radius,
        id: 0,
    };
    Manifold::single(normal, point, speculative_distance)
}
