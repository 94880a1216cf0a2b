//! Runs the benchmark scenes in Box2D, through the raw C interface. All unsafe code of the runner is in this file, in
//! `calls.rs`, in `joints.rs` and in `walk.rs`: it consists of calls into C with ids that the ledger holds and with pointers to locals.

mod calls;
mod joints;
mod walk;

use std::ffi::{c_char, c_int};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use boxdd_sys::ffi::*;
use glam::Vec2;
use tombolo::physics::{
    BodyDef, BodyId, BodyKind, ChainDef, Filter, JointDef, PhysicsError, Shape, ShapeDef,
};
use tombolo_bench_protocol::saves::Saves;
use tombolo_bench_protocol::{BodyMotion, Counts, Engine, Ledger, Setting, as_rectangle};
use tombolo_scenes::{STEP_S, SUBSTEPS, SceneTarget};

/// The month of the revision that this version of `boxdd-sys` carries.
const REVISED: &str = "June 2026";

/// The C compiler, as the bench has told it to Cargo.
const C_COMPILER: &str = match option_env!("RUNNER_C_COMPILER") {
    Some(compiler) => compiler,
    None => "C compiler unknown",
};

fn main() -> ExitCode {
    tombolo_bench_protocol::calls::run_with_saves::<Box2d>()
}

/// One Box2D world.
struct Box2d {
    world: b2WorldId,
    bodies: Ledger<b2BodyId>,
    /// The few kinematic bodies, which are among the awake ones that Box2D counts.
    kinematic: Vec<b2BodyId>,
    /// The filter of every query.
    filter: b2QueryFilter,
    /// The last snapshot, with memory for a larger one.
    snapshot: Vec<u8>,
    shapes: calls::Shapes,
}

impl Drop for Box2d {
    fn drop(&mut self) {
        // SAFETY: the world was created by this value and is destroyed once.
        unsafe { b2DestroyWorld(self.world) }
    }
}

fn default_filter() -> b2QueryFilter {
    // SAFETY: a function without arguments.
    unsafe { b2DefaultQueryFilter() }
}

fn vector(v: Vec2) -> b2Vec2 {
    b2Vec2 { x: v.x, y: v.y }
}

/// Box2D's own sine and cosine, which differ from the C library's by design.
fn rotation(angle: f32) -> b2Rot {
    // SAFETY: a function of a number.
    let b2CosSin { cosine: c, sine: s } = unsafe { b2ComputeCosSin(angle) };
    b2Rot { c, s }
}

static ASSERTION_SEEN: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn note_assertion(_: *const c_char, _: *const c_char, _: c_int) -> c_int {
    ASSERTION_SEEN.store(true, Ordering::Relaxed);
    // Zero: continue, without a break into a debugger.
    0
}

/// Whether the library was compiled with its assertions, which cost it a tenth: checked by a box of negative size.
fn assertions_are_on() -> bool {
    // SAFETY: the callback is a static function; the call reads and writes nothing but its arguments and result.
    unsafe {
        b2SetAssertFcn(Some(note_assertion));
        b2MakeBox(-1.0, -1.0);
    }
    ASSERTION_SEEN.load(Ordering::Relaxed)
}

impl Engine for Box2d {
    fn name() -> String {
        let revision = &boxdd_sys::UPSTREAM_SHA[..8];
        format!("Box2D {revision} of {REVISED} (boxdd-sys, AVX2, {C_COMPILER})")
    }

    fn new(setting: &Setting, threads: usize) -> Result<Self, String> {
        if assertions_are_on() {
            return Err("compiled with assertions; build it with CFLAGS='-O3 -DNDEBUG'".to_owned());
        }
        // SAFETY: the default definition is valid, and so it is with these fields changed. Without callbacks, more than
        // one worker makes Box2D start its own threads.
        let world = unsafe {
            let mut def = b2DefaultWorldDef();
            def.gravity = vector(setting.gravity);
            def.enableSleep = setting.sleeping;
            def.workerCount = c_int::try_from(threads).map_err(|error| error.to_string())?;
            b2CreateWorld(&def)
        };
        Ok(Self {
            world,
            bodies: Ledger::default(),
            filter: default_filter(),
            kinematic: Vec::new(),
            snapshot: Vec::new(),
            shapes: calls::Shapes::new(),
        })
    }

    fn step(&mut self) {
        // SAFETY: the world exists.
        unsafe { b2World_Step(self.world, STEP_S, SUBSTEPS as c_int) }
    }

    fn stages(&self) -> Vec<(&'static str, f64)> {
        // Under the names of our stages. What has no counterpart there is left out.
        // SAFETY: the world exists.
        let profile = unsafe { b2World_GetProfile(self.world) };
        [
            ("find_pairs", profile.pairs),
            ("collide", profile.collide),
            ("prepare", profile.prepareConstraints),
            (
                "integrate",
                profile.integrateVelocities + profile.integratePositions,
            ),
            ("warm_start", profile.warmStart),
            ("solve", profile.solveImpulses),
            ("relax", profile.relaxImpulses),
            ("restitution", profile.applyRestitution),
            ("store", profile.storeImpulses),
            ("split_islands", profile.splitIslands),
            ("finish_bodies", profile.transforms),
            ("refit", profile.refit),
            ("sleep", profile.sleepIslands),
        ]
        .map(|(name, milliseconds)| (name, f64::from(milliseconds)))
        .to_vec()
    }

    fn motion(&self, body: BodyId) -> BodyMotion {
        let body = self.bodies.body(body);
        // SAFETY: the ledger holds existing bodies of this world only.
        let (transform, velocity, angular_velocity) = unsafe {
            (
                b2Body_GetTransform(body),
                b2Body_GetLinearVelocity(body),
                b2Body_GetAngularVelocity(body),
            )
        };
        let position = Vec2::new(transform.p.x, transform.p.y);
        let velocity = Vec2::new(velocity.x, velocity.y);
        BodyMotion::new(
            position,
            [transform.q.c, transform.q.s],
            velocity,
            angular_velocity,
        )
    }

    fn counts(&self) -> Counts {
        // SAFETY: the world exists.
        let (counters, awake) = unsafe {
            (
                b2World_GetCounters(self.world),
                b2World_GetAwakeBodyCount(self.world),
            )
        };
        // SAFETY: a body that is no longer valid is not asked.
        let is_awake = |&body: &b2BodyId| unsafe { b2Body_IsValid(body) && b2Body_IsAwake(body) };
        let kinematic = self.kinematic.iter().filter(|body| is_awake(body)).count();
        let [bodies, shapes, joints, contacts, awake] = [
            counters.bodyCount,
            counters.shapeCount,
            counters.jointCount,
            counters.contactCount,
            awake,
        ]
        .map(|count| usize::try_from(count).expect("a count is not negative"));
        Counts {
            bodies,
            shapes,
            joints,
            contacts: Some(contacts),
            awake: awake - kinematic,
        }
    }
}

impl Saves for Box2d {
    fn save(&mut self) -> usize {
        loop {
            let capacity = c_int::try_from(self.snapshot.len()).expect("a snapshot has less than 2 GB");
            // SAFETY: the world exists and is between steps, and the pointer is to as many bytes as the call is told.
            let size = unsafe { b2World_Snapshot(self.world, self.snapshot.as_mut_ptr(), capacity) };
            let size = usize::try_from(size).expect("a size is not negative");
            assert!(size > 0, "Box2D refuses to save this world");
            if size <= self.snapshot.len() {
                return size;
            }
            self.snapshot.resize(2 * size, 0);
        }
    }
}

impl SceneTarget for Box2d {
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        // SAFETY: the definition starts from the default and the world exists.
        let body = unsafe {
            let mut theirs = b2DefaultBodyDef();
            theirs.type_ = match def.kind {
                BodyKind::Static => b2BodyType_b2_staticBody,
                BodyKind::Kinematic => b2BodyType_b2_kinematicBody,
                BodyKind::Dynamic => b2BodyType_b2_dynamicBody,
            };
            theirs.position = vector(def.position.to_vec2());
            theirs.rotation = rotation(def.angle);
            theirs.linearVelocity = vector(def.linear_velocity);
            theirs.angularVelocity = def.angular_velocity;
            theirs.linearDamping = def.linear_damping;
            theirs.angularDamping = def.angular_damping;
            theirs.gravityScale = def.gravity_scale;
            theirs.sleepThreshold = def.sleep_threshold;
            theirs.enableSleep = def.allow_sleep;
            theirs.isAwake = def.awake;
            b2CreateBody(self.world, &theirs)
        };
        if def.kind == BodyKind::Kinematic {
            self.kinematic.push(body);
        }
        Ok(self.bodies.enter(body))
    }

    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        let body = self.bodies.body(body);
        let points: Vec<b2Vec2> = shape.vertices().iter().copied().map(vector).collect();
        let radius = shape.radius();
        // SAFETY: the body exists, the definition starts from the default, and the pointers are to locals that C copies.
        unsafe {
            let mut theirs = b2DefaultShapeDef();
            theirs.density = def.density;
            theirs.material.friction = def.friction;
            theirs.material.restitution = def.restitution;
            theirs.material.rollingResistance = def.rolling_resistance;
            theirs.filter = filter(def.filter);
            theirs.enableContactEvents = def.contact_events;
            theirs.enableHitEvents = def.hit_events;
            match points[..] {
                [center] => b2CreateCircleShape(body, &theirs, &b2Circle { center, radius }),
                [point1, point2] if radius == 0.0 => {
                    b2CreateSegmentShape(body, &theirs, &b2Segment { point1, point2 })
                }
                [center1, center2] => b2CreateCapsuleShape(
                    body,
                    &theirs,
                    &b2Capsule {
                        center1,
                        center2,
                        radius,
                    },
                ),
                _ => b2CreatePolygonShape(body, &theirs, &polygon(shape, &points)),
            };
        }
        Ok(())
    }

    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        let points: Vec<b2Vec2> = def.points.iter().copied().map(vector).collect();
        // SAFETY: the body exists, the definitions start from the defaults, and the pointers are to locals that C copies.
        unsafe {
            let mut material = b2DefaultSurfaceMaterial();
            material.friction = def.shape.friction;
            material.restitution = def.shape.restitution;
            let mut theirs = b2DefaultChainDef();
            theirs.points = points.as_ptr();
            theirs.count = points.len() as c_int;
            theirs.materials = &material;
            theirs.filter = filter(def.shape.filter);
            theirs.isLoop = def.closed;
            b2CreateChain(self.bodies.body(body), &theirs);
        }
        Ok(())
    }

    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError> {
        let bodies = def.bodies().map(|body| self.bodies.body(body));
        // SAFETY: the world and both bodies exist.
        unsafe { joints::create(self.world, bodies, def) };
        Ok(())
    }

    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
        // SAFETY: the ledger holds existing bodies only, and this one is removed from it.
        unsafe { b2DestroyBody(self.bodies.strike(body)) }
        Ok(())
    }

    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError> {
        // SAFETY: the ledger holds existing bodies only.
        unsafe { b2Body_SetLinearVelocity(self.bodies.body(body), vector(velocity)) }
        Ok(())
    }
}

fn filter(filter: Filter) -> b2Filter {
    b2Filter {
        categoryBits: filter.category,
        maskBits: filter.mask,
        groupIndex: filter.group,
    }
}

/// A rectangle by Box2D's own function, which starts at the same corner as its scenes do; else a hull.
fn polygon(shape: &Shape, points: &[b2Vec2]) -> b2Polygon {
    // SAFETY: functions of numbers; the pointers are to locals that C reads during the call.
    unsafe {
        match as_rectangle(shape) {
            Some((center, half)) => {
                b2MakeOffsetRoundedBox(half.x, half.y, vector(center), rotation(0.0), shape.radius())
            }
            None => b2MakePolygon(
                &b2ComputeHull(points.as_ptr(), points.len() as c_int),
                shape.radius(),
            ),
        }
    }
}
