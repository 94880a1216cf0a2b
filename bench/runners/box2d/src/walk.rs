//! Casts rays one by one, and moves characters by Box2D's planes, as in its sample `geometric_mover`: a ray to the
//! ground with a spring, up to five rounds of planes and casts, then the velocity is clipped.

use std::ffi::{c_int, c_void};

use boxdd_sys::ffi::*;
use glam::Vec2;
use tombolo_bench_protocol::ground::{Ground, Ray, WALKER, Walker};
use tombolo_scenes::STEP_S;

use crate::{Box2d, vector};

/// The greatest number of planes in a round.
const PLANES_MAX: usize = 8;

/// The height of the capsule above the ground on its spring, in meters.
const FLOAT: f32 = 0.3;

struct Planes {
    planes: [b2CollisionPlane; PLANES_MAX],
    count: usize,
}

unsafe extern "C" fn gather(_: b2ShapeId, result: *const b2PlaneResult, context: *mut c_void) -> bool {
    // SAFETY: C passes the pointer of the call below, and a result that lives during this call.
    let (planes, result) = unsafe { (&mut *context.cast::<Planes>(), &*result) };
    if result.hit && planes.count < PLANES_MAX {
        planes.planes[planes.count] = b2CollisionPlane {
            plane: result.plane,
            pushLimit: f32::MAX,
            push: 0.0,
            clipVelocity: true,
        };
        planes.count += 1;
    }
    true
}

impl Box2d {
    /// The fraction of a ray before its hit; 1 without a hit.
    pub(crate) fn cast_ray(&self, origin: Vec2, way: Vec2) -> f32 {
        // SAFETY: the world exists.
        let found = unsafe { b2World_CastRayClosest(self.world, vector(origin), vector(way), self.filter) };
        if found.hit { found.fraction } else { 1.0 }
    }

    fn planes_at(&self, place: Vec2, capsule: &b2Capsule) -> Planes {
        let none = b2CollisionPlane {
            plane: b2Plane {
                normal: vector(Vec2::ZERO),
                offset: 0.0,
            },
            pushLimit: 0.0,
            push: 0.0,
            clipVelocity: false,
        };
        let mut planes = Planes {
            planes: [none; PLANES_MAX],
            count: 0,
        };
        // SAFETY: the world exists, and the pointers are to locals that live during the call.
        unsafe {
            b2World_CollideMover(
                self.world,
                vector(place),
                capsule,
                self.filter,
                Some(gather),
                (&raw mut planes).cast(),
            );
        }
        planes
    }
}

impl Ground for Box2d {
    fn cast_rays(&mut self, rays: &[Ray], shares: &mut Vec<f32>) {
        shares.clear();
        shares.extend(rays.iter().map(|ray| self.cast_ray(ray.origin, ray.translation)));
    }

    fn walk(&mut self, walkers: &mut [Walker]) {
        let [height, radius] = WALKER;
        let half = Vec2::new(0.0, 0.5 * (height - FLOAT) - radius);
        let up = Vec2::new(0.0, 0.5 * FLOAT);
        let capsule = b2Capsule {
            center1: vector(up - half),
            center2: vector(up + half),
            radius,
        };
        for walker in walkers {
            let mut velocity = walker.wanted();
            let reach = 0.5 * height + FLOAT;
            let ground = reach * self.cast_ray(walker.place, Vec2::new(0.0, -reach));
            walker.is_grounded = ground < reach && !walker.jumps && velocity.y <= 0.0;
            let target = walker.place + STEP_S * velocity;
            let target = if walker.is_grounded {
                target + Vec2::new(0.0, 0.2 * (0.5 * height - ground))
            } else {
                target
            };
            let mut last = self.planes_at(walker.place, &capsule);
            for _ in 0..5 {
                let wanted = vector(target - walker.place);
                // SAFETY: the world exists, and the pointers are to locals that live during the calls.
                let moved = unsafe {
                    let solved =
                        b2SolvePlanes(wanted, last.planes.as_mut_ptr(), last.count as c_int).translation;
                    let share =
                        b2World_CastMover(self.world, vector(walker.place), &capsule, solved, self.filter);
                    share * Vec2::new(solved.x, solved.y)
                };
                walker.place += moved;
                if moved.length_squared() < 1.0e-4 {
                    break;
                }
                last = self.planes_at(walker.place, &capsule);
            }
            // SAFETY: as above.
            let clipped =
                unsafe { b2ClipVector(vector(velocity), last.planes.as_ptr(), last.count as c_int) };
            velocity = Vec2::new(clipped.x, clipped.y);
            walker.velocity = velocity;
        }
    }
}
