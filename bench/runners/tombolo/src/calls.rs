//! Single calls of Tombolo, and the batches of its queries on one worker.

use std::ops::ControlFlow;

use tombolo::physics::{
    BodyDef, BodyId, CastQuery, Motion, OverlapQuery, Overlaps, Pose, Position, QueryFilter, Rot, Shape,
    ShapeDef, ShapeHit, Vec2,
};
use tombolo_bench_protocol::calls::{CIRCLE, Calls, SQUARE};
use tombolo_bench_protocol::ground::{Ground, Ray};
use tombolo_threads::Inline;

use crate::Tombolo;

fn pose(place: Vec2) -> Pose {
    Pose {
        position: place,
        rotation: Rot::IDENTITY,
    }
}

/// The shapes of the calls, which a user keeps.
pub(crate) struct Shapes {
    /// That of a body.
    body: Shape,
    square: Shape,
    circle: Shape,
    /// The results of batches, kept to reuse the memory.
    found: Overlaps,
    hits: Vec<Option<ShapeHit>>,
}

impl Shapes {
    pub(crate) fn new() -> Self {
        let square = |side| Shape::new_box(side, side).expect("a square in range");
        Self {
            body: square(1.0),
            square: square(SQUARE),
            circle: Shape::circle(Vec2::ZERO, CIRCLE).expect("a circle in range"),
            found: Overlaps::default(),
            hits: Vec::new(),
        }
    }
}

impl Calls for Tombolo {
    type Handle = BodyId;

    fn handle(&self, body: BodyId) -> BodyId {
        body
    }

    fn create(&mut self, place: Vec2) -> BodyId {
        let body = self.world.create_body(&BodyDef::dynamic(place.x, place.y));
        let body = body.expect("a place in range");
        let shape = self
            .world
            .create_shape(body, &ShapeDef::default(), &self.shapes.body);
        shape.expect("a body that exists");
        body
    }

    fn destroy(&mut self, body: BodyId) {
        self.world.destroy_body(body).expect("a body that exists");
    }

    fn set_place(&mut self, body: BodyId, place: Vec2) {
        let mut body = self.world.body_mut(body).expect("a body that exists");
        body.set_pose(pose(place)).expect("a place in range");
    }

    fn push(&mut self, body: BodyId, impulse: Vec2) {
        let mut body = self.world.body_mut(body).expect("a body that exists");
        body.apply_impulse(impulse).expect("an impulse in range");
    }

    fn place(&self, body: BodyId) -> Vec2 {
        let body = self.world.body(body).expect("a body that exists");
        body.position().to_vec2()
    }

    fn velocity(&self, body: BodyId) -> Vec2 {
        let body = self.world.body(body).expect("a body that exists");
        body.linear_velocity()
    }

    fn ray(&self, ray: &Ray) -> f32 {
        let origin = Position::new(ray.origin.x, ray.origin.y);
        let hit = self
            .world
            .cast_ray(origin, ray.translation, QueryFilter::default());
        hit.expect("a ray of numbers").map_or(1.0, |hit| hit.fraction)
    }

    fn overlap(&self, center: Vec2) -> usize {
        let mut count = 0;
        self.world
            .for_each_overlapping(&self.shapes.square, pose(center), QueryFilter::default(), |_| {
                count += 1;
                ControlFlow::Continue(())
            })
            .expect("a square in range");
        count
    }

    fn cast(&self, path: &Ray) -> f32 {
        let motion = Motion::line(pose(path.origin), path.translation);
        let hit = self
            .world
            .cast_shape(&self.shapes.circle, motion, QueryFilter::default());
        hit.expect("a path of numbers").map_or(1.0, |hit| hit.fraction)
    }

    fn rays(&mut self, rays: &[Ray], shares: &mut Vec<f32>) -> bool {
        self.cast_rays(rays, shares);
        true
    }

    fn overlaps(&mut self, centers: &[Vec2], counts: &mut Vec<usize>) -> bool {
        let queries: Vec<OverlapQuery<'_>> = centers
            .iter()
            .map(|&center| OverlapQuery::new(&self.shapes.square, pose(center), QueryFilter::default()))
            .collect();
        let found = &mut self.shapes.found;
        let asked = self.world.overlap_shapes(&Inline, &queries, found);
        asked.expect("squares in range");
        counts.clear();
        counts.extend((0..found.len()).map(|query| found.of(query).len()));
        true
    }

    fn casts(&mut self, paths: &[Ray], shares: &mut Vec<f32>) -> bool {
        let queries: Vec<CastQuery<'_>> = paths
            .iter()
            .map(|path| CastQuery {
                shape: &self.shapes.circle,
                motion: Motion::line(pose(path.origin), path.translation),
                filter: QueryFilter::default(),
            })
            .collect();
        let hits = &mut self.shapes.hits;
        let cast = self.world.cast_shapes(&Inline, &queries, hits);
        cast.expect("paths of numbers");
        shares.clear();
        shares.extend(hits.iter().map(|hit| hit.map_or(1.0, |hit| hit.fraction)));
        true
    }
}
