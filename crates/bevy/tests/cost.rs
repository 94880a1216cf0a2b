//! What the plugin adds to a step, printed: `cargo test --release --test cost -- --ignored --nocapture the_plugins`. What its
//! parts cost in instructions: the other tests under Callgrind, with `--dump-every-bb=6000000`, and of its dumps those of steps.
#![allow(missing_docs, clippy::print_stdout, clippy::disallowed_methods)]

mod support;

use std::time::Instant;

use bevy_app::App;
use bevy_tombolo::physics::PhysicsWorld;
use bevy_tombolo::{Body, Collider, Physics, TomboloPlugin, Workers};
use bevy_transform::components::Transform;

fn pyramid(app: &mut App) {
    for row in 0..100 {
        for column in 0..100 - row {
            let x = column as f32 + 0.5 * row as f32 - 50.0;
            spawn(app, x, 0.5 + row as f32);
        }
    }
}

fn falling(app: &mut App) {
    for i in 0..10_000 {
        spawn(app, (i % 200) as f32 * 2.0 - 200.0, 3.0 + (i / 200) as f32 * 2.0);
    }
}

fn spawn(app: &mut App, x: f32, y: f32) {
    let body = (
        Body::Dynamic,
        Collider::rectangle(1.0, 1.0),
        Transform::from_xyz(x, y, 0.0),
    );
    app.world_mut().spawn(body);
}

/// Milliseconds of each of the frames of `update`, the least of a few rounds.
fn least(rounds: usize, frames: usize, mut round: impl FnMut() -> Vec<f64>) -> f64 {
    let mut best = vec![f64::INFINITY; frames];
    for _ in 0..rounds {
        for (best, time) in best.iter_mut().zip(round()) {
            *best = best.min(time);
        }
    }
    best.iter().sum::<f64>() / frames as f64
}

fn times(frames: usize, mut frame: impl FnMut()) -> Vec<f64> {
    let time = |_| {
        let start = Instant::now();
        frame();
        start.elapsed().as_secs_f64() * 1.0e3
    };
    (0..frames).map(time).collect()
}

#[test]
#[ignore = "measures"]
fn the_plugins_own_part_of_a_step() {
    const FRAMES: usize = 60;
    for (name, scene) in [
        ("pyramid of 5,050", pyramid as fn(&mut App)),
        ("10,000 falling", falling),
    ] {
        let app = || {
            let mut app = support::app_with(TomboloPlugin {
                workers: Workers::One,
                ..TomboloPlugin::default()
            });
            support::ground(&mut app);
            scene(&mut app);
            app.update();
            app
        };
        let with = least(5, FRAMES, || {
            let mut app = app();
            times(FRAMES, || app.update())
        });
        let alone = least(5, FRAMES, || {
            let app = app();
            let mut world: PhysicsWorld = app.world().resource::<Physics>().world().clone();
            times(FRAMES, || {
                world
                    .step(1.0 / 64.0)
                    .expect("the step is no longer than a second")
            })
        });
        let share = (with - alone) / alone;
        println!(
            "{name}: {with:.3} ms a frame, {alone:.3} ms the step alone: {:.1} % more",
            100.0 * share
        );
    }
}

/// Frames of 10,000 bodies in free fall, the first of which creates them.
fn counted_frames(interpolation: bool) {
    let mut app = support::app_with(TomboloPlugin {
        workers: Workers::One,
        interpolation,
        ..TomboloPlugin::default()
    });
    falling(&mut app);
    support::steps(&mut app, 24);
}

#[test]
#[ignore = "counted by a tool"]
fn frames_without_interpolation() {
    counted_frames(false);
}

#[test]
#[ignore = "counted by a tool"]
fn frames_with_interpolation() {
    counted_frames(true);
}
