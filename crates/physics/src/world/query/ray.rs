//! Ray casts: the shapes that a ray meets.

use super::filter::{Found, QueryFilter, Seen, StraightPath, keep_first, order, still_of_interest};
use crate::PhysicsError;
use crate::body::BodyId;
use crate::error::finite_vector;
use crate::shape::ShapeId;
use crate::world::PhysicsWorld;
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec2;
use tombolo_geometry::bvh::BoxCast;
use tombolo_geometry::shape::{LENGTH_MIN, RayHit as LocalHit, Shape};
use tombolo_geometry::{Pose, Position};
use tombolo_threads::FloatEnvironment;

/// A ray of a batch.
#[derive(Clone, Copy, Debug)]
pub struct RayQuery<'a> {
    /// The start of the ray.
    pub origin: Position,
    /// The translation from its start to its end, in meters.
    pub translation: Vec2,
    /// The filter for the shapes that it can meet.
    pub filter: QueryFilter<'a>,
}

impl<'a> RayQuery<'a> {
    /// A ray from `origin` along `translation`.
    #[must_use]
    pub fn new(origin: Position, translation: Vec2, filter: QueryFilter<'a>) -> Self {
        Self {
            origin,
            translation,
            filter,
        }
    }
}

/// The hit of a ray on a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The shape that was met.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// The fraction of the ray, 0 to 1; 0 for a ray that starts inside.
    pub fraction: f32,
    /// The point that was hit.
    pub point: Position,
    /// The surface's unit normal, out of the shape; zero for a ray that starts inside.
    pub normal: Vec2,
}

impl Found for RayHit {
    fn key(&self) -> (f32, u32) {
        (self.fraction, self.shape.index())
    }
}

impl PhysicsWorld {
    /// The nearest shape that a ray from `origin` along `translation` meets.
    ///
    /// # Errors
    ///
    /// If a number is not finite.
    pub fn cast_ray(
        &self,
        origin: Position,
        translation: Vec2,
        filter: QueryFilter<'_>,
    ) -> Result<Option<RayHit>, PhysicsError> {
        let ray = RayQuery::new(origin, translation, filter);
        ray.check()?;
        let _environment = FloatEnvironment::enter_call();
        Ok(self.first_on_ray(&ray))
    }

    /// All shapes that a ray from `origin` along `translation` meets, nearest first.
    ///
    /// # Errors
    ///
    /// If a number is not finite.
    pub fn cast_ray_all(
        &self,
        origin: Position,
        translation: Vec2,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<RayHit>, PhysicsError> {
        let mut hits = Vec::new();
        self.for_each_on_ray(origin, translation, filter, |hit| {
            hits.push(hit);
            ControlFlow::Continue(())
        })?;
        hits.sort_unstable_by(order);
        Ok(hits)
    }

    /// Calls `visit` for each shape that a ray from `origin` along `translation` meets, in the order of the trees,
    /// until `visit` breaks. Allocates nothing.
    ///
    /// # Errors
    ///
    /// If a number is not finite.
    pub fn for_each_on_ray(
        &self,
        origin: Position,
        translation: Vec2,
        filter: QueryFilter<'_>,
        mut visit: impl FnMut(RayHit) -> ControlFlow<()>,
    ) -> Result<(), PhysicsError> {
        let ray = RayQuery::new(origin, translation, filter);
        ray.check()?;
        let _environment = FloatEnvironment::enter_call();
        self.visit_ray(&ray, |met| match visit(ray.hit(&met)) {
            ControlFlow::Continue(()) => 1.0,
            ControlFlow::Break(()) => 0.0,
        });
        Ok(())
    }

    /// The nearest shape that a ray with valid numbers meets.
    pub(super) fn first_on_ray(&self, ray: &RayQuery<'_>) -> Option<RayHit> {
        let mut first: Option<Met<'_>> = None;
        self.visit_ray(ray, |met| {
            let fraction = met.hit.fraction;
            keep_first(&mut first, met);
            still_of_interest(fraction)
        });
        first.map(|met| ray.hit(&met))
    }

    /// Calls `visit` for each shape that a ray meets, in the order of the trees; `visit` returns the fraction of the ray
    /// that is still of interest.
    fn visit_ray<'a>(&'a self, ray: &RayQuery<'_>, mut visit: impl FnMut(Met<'a>) -> f32) {
        let point = ray.rule_point();
        self.visit_cast(&ray.bounds(), &ray.filter, |seen, fraction_max| {
            match self.met_on_ray(seen, ray, point.as_ref(), fraction_max) {
                Some(met) => visit(met),
                None => fraction_max,
            }
        });
    }

    /// The hit of a ray on a shape that the query sees; `point` is the ray's [`rule_point`](RayQuery::rule_point).
    pub(super) fn hit_on_ray(
        &self,
        seen: &Seen<'_>,
        ray: &RayQuery<'_>,
        point: Option<&Shape>,
    ) -> Option<RayHit> {
        let met = self.met_on_ray(seen, ray, point, 1.0)?;
        Some(ray.hit(&met))
    }

    /// A shape that the query sees, if a ray meets it within a fraction of the ray.
    #[inline]
    fn met_on_ray<'a>(
        &self,
        seen: &Seen<'a>,
        ray: &RayQuery<'_>,
        point: Option<&Shape>,
        fraction_max: f32,
    ) -> Option<Met<'a>> {
        let is_passed = point.is_some_and(|shape| {
            let path = StraightPath {
                shape,
                start: Pose {
                    position: ray.origin.to_vec2(),
                    ..Pose::IDENTITY
                },
                translation: ray.translation,
            };
            self.is_passed(seen, &ray.filter, &path)
        });
        if is_passed {
            return None;
        }
        ray.meets(seen, fraction_max)
    }
}

impl RayQuery<'_> {
    pub(super) fn check(&self) -> Result<(), PhysicsError> {
        finite_vector("origin", self.origin.to_vec2())?;
        finite_vector("translation", self.translation)
    }

    pub(super) fn bounds(&self) -> BoxCast {
        BoxCast {
            start: self.origin.to_vec2(),
            translation: self.translation,
            half_size: Vec2::ZERO,
            fraction_max: 1.0,
        }
    }

    /// What contact rules see in place of the ray, if they apply: rules let shapes pass, and a point is no shape, so it
    /// is the smallest circle.
    pub(super) fn rule_point(&self) -> Option<Shape> {
        self.filter.material.map(|_| {
            Shape::circle(Vec2::ZERO, LENGTH_MIN).expect("a circle may have the least length as its radius")
        })
    }

    #[inline]
    fn meets<'a>(&self, seen: &Seen<'a>, fraction_max: f32) -> Option<Met<'a>> {
        let local_origin = seen.pose.inverse_transform_point(self.origin.to_vec2());
        let local_translation = seen.pose.rotation.unrotate(self.translation);
        if self.filter.one_sided && seen.geometry.lets_through(local_origin, local_translation) {
            return None;
        }
        let hit = seen
            .geometry
            .cast_ray(local_origin, local_translation, fraction_max)?;
        Some(Met { seen: *seen, hit })
    }

    /// The result for a shape that was met.
    fn hit(&self, met: &Met<'_>) -> RayHit {
        let Met { seen, hit } = met;
        RayHit {
            shape: seen.shape(),
            body: seen.body(),
            fraction: hit.fraction,
            point: self.origin + hit.fraction * self.translation,
            normal: seen.pose.rotation.rotate(hit.normal),
        }
    }
}

/// A shape that a ray meets. Its ids are not read yet: most hits are not the nearest.
struct Met<'a> {
    seen: Seen<'a>,
    /// The hit in the frame of the shape's body.
    hit: LocalHit,
}

impl Found for Met<'_> {
    fn key(&self) -> (f32, u32) {
        (self.hit.fraction, self.seen.index)
    }
}
