//! Touch queries: the manifolds that a shape would have with others at a given pose.

use super::filter::{QueryFilter, Seen, check_placed};
use crate::body::BodyId;
use crate::error::non_negative;
use crate::shape::ShapeId;
use crate::world::PhysicsWorld;
use crate::{PhysicsError, Shape};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec2;
use tombolo_geometry::bvh::Visit;
use tombolo_geometry::{Pose, Position};
use tombolo_threads::FloatEnvironment;

/// A point of a touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TouchPoint {
    /// The point halfway between the two surfaces.
    pub point: Position,
    /// The distance of the surfaces along the normal in meters; negative where they overlap.
    pub separation: f32,
}

/// The touch of a placed shape and another one, computed like a contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The other shape.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// The unit normal from the placed shape to the other; the placed shape separates by moving against it.
    pub normal: Vec2,
    points: [TouchPoint; 2],
    count: u32,
}

impl Touch {
    /// The one or two points of the touch.
    #[must_use]
    pub fn points(&self) -> &[TouchPoint] {
        &self.points[..self.count as usize]
    }

    /// The least separation of the points in meters; if negative, its absolute value is the depth of the overlap.
    #[must_use]
    pub fn separation(&self) -> f32 {
        let points = self.points().iter();
        points.fold(f32::INFINITY, |least, point| least.min(point.separation))
    }
}

impl PhysicsWorld {
    /// The touches of `shape` placed at `pose` with others, and those that are at most `margin` meters from touching,
    /// by shape index.
    ///
    /// The normals and points are those of the contact of a body at that pose: one-sided segments are touched from
    /// their solid side only, and have no corners where their chain continues; static polygons that are side by side
    /// have none where they meet.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate, the pose is not finite or its rotation invalid, or the margin is negative or not
    /// finite.
    pub fn touches(
        &self,
        shape: &Shape,
        pose: Pose,
        margin: f32,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<Touch>, PhysicsError> {
        let mut touches = Vec::new();
        self.for_each_touch(shape, pose, margin, filter, |touch| {
            touches.push(touch);
            ControlFlow::Continue(())
        })?;
        touches.sort_unstable_by_key(|touch: &Touch| touch.shape.index());
        Ok(touches)
    }

    /// Like [`PhysicsWorld::touches`], but calls `visit` for each touch in the order of the trees, until `visit`
    /// breaks. Allocates nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::touches`].
    pub fn for_each_touch(
        &self,
        shape: &Shape,
        pose: Pose,
        margin: f32,
        filter: QueryFilter<'_>,
        mut visit: impl FnMut(Touch) -> ControlFlow<()>,
    ) -> Result<(), PhysicsError> {
        check_placed(shape, pose)?;
        non_negative("margin", margin)?;
        let _environment = FloatEnvironment::enter_call();
        self.visit_box(shape.aabb(pose).grown(margin), &filter, |seen| {
            match self.touch_of(seen, shape, pose, margin, &filter).map(&mut visit) {
                Some(ControlFlow::Break(())) => Visit::Stop,
                Some(ControlFlow::Continue(())) | None => Visit::Continue,
            }
        });
        Ok(())
    }

    /// The touch of a valid placed shape with one that the query sees; `None` if they are more than the margin apart.
    pub(super) fn touch_of(
        &self,
        seen: &Seen<'_>,
        shape: &Shape,
        pose: Pose,
        margin: f32,
        filter: &QueryFilter<'_>,
    ) -> Option<Touch> {
        let is_met = |other: u32| self.accepted(other, filter).is_some();
        let manifold = self
            .state
            .touch_of(shape, pose, seen.shape().index(), margin, is_met);
        // Of two points one may be farther than the margin; a touch has only the points within it.
        let mut points = [TouchPoint::default(); 2];
        let mut count = 0;
        for point in manifold.active_points() {
            if point.separation <= margin {
                points[count] = TouchPoint {
                    point: pose.transform_point(point.point).into(),
                    separation: point.separation,
                };
                count += 1;
            }
        }
        (count > 0).then(|| Touch {
            shape: seen.shape(),
            body: seen.body(),
            normal: pose.rotation.rotate(manifold.normal),
            points,
            count: count as u32,
        })
    }
}
