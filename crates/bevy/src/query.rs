//! [`SpatialQuery`]: a system parameter for ray casts, shape casts and overlap queries; [`SpatialFilter`]: what they find.

use core::fmt;

use bevy_ecs::prelude::{Entity, Res};
use bevy_ecs::system::SystemParam;
use bevy_math::Vec2;
use tombolo_physics::{Aabb, Motion, PhysicsError, Pose, Position, QueryFilter, Shape, ShapeId, ShapeRef};

use crate::world::Physics;

/// Ray casts, shape casts, overlaps and nearest colliders, with entities as results.
///
/// The results are those of the world after the last step: entities that were spawned or moved since are found from the
/// next step on. Lists are in a stated order, nearest first or by shape, which does not depend on Bevy. A filter is a
/// [`SpatialFilter`] or a [`QueryFilter`] of the engine. Batches over all workers are calls of
/// [`PhysicsWorld`](tombolo_physics::PhysicsWorld), which [`Physics::world`] returns.
///
/// A shape that belongs to no entity, such as a piece of a cut body, hides what is behind it, and is in no list.
///
/// ```
/// use bevy_ecs::prelude::Entity;
/// use bevy_math::Vec2;
/// use bevy_tombolo::{SpatialFilter, SpatialQuery};
///
/// fn is_on_ground(query: SpatialQuery, hero: Entity, feet: Vec2) -> bool {
///     let hit = query.cast_ray(feet, Vec2::new(0.0, -0.1), SpatialFilter::excluding(&[hero]));
///     hit.is_ok_and(|hit| hit.is_some())
/// }
/// ```
#[derive(SystemParam)]
pub struct SpatialQuery<'w> {
    physics: Res<'w, Physics>,
}

/// The colliders that a query finds: those of shapes that the engine's filter accepts, and of entities that the other fields
/// do.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_math::Vec2;
/// use bevy_tombolo::{SpatialFilter, SpatialQuery};
///
/// #[derive(Component)]
/// struct Enemy;
///
/// fn enemies_in_sight(query: SpatialQuery, enemies: Query<(), With<Enemy>>) -> usize {
///     let is_enemy = |collider| enemies.contains(collider);
///     let filter = SpatialFilter { predicate: Some(&is_enemy), ..SpatialFilter::default() };
///     query.cast_ray_all(Vec2::ZERO, Vec2::new(20.0, 0.0), filter).map_or(0, |hits| hits.len())
/// }
/// ```
#[derive(Clone, Copy, Default)]
pub struct SpatialFilter<'a> {
    /// The shapes: by categories, sensors or not, from the solid side only, by contact rules.
    pub shapes: QueryFilter<'a>,
    /// Entities that are excluded: colliders, and bodies with all of their colliders; none by default. The list is searched
    /// linearly.
    pub exclude: &'a [Entity],
    /// A predicate on the entities of the colliders that the other fields accept: false excludes the collider; none by
    /// default. It is called in no stated order, also for colliders near by that may turn out not to be met, and for one with
    /// several shapes several times.
    pub predicate: Option<&'a (dyn Fn(Entity) -> bool + Sync)>,
}

impl<'a> SpatialFilter<'a> {
    /// All colliders but sensors and those of these entities, which are colliders, or bodies with all of their colliders.
    pub fn excluding(entities: &'a [Entity]) -> Self {
        Self {
            exclude: entities,
            ..Self::default()
        }
    }
}

impl<'a> From<QueryFilter<'a>> for SpatialFilter<'a> {
    fn from(shapes: QueryFilter<'a>) -> Self {
        Self {
            shapes,
            ..Self::default()
        }
    }
}

impl fmt::Debug for SpatialFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpatialFilter")
            .field("shapes", &self.shapes)
            .field("exclude", &self.exclude)
            .field("predicate", &self.predicate.is_some())
            .finish()
    }
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
    pub fn cast_ray<'a>(
        &self,
        origin: Vec2,
        translation: Vec2,
        filter: impl Into<SpatialFilter<'a>>,
    ) -> Result<Option<CastHit>, PhysicsError> {
        let hit = self.asked(filter.into(), |filter| {
            self.physics.world.cast_ray(origin.into(), translation, filter)
        })?;
        Ok(hit.and_then(|hit| self.hit(hit.shape, hit.fraction, hit.point, hit.normal)))
    }

    /// All colliders that a ray hits, nearest first; one with several shapes once for each that it hits.
    ///
    /// # Errors
    ///
    /// If a number is not finite.
    pub fn cast_ray_all<'a>(
        &self,
        origin: Vec2,
        translation: Vec2,
        filter: impl Into<SpatialFilter<'a>>,
    ) -> Result<Vec<CastHit>, PhysicsError> {
        let hits = self.asked(filter.into(), |filter| {
            self.physics
                .world
                .cast_ray_all(origin.into(), translation, filter)
        })?;
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
    pub fn cast_shape<'a>(
        &self,
        shape: &Shape,
        motion: Motion,
        filter: impl Into<SpatialFilter<'a>>,
    ) -> Result<Option<CastHit>, PhysicsError> {
        let hit = self.asked(filter.into(), |filter| {
            self.physics.world.cast_shape(shape, motion, filter)
        })?;
        Ok(hit.and_then(|hit| self.hit(hit.shape, hit.fraction, hit.point, hit.normal)))
    }

    /// All colliders that a moving shape hits if it does not stop at any of them, nearest first; one with several shapes once
    /// for each that it hits.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate or a number not finite.
    pub fn cast_shape_all<'a>(
        &self,
        shape: &Shape,
        motion: Motion,
        filter: impl Into<SpatialFilter<'a>>,
    ) -> Result<Vec<CastHit>, PhysicsError> {
        let hits = self.asked(filter.into(), |filter| {
            self.physics.world.cast_shape_all(shape, motion, filter)
        })?;
        let hits = hits.into_iter();
        Ok(hits
            .filter_map(|hit| self.hit(hit.shape, hit.fraction, hit.point, hit.normal))
            .collect())
    }

    /// The colliders that contain a point.
    ///
    /// # Errors
    ///
    /// If a coordinate is not finite.
    pub fn at_point<'a>(
        &self,
        point: Vec2,
        filter: impl Into<SpatialFilter<'a>>,
    ) -> Result<Vec<Entity>, PhysicsError> {
        let shapes = self.asked(filter.into(), |filter| {
            self.physics.world.overlap_point(point.into(), filter)
        })?;
        Ok(self.colliders(&shapes))
    }

    /// The colliders whose boxes share a point with a box.
    ///
    /// # Errors
    ///
    /// If a number is not finite or the box is inverted.
    pub fn in_box<'a>(
        &self,
        area: Aabb,
        filter: impl Into<SpatialFilter<'a>>,
    ) -> Result<Vec<Entity>, PhysicsError> {
        let shapes = self.asked(filter.into(), |filter| {
            self.physics.world.overlap_box(area, filter)
        })?;
        Ok(self.colliders(&shapes))
    }

    /// The colliders that overlap or touch a shape.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate, or the pose not finite.
    pub fn overlapping<'a>(
        &self,
        shape: &Shape,
        pose: Pose,
        filter: impl Into<SpatialFilter<'a>>,
    ) -> Result<Vec<Entity>, PhysicsError> {
        let shapes = self.asked(filter.into(), |filter| {
            self.physics.world.overlap_shape(shape, pose, filter)
        })?;
        Ok(self.colliders(&shapes))
    }

    /// The nearest collider within a distance of a point.
    ///
    /// # Errors
    ///
    /// If a number is not finite, or the distance negative.
    pub fn nearest<'a>(
        &self,
        point: Vec2,
        distance_max: f32,
        filter: impl Into<SpatialFilter<'a>>,
    ) -> Result<Option<Near>, PhysicsError> {
        let point = Position::from(point);
        let closest = self.asked(filter.into(), |filter| {
            self.physics.world.closest_to_point(point, distance_max, filter)
        })?;
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

    /// Calls the engine with a filter that asks for entities too.
    fn asked<R>(&self, filter: SpatialFilter<'_>, ask: impl FnOnce(QueryFilter<'_>) -> R) -> R {
        let SpatialFilter {
            shapes,
            exclude,
            predicate,
        } = filter;
        if exclude.is_empty() && predicate.is_none() {
            return ask(shapes);
        }
        let physics = &*self.physics;
        let accepts = |shape: ShapeRef<'_>| {
            if shapes.predicate.is_some_and(|predicate| !predicate(shape)) {
                return false;
            }
            physics.shape_entities(shape.id()).is_none_or(|ends| {
                let is_excluded = exclude.contains(&ends.collider) || exclude.contains(&ends.body);
                !is_excluded && predicate.is_none_or(|predicate| predicate(ends.collider))
            })
        };
        ask(QueryFilter {
            predicate: Some(&accepts),
            ..shapes
        })
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
