//! Single calls of Rapier. What is moved or made is known to queries after the next step.

use glam::Vec2;
use rapier2d::parry::query::ShapeCastOptions;
use rapier2d::prelude::*;
use tombolo::physics::{BodyId, ShapeDef};
use tombolo_bench_protocol::calls::{CIRCLE, Calls, SQUARE};
use tombolo_bench_protocol::ground;

use crate::{Rapier, vector, with_material};

fn plain(v: Vector) -> Vec2 {
    Vec2::new(v.x, v.y)
}

/// The shapes of the calls, which a user keeps.
pub(crate) struct Shapes {
    /// That of a body.
    body: SharedShape,
    square: Cuboid,
    ball: Ball,
}

impl Shapes {
    pub(crate) fn new() -> Self {
        Self {
            body: SharedShape::cuboid(0.5, 0.5),
            square: Cuboid::new(vector(Vec2::splat(0.5 * SQUARE))),
            ball: Ball::new(CIRCLE),
        }
    }
}

impl Calls for Rapier {
    type Handle = RigidBodyHandle;

    fn handle(&self, body: BodyId) -> RigidBodyHandle {
        self.bodies.body(body)
    }

    fn create(&mut self, place: Vec2) -> RigidBodyHandle {
        let body = RigidBodyBuilder::dynamic()
            .translation(vector(place))
            .can_sleep(self.sleeping);
        let def = ShapeDef::default();
        let collider =
            with_material(ColliderBuilder::new(self.shapes.body.clone()), &def).density(def.density);
        self.world.insert(body, collider).0
    }

    fn destroy(&mut self, body: RigidBodyHandle) {
        self.world.remove_body_with_colliders(body, true);
    }

    fn set_place(&mut self, body: RigidBodyHandle, place: Vec2) {
        self.world.bodies[body].set_position(Pose::from_translation(vector(place)), true);
    }

    fn push(&mut self, body: RigidBodyHandle, impulse: Vec2) {
        self.world.bodies[body].apply_impulse(vector(impulse), true);
    }

    fn place(&self, body: RigidBodyHandle) -> Vec2 {
        plain(self.world.bodies[body].translation())
    }

    fn velocity(&self, body: RigidBodyHandle) -> Vec2 {
        plain(self.world.bodies[body].linvel())
    }

    fn ray(&self, ray: &ground::Ray) -> f32 {
        let asked = Ray::new(vector(ray.origin), vector(ray.translation));
        let hit = self.world.query_pipeline().cast_ray(&asked, 1.0, true);
        hit.map_or(1.0, |(_, share)| share)
    }

    fn overlap(&self, center: Vec2) -> usize {
        let pipeline = self.world.query_pipeline();
        pipeline
            .intersect_shape(Pose::from_translation(vector(center)), &self.shapes.square)
            .count()
    }

    fn cast(&self, path: &ground::Ray) -> f32 {
        let start = Pose::from_translation(vector(path.origin));
        let options = ShapeCastOptions {
            stop_at_penetration: true,
            compute_impact_geometry_on_penetration: false,
            ..ShapeCastOptions::with_max_time_of_impact(1.0)
        };
        let pipeline = self.world.query_pipeline();
        let hit = pipeline.cast_shape(&start, vector(path.translation), &self.shapes.ball, options);
        hit.map_or(1.0, |(_, hit)| hit.time_of_impact)
    }
}
