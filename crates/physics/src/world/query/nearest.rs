//! Distance queries: the shapes nearest to a point or a shape.

use super::filter::{Found, QueryFilter, Seen, check_placed, keep_first, order};
use crate::body::BodyId;
use crate::error::finite_vector;
use crate::shape::ShapeId;
use crate::world::PhysicsWorld;
use crate::{PhysicsError, Shape};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec2;
use tombolo_geometry::distance::{closest_point, distance};
use tombolo_geometry::{Aabb, Pose, Position};
use tombolo_threads::FloatEnvironment;

/// The distance of a shape from a point or from another shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The shape that was found.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// The distance between the two in meters; 0 where they overlap.
    pub distance: f32,
    /// The nearest point of the found shape; where they overlap, a point of both.
    pub point: Position,
    /// The nearest point of the query: the point itself, or one of the query's shape.
    pub from: Position,
    /// The unit normal from the query's point or shape to the found shape; zero where they overlap.
    pub normal: Vec2,
}

impl Found for Closest {
    fn key(&self) -> (f32, u32) {
        (self.distance, self.shape.index())
    }
}

/// The point or placed shape from which distances are measured.
#[derive(Clone, Copy)]
pub(super) enum Probe<'a> {
    Point(Vec2),
    Shape(&'a Shape, Pose),
}

impl PhysicsWorld {
    /// The shape nearest to a point, of those within `distance_max` meters, infinity for any.
    ///
    /// # Errors
    ///
    /// If a coordinate is not finite, or the distance negative or not a number.
    pub fn closest_to_point(
        &self,
        point: Position,
        distance_max: f32,
        filter: QueryFilter<'_>,
    ) -> Result<Option<Closest>, PhysicsError> {
        self.closest(Probe::Point(point.to_vec2()), distance_max, &filter)
    }

    /// The shape nearest to `shape` placed at `pose`, of those within `distance_max` meters, infinity for any.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate, the pose not finite or its rotation invalid, or the distance negative or not a
    /// number.
    pub fn closest_to_shape(
        &self,
        shape: &Shape,
        pose: Pose,
        distance_max: f32,
        filter: QueryFilter<'_>,
    ) -> Result<Option<Closest>, PhysicsError> {
        self.closest(Probe::Shape(shape, pose), distance_max, &filter)
    }

    /// The `count_max` shapes nearest to a point, of those within `distance_max` meters, nearest first.
    ///
    /// Costs a search among the `count_max` for each shape that is visited.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::closest_to_point`].
    pub fn several_closest_to_point(
        &self,
        point: Position,
        count_max: usize,
        distance_max: f32,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<Closest>, PhysicsError> {
        self.several_closest(Probe::Point(point.to_vec2()), count_max, distance_max, &filter)
    }

    /// The `count_max` shapes nearest to `shape` placed at `pose`, of those within `distance_max` meters, nearest first.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::closest_to_shape`].
    pub fn several_closest_to_shape(
        &self,
        shape: &Shape,
        pose: Pose,
        count_max: usize,
        distance_max: f32,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<Closest>, PhysicsError> {
        self.several_closest(Probe::Shape(shape, pose), count_max, distance_max, &filter)
    }

    /// Calls `visit` for each shape within `distance_max` meters of a point, in the order of the trees, until `visit`
    /// breaks. Allocates nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::closest_to_point`].
    pub fn for_each_near_point(
        &self,
        point: Position,
        distance_max: f32,
        filter: QueryFilter<'_>,
        visit: impl FnMut(Closest) -> ControlFlow<()>,
    ) -> Result<(), PhysicsError> {
        self.for_each_near(Probe::Point(point.to_vec2()), distance_max, &filter, visit)
    }

    /// Calls `visit` for each shape within `distance_max` meters of `shape` placed at `pose`, in the order of the
    /// trees, until `visit` breaks. Allocates nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::closest_to_shape`].
    pub fn for_each_near_shape(
        &self,
        shape: &Shape,
        pose: Pose,
        distance_max: f32,
        filter: QueryFilter<'_>,
        visit: impl FnMut(Closest) -> ControlFlow<()>,
    ) -> Result<(), PhysicsError> {
        self.for_each_near(Probe::Shape(shape, pose), distance_max, &filter, visit)
    }

    fn closest(
        &self,
        probe: Probe<'_>,
        distance_max: f32,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<Closest>, PhysicsError> {
        let mut first = None;
        self.visit_near(probe, distance_max, filter, |found| {
            keep_first(&mut first, found);
            found.distance
        })?;
        Ok(first)
    }

    fn several_closest(
        &self,
        probe: Probe<'_>,
        count_max: usize,
        distance_max: f32,
        filter: &QueryFilter<'_>,
    ) -> Result<Vec<Closest>, PhysicsError> {
        let mut best: Vec<Closest> = Vec::new();
        self.visit_near(probe, distance_max, filter, |found| {
            let place = best.partition_point(|known| order(known, &found).is_lt());
            if place < count_max {
                best.truncate(count_max - 1);
                best.insert(place, found);
            }
            match best.last() {
                Some(last) if best.len() == count_max => last.distance,
                _ => distance_max,
            }
        })?;
        Ok(best)
    }

    fn for_each_near(
        &self,
        probe: Probe<'_>,
        distance_max: f32,
        filter: &QueryFilter<'_>,
        mut visit: impl FnMut(Closest) -> ControlFlow<()>,
    ) -> Result<(), PhysicsError> {
        self.visit_near(probe, distance_max, filter, |found| match visit(found) {
            ControlFlow::Continue(()) => distance_max,
            ControlFlow::Break(()) => -1.0,
        })
    }

    /// Calls `visit` for the shapes near by; it returns the distance that is still of interest, less than zero to stop.
    fn visit_near(
        &self,
        probe: Probe<'_>,
        distance_max: f32,
        filter: &QueryFilter<'_>,
        mut visit: impl FnMut(Closest) -> f32,
    ) -> Result<(), PhysicsError> {
        let area = probe.check(distance_max)?;
        let _environment = FloatEnvironment::enter_call();
        let mut rest = distance_max;
        let mut look_at = |index: u32, rest: f32| {
            let found = self.seen(index, filter).map(|seen| probe.from(&seen));
            match found.filter(|found| found.distance <= rest) {
                Some(found) => visit(found),
                None => rest,
            }
        };
        self.state
            .broad_phase
            .query_near(area, distance_max, filter.mask, |index, present| {
                rest = look_at(index, present);
                rest
            });
        for sensor in self.seen_sensors(filter) {
            if rest < 0.0 {
                break;
            }
            rest = look_at(sensor, rest);
        }
        Ok(())
    }
}

impl Probe<'_> {
    /// The query's box, if its numbers are valid.
    pub(super) fn check(&self, distance_max: f32) -> Result<Aabb, PhysicsError> {
        let area = match *self {
            Self::Point(point) => {
                finite_vector("point", point)?;
                Aabb::new(point, point)
            }
            Self::Shape(shape, pose) => {
                check_placed(shape, pose)?;
                shape.aabb(pose)
            }
        };
        if distance_max.is_nan() || distance_max < 0.0 {
            return Err(PhysicsError::InvalidNumber {
                what: "distance",
                got: distance_max,
                expected: "a number that is not negative",
            });
        }
        Ok(area)
    }

    /// The distance of a shape from the query's point or shape.
    pub(super) fn from(&self, seen: &Seen<'_>) -> Closest {
        let (gap, from, point, normal) = match *self {
            Self::Point(point) => {
                let local = seen.pose.inverse_transform_point(point);
                let on_shape = closest_point(seen.geometry, local);
                if on_shape == local {
                    (0.0, point, point, Vec2::ZERO)
                } else {
                    let offset = on_shape - local;
                    // Very far away the square of the distance is not finite.
                    let scale = if offset.length_squared() < f32::INFINITY {
                        1.0
                    } else {
                        offset.abs().max_element()
                    };
                    let length = (offset / scale).length();
                    let gap = scale * length;
                    let normal = seen.pose.rotation.rotate(offset / scale / length);
                    (gap, point, seen.pose.transform_point(on_shape), normal)
                }
            }
            Self::Shape(shape, pose) => {
                let near = distance(shape, seen.geometry, pose.to(seen.pose));
                (
                    near.distance,
                    pose.transform_point(near.point_a),
                    pose.transform_point(near.point_b),
                    if near.distance > 0.0 {
                        pose.rotation.rotate(near.normal)
                    } else {
                        Vec2::ZERO
                    },
                )
            }
        };
        Closest {
            shape: seen.shape(),
            body: seen.body(),
            distance: gap,
            point: point.into(),
            from: from.into(),
            normal,
        }
    }
}
