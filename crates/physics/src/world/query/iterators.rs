//! Queries as iterators: the shapes that the `for_each` forms visit, in the same order, each when it is asked for.

use super::cast::{CastQuery, Motion, ShapeHit};
use super::filter::{QueryFilter, Seen, check_box, check_placed};
use super::nearest::{Closest, Probe};
use super::overlap::{box_meets, contains, meets};
use super::ray::{RayHit, RayQuery};
use super::touch::Touch;
use crate::error::{finite_vector, non_negative};
use crate::shape::ShapeId;
use crate::world::PhysicsWorld;
use crate::{PhysicsError, Shape};
use glam::Vec2;
use tombolo_geometry::bvh::BoxCast;
use tombolo_geometry::{Aabb, Pose, Position};
use tombolo_threads::FloatEnvironment;

/// An iterator each of whose steps runs in the engine's float environment. The caller's code between two steps does not.
struct InEnvironment<I>(I);

impl<I: Iterator> Iterator for InEnvironment<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let _environment = FloatEnvironment::enter_call();
        self.0.next()
    }
}

impl PhysicsWorld {
    /// The shapes whose tight boxes share a point with `area`, in the order of the trees, as
    /// [`PhysicsWorld::for_each_in_box`] visits them.
    ///
    /// This iterator and its like find a shape when it is asked for, and allocate nothing: what is still to be searched
    /// is a part of the iterator, up to 1 kilobyte for areas and up to 4 for rays, paths and distances. Whoever
    /// stops early pays for what was searched until then. They borrow the world, which cannot change meanwhile.
    ///
    /// ```
    /// use tombolo_physics::{Aabb, BodyDef, PhysicsWorld, QueryFilter, Shape, ShapeDef, Vec2, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// for x in 0..9 {
    ///     let body = world.create_body(&BodyDef::fixed(x as f32, 0.0))?;
    ///     world.create_shape(body, &ShapeDef::default(), &Shape::circle(Vec2::ZERO, 0.4)?)?;
    /// }
    /// let area = Aabb::new(Vec2::new(2.0, 0.0), Vec2::new(5.0, 1.0));
    /// assert_eq!(world.iter_in_box(area, QueryFilter::default())?.count(), 4);
    /// let any = world.iter_in_box(area, QueryFilter::default())?.next();
    /// assert!(any.is_some());
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::overlap_box`].
    pub fn iter_in_box<'a>(
        &'a self,
        area: Aabb,
        filter: QueryFilter<'a>,
    ) -> Result<impl Iterator<Item = ShapeId> + use<'a>, PhysicsError> {
        check_box(area)?;
        let _environment = FloatEnvironment::enter_call();
        let found = self.seen_in_box(area, filter);
        Ok(ids(found.filter(move |seen| box_meets(seen, area))))
    }

    /// The shapes that contain a point, in the order of the trees, like [`PhysicsWorld::iter_in_box`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::overlap_point`].
    pub fn iter_at_point<'a>(
        &'a self,
        point: Position,
        filter: QueryFilter<'a>,
    ) -> Result<impl Iterator<Item = ShapeId> + use<'a>, PhysicsError> {
        let point = point.to_vec2();
        finite_vector("point", point)?;
        let found = self.seen_in_box(Aabb::new(point, point), filter);
        Ok(ids(found.filter(move |seen| contains(seen, point))))
    }

    /// The shapes that overlap or touch `shape` placed at `pose`, in the order of the trees, like
    /// [`PhysicsWorld::iter_in_box`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::overlap_shape`].
    pub fn iter_overlapping<'a>(
        &'a self,
        shape: &'a Shape,
        pose: Pose,
        filter: QueryFilter<'a>,
    ) -> Result<impl Iterator<Item = ShapeId> + use<'a>, PhysicsError> {
        check_placed(shape, pose)?;
        let _environment = FloatEnvironment::enter_call();
        let found = self.seen_in_box(shape.aabb(pose), filter);
        Ok(ids(found.filter(move |seen| meets(seen, shape, pose))))
    }

    /// The shapes that a ray from `origin` along `translation` meets, in the order of the trees, like
    /// [`PhysicsWorld::iter_in_box`]: not by distance. The nearest is [`PhysicsWorld::cast_ray`]'s, which searches less.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::cast_ray`].
    pub fn iter_on_ray<'a>(
        &'a self,
        origin: Position,
        translation: Vec2,
        filter: QueryFilter<'a>,
    ) -> Result<impl Iterator<Item = RayHit> + use<'a>, PhysicsError> {
        let ray = RayQuery::new(origin, translation, filter);
        ray.check()?;
        let _environment = FloatEnvironment::enter_call();
        let point = ray.rule_point();
        let found = self.seen_on_path(ray.bounds(), filter);
        let hits = found.filter_map(move |seen| self.hit_on_ray(&seen, &ray, point.as_ref()));
        Ok(InEnvironment(hits))
    }

    /// The shapes that `shape` meets on its path, in the order of the trees, like [`PhysicsWorld::iter_in_box`]: not by
    /// distance.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::cast_shape`].
    pub fn iter_on_path<'a>(
        &'a self,
        shape: &'a Shape,
        motion: Motion,
        filter: QueryFilter<'a>,
    ) -> Result<impl Iterator<Item = ShapeHit> + use<'a>, PhysicsError> {
        let cast = CastQuery {
            shape,
            motion,
            filter,
        };
        cast.check()?;
        let _environment = FloatEnvironment::enter_call();
        let found = self.seen_on_path(cast.bounds(), filter);
        let hits = found.filter_map(move |seen| self.hit_on_path(&seen, &cast, 1.0));
        Ok(InEnvironment(hits))
    }

    /// The shapes within `distance_max` meters of a point, in the order of the trees, like
    /// [`PhysicsWorld::iter_in_box`]: not by distance.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::closest_to_point`].
    pub fn iter_near_point<'a>(
        &'a self,
        point: Position,
        distance_max: f32,
        filter: QueryFilter<'a>,
    ) -> Result<impl Iterator<Item = Closest> + use<'a>, PhysicsError> {
        self.iter_near(Probe::Point(point.to_vec2()), distance_max, filter)
    }

    /// The shapes within `distance_max` meters of `shape` placed at `pose`, in the order of the trees, like
    /// [`PhysicsWorld::iter_in_box`]: not by distance.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::closest_to_shape`].
    pub fn iter_near_shape<'a>(
        &'a self,
        shape: &'a Shape,
        pose: Pose,
        distance_max: f32,
        filter: QueryFilter<'a>,
    ) -> Result<impl Iterator<Item = Closest> + use<'a>, PhysicsError> {
        self.iter_near(Probe::Shape(shape, pose), distance_max, filter)
    }

    /// The touches of [`PhysicsWorld::touches`] in the order of the trees, like [`PhysicsWorld::iter_in_box`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::touches`].
    pub fn iter_touches<'a>(
        &'a self,
        shape: &'a Shape,
        pose: Pose,
        margin: f32,
        filter: QueryFilter<'a>,
    ) -> Result<impl Iterator<Item = Touch> + use<'a>, PhysicsError> {
        check_placed(shape, pose)?;
        non_negative("margin", margin)?;
        let _environment = FloatEnvironment::enter_call();
        let found = self.seen_in_box(shape.aabb(pose).grown(margin), filter);
        let touches = found.filter_map(move |seen| self.touch_of(&seen, shape, pose, margin, &filter));
        Ok(InEnvironment(touches))
    }

    fn iter_near<'a>(
        &'a self,
        probe: Probe<'a>,
        distance_max: f32,
        filter: QueryFilter<'a>,
    ) -> Result<impl Iterator<Item = Closest> + use<'a>, PhysicsError> {
        let area = probe.check(distance_max)?;
        let _environment = FloatEnvironment::enter_call();
        let shapes = self
            .state
            .broad_phase
            .iter_near(area, distance_max, filter.mask)
            .chain(self.seen_sensors(&filter));
        let found = shapes.filter_map(move |index| {
            let found = probe.from(&self.seen(index, &filter)?);
            (found.distance <= distance_max).then_some(found)
        });
        Ok(InEnvironment(found))
    }

    /// The shapes that `visit_box` visits.
    fn seen_in_box<'a>(
        &'a self,
        area: Aabb,
        filter: QueryFilter<'a>,
    ) -> impl Iterator<Item = Seen<'a>> + use<'a> {
        let shapes = self.state.broad_phase.iter_box(area, filter.mask);
        let sensors = self.seen_sensors(&filter);
        let shapes = shapes.filter_map(move |index| self.seen(index, &filter));
        let sensors = sensors.filter_map(move |index| self.seen(index, &filter));
        shapes.chain(sensors.filter(move |seen| box_meets(seen, area)))
    }

    /// The shapes that `visit_cast` visits.
    fn seen_on_path<'a>(
        &'a self,
        cast: BoxCast,
        filter: QueryFilter<'a>,
    ) -> impl Iterator<Item = Seen<'a>> + use<'a> {
        let shapes = self.state.broad_phase.iter_cast(cast, filter.mask);
        let shapes = shapes.chain(self.seen_sensors(&filter));
        shapes.filter_map(move |index| self.seen(index, &filter))
    }
}

fn ids<'a>(found: impl Iterator<Item = Seen<'a>>) -> impl Iterator<Item = ShapeId> {
    InEnvironment(found.map(|seen| seen.shape()))
}
