//! Single calls of Box2D.

use std::ffi::{c_int, c_void};

use boxdd_sys::ffi::*;
use glam::Vec2;
use tombolo::physics::BodyId;
use tombolo_bench_protocol::calls::{CIRCLE, Calls, SQUARE};
use tombolo_bench_protocol::ground::Ray;

use crate::{Box2d, vector};

unsafe extern "C" fn count_one(_: b2ShapeId, context: *mut c_void) -> bool {
    // SAFETY: C passes the pointer of the call below.
    unsafe { *context.cast::<usize>() += 1 };
    true
}

unsafe extern "C" fn keep_nearest(
    _: b2ShapeId,
    _: b2Pos,
    _: b2Vec2,
    fraction: f32,
    context: *mut c_void,
) -> f32 {
    // SAFETY: C passes the pointer of the call below.
    unsafe { *context.cast::<f32>() = fraction };
    // The rest of the path is cut off, so that a later hit is a nearer one.
    fraction
}

/// The definitions and shapes of the calls, which a user keeps.
pub(crate) struct Shapes {
    body_def: b2BodyDef,
    shape_def: b2ShapeDef,
    /// The shape of a body.
    body: b2Polygon,
    square: b2ShapeProxy,
    circle: b2ShapeProxy,
}

impl Shapes {
    pub(crate) fn new() -> Self {
        let half = 0.5 * SQUARE;
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
        let corners = corners.map(|(x, y)| vector(Vec2::new(x, y)));
        // SAFETY: functions of numbers; the pointers are to locals that C copies.
        unsafe {
            Self {
                body_def: b2BodyDef {
                    type_: b2BodyType_b2_dynamicBody,
                    ..b2DefaultBodyDef()
                },
                shape_def: b2DefaultShapeDef(),
                body: b2MakeBox(0.5, 0.5),
                square: b2MakeProxy(corners.as_ptr(), corners.len() as c_int, 0.0),
                circle: b2MakeProxy(&vector(Vec2::ZERO), 1, CIRCLE),
            }
        }
    }
}

impl Calls for Box2d {
    type Handle = b2BodyId;

    fn handle(&self, body: BodyId) -> b2BodyId {
        self.bodies.body(body)
    }

    fn create(&mut self, place: Vec2) -> b2BodyId {
        let shapes = &mut self.shapes;
        shapes.body_def.position = vector(place);
        // SAFETY: the definitions start from the defaults, the world exists, and C copies what the pointers are to.
        unsafe {
            let body = b2CreateBody(self.world, &shapes.body_def);
            b2CreatePolygonShape(body, &shapes.shape_def, &shapes.body);
            body
        }
    }

    fn destroy(&mut self, body: b2BodyId) {
        // SAFETY: the caller destroys each body once.
        unsafe { b2DestroyBody(body) }
    }

    fn set_place(&mut self, body: b2BodyId, place: Vec2) {
        // SAFETY: the body exists.
        unsafe { b2Body_SetTransform(body, vector(place), b2Rot { c: 1.0, s: 0.0 }) }
    }

    fn push(&mut self, body: b2BodyId, impulse: Vec2) {
        // SAFETY: the body exists.
        unsafe { b2Body_ApplyLinearImpulseToCenter(body, vector(impulse), true) }
    }

    fn place(&self, body: b2BodyId) -> Vec2 {
        // SAFETY: the body exists.
        let place = unsafe { b2Body_GetPosition(body) };
        Vec2::new(place.x, place.y)
    }

    fn velocity(&self, body: b2BodyId) -> Vec2 {
        // SAFETY: the body exists.
        let velocity = unsafe { b2Body_GetLinearVelocity(body) };
        Vec2::new(velocity.x, velocity.y)
    }

    fn ray(&self, ray: &Ray) -> f32 {
        self.cast_ray(ray.origin, ray.translation)
    }

    fn overlap(&self, center: Vec2) -> usize {
        let mut count = 0_usize;
        // SAFETY: the world exists, and the pointers are to locals that live during the calls.
        unsafe {
            b2World_OverlapShape(
                self.world,
                vector(center),
                &self.shapes.square,
                self.filter,
                Some(count_one),
                (&raw mut count).cast(),
            );
        }
        count
    }

    fn cast(&self, path: &Ray) -> f32 {
        let mut share = 1.0_f32;
        // SAFETY: the world exists, and the pointers are to locals that live during the calls.
        unsafe {
            b2World_CastShape(
                self.world,
                vector(path.origin),
                &self.shapes.circle,
                vector(path.translation),
                self.filter,
                Some(keep_nearest),
                (&raw mut share).cast(),
            );
        }
        share
    }
}
