//! A window with Bevy: planks and crates on a bridge of ropes. Drag them with the left button of the mouse, cut them with a stroke
//! of the right one, press Space for another crate and G for what the physics sees.
//!
//! `--screenshot FILE` plays for two seconds, cuts, writes a picture and ends.

mod hands;
mod skins;

use bevy::app::AppExit;
use bevy::camera::ScalingMode;
use bevy::gizmos::config::GizmoConfigStore;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use bevy::time::TimeUpdateStrategy;
use bevy_tombolo::physics::RevoluteDef;
use bevy_tombolo::prelude::*;
use bevy_tombolo::{PhysicsGizmos, anchored};

use crate::skins::Paint;

/// The steps after which a picture is cut and taken, at 64 to the second.
const CUT_AT: u64 = 140;
const PICTURE_AT: u64 = 165;

/// The file of the picture that is asked for.
#[derive(Resource)]
struct Picture(String);

fn main() -> AppExit {
    let mut app = App::new();
    let window = Window {
        title: "Tombolo: drag with the left button, cut with the right one, Space, G".into(),
        resolution: (960, 540).into(),
        ..default()
    };
    let window = WindowPlugin {
        primary_window: Some(window),
        ..default()
    };
    app.add_plugins((
        DefaultPlugins.set(window),
        TomboloPlugin::default(),
        PhysicsGizmosPlugin,
    ))
    .add_plugins((skins::plugin, hands::plugin))
    .insert_resource(ClearColor(Color::srgb(0.93, 0.91, 0.86)))
    .add_systems(Startup, (show, build))
    .add_systems(Update, (add_crate, toggle_gizmos));
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, option, file] = &arguments[..]
        && option == "--screenshot"
    {
        // The same picture on each machine: a step in each frame, however long that takes.
        app.insert_resource(Picture(file.clone()))
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .add_systems(FixedUpdate, take_picture);
    }
    app.run()
}

fn show(mut commands: Commands, mut gizmos: ResMut<GizmoConfigStore>) {
    let projection = OrthographicProjection {
        scaling_mode: ScalingMode::FixedVertical {
            viewport_height: 18.0,
        },
        ..OrthographicProjection::default_2d()
    };
    let above = Transform::from_xyz(0.0, 6.0, 0.0);
    commands.spawn((Camera2d, Projection::from(projection), above));
    gizmos.config_mut::<PhysicsGizmos>().0.enabled = false;
}

fn build(mut commands: Commands) {
    let stone = Paint(Color::srgb(0.42, 0.45, 0.5));
    let mut cliff = |x: f32| {
        let place = Transform::from_xyz(x, 0.0, 0.0);
        commands
            .spawn((Body::Static, Collider::rectangle(8.0, 8.0), stone, place))
            .id()
    };
    let [left, right] = [-12.0, 12.0].map(&mut cliff);
    commands.spawn((
        Body::Static,
        Collider::rectangle(40.0, 2.0),
        stone,
        Transform::from_xyz(0.0, -4.0, 0.0),
    ));
    bridge(&mut commands, left, right);
    for row in 0..5 {
        for place in 0..5 - row {
            let x = 1.1 * (place as f32 - 0.5 * (4 - row) as f32);
            spawn_crate(&mut commands, Vec2::new(x, 4.6 + 1.01 * row as f32), row);
        }
    }
    for (x, radius) in [(-11.0, 1.0), (10.5, 0.8), (12.5, 1.1)] {
        let ball = Transform::from_xyz(x, 4.0 + radius, 0.0);
        let red = Paint(Color::srgb(0.8, 0.33, 0.28));
        commands.spawn((Body::Dynamic, Collider::circle(radius), red, ball));
    }
}

/// Planks from cliff to cliff, each hinged to the next.
fn bridge(commands: &mut Commands, left: Entity, right: Entity) {
    const COUNT: i32 = 16;
    let wood = Paint(Color::srgb(0.55, 0.38, 0.22));
    let (mut before, mut end) = (left, Vec2::new(4.0, 3.8));
    for place in 0..COUNT {
        let at = Transform::from_xyz(place as f32 - 0.5 * (COUNT - 1) as f32, 3.8, 0.0);
        let plank = (Body::Dynamic, Collider::rectangle(0.96, 0.3), wood, at);
        let plank = commands.spawn(plank).id();
        commands.spawn(hinge(before, end, plank, Vec2::new(-0.5, 0.0)));
        (before, end) = (plank, Vec2::new(0.5, 0.0));
    }
    commands.spawn(hinge(before, end, right, Vec2::new(-4.0, 3.8)));
}

fn hinge(a: Entity, at_a: Vec2, b: Entity, at_b: Vec2) -> Joint {
    let stiff = RevoluteDef {
        max_motor_torque: 2.0,
        enable_motor: true,
        ..anchored(RevoluteDef::new, at_a, at_b)
    };
    Joint::new(a, b, stiff)
}

fn spawn_crate(commands: &mut Commands, at: Vec2, shade: i32) {
    let paint = Paint(Color::hsl(38.0 + 6.0 * shade as f32, 0.62, 0.56));
    let place = Transform::from_translation(at.extend(0.0));
    commands.spawn((Body::Dynamic, Collider::rectangle(1.0, 1.0), paint, place));
}

fn add_crate(mut commands: Commands, keys: Res<ButtonInput<KeyCode>>) {
    if keys.just_pressed(KeyCode::Space) {
        spawn_crate(&mut commands, Vec2::new(0.0, 14.0), 0);
    }
}

fn toggle_gizmos(mut gizmos: ResMut<GizmoConfigStore>, keys: Res<ButtonInput<KeyCode>>) {
    if keys.just_pressed(KeyCode::KeyG) {
        let config = gizmos.config_mut::<PhysicsGizmos>().0;
        config.enabled = !config.enabled;
    }
}

/// Plays for the picture: a stroke through the crates, and a moment later the picture itself.
fn take_picture(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut cuts: ResMut<skins::Cuts>,
    picture: Res<Picture>,
) {
    match physics.world().step_index() {
        CUT_AT => hands::cut(&mut physics, &mut cuts, Vec2::new(-4.0, 3.0), Vec2::new(3.5, 9.5)),
        PICTURE_AT => {
            commands
                .spawn(Screenshot::primary_window())
                .observe(save_to_disk(picture.0.clone()))
                .observe(|_: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
                    exit.write(AppExit::Success);
                });
        }
        _ => {}
    }
}
