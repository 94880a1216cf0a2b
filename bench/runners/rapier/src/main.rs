//! Runs the benchmark scenes in Rapier. With feature `wide` it is Rapier's fastest build for one thread (eight lanes),
//! with `pool` in addition the fastest for several, with `profiler` in addition one that reports its stages, with `saves`
//! one that saves its world; without, the build that its users get by default.

mod calls;
mod joints;
mod walk;

use std::process::ExitCode;

use glam::Vec2;
use rapier2d::prelude::*;
use tombolo::physics::{
    BodyDef, BodyId, BodyKind, ChainDef, Filter, JointDef, PhysicsError, Shape, ShapeDef,
};
use tombolo_bench_protocol::{BodyMotion, Counts, Engine, Ledger, Setting, as_rectangle};
use tombolo_scenes::{STEP_S, SUBSTEPS, SceneTarget};

#[cfg(not(feature = "saves"))]
fn main() -> ExitCode {
    tombolo_bench_protocol::calls::run::<Rapier>()
}

#[cfg(feature = "saves")]
fn main() -> ExitCode {
    tombolo_bench_protocol::calls::run_with_saves::<Rapier>()
}

/// One Rapier world.
struct Rapier {
    world: PhysicsWorld,
    bodies: Ledger<RigidBodyHandle>,
    sleeping: bool,
    /// The number of shapes beyond one for each collider: a chain is one collider.
    shapes_beyond: usize,
    /// The grid of cells.
    tiles: Option<ColliderHandle>,
    /// The number of its joints beyond one for each of the scene's: a motor joint is two.
    joints_beyond: usize,
    shapes: calls::Shapes,
    /// The last save.
    #[cfg(feature = "saves")]
    save: Vec<u8>,
}

fn vector(v: Vec2) -> Vector {
    Vector::new(v.x, v.y)
}

impl Engine for Rapier {
    fn name() -> String {
        let build = match (cfg!(feature = "wide"), cfg!(feature = "pool")) {
            _ if cfg!(feature = "saves") => "simd8, bincode 1.3.3, built for this machine",
            _ if cfg!(feature = "profiler") => "simd8, profiled, built for this machine",
            (true, true) => "simd8, parallel, built for this machine",
            (true, false) => "simd8, built for this machine",
            _ => "as by default",
        };
        format!("Rapier 0.36.1 ({build})")
    }

    fn new(setting: &Setting, threads: usize) -> Result<Self, String> {
        let mut world = PhysicsWorld::new();
        world.gravity = vector(setting.gravity);
        world.integration_parameters.dt = STEP_S;
        world.integration_parameters.num_solver_iterations = SUBSTEPS as usize;
        set_threads(&mut world, threads)?;
        if cfg!(feature = "profiler") {
            world.physics_pipeline.counters.enable();
        }
        Ok(Self {
            world,
            bodies: Ledger::default(),
            sleeping: setting.sleeping,
            shapes_beyond: 0,
            tiles: None,
            joints_beyond: 0,
            shapes: calls::Shapes::new(),
            #[cfg(feature = "saves")]
            save: Vec::new(),
        })
    }

    fn step(&mut self) {
        self.world.step();
    }

    fn stages(&self) -> Vec<(&'static str, f64)> {
        if !cfg!(feature = "profiler") {
            return Vec::new();
        }
        // The stages that have a counterpart of ours. Its stage "making islands" is splitting, sleeping and waking in
        // one; islands are merged in its narrow phase. Its stage "collecting constraints" keeps the graph of colored
        // contacts up to date, which ours does as it links.
        let stages = &self.world.physics_pipeline.counters.stages;
        [
            ("link_islands", &stages.island_constraints_collection_time),
            ("split_islands", &stages.island_construction_time),
        ]
        .map(|(name, timer)| (name, timer.time_ms()))
        .to_vec()
    }

    fn motion(&self, body: BodyId) -> BodyMotion {
        let body = &self.world.bodies[self.bodies.body(body)];
        let (position, rotation, velocity) = (body.translation(), body.rotation(), body.linvel());
        BodyMotion::new(
            Vec2::new(position.x, position.y),
            [rotation.re, rotation.im],
            Vec2::new(velocity.x, velocity.y),
            body.angvel(),
        )
    }

    fn counts(&self) -> Counts {
        Counts {
            bodies: self.world.bodies.len(),
            shapes: self.world.colliders.len() + self.shapes_beyond,
            joints: self.world.impulse_joints.len() - self.joints_beyond,
            contacts: Some(self.world.contact_pairs().count()),
            awake: self.awake(),
        }
    }

    fn awake(&self) -> usize {
        let active = self.world.active_bodies();
        active.filter(|(_, body)| body.is_dynamic()).count()
    }
}

#[cfg(feature = "saves")]
impl tombolo_bench_protocol::saves::Saves for Rapier {
    fn save(&mut self) -> usize {
        self.save.clear();
        bincode::serialize_into(&mut self.save, &self.world).expect("every part of a world has a form");
        self.save.len()
    }
}

#[cfg(feature = "pool")]
fn set_threads(world: &mut PhysicsWorld, threads: usize) -> Result<(), String> {
    world
        .configure_thread_pool(threads)
        .map_err(|error| error.to_string())
}

#[cfg(not(feature = "pool"))]
fn set_threads(_: &mut PhysicsWorld, threads: usize) -> Result<(), String> {
    if threads == 1 {
        Ok(())
    } else {
        Err("this build runs on one thread".to_owned())
    }
}

impl SceneTarget for Rapier {
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        let builder = match def.kind {
            BodyKind::Static => RigidBodyBuilder::fixed(),
            BodyKind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
            BodyKind::Dynamic => RigidBodyBuilder::dynamic(),
        };
        let body = builder
            .translation(vector(def.position.to_vec2()))
            .rotation(def.angle)
            .linvel(vector(def.linear_velocity))
            .angvel(def.angular_velocity)
            .linear_damping(def.linear_damping)
            .angular_damping(def.angular_damping)
            .gravity_scale(def.gravity_scale)
            .can_sleep(def.allow_sleep && self.sleeping)
            .sleeping(!def.awake);
        let handle = self.world.insert_body(body);
        if self.sleeping && def.allow_sleep {
            self.world.bodies[handle]
                .activation_mut()
                .normalized_linear_threshold = def.sleep_threshold;
        }
        Ok(self.bodies.enter(handle))
    }

    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        let collider = with_material(geometry(shape), def).density(def.density);
        self.world.insert_collider(collider, Some(self.bodies.body(body)));
        Ok(())
    }

    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        let count = def.points.len() as u32;
        let segment_count = if def.closed { count } else { count - 1 };
        let segments = (0..segment_count).map(|start| [start, (start + 1) % count]);
        let points = def.points.iter().copied().map(vector).collect();
        let collider = ColliderBuilder::oriented_polyline(points, Some(segments.collect()));
        let collider = with_material(collider, &def.shape);
        self.world.insert_collider(collider, Some(self.bodies.body(body)));
        self.shapes_beyond += segment_count as usize - 1;
        Ok(())
    }

    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError> {
        let [a, b] = def.bodies().map(|body| self.bodies.body(body));
        if matches!(def, JointDef::Distance(_)) {
            // A hundred links in so few substeps: by default each substep begins without impulses, and the stretch of a
            // rope is corrected by 3 m/s at most, so that it falls as if nothing held it.
            let parameters = &mut self.world.integration_parameters;
            parameters.warmstart_joints = true;
            parameters.normalized_max_corrective_velocity = f32::MAX;
        }
        let joints = joints::generic(def);
        self.joints_beyond += joints.len() - 1;
        for joint in joints {
            self.world.insert_impulse_joint(a, b, joint);
        }
        Ok(())
    }

    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
        let handle = self.bodies.strike(body);
        self.world.remove_body_with_colliders(handle, true);
        Ok(())
    }

    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError> {
        self.world.bodies[self.bodies.body(body)].set_linvel(vector(velocity), true);
        Ok(())
    }
}

/// A collider with friction, restitution and filter of a shape, combined as ours are.
fn with_material(collider: ColliderBuilder, def: &ShapeDef) -> ColliderBuilder {
    collider
        .friction(def.friction)
        .friction_combine_rule(CoefficientCombineRule::GeometricMean)
        .restitution(def.restitution)
        .restitution_combine_rule(CoefficientCombineRule::Max)
        .collision_groups(groups(def.filter))
}

/// Rapier's own kind for each polygon; a rectangle becomes a cuboid, which Rapier handles faster than a polygon.
fn geometry(shape: &Shape) -> ColliderBuilder {
    let points: Vec<Vector> = shape.vertices().iter().copied().map(vector).collect();
    let radius = shape.radius();
    match points[..] {
        [center] => ColliderBuilder::ball(radius).translation(center),
        [a, b] if radius == 0.0 => ColliderBuilder::segment(a, b),
        [a, b] => ColliderBuilder::capsule_from_endpoints(a, b, radius),
        _ => polygon(shape, points),
    }
}

fn polygon(shape: &Shape, points: Vec<Vector>) -> ColliderBuilder {
    let radius = shape.radius();
    if let Some((center, half)) = as_rectangle(shape) {
        let cuboid = if radius == 0.0 {
            ColliderBuilder::cuboid(half.x, half.y)
        } else {
            ColliderBuilder::round_cuboid(half.x, half.y, radius)
        };
        return cuboid.translation(vector(center));
    }
    let polygon = if radius == 0.0 {
        ColliderBuilder::convex_polyline(points)
    } else {
        ColliderBuilder::round_convex_polyline(points, radius)
    };
    polygon.expect("the scenes' polygons are convex and have an area")
}

/// Rapier has no groups that exclude themselves. The scenes use them for ragdolls only, at most 23 of them; each gets a
/// bit above the categories (which end at 8), and the masks of the others include it.
fn groups(filter: Filter) -> InteractionGroups {
    let low = |bits: u64| (bits & 0xff) as u32;
    let (member, mask) = if filter.group < 0 {
        let own = 1 << (8 - filter.group);
        let others = if filter.mask & filter.category == 0 {
            0
        } else {
            !0xff & !own
        };
        (own, (low(filter.mask) & !low(filter.category)) | others)
    } else {
        let above = if filter.mask == u64::MAX { !0xff } else { 0 };
        (low(filter.category), low(filter.mask) | above)
    };
    InteractionGroups::new(
        Group::from_bits_truncate(member),
        Group::from_bits_truncate(mask),
        InteractionTestMode::And,
    )
}
