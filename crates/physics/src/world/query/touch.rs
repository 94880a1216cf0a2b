//! How a shape would touch others where it is not.

use super::filter::{QueryFilter, check_placed};
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

/// One point of a touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TouchPoint {
    /// Halfway between the two surfaces.
    pub point: Position,
    /// Meters between the surfaces along the normal; below zero where they overlap.
    pub separation: f32,
}

/// How a placed shape touches another one, as a contact of two bodies would.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The other shape.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// From the placed shape to the other: against it the placed one gets away.
    pub normal: Vec2,
    points: [TouchPoint; 2],
    count: u32,
}

impl Touch {
    /// The one or two points.
    #[must_use]
    pub fn points(&self) -> &[TouchPoint] {
        &self.points[..self.count as usize]
    }

    /// The least separation of the points: below zero, how deep the two overlap.
    #[must_use]
    pub fn separation(&self) -> f32 {
        let points = self.points().iter();
        points.fold(f32::INFINITY, |least, point| least.min(point.separation))
    }
}

impl PhysicsWorld {
    /// How `shape` placed at `pose` touches others, or is at most `margin` meters from touching them, by index of these.
    ///
    /// The normals and points are those of the contact that a body there would have: one-sided segments are touched from
    /// their solid side only, and have no corners where their chain goes on; static polygons that stand side by side have
    /// none where they meet.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate, the pose not finite or its rotation none, or the margin negative or not finite.
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

    /// As [`PhysicsWorld::touches`], but calls `visit` for each in the order of the trees, until it breaks. Allocates
    /// nothing.
    ///
    /// # Errors
    ///
    /// As [`PhysicsWorld::touches`].
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
        let _environment = FloatEnvironment::enter();
        self.visit_box(shape.aabb(pose).grown(margin), &filter, |seen| {
            let manifold = self.state.touch_of(shape, pose, seen.shape.index(), margin);
            // Of two points one may be farther than the margin; a touch has only what is within.
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
            if count == 0 {
                return Visit::Continue;
            }
            let touch = Touch {
                shape: seen.shape,
                body: seen.body,
                normal: pose.rotation.rotate(manifold.normal),
                points,
                count: count as u32,
            };
            match visit(touch) {
                ControlFlow::Continue(()) => Visit::Continue,
                ControlFlow::Break(()) => Visit::Stop,
            }
        });
        Ok(())
    }
}
