//! Runs three of the benchmark scenes in Avian, without a window: the scenes of boxes on boxes and the one with a
//! motor, whose shapes and joints Avian has a counterpart for.
//!
//! The same as in the other engines: steps, substeps, gravity, friction, sleeping. At Avian's own defaults: the
//! softness of contacts (damping ratio 10; its frequency follows from the substep), the speed at which overlap is
//! pushed out (4 m/s, the others 3), the margins of its boxes. Its joints are solved by positions (XPBD), the contacts
//! by impulses. Whole apps with Avian's plugins are in `app.rs`.

mod app;

use std::process::ExitCode;
use std::time::Duration;

use avian2d::collision::CollisionDiagnostics;
use avian2d::dynamics::solver::SolverDiagnostics;
use avian2d::prelude::{
    AngularDamping, AngularMotor, AngularVelocity, CoefficientCombine, Collider, ColliderDensity,
    ColliderTreeOptimization, ContactGraph, Friction, Gravity, GravityScale, JointCollisionDisabled,
    LinearDamping, LinearVelocity, MotorModel, PhysicsPlugins, Position, Restitution, RevoluteJoint,
    RigidBody, Rotation, SleepThreshold, Sleeping, SleepingDisabled, SubstepCount,
};
use bevy::app::{App, PostUpdate, TaskPoolOptions, TaskPoolPlugin};
use bevy::ecs::query::{QueryFilter, With, Without};
use bevy::prelude::{ChildOf, Entity, Transform, TransformPlugin};
use bevy::time::{TimePlugin, TimeUpdateStrategy};
use glam::Vec2;
use tombolo::physics::{
    BodyDef, BodyId, BodyKind, ChainDef, JointDef, PhysicsError, RevoluteDef, Shape, ShapeDef,
};
use tombolo_bench_protocol::{BodyMotion, Counts, Engine, Ledger, Setting, apps, as_rectangle, run};
use tombolo_scenes::{STEP_S, SUBSTEPS, SceneTarget};

use crate::app::AvianApp;

fn main() -> ExitCode {
    if apps::is_asked() {
        return apps::run::<AvianApp>();
    }
    run::<Avian>()
}

/// One Bevy application with nothing but physics in it.
struct Avian {
    app: App,
    bodies: Ledger<Entity>,
    sleeping: bool,
}

impl Engine for Avian {
    fn name() -> String {
        "Avian 0.8.0 (parallel, built for this machine)".to_owned()
    }

    fn new(setting: &Setting, threads: usize) -> Result<Self, String> {
        let mut app = App::new();
        app.add_plugins((
            TaskPoolPlugin {
                task_pool_options: pools(threads),
            },
            TimePlugin,
            TransformPlugin,
            PhysicsPlugins::new(PostUpdate),
        ));
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f32(
            STEP_S,
        )))
        .insert_resource(Gravity(setting.gravity))
        .insert_resource(SubstepCount(SUBSTEPS))
        .insert_resource(ColliderTreeOptimization {
            // Otherwise a second thread updates its tree while the first one solves.
            use_compute_task: threads > 1,
            // Nobody asks the trees meanwhile.
            optimize_in_place: true,
            ..Default::default()
        });
        app.finish();
        app.cleanup();
        // The clock's first tick has no length and makes no step.
        app.update();
        Ok(Self {
            app,
            bodies: Ledger::default(),
            sleeping: setting.sleeping,
        })
    }

    fn step(&mut self) {
        self.app.update();
    }

    fn stages(&self) -> Vec<(&'static str, f64)> {
        // Under the names of our stages. Stages without a counterpart there are left out.
        let collision = self.app.world().resource::<CollisionDiagnostics>();
        let solver = self.app.world().resource::<SolverDiagnostics>();
        [
            ("find_pairs", collision.broad_phase),
            ("collide", collision.narrow_phase),
            ("prepare", solver.prepare_constraints),
            (
                "integrate",
                solver.integrate_velocities + solver.integrate_positions,
            ),
            ("warm_start", solver.warm_start),
            ("solve", solver.solve_constraints),
            ("relax", solver.relax_velocities),
            ("restitution", solver.apply_restitution),
            ("store", solver.store_impulses),
            ("finish_bodies", solver.finalize),
        ]
        .map(|(name, time)| (name, time.as_secs_f64() * 1e3))
        .to_vec()
    }

    fn motion(&self, body: BodyId) -> BodyMotion {
        let body = self.app.world().entity(self.bodies.body(body));
        let missing = "a body keeps the parts that it was created with";
        let rotation = body.get::<Rotation>().expect(missing);
        BodyMotion::new(
            body.get::<Position>().expect(missing).0,
            [rotation.cos, rotation.sin],
            body.get::<LinearVelocity>().expect(missing).0,
            body.get::<AngularVelocity>().expect(missing).0,
        )
    }

    fn counts(&self) -> Counts {
        let contacts = self.app.world().resource::<ContactGraph>();
        let moving = |body: &&RigidBody| body.is_dynamic();
        Counts {
            bodies: self.count::<With<RigidBody>>(),
            shapes: self.count::<With<Collider>>(),
            joints: self.count::<With<RevoluteJoint>>(),
            contacts: Some(contacts.active_pairs().len() + contacts.sleeping_pairs().len()),
            awake: self
                .app
                .world()
                .try_query_filtered::<&RigidBody, Without<Sleeping>>()
                .map_or(0, |mut bodies| {
                    bodies.iter(self.app.world()).filter(moving).count()
                }),
        }
    }
}

impl Avian {
    /// The number of entities of a kind; a kind that the world has never had has none.
    fn count<F: QueryFilter>(&self) -> usize {
        let world = self.app.world();
        world
            .try_query_filtered::<Entity, F>()
            .map_or(0, |mut query| query.iter(world).count())
    }
}

/// The number of computing threads that was asked for; the pools that physics does not use are as small as possible.
/// With one, Avian does all its work on the calling thread.
fn pools(threads: usize) -> TaskPoolOptions {
    let mut options = TaskPoolOptions::with_num_threads(threads + 2);
    for (pool, count) in [
        (&mut options.io, 1),
        (&mut options.async_compute, 1),
        (&mut options.compute, threads),
    ] {
        (pool.min_threads, pool.max_threads) = (count, count);
    }
    options
}

impl SceneTarget for Avian {
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        let kind = match def.kind {
            BodyKind::Static => RigidBody::Static,
            BodyKind::Kinematic => RigidBody::Kinematic,
            BodyKind::Dynamic => RigidBody::Dynamic,
        };
        let mut body = self.app.world_mut().spawn((
            kind,
            Position(def.position.to_vec2()),
            Rotation::radians(def.angle),
            LinearVelocity(def.linear_velocity),
            AngularVelocity(def.angular_velocity),
            LinearDamping(def.linear_damping),
            AngularDamping(def.angular_damping),
            GravityScale(def.gravity_scale),
            SleepThreshold {
                linear: def.sleep_threshold,
                ..Default::default()
            },
        ));
        if !(self.sleeping && def.allow_sleep) {
            body.insert(SleepingDisabled);
        }
        if !def.awake {
            body.insert(Sleeping);
        }
        Ok(self.bodies.enter(body.id()))
    }

    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        let body = self.bodies.body(body);
        let (collider, offset) = geometry(shape);
        let skin = (
            collider,
            ColliderDensity(def.density),
            Friction::new(def.friction).with_combine_rule(CoefficientCombine::GeometricMean),
            Restitution::new(def.restitution).with_combine_rule(CoefficientCombine::Max),
        );
        let world = self.app.world_mut();
        // A single shape at the origin is on the body's entity, which is the quickest; further ones and those off its
        // origin are its children.
        if offset == Vec2::ZERO && !world.entity(body).contains::<Collider>() {
            world.entity_mut(body).insert(skin);
        } else {
            world.spawn((
                skin,
                ChildOf(body),
                Transform::from_translation(offset.extend(0.0)),
            ));
        }
        Ok(())
    }

    fn create_chain(&mut self, _: BodyId, _: &ChainDef) -> Result<(), PhysicsError> {
        unreachable!("the bench runs no scene with a chain on this engine")
    }

    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError> {
        let JointDef::Revolute(def) = def else {
            unreachable!("the scenes have revolute joints only")
        };
        let bodies = [def.body_a, def.body_b].map(|body| self.bodies.body(body));
        let mut joint = self.app.world_mut().spawn(revolute(def, bodies));
        if !def.collide_connected {
            joint.insert(JointCollisionDisabled);
        }
        Ok(())
    }

    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
        self.app.world_mut().despawn(self.bodies.strike(body));
        Ok(())
    }

    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError> {
        let body = self.bodies.body(body);
        self.app
            .world_mut()
            .entity_mut(body)
            .insert(LinearVelocity(velocity));
        Ok(())
    }
}

/// Avian's shape, and the position of its origin in the body.
fn geometry(shape: &Shape) -> (Collider, Vec2) {
    if let [a, b] = *shape.vertices() {
        return (Collider::segment(a, b), Vec2::ZERO);
    }
    let (center, half) = as_rectangle(shape).expect("the three scenes are made of boxes and segments");
    (Collider::rectangle(2.0 * half.x, 2.0 * half.y), center)
}

/// A revolute joint with a motor for speed; the three scenes have none with a limit or a spring.
fn revolute(def: &RevoluteDef, [a, b]: [Entity; 2]) -> RevoluteJoint {
    let motor = AngularMotor {
        enabled: def.enable_motor,
        target_velocity: def.motor_speed,
        max_torque: def.max_motor_torque,
        // The stiffest setting: motors are solved by positions, and with a damping of one step the drum of `tumbler`
        // turned at two thirds of its speed. With this one it turns at seven eighths.
        ..AngularMotor::new(MotorModel::AccelerationBased {
            stiffness: 0.0,
            damping: 1e4 / STEP_S,
        })
    };
    RevoluteJoint::new(a, b)
        .with_local_anchor1(def.local_anchor_a)
        .with_local_anchor2(def.local_anchor_b)
        .with_motor(motor)
}
