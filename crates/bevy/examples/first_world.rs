//! A ball falls on the ground; a system prints its position and each touch.
#![allow(clippy::print_stdout)]

use std::time::Duration;

use bevy_app::prelude::*;
use bevy_app::{ScheduleRunnerPlugin, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time, TimePlugin};
use bevy_tombolo::{Body, Collider, Material, SleepChanged, TomboloPlugin, TouchBegan};
use bevy_transform::components::Transform;

fn main() {
    App::new()
        .add_plugins((
            TaskPoolPlugin::default(),
            TimePlugin,
            ScheduleRunnerPlugin::run_loop(Duration::from_millis(4)),
            TomboloPlugin::default(),
        ))
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, (print, hear, end))
        .run();
}

#[derive(Component)]
struct Ball;

fn spawn(mut commands: Commands) {
    commands.spawn((Body::Static, Collider::rectangle(40.0, 2.0)));
    let bouncy = Material {
        restitution: 0.6,
        ..Material::default()
    };
    commands.spawn((
        Ball,
        Body::Dynamic,
        Collider::circle(0.5),
        bouncy,
        Transform::from_xyz(0.0, 3.0, 0.0),
    ));
}

fn print(time: Res<Time<Fixed>>, balls: Query<&Transform, With<Ball>>) {
    for ball in &balls {
        println!("{:5.2} s: {:6.3} m", time.elapsed_secs(), ball.translation.y);
    }
}

fn hear(mut touches: MessageReader<TouchBegan>) {
    for touch in touches.read() {
        println!("{} touches {}", touch.body, touch.other_body);
    }
}

fn end(mut sleep: MessageReader<SleepChanged>, mut exit: MessageWriter<AppExit>, time: Res<Time<Fixed>>) {
    if sleep.read().any(|changed| changed.asleep) || time.elapsed_secs() > 10.0 {
        exit.write(AppExit::Success);
    }
}
