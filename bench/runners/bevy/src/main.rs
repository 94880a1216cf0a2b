//! Runs apps of Bevy, without a window, with Tombolo's plugin or with none.

use std::process::ExitCode;
use std::time::Instant;

use bevy_app::{App, FixedPostUpdate, TaskPoolOptions, TaskPoolPlugin};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::prelude::{Entity, IntoScheduleConfigs, Query, ResMut, Resource};
use bevy_ecs::schedule::{Schedules as AppSchedules, SingleThreadedExecutor};
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_tombolo::physics::WorldDef;
use bevy_tombolo::{Body, Collider, PhysicsSystems, TomboloPlugin, Workers};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use glam::{EulerRot, Vec2};
use tombolo_bench_protocol::apps::{self, AppOrder, BOX_SIZE, Content, PluginApp, Schedules};
use tombolo_bench_protocol::ground::GRAVITY;
use tombolo_scenes::{STEP_S, SUBSTEPS};

fn main() -> ExitCode {
    apps::run::<Tombolo>()
}

/// One app.
struct Tombolo {
    app: App,
    boxes: Vec<Entity>,
}

/// The time of the last step.
#[derive(Resource)]
struct StepTime {
    start: Instant,
    ns: Option<u64>,
}

impl PluginApp for Tombolo {
    fn name() -> String {
        "bevy_tombolo, Bevy 0.20.1".to_owned()
    }

    fn new(order: &AppOrder, ground: Vec2, ground_size: Vec2, boxes: &[Vec2]) -> Result<Self, String> {
        let mut app = App::new();
        app.add_plugins((
            TaskPoolPlugin {
                task_pool_options: pools(order.threads),
            },
            TimePlugin,
            TransformPlugin,
        ));
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .insert_resource(Time::<Fixed>::from_seconds(f64::from(STEP_S)))
            .insert_resource(StepTime {
                start: Instant::now(),
                ns: None,
            });
        match order.content {
            Content::Bare => drop(app.add_systems(FixedPostUpdate, touch_transforms)),
            Content::Plugin => add_physics(&mut app, order, false),
            Content::Interpolated => add_physics(&mut app, order, true),
        }
        if order.schedules == Schedules::Single {
            for (_, schedule) in app.world_mut().resource_mut::<AppSchedules>().iter_mut() {
                schedule.set_executor(SingleThreadedExecutor::new());
            }
        }
        app.finish();
        app.cleanup();
        let has_physics = order.content != Content::Bare;
        spawn(&mut app, Body::Static, ground, ground_size, has_physics);
        let size = Vec2::splat(BOX_SIZE);
        let boxes = boxes
            .iter()
            .map(|&at| spawn(&mut app, Body::Dynamic, at, size, has_physics));
        let boxes = boxes.collect();
        Ok(Self { app, boxes })
    }

    fn update(&mut self) {
        self.app.update();
    }

    fn step_ns(&self) -> Option<u64> {
        self.app.world().resource::<StepTime>().ns
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

fn add_physics(app: &mut App, order: &AppOrder, interpolation: bool) {
    let workers = match (order.threads, order.schedules) {
        (1, _) => Workers::One,
        (_, Schedules::Default) => Workers::Bevy,
        // Bevy's threads have nothing to do while the schedules run on the calling one.
        (threads, Schedules::Single) => Workers::Own(threads),
    };
    app.add_plugins(TomboloPlugin {
        def: WorldDef {
            gravity: Vec2::new(0.0, -GRAVITY),
            sleeping: false,
            substeps: SUBSTEPS,
            ..WorldDef::default()
        },
        workers,
        interpolation,
    });
    app.add_systems(
        FixedPostUpdate,
        (
            start_of_step
                .after(PhysicsSystems::Apply)
                .before(PhysicsSystems::Step),
            end_of_step
                .after(PhysicsSystems::Step)
                .before(PhysicsSystems::Show),
        ),
    );
}

fn start_of_step(mut time: ResMut<StepTime>) {
    time.start = Instant::now();
}

fn end_of_step(mut time: ResMut<StepTime>) {
    time.ns = u64::try_from(time.start.elapsed().as_nanos()).ok();
}

/// What any plugin's work brings about in Bevy: the Transforms of all boxes have changed.
fn touch_transforms(mut transforms: Query<&mut Transform>) {
    for mut transform in &mut transforms {
        transform.set_changed();
    }
}

fn spawn(app: &mut App, body: Body, at: Vec2, size: Vec2, has_physics: bool) -> Entity {
    let mut entity = app.world_mut().spawn(Transform::from_xyz(at.x, at.y, 0.0));
    if has_physics {
        // The default material: friction 0.6, like that of the other plugins here.
        entity.insert((body, Collider::rectangle(size.x, size.y)));
    }
    entity.id()
}
