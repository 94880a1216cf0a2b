//! Runs apps of Bevy, without a window, with bevy_rapier2d.
//!
//! As its users have it: in `PostUpdate`, one step of a fixed length in each update, four iterations of its solver. Its
//! boxes wait two seconds with sleep, longer than a run.
//!
//! Interpolated, the plugin makes as many steps as fit into the time that has passed: one in each update but the first, since the
//! clock advances by exactly one step. It keeps the poses before and after the last step and writes one between them to each
//! Transform in each update, as the others do. It draws at the end of that step, where the others draw at its start, so that its
//! Transforms are those of the plugin without interpolation: that changes no work.

use std::process::ExitCode;

use bevy::app::{App, TaskPoolOptions, TaskPoolPlugin};
use bevy::ecs::schedule::{Schedules as AppSchedules, SingleThreadedExecutor};
use bevy::prelude::{Entity, Transform, TransformPlugin};
use bevy::time::{TimePlugin, TimeUpdateStrategy};
use bevy_rapier2d::prelude::{
    BroadPhaseOptimizationStrategy, Collider, Friction, IntegrationParameters, NoUserData,
    RapierConfiguration, RapierContextInitialization, RapierPhysicsPlugin, RigidBody, TimestepMode,
    TransformInterpolation,
};
use glam::{EulerRot, Vec2};
use tombolo_bench_protocol::apps::{self, AppOrder, BOX_SIZE, Content, PluginApp, Schedules};
use tombolo_bench_protocol::ground::GRAVITY;
use tombolo_scenes::{STEP_S, SUBSTEPS};

fn main() -> ExitCode {
    apps::run::<BevyRapier>()
}

/// One app.
struct BevyRapier {
    app: App,
    boxes: Vec<Entity>,
}

impl PluginApp for BevyRapier {
    fn name() -> String {
        "bevy_rapier2d 0.37.0 (simd8), Bevy 0.20.1".to_owned()
    }

    fn new(order: &AppOrder, ground: Vec2, ground_size: Vec2, boxes: &[Vec2]) -> Result<Self, String> {
        let timestep = match order.content {
            Content::Plugin => TimestepMode::Fixed {
                dt: STEP_S,
                substeps: 1,
            },
            Content::Interpolated => TimestepMode::Interpolated {
                dt: STEP_S,
                time_scale: 1.0,
                substeps: 1,
            },
            Content::Bare => return Err("this runner has the plugin only".to_owned()),
        };
        if order.threads > 1 && !cfg!(feature = "pool") {
            return Err("this build runs on one thread".to_owned());
        }
        let mut app = App::new();
        app.add_plugins((
            TaskPoolPlugin {
                task_pool_options: pools(order.threads),
            },
            TimePlugin,
            TransformPlugin,
            RapierPhysicsPlugin::<NoUserData>::default().with_custom_initialization(setting(order.threads)),
        ));
        app.insert_resource(TimeUpdateStrategy::ManualDuration(
            std::time::Duration::from_secs_f32(STEP_S),
        ))
        .insert_resource(timestep);
        if order.schedules == Schedules::Single {
            for (_, schedule) in app.world_mut().resource_mut::<AppSchedules>().iter_mut() {
                schedule.set_executor(SingleThreadedExecutor::new());
            }
        }
        app.finish();
        app.cleanup();
        spawn(&mut app, RigidBody::Fixed, ground, ground_size);
        let size = Vec2::splat(BOX_SIZE);
        let boxes: Vec<Entity> = boxes
            .iter()
            .map(|&at| spawn(&mut app, RigidBody::Dynamic, at, size))
            .collect();
        if order.content == Content::Interpolated {
            for &entity in &boxes {
                let mut entity = app.world_mut().entity_mut(entity);
                entity.insert(TransformInterpolation::default());
            }
        }
        Ok(Self { app, boxes })
    }

    fn update(&mut self) {
        self.app.update();
    }

    fn step_ns(&self) -> Option<u64> {
        None
    }

    fn places(&self) -> Vec<[f32; 3]> {
        let place = |&entity| {
            let transform = self
                .app
                .world()
                .get::<Transform>(entity)
                .expect("it was spawned with one");
            let (_, _, angle) = transform.rotation.to_euler(EulerRot::XYZ);
            [transform.translation.x, transform.translation.y, angle]
        };
        self.boxes.iter().map(place).collect()
    }
}

/// Gravity, iterations and threads.
fn setting(threads: usize) -> RapierContextInitialization {
    RapierContextInitialization::InitializeDefaultRapierContext {
        integration_parameters: IntegrationParameters {
            num_solver_iterations: SUBSTEPS as usize,
            ..Default::default()
        },
        rapier_configuration: RapierConfiguration {
            gravity: Vec2::new(0.0, -GRAVITY),
            num_threads: Some(threads),
            ..RapierConfiguration::new(1.0)
        },
        broad_phase_optimization_strategy: BroadPhaseOptimizationStrategy::default(),
    }
}

/// The number of computing threads that was asked for; the other pools are as small as possible.
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

fn spawn(app: &mut App, body: RigidBody, at: Vec2, size: Vec2) -> Entity {
    let parts = (
        body,
        Collider::cuboid(0.5 * size.x, 0.5 * size.y),
        Friction::coefficient(0.6),
        Transform::from_xyz(at.x, at.y, 0.0),
    );
    app.world_mut().spawn(parts).id()
}
