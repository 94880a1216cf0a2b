//! [`SpatialQuery`]: a system parameter for ray casts, shape casts and overlap queries.

use bevy_ecs::prelude::{Entity, Res};
use bevy_ecs::system::SystemParam;
use bevy_math::Vec2;
use tombolo_physics::{Aabb, Motion, PhysicsError, Pose, Position, QueryFilter, Shape, ShapeId};

use crate::world::Physics;

/// Ray casts, shape casts, overlaps and nearest colliders, with entities as results.
///
/// The results are those of the world after the last step: entities that were spawned or moved since are found from the
/// next step on. Lists are in a stated order, nearest first or by shape, which does not depend on Bevy. The filter's
/// options, and batches over all workers, are those of [`PhysicsWorld`](tombolo_physics::PhysicsWorld), which
/// [`Physics::world`] returns.
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

/// The hit of a ray or a moving shape on a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit {
    /// The collider's entity.
    pub collider: Entity,
    /// The entity of its body.
    pub body: Entity,
    /// The fraction of the motion before the hit, 0 to 1; 0 if it starts inside.
    pub fraction: f32,
    /// The point of the hit.
    pub point: Vec2,
    /// For a ray the normal out of the collider; for a moving shape that from the shape to the collider. Zero if it
    /// starts inside.
    pub normal: Vec2,
}

/// A collider near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The collider's entity.
    pub collider: Entity,
    /// The entity of its body.
    pub body: Entity,
    /// The distance in meters; 0 inside.
    pub distance: f32,
    /// The collider's nearest point.
    pub point: Vec2,
}

impl SpatialQuery<'_> {
    /// The nearest collider that a ray hits.
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

    /// All colliders that a ray hits, nearest first.
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

    /// The nearest collider that a moving shape hits.
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

    /// The colliders that contain a point.
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
            let ends = self.physics.shape_entities(closest.shape)?;
            Some(Near {
                collider: ends.collider,
                body: ends.body,
                distance: closest.distance,
                point: closest.point.to_vec2(),
            })
        }))
    }

    fn hit(&self, shape: ShapeId, fraction: f32, point: Position, normal: Vec2) -> Option<CastHit> {
        let ends = self.physics.shape_entities(shape)?;
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
            if let Some(ends) = self.physics.shape_entities(shape)
                && seen.insert(ends.collider)
            {
                colliders.push(ends.collider);
            }
        }
        colliders
    }
}
