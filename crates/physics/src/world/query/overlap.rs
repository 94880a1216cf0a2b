//! Overlap queries: the shapes in a box, at a point, or that overlap a shape.

use super::filter::{QueryFilter, Seen, check_box, check_placed};
use crate::error::finite_vector;
use crate::shape::ShapeId;
use crate::world::PhysicsWorld;
use crate::{PhysicsError, Shape};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec2;
use tombolo_geometry::bvh::Visit;
use tombolo_geometry::distance::are_overlapping;
use tombolo_geometry::{Aabb, Pose, Position};
use tombolo_threads::FloatEnvironment;

/// A placed shape of a batch.
#[derive(Clone, Copy, Debug)]
pub struct OverlapQuery<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// The shape's pose.
    pub pose: Pose,
    /// The filter for the shapes that it can find.
    pub filter: QueryFilter<'a>,
}

impl<'a> OverlapQuery<'a> {
    /// `shape` placed at `pose`.
    #[must_use]
    pub fn new(shape: &'a Shape, pose: Pose, filter: QueryFilter<'a>) -> Self {
        Self { shape, pose, filter }
    }
}

impl PhysicsWorld {
    /// The shapes whose tight boxes share a point with `area`, by index.
    ///
    /// # Errors
    ///
    /// If a number is not finite or the box is inverted.
    pub fn overlap_box(&self, area: Aabb, filter: QueryFilter<'_>) -> Result<Vec<ShapeId>, PhysicsError> {
        sorted_by_index(|visit| self.for_each_in_box(area, filter, visit))
    }

    /// The shapes that overlap or touch `shape` placed at `pose`, by index.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate, the pose is not finite, or its rotation is invalid.
    pub fn overlap_shape(
        &self,
        shape: &Shape,
        pose: Pose,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<ShapeId>, PhysicsError> {
        sorted_by_index(|visit| self.for_each_overlapping(shape, pose, filter, visit))
    }

    /// The shapes that contain a point, by index.
    ///
    /// # Errors
    ///
    /// If a coordinate is not finite.
    pub fn overlap_point(
        &self,
        point: Position,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<ShapeId>, PhysicsError> {
        sorted_by_index(|visit| self.for_each_at_point(point, filter, visit))
    }

    /// Calls `visit` for each shape whose tight box shares a point with `area`, in the order of the trees, until
    /// `visit` breaks. Allocates nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::overlap_box`].
    pub fn for_each_in_box(
        &self,
        area: Aabb,
        filter: QueryFilter<'_>,
        mut visit: impl FnMut(ShapeId) -> ControlFlow<()>,
    ) -> Result<(), PhysicsError> {
        check_box(area)?;
        let _environment = FloatEnvironment::enter_call();
        self.visit_overlapping(area, &filter, |seen| box_meets(seen, area), &mut visit);
        Ok(())
    }

    /// Calls `visit` for each shape that overlaps or touches `shape` placed at `pose`, in the order of the trees, until
    /// `visit` breaks. Allocates nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::overlap_shape`].
    pub fn for_each_overlapping(
        &self,
        shape: &Shape,
        pose: Pose,
        filter: QueryFilter<'_>,
        mut visit: impl FnMut(ShapeId) -> ControlFlow<()>,
    ) -> Result<(), PhysicsError> {
        check_placed(shape, pose)?;
        let _environment = FloatEnvironment::enter_call();
        self.visit_placed(&OverlapQuery::new(shape, pose, filter), &mut visit);
        Ok(())
    }

    /// Calls `visit` for each shape that contains a point, in the order of the trees, until `visit` breaks. Allocates
    /// nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::overlap_point`].
    pub fn for_each_at_point(
        &self,
        point: Position,
        filter: QueryFilter<'_>,
        mut visit: impl FnMut(ShapeId) -> ControlFlow<()>,
    ) -> Result<(), PhysicsError> {
        let point = point.to_vec2();
        finite_vector("point", point)?;
        let _environment = FloatEnvironment::enter_call();
        let area = Aabb::new(point, point);
        self.visit_overlapping(area, &filter, |seen| contains(seen, point), &mut visit);
        Ok(())
    }

    /// Calls `visit` for each shape that a valid placed shape overlaps or touches, in the engine's float environment,
    /// which the caller enters.
    pub(super) fn visit_placed(
        &self,
        query: &OverlapQuery<'_>,
        visit: &mut impl FnMut(ShapeId) -> ControlFlow<()>,
    ) {
        let OverlapQuery { shape, pose, filter } = query;
        let overlaps = |seen: &Seen<'_>| meets(seen, shape, *pose);
        self.visit_overlapping(shape.aabb(*pose), filter, overlaps, visit);
    }

    /// Calls `visit` for each accepted shape with a box in `area` of which `overlaps` is true.
    fn visit_overlapping(
        &self,
        area: Aabb,
        filter: &QueryFilter<'_>,
        overlaps: impl Fn(&Seen<'_>) -> bool,
        visit: &mut impl FnMut(ShapeId) -> ControlFlow<()>,
    ) {
        self.visit_box(area, filter, |seen| {
            if overlaps(seen) && visit(seen.shape()).is_break() {
                return Visit::Stop;
            }
            Visit::Continue
        });
    }
}

/// Whether the tight box of a shape shares a point with an area.
pub(super) fn box_meets(seen: &Seen<'_>, area: Aabb) -> bool {
    seen.geometry.aabb(seen.pose).overlaps(area)
}

/// Whether a point is in a shape.
pub(super) fn contains(seen: &Seen<'_>, point: Vec2) -> bool {
    seen.geometry
        .contains_point(seen.pose.inverse_transform_point(point))
}

/// Whether a shape overlaps or touches another one at a pose.
pub(super) fn meets(seen: &Seen<'_>, shape: &Shape, pose: Pose) -> bool {
    are_overlapping(shape, seen.geometry, pose.to(seen.pose))
}

/// The shapes that a query finds, sorted by index.
fn sorted_by_index(
    query: impl FnOnce(&mut dyn FnMut(ShapeId) -> ControlFlow<()>) -> Result<(), PhysicsError>,
) -> Result<Vec<ShapeId>, PhysicsError> {
    let mut found = Vec::new();
    query(&mut |shape| {
        found.push(shape);
        ControlFlow::Continue(())
    })?;
    found.sort_unstable_by_key(|shape: &ShapeId| shape.index());
    Ok(found)
}
