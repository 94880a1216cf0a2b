//! An app without a window, whose frames are as long as the test says.
#![allow(missing_docs, dead_code, unreachable_pub)]

use std::time::Duration;

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::{Component, Entity};
use bevy_math::Vec2;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_tombolo::{Body, BodyLink, Collider, Physics, PhysicsFault, TomboloPlugin, Velocity};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;

/// An app whose every frame makes one step, and shows where bodies are then.
pub fn app() -> App {
    app_with(TomboloPlugin {
        interpolation: false,
        ..TomboloPlugin::default()
    })
}

pub fn app_with(plugin: TomboloPlugin) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, plugin));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    // Bevy's clock begins with the first frame, which makes no step.
    app.update();
    app
}

/// An app whose every frame makes one step of a sixtieth of a second, as the worlds of other languages do.
pub fn app_of_60_hz() -> App {
    let mut app = app();
    app.insert_resource(Time::<Fixed>::from_hz(60.0));
    app
}

/// Reasons for which components were refused in the last frame, with their entities.
pub fn faults(app: &App) -> Vec<PhysicsFault> {
    let faults = app.world().resource::<Messages<PhysicsFault>>();
    faults.iter_current_update_messages().cloned().collect()
}

/// An app with frames of a length of their own.
pub fn app_of_frames(frame: Duration, plugin: TomboloPlugin) -> App {
    let mut app = app_with(plugin);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
    app
}

pub fn steps(app: &mut App, count: usize) {
    for _ in 0..count {
        app.update();
    }
}

pub fn physics(app: &App) -> &Physics {
    app.world().resource::<Physics>()
}

pub fn hash(app: &App) -> u64 {
    physics(app).world().state_hash()
}

pub fn get<T: Component + Clone>(app: &App, entity: Entity) -> T {
    app.world()
        .get::<T>(entity)
        .expect("it has the component")
        .clone()
}

/// Where an entity's body is.
pub fn body_at(app: &App, entity: Entity) -> Vec2 {
    let body = physics(app).body(entity).expect("it has a body");
    body.position().to_vec2()
}

/// Where an entity's Transform says that it is.
pub fn at(app: &App, entity: Entity) -> Vec2 {
    get::<Transform>(app, entity).translation.truncate()
}

pub fn link(app: &App, entity: Entity) -> BodyLink {
    get(app, entity)
}

pub fn ground(app: &mut App) -> Entity {
    app.world_mut()
        .spawn((
            Body::Static,
            Collider::rectangle(200.0, 2.0),
            Transform::from_xyz(0.0, -1.0, 0.0),
        ))
        .id()
}

pub fn ball(app: &mut App, x: f32, y: f32) -> Entity {
    app.world_mut()
        .spawn((
            Body::Dynamic,
            Collider::circle(0.5),
            Transform::from_xyz(x, y, 0.0),
        ))
        .id()
}

pub fn velocity(app: &App, entity: Entity) -> Vec2 {
    get::<Velocity>(app, entity).linear
}
