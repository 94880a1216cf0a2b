//! Avian's plugins in an app as users have them: in the fixed schedules, with Transforms in sync.

use avian2d::prelude::{
    Collider, ColliderTreeOptimization, Friction, Gravity, PhysicsInterpolationPlugin, PhysicsPlugins,
    RigidBody, SleepingDisabled, SubstepCount,
};
use bevy::app::{App, TaskPoolPlugin};
use bevy::ecs::schedule::{Schedules as AppSchedules, SingleThreadedExecutor};
use bevy::prelude::{Entity, PluginGroup, Transform, TransformPlugin};
use bevy::time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use glam::{EulerRot, Vec2};
use tombolo_bench_protocol::Engine;
use tombolo_bench_protocol::apps::{AppOrder, BOX_SIZE, Content, PluginApp, Schedules};
use tombolo_bench_protocol::ground::GRAVITY;
use tombolo_scenes::{STEP_S, SUBSTEPS};

use crate::{Avian, pools};

/// One app.
pub(crate) struct AvianApp {
    app: App,
    boxes: Vec<Entity>,
}

impl PluginApp for AvianApp {
    fn name() -> String {
        format!("{}, Bevy 0.20.1", Avian::name())
    }

    fn new(order: &AppOrder, ground: Vec2, ground_size: Vec2, boxes: &[Vec2]) -> Result<Self, String> {
        let plugins = match order.content {
            Content::Plugin => PhysicsPlugins::default().build(),
            Content::Interpolated => {
                PhysicsPlugins::default().set(PhysicsInterpolationPlugin::interpolate_all())
            }
            Content::Bare => return Err("this runner has the plugin only".to_owned()),
        };
        let mut app = App::new();
        app.add_plugins((
            TaskPoolPlugin {
                task_pool_options: pools(order.threads),
            },
            TimePlugin,
            TransformPlugin,
            plugins,
        ));
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .insert_resource(Time::<Fixed>::from_seconds(f64::from(STEP_S)))
            .insert_resource(Gravity(Vec2::new(0.0, -GRAVITY)))
            .insert_resource(SubstepCount(SUBSTEPS))
            .insert_resource(ColliderTreeOptimization {
                // Otherwise a second thread updates its tree while the first one solves.
                use_compute_task: order.threads > 1,
                // Nobody asks the trees meanwhile.
                optimize_in_place: true,
                ..Default::default()
            });
        if order.schedules == Schedules::Single {
            for (_, schedule) in app.world_mut().resource_mut::<AppSchedules>().iter_mut() {
                schedule.set_executor(SingleThreadedExecutor::new());
            }
        }
        app.finish();
        app.cleanup();
        spawn(&mut app, RigidBody::Static, ground, ground_size);
        let size = Vec2::splat(BOX_SIZE);
        let boxes = boxes
            .iter()
            .map(|&at| spawn(&mut app, RigidBody::Dynamic, at, size))
            .collect();
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

fn spawn(app: &mut App, body: RigidBody, at: Vec2, size: Vec2) -> Entity {
    let parts = (
        body,
        Collider::rectangle(size.x, size.y),
        Friction::new(0.6),
        SleepingDisabled,
        Transform::from_xyz(at.x, at.y, 0.0),
    );
    app.world_mut().spawn(parts).id()
}
