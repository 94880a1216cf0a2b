//! [`SpatialQuery`]: what is where, asked by systems.

use bevy_ecs::prelude::{Entity, Res};
use bevy_ecs::system::SystemParam;
use bevy_math::Vec2;
use tombolo_physics::{Aabb, Motion, PhysicsError, Pose, Position, QueryFilter, Shape, ShapeId};

use crate::world::Physics;

/// Rays, moving shapes, overlaps and what is near, answered with entities.
///
/// The answers are those of the world after the last step: what was spawned or moved since is seen from the next step on. Lists are in a
/// stated order, nearest first or by shape, which does not depend on Bevy. What the filter can say, and batches by all workers,
/// are those of [`PhysicsWorld`](tombolo_physics::PhysicsWorld), which [`Physics::world`] leads to.
///
/// ```
/// use bevy_math::Vec2;
/// use bevy_tombolo::SpatialQuery;
///
/// fn is_on_ground(query: SpatialQuery, feet: Vec2) -> bool {
///     let hit = query.cast_ray(feet, Vec2::new(0.0, -0.1), Default::default());
///     hit.is_ok_and(|hit| hit.is_some())
/// }
/// ```
#[derive(SystemParam)]
pub struct SpatialQuery<'w> {
    physics: Res<'w, Physics>,
}

/// Where a ray or a moving shape meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit {
    /// The collider's entity.
    pub collider: Entity,
    /// The entity of its body.
    pub body: Entity,
    /// The share of the way, 0 to 1; 0 if it starts inside.
    pub fraction: f32,
    /// Where.
    pub point: Vec2,
    /// Of a ray out of the collider; of a moving shape from it to the collider. Zero if it starts inside.
    pub normal: Vec2,
}

/// What is near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The collider's entity.
    pub collider: Entity,
    /// The entity of its body.
    pub body: Entity,
    /// Meters; 0 inside.
    pub distance: f32,
    /// Its nearest point.
    pub point: Vec2,
}

impl SpatialQuery<'_> {
    /// The nearest collider that a ray meets.
    ///
    /// # Errors
    ///
    /// If a number is not finite.
    pub fn cast_ray(
        &self,
        origin: Vec2,
        translation: Vec2,
        filter: QueryFilter<'_>,
    ) -> Result<Option<CastHit>, PhysicsError> {
        let hit = self.physics.world.cast_ray(origin.into(), translation, filter)?;
        Ok(hit.and_then(|hit| self.hit(hit.shape, hit.fraction, hit.point, hit.normal)))
    }

    /// All colliders that a ray meets, nearest first.
    ///
    /// # Errors
    ///
    /// If a number is not finite.
    pub fn cast_ray_all(
        &self,
        origin: Vec2,
        translation: Vec2,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<CastHit>, PhysicsError> {
        let hits = self
            .physics
            .world
            .cast_ray_all(origin.into(), translation, filter)?;
        let hits = hits.into_iter();
        Ok(hits
            .filter_map(|hit| self.hit(hit.shape, hit.fraction, hit.point, hit.normal))
            .collect())
    }

    /// The nearest collider that a moving shape meets.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate or a number not finite.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        motion: Motion,
        filter: QueryFilter<'_>,
    ) -> Result<Option<CastHit>, PhysicsError> {
        let hit = self.physics.world.cast_shape(shape, motion, filter)?;
        Ok(hit.and_then(|hit| self.hit(hit.shape, hit.fraction, hit.point, hit.normal)))
    }

    /// The colliders that hold a point.
    ///
    /// # Errors
    ///
    /// If a coordinate is not finite.
    pub fn at_point(&self, point: Vec2, filter: QueryFilter<'_>) -> Result<Vec<Entity>, PhysicsError> {
        Ok(self.colliders(&self.physics.world.overlap_point(point.into(), filter)?))
    }

    /// The colliders whose boxes share a point with a box.
    ///
    /// # Errors
    ///
    /// If a number is not finite or the box is inverted.
    pub fn in_box(&self, area: Aabb, filter: QueryFilter<'_>) -> Result<Vec<Entity>, PhysicsError> {
        Ok(self.colliders(&self.physics.world.overlap_box(area, filter)?))
    }

    /// The colliders that overlap or touch a shape.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate, or the pose not finite.
    pub fn overlapping(
        &self,
        shape: &Shape,
        pose: Pose,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<Entity>, PhysicsError> {
        Ok(self.colliders(&self.physics.world.overlap_shape(shape, pose, filter)?))
    }

    /// The nearest collider within a distance of a point.
    ///
    /// # Errors
    ///
    /// If a number is not finite, or the distance negative.
    pub fn nearest(
        &self,
        point: Vec2,
        distance_max: f32,
        filter: QueryFilter<'_>,
    ) -> Result<Option<Near>, PhysicsError> {
        let point = Position::from(point);
        let closest = self.physics.world.closest_to_point(point, distance_max, filter)?;
        Ok(closest.and_then(|closest| {
            let ends = self.physics.ends(closest.shape)?;
            Some(Near {
                collider: ends.collider,
                body: ends.body,
                distance: closest.distance,
                point: closest.point.to_vec2(),
            })
        }))
    }

    fn hit(&self, shape: ShapeId, fraction: f32, point: Position, normal: Vec2) -> Option<CastHit> {
        let ends = self.physics.ends(shape)?;
        Some(CastHit {
            collider: ends.collider,
            body: ends.body,
            fraction,
            point: point.to_vec2(),
            normal,
        })
    }

    /// The colliders of shapes, each once, in the order of their first shapes.
    fn colliders(&self, shapes: &[ShapeId]) -> Vec<Entity> {
        let mut colliders: Vec<Entity> = Vec::with_capacity(shapes.len());
        let mut seen = std::collections::BTreeSet::new();
        for &shape in shapes {
            if let Some(ends) = self.physics.ends(shape)
                && seen.insert(ends.collider)
            {
                colliders.push(ends.collider);
            }
        }
        colliders
    }
}
