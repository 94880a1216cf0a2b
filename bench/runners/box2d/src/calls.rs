//! Single calls of Box2D.

use std::ffi::{c_int, c_void};

use boxdd_sys::ffi::*;
use glam::Vec2;
use tombolo::physics::BodyId;
use tombolo_bench_protocol::calls::{CIRCLE, Calls, SQUARE};
use tombolo_bench_protocol::ground::Ray;

use crate::{Box2d, rotation, vector};

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

impl Calls for Box2d {
    type Handle = b2BodyId;

    fn handle(&self, body: BodyId) -> b2BodyId {
        self.bodies.body(body)
    }

    fn create(&mut self, place: Vec2) -> b2BodyId {
        // SAFETY: the definitions start from the defaults, the world exists, and the pointers are to locals that C copies.
        unsafe {
            let mut def = b2DefaultBodyDef();
            def.type_ = b2BodyType_b2_dynamicBody;
            def.position = vector(place);
            let body = b2CreateBody(self.world, &def);
            let shape = b2DefaultShapeDef();
            b2CreatePolygonShape(body, &shape, &b2MakeBox(0.5, 0.5));
            body
        }
    }

    fn destroy(&mut self, body: b2BodyId) {
        // SAFETY: the caller destroys each body once.
        unsafe { b2DestroyBody(body) }
    }

    fn set_place(&mut self, body: b2BodyId, place: Vec2) {
        // SAFETY: the body exists.
        unsafe { b2Body_SetTransform(body, vector(place), rotation(0.0)) }
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
        let half = 0.5 * SQUARE;
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
        let corners = corners.map(|(x, y)| vector(Vec2::new(x, y)));
        let mut count = 0_usize;
        // SAFETY: the world exists, and the pointers are to locals that live during the calls.
        unsafe {
            let proxy = b2MakeProxy(corners.as_ptr(), corners.len() as c_int, 0.0);
            b2World_OverlapShape(
                self.world,
                vector(center),
                &proxy,
                b2DefaultQueryFilter(),
                Some(count_one),
                (&raw mut count).cast(),
            );
        }
        count
    }

    fn cast(&self, path: &Ray) -> f32 {
        let center = vector(Vec2::ZERO);
        let mut share = 1.0_f32;
        // SAFETY: the world exists, and the pointers are to locals that live during the calls.
        unsafe {
            let proxy = b2MakeProxy(&center, 1, CIRCLE);
            b2World_CastShape(
                self.world,
                vector(path.origin),
                &proxy,
                vector(path.translation),
                b2DefaultQueryFilter(),
                Some(keep_nearest),
                (&raw mut share).cast(),
            );
        }
        share
    }
}
