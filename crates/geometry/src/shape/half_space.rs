//! The half-space: an infinite line, and everything on one side of it solid.
//!
//! It has no corners to compare, and no number for its size would be large enough. So code that compares two shapes
//! replaces a half-space by the part of it that the other one could be near to, a polygon whose one face is on the line
//! ([`Shape::near`]); code for one shape (rays, points, boxes) handles it directly.
//!
//! The reasons are in `docs/decisions.md#a-half-space-is-as-much-of-it-as-the-other-shape-is-near-to`.

use super::build::check_point;
use super::error::What;
use super::{COORDINATE_MAX, RayHit, Shape, ShapeError, ShapeKind, VERTEX_COUNT_MAX};
use crate::math::{Aabb, Pose};
use glam::Vec2;

/// The extent of the box of a half-space from the world's origin, in meters: beyond any position that a shape may have.
const WORLD_REACH: f32 = 4.0 * COORDINATE_MAX;

/// The distance by which a polygon in place of a half-space exceeds the other shape, in meters.
const NEAR_MARGIN: f32 = 1.0;

/// The largest deviation of a normal's length from one.
pub(super) const UNIT_TOLERANCE: f32 = 1.0e-4;

impl Shape {
    /// A half-space: the solid side of the line through `point` perpendicular to `normal`, which points out of it and
    /// need not have length one: ground, or a wall, without end. It has no mass, and is for bodies that do not fall.
    ///
    /// # Errors
    /// If a number is not finite or above [`COORDINATE_MAX`], or the normal is too short to have a direction.
    ///
    /// ```
    /// use tombolo_geometry::{Pose, Vec2, collide::collide, shape::Shape};
    /// let ground = Shape::half_space(Vec2::new(0.0, 2.0), Vec2::Y)?;
    /// let ball = Shape::circle(Vec2::ZERO, 0.5)?;
    /// let manifold = collide(&ground, &ball, Pose::new(Vec2::new(9000.0, 2.4), 0.0), 0.02);
    /// assert_eq!(manifold.normal, Vec2::Y);
    /// assert!((manifold.active_points()[0].separation + 0.1).abs() < 1e-6);
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    pub fn half_space(point: Vec2, normal: Vec2) -> Result<Self, ShapeError> {
        check_point(What::Vertex(0), point)?;
        check_point(What::Normal(0), normal)?;
        let unit = normal.as_dvec2().normalize_or_zero().as_vec2();
        if unit == Vec2::ZERO {
            return Err(ShapeError::Inconsistent {
                what: What::Normal(0),
            });
        }
        let mut shape = Self {
            vertices: [Vec2::ZERO; VERTEX_COUNT_MAX],
            normals: [Vec2::ZERO; VERTEX_COUNT_MAX],
            centroid: point + Vec2::ZERO,
            radius: 0.0,
            count: 1,
            kind: ShapeKind::HalfSpace as u16,
        };
        shape.vertices[0] = point + Vec2::ZERO;
        shape.normals[0] = unit + Vec2::ZERO;
        Ok(shape)
    }

    /// Whether the shape is a half-space.
    #[inline]
    pub fn is_half_space(&self) -> bool {
        self.kind == ShapeKind::HalfSpace as u16
    }

    /// A point on the line of a half-space and its outward unit normal; `None` for other shapes.
    #[inline]
    pub fn line_and_normal(&self) -> Option<[Vec2; 2]> {
        self.is_half_space().then(|| [self.vertices[0], self.normals[0]])
    }

    /// The height of a point over the line of a half-space, in meters; below zero inside.
    #[inline]
    pub(crate) fn height_over_line(&self, point: Vec2) -> f32 {
        self.normals[0].dot(point - self.vertices[0])
    }

    /// The part of a half-space that may be touched by shapes within `reach` meters of `around`, as a polygon in the
    /// same frame: a square whose first edge is on the line, so large that the line is always the nearest way out of
    /// it.
    ///
    /// Also for drawing: `around` is then the center of the view. Every other shape is returned unchanged.
    #[must_use]
    pub fn near(&self, around: Vec2, reach: f32) -> Self {
        let Some([_, normal]) = self.line_and_normal() else {
            return *self;
        };
        let height = self.height_over_line(around);
        let foot = around - height * normal;
        let along = Vec2::new(-normal.y, normal.x);
        let side = 2.0 * (reach + height.abs()) + NEAR_MARGIN;
        let (start, end) = (foot - side * along, foot + side * along);
        let mut part = Self {
            vertices: [Vec2::ZERO; VERTEX_COUNT_MAX],
            normals: [Vec2::ZERO; VERTEX_COUNT_MAX],
            centroid: foot - side * normal,
            radius: 0.0,
            count: 4,
            kind: ShapeKind::Polygon as u16,
        };
        part.vertices[..4].copy_from_slice(&[
            start,
            end,
            end - 2.0 * side * normal,
            start - 2.0 * side * normal,
        ]);
        part.normals[..4].copy_from_slice(&[normal, along, -normal, -along]);
        part
    }

    /// Like [`Shape::near`], for a half-space beside `other`, which may come `reach` meters nearer.
    #[cold]
    pub(crate) fn near_shape(&self, other: &Self, other_in_self: Pose, reach: f32) -> Self {
        let around = other_in_self.transform_point(other.centroid);
        self.near(around, other.max_extent_from(other.centroid) + reach)
    }

    /// The box of a half-space: of the part of the square world behind the line.
    #[cold]
    pub(super) fn half_space_box(&self, pose: Pose) -> Aabb {
        let normal = pose.rotation.rotate(self.normals[0]);
        let point = pose.transform_point(self.vertices[0]);
        let height = normal.dot(point);
        // The line's farthest points in the square, along either axis; infinite where the line is parallel to the axis.
        let end = |normal: f32, other: f32| (height + WORLD_REACH * other.abs()) / normal;
        let range = |normal: f32, other: f32, exact: f32| {
            let at = if other == 0.0 { exact } else { end(normal, other) };
            let at = at.clamp(-WORLD_REACH, WORLD_REACH);
            if normal > 0.0 {
                (-WORLD_REACH, at)
            } else if normal < 0.0 {
                (at, WORLD_REACH)
            } else {
                (-WORLD_REACH, WORLD_REACH)
            }
        };
        let (left, right) = range(normal.x, normal.y, point.x);
        let (bottom, top) = range(normal.y, normal.x, point.y);
        Aabb::new(Vec2::new(left, bottom), Vec2::new(right, top))
    }

    /// The point of a half-space nearest to a point, which is the point itself inside.
    #[cold]
    pub(super) fn nearest_in_half_space(&self, point: Vec2) -> Vec2 {
        point - self.height_over_line(point).max(0.0) * self.normals[0]
    }

    /// The point where a ray from outside enters a half-space.
    #[cold]
    pub(super) fn ray_into_half_space(
        &self,
        origin: Vec2,
        translation: Vec2,
        max_fraction: f32,
    ) -> Option<RayHit> {
        let speed = self.normals[0].dot(translation);
        let fraction = -self.height_over_line(origin) / speed;
        (speed < 0.0 && fraction <= max_fraction).then(|| RayHit {
            fraction,
            normal: self.normals[0],
            point: origin + fraction * translation,
        })
    }
}
