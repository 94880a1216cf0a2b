//! Contact manifolds: the points and the normal at which two shapes touch.
//!
//! [`collide`] is the entry point; by the kind of cores it calls `circle.rs` (one core is a point) or `polygon.rs`
//! (polygons, capsules, segments); `chain.rs` comes first where a shape is the one-sided segment of a chain, and a
//! half-space is replaced by a polygon that is large enough. All work in the frame of the first shape, add the radii
//! last and store nothing between calls: the caller matches points of successive steps by their ids.
//!
//! The method for edges is that of Erin Catto's talks ("Contact Manifolds", GDC 2007) and of Dirk Gregorius's ("The
//! Separating Axis Test", GDC 2013): find the face of least overlap, clip the edge that faces it, keep both ends if one
//! is near enough (as Box2D version 3 does).
//!
//! The reasons are in `docs/decisions.md#features-are-compared-directly-instead-of-gjk`.

mod chain;
mod circle;
mod manifold;
mod polygon;

pub(crate) use chain::collide_along_segment_normal;
pub use manifold::{Manifold, ManifoldPoint};

use crate::math::Pose;
use crate::shape::{Shape, ShapeKind};

/// Contacts of chain segments and half-spaces with other shapes, in either order.
#[cold]
fn collide_ground(a: &Shape, b: &Shape, b_in_a: Pose, speculative_distance: f32) -> Manifold {
    let is_ground = |shape: &Shape| shape.kind >= ShapeKind::ChainSegment as u16;
    if is_ground(a) && is_ground(b) {
        return Manifold::EMPTY;
    }
    if a.is_half_space() {
        let part = a.near_shape(b, b_in_a, speculative_distance);
        return collide_part(&part, b, b_in_a, speculative_distance);
    }
    if b.is_half_space() {
        let part = b.near_shape(a, b_in_a.to(Pose::IDENTITY), speculative_distance);
        return collide_part(a, &part, b_in_a, speculative_distance);
    }
    if a.is_chain_segment() {
        return chain::collide_chain(a, b, b_in_a, speculative_distance);
    }
    let a_in_b = b_in_a.to(Pose::IDENTITY);
    chain::collide_chain(b, a, a_in_b, speculative_distance).swapped(b_in_a)
}

/// Like [`collide`], where one of the shapes is a part of a greater one, which may be nearer.
fn collide_part(a: &Shape, b: &Shape, b_in_a: Pose, speculative_distance: f32) -> Manifold {
    Manifold {
        gap: 0.0,
        ..collide(a, b, b_in_a, speculative_distance)
    }
}

/// The contact manifold of `a` and `b`, with `b` at `b_in_a` in the frame of `a`.
///
/// The manifold is empty if the shapes are farther apart than `speculative_distance` meters (0 or more); of two points
/// one may be farther. Shapes that overlap, however deeply, get a normal along which the overlap is least (circles with
/// one center: straight up). An edge along an edge gives two points, a circle or corner against corner one. Where a
/// face of each shape would be nearly as good, the first shape's has a lead of half a millimeter, so that noise does
/// not make them alternate; between equal faces of one shape (coincident centers) it may. A chain segment touches only
/// shapes whose center is on the segment's solid side. The only way out of a half-space is over its line. Chain
/// segments and half-spaces never touch each other.
///
/// Pure, no allocation, no panic for valid shapes and poses; a NaN in the pose gives an empty manifold or NaN.
///
/// ```
/// use tombolo_geometry::{Pose, Vec2, collide::collide, shape::Shape};
/// let ground = Shape::new_box(20.0, 2.0)?;
/// let ball = Shape::circle(Vec2::ZERO, 0.5)?;
/// let manifold = collide(&ground, &ball, Pose::new(Vec2::new(3.0, 1.4), 0.0), 0.02);
/// assert_eq!(manifold.normal, Vec2::Y);
/// let point = manifold.active_points()[0];
/// assert!((point.separation + 0.1).abs() < 1e-6);
/// assert!(point.point.distance(Vec2::new(3.0, 0.95)) < 1e-6);
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
#[inline]
pub fn collide(a: &Shape, b: &Shape, b_in_a: Pose, speculative_distance: f32) -> Manifold {
    // The two kinds that are handled apart come last in the order of kinds.
    if a.kind >= ShapeKind::ChainSegment as u16 || b.kind >= ShapeKind::ChainSegment as u16 {
        return collide_ground(a, b, b_in_a, speculative_distance);
    }
    match (a.count, b.count) {
        (1, 1) => circle::collide_circles(a, b, b_in_a, speculative_distance),
        (_, 1) => circle::collide_polygon_and_circle(a, b, b_in_a, speculative_distance),
        (1, _) => {
            let a_in_b = b_in_a.to(Pose::IDENTITY);
            circle::collide_polygon_and_circle(b, a, a_in_b, speculative_distance).swapped(b_in_a)
        }
        _ => polygon::collide_polygons(a, b, b_in_a, speculative_distance),
    }
}
