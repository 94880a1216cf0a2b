//! What is drawn between two steps moves evenly.
#![allow(missing_docs)]

mod support;

use std::time::Duration;

use bevy_app::App;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::Entity;
use bevy_math::{EulerRot, Vec2};
use bevy_tombolo::{Body, Collider, GravityScale, Physics, TomboloPlugin, Velocity};
use bevy_transform::components::{GlobalTransform, Transform};
use support::{app_of_frames, at, ball, body_at, get};

const STEP_S: f64 = 1.0 / 64.0;

fn moving(app: &mut App, velocity: Velocity) -> Entity {
    let body = ball(app, 0.0, 0.0);
    app.world_mut()
        .entity_mut(body)
        .insert((GravityScale(0.0), velocity));
    body
}

/// Of each frame, how far `what` is from where it was in the frame before, after those in which the first steps are made.
fn differences(app: &mut App, count: usize, what: impl Fn(&App) -> f64) -> Vec<f64> {
    for _ in 0..12 {
        app.update();
    }
    let mut before = what(app);
    let mut next = || {
        app.update();
        let now = what(app);
        let difference = now - before;
        before = now;
        difference
    };
    (0..count).map(|_| next()).collect()
}

fn angle(transform: &Transform) -> f64 {
    f64::from(transform.rotation.to_euler(EulerRot::ZYX).0)
}

#[test]
fn frames_of_60_and_of_144_hertz_move_evenly_within_a_percent() {
    for hertz in [60.0, 144.0] {
        let frame = 1.0 / hertz;
        let mut app = app_of_frames(Duration::from_secs_f64(frame), TomboloPlugin::default());
        let body = moving(&mut app, Velocity::linear(2.0, 0.0));
        for way in differences(&mut app, 300, |app| f64::from(at(app, body).x)) {
            assert!((way / (2.0 * frame) - 1.0).abs() <= 0.01, "{hertz} Hz: {way}");
        }
        let spin = Velocity {
            linear: Vec2::ZERO,
            angular: 3.0,
        };
        let body = moving(&mut app, spin);
        app.world_mut().get_mut::<Transform>(body).unwrap().translation.y = 20.0;
        let turned = |app: &App| angle(&get::<Transform>(app, body));
        for turn in differences(&mut app, 100, turned) {
            let turn = turn.rem_euclid(core::f64::consts::TAU);
            assert!((turn / (3.0 * frame) - 1.0).abs() <= 0.01, "{hertz} Hz: {turn}");
        }
    }
}

#[test]
fn without_interpolation_frames_jump_as_steps_do() {
    let plugin = TomboloPlugin {
        interpolation: false,
        ..TomboloPlugin::default()
    };
    let mut app = app_of_frames(Duration::from_secs_f64(1.0 / 144.0), plugin);
    let body = moving(&mut app, Velocity::linear(2.0, 0.0));
    let ways = differences(&mut app, 100, |app| f64::from(at(app, body).x));
    assert!(ways.contains(&0.0), "some frames make no step");
    assert_eq!(at(&app, body), body_at(&app, body));
}

#[test]
fn what_falls_is_drawn_as_fast_as_it_falls() {
    for hertz in [60.0, 144.0] {
        let frame = 1.0 / hertz;
        let mut app = app_of_frames(Duration::from_secs_f64(frame), TomboloPlugin::default());
        let body = ball(&mut app, 0.0, 0.0);
        let ways = differences(&mut app, 200, |app| f64::from(at(app, body).y));
        // Each frame falls farther by the same, but for what a straight line between two steps leaves out: a step's gain comes
        // with one frame.
        for (i, pair) in ways.windows(2).enumerate().skip(120) {
            let gain = pair[1] - pair[0];
            let slack = 10.0 * STEP_S * frame;
            assert!(
                (-slack..=slack).contains(&(gain + 10.0 * frame * frame)),
                "{hertz} Hz, frame {i}: {gain}"
            );
            assert!((pair[1] / pair[0] - 1.0).abs() < 0.03, "{hertz} Hz, frame {i}");
        }
    }
}

#[test]
fn a_teleport_is_drawn_at_once_and_not_on_the_way() {
    let mut app = app_of_frames(Duration::from_secs_f64(1.0 / 144.0), TomboloPlugin::default());
    let body = moving(&mut app, Velocity::linear(1.0, 0.0));
    for _ in 0..40 {
        app.update();
    }
    app.world_mut().get_mut::<Transform>(body).unwrap().translation = bevy_math::Vec3::new(100.0, 5.0, 0.0);
    for _ in 0..20 {
        app.update();
        assert!((at(&app, body).x - 100.0).abs() < 0.3, "{}", at(&app, body));
    }
    assert!(at(&app, body).x > 100.05, "it moves on from there");
}

#[test]
fn a_teleport_by_a_call_is_drawn_at_once_and_not_on_the_way() {
    let mut app = app_of_frames(Duration::from_secs_f64(1.0 / 640.0), TomboloPlugin::default());
    let moving = moving(&mut app, Velocity::linear(1.0, 0.0));
    let wall = support::ground(&mut app);
    for _ in 0..40 {
        app.update();
    }
    let mut resource = app.world_mut().resource_mut::<Physics>();
    for (body, x) in [(moving, 100.0), (wall, 50.0)] {
        let pose = bevy_tombolo::physics::Pose::new(Vec2::new(x, 5.0), 0.0);
        resource.body_mut(body).unwrap().teleport(pose).unwrap();
    }
    let is_there = |app: &App, body: Entity, x: f32| (at(app, body).x - x).abs() < 0.3;
    let mut arrived = 0;
    for _ in 0..40 {
        app.update();
        let there = is_there(&app, moving, 100.0);
        assert!(there || at(&app, moving).x < 1.0, "{}", at(&app, moving));
        assert_eq!(is_there(&app, wall, 50.0), there, "with the next step");
        arrived += usize::from(there);
    }
    assert!(arrived > 25);
    assert!(at(&app, moving).x > 100.02, "it moves on from there");
}

#[test]
fn of_a_transform_that_is_written_in_part_the_rest_is_the_bodys() {
    let mut app = app_of_frames(Duration::from_secs_f64(1.0 / 640.0), TomboloPlugin::default());
    let body = moving(&mut app, Velocity::linear(0.0, 3.0));
    let step = |app: &App| app.world().resource::<Physics>().world().step_index();
    while step(&app) < 20 {
        app.update();
    }
    let before = body_at(&app, body).y;
    assert!(at(&app, body).y < before, "it is drawn behind");
    app.world_mut().get_mut::<Transform>(body).unwrap().translation.x = 100.0;
    while step(&app) == 20 {
        app.update();
    }
    assert_eq!(body_at(&app, body).x, 100.0);
    let way = body_at(&app, body).y - before;
    assert!((way - 3.0 / 64.0).abs() < 1.0e-5, "{way}");
}

#[test]
fn what_comes_to_rest_is_drawn_where_it_rests() {
    let mut app = app_of_frames(Duration::from_secs_f64(1.0 / 100.0), TomboloPlugin::default());
    support::ground(&mut app);
    let body = ball(&mut app, 0.0, 2.0);
    for _ in 0..400 {
        app.update();
    }
    assert_eq!(at(&app, body), body_at(&app, body));
    assert!(!app.world().resource::<Physics>().body(body).unwrap().is_awake());
}

#[test]
fn a_body_below_a_moving_body_is_drawn_where_it_is_in_the_world() {
    let mut app = app_of_frames(Duration::from_secs_f64(1.0 / 144.0), TomboloPlugin::default());
    let carrier = moving(&mut app, Velocity::linear(2.0, 0.0));
    let shelf = app
        .world_mut()
        .spawn((
            ChildOf(carrier),
            Body::Static,
            Collider::circle(0.1),
            Transform::from_xyz(0.0, 9.0, 0.0),
        ))
        .id();
    for _ in 0..100 {
        app.update();
        let drawn = get::<GlobalTransform>(&app, shelf).translation().truncate();
        assert!((drawn - Vec2::new(0.0, 9.0)).length() < 0.02, "{drawn}");
    }
}
