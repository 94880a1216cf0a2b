//! Bodies and colliders go where the game takes the entities above them, whether poses are interpolated or not.
#![allow(missing_docs)]

mod support;

use std::time::Duration;

use bevy_app::App;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::Entity;
use bevy_math::{Quat, Vec2, Vec3};
use bevy_tombolo::{Body, Collider, ColliderLink, GravityScale, TomboloPlugin, Velocity};
use bevy_transform::components::{GlobalTransform, Transform};
use support::{app, app_of_frames, app_with, at, body_at, get, hash, physics, steps};

fn with(interpolation: bool) -> App {
    app_with(TomboloPlugin {
        interpolation,
        ..TomboloPlugin::default()
    })
}

fn room(app: &mut App, x: f32) -> Entity {
    app.world_mut().spawn(Transform::from_xyz(x, 0.0, 0.0)).id()
}

/// A body below a parent, at a place in it.
fn below(app: &mut App, parent: Entity, body: Body, x: f32, y: f32) -> Entity {
    let bundle = (
        ChildOf(parent),
        body,
        Collider::circle(0.5),
        Transform::from_xyz(x, y, 0.0),
    );
    app.world_mut().spawn(bundle).id()
}

fn take(app: &mut App, entity: Entity, x: f32) {
    app.world_mut()
        .get_mut::<Transform>(entity)
        .unwrap()
        .translation
        .x = x;
}

fn drawn_at(app: &App, entity: Entity) -> Vec2 {
    get::<GlobalTransform>(app, entity).translation().truncate()
}

fn place_of_shape(app: &App, collider: Entity) -> Vec2 {
    let shape = get::<ColliderLink>(app, collider).shapes()[0];
    let shape = physics(app).world().shape(shape).unwrap();
    shape.body().pose().transform_point(shape.geometry().centroid())
}

#[test]
fn a_body_below_a_parent_goes_where_the_parent_is_taken() {
    for interpolation in [false, true] {
        let mut app = with(interpolation);
        let room = room(&mut app, 10.0);
        let shelf = below(&mut app, room, Body::Static, 0.0, 2.0);
        let ball = below(&mut app, room, Body::Dynamic, 5.0, 2.0);
        steps(&mut app, 10);
        assert_eq!(body_at(&app, shelf), Vec2::new(10.0, 2.0));
        let fallen = body_at(&app, ball);
        assert!(fallen.x == 15.0 && fallen.y < 1.9);
        let shown = at(&app, ball) + Vec2::new(10.0, 0.0);
        let behind = if interpolation { 0.05 } else { 1.0e-5 };
        assert!((shown - fallen).length() < behind, "in its parent");
        take(&mut app, room, 20.0);
        app.update();
        assert_eq!(body_at(&app, shelf), Vec2::new(20.0, 2.0), "{interpolation}");
        assert_eq!(body_at(&app, ball).x, 25.0, "{interpolation}");
        // Without the parent the Transform is the world's: both jump there.
        for entity in [shelf, ball] {
            app.world_mut().entity_mut(entity).remove::<ChildOf>();
        }
        app.update();
        assert_eq!(body_at(&app, shelf), Vec2::new(0.0, 2.0), "{interpolation}");
        assert_eq!(body_at(&app, ball).x, 5.0, "{interpolation}");
        assert!((drawn_at(&app, ball) - body_at(&app, ball)).length() < 0.2);
    }
}

#[test]
fn a_body_that_gets_another_parent_jumps_into_it() {
    for interpolation in [false, true] {
        let mut app = with(interpolation);
        let [left, right] = [-10.0, 10.0].map(|x| room(&mut app, x));
        let nested = below(&mut app, left, Body::Dynamic, 1.0, 0.0);
        let loose = support::ball(&mut app, 3.0, 50.0);
        steps(&mut app, 5);
        for entity in [nested, loose] {
            app.world_mut().entity_mut(entity).insert(ChildOf(right));
        }
        app.update();
        assert_eq!(body_at(&app, nested).x, 11.0, "{interpolation}");
        assert_eq!(body_at(&app, loose).x, 13.0, "{interpolation}");
    }
}

/// A level with bodies at several depths, which the game moves, turns, scales, takes apart and puts together.
fn restless(interpolation: bool) -> u64 {
    let mut app = with(interpolation);
    support::ground(&mut app);
    let outer = room(&mut app, 3.0);
    let middle = room(&mut app, 1.0);
    let inner = room(&mut app, -2.0);
    for (child, parent) in [(middle, outer), (inner, middle)] {
        app.world_mut().entity_mut(child).insert(ChildOf(parent));
    }
    let spin = Velocity {
        linear: Vec2::new(0.7, 3.0),
        angular: 2.0,
    };
    let carrier = below(&mut app, inner, Body::Dynamic, 0.3, 7.0);
    let rider = below(&mut app, carrier, Body::Dynamic, 0.4, 1.5);
    let flag = below(&mut app, carrier, Body::Static, -0.4, 2.5);
    let alone = support::ball(&mut app, 9.0, 3.0);
    app.world_mut().entity_mut(carrier).insert(spin);
    app.world_mut()
        .entity_mut(alone)
        .insert((spin, GravityScale(0.1)));
    let write = |app: &mut App, entity: Entity, write: &dyn Fn(&mut Transform)| {
        write(&mut app.world_mut().get_mut::<Transform>(entity).unwrap());
    };
    for step in 0..90 {
        match step {
            10 => write(&mut app, outer, &|it| it.translation.x = -4.0),
            20 => write(&mut app, middle, &|it| it.rotation = Quat::from_rotation_z(0.3)),
            30 => write(&mut app, carrier, &|it| it.translation = Vec3::new(1.0, 9.0, 0.0)),
            40 => write(&mut app, inner, &|it| it.scale = Vec3::splat(1.5)),
            50 => drop(app.world_mut().entity_mut(flag).remove::<ChildOf>()),
            55 => drop(app.world_mut().entity_mut(rider).insert(ChildOf(outer))),
            60 => drop(app.world_mut().entity_mut(alone).insert(ChildOf(carrier))),
            70 => drop(app.world_mut().entity_mut(carrier).remove::<ChildOf>()),
            // The same value once more is no motion.
            _ => write(&mut app, outer, &|it| it.translation.y = 0.0),
        }
        app.update();
    }
    hash(&app)
}

#[test]
fn the_world_is_the_same_with_and_without_interpolation_whatever_the_game_moves() {
    assert_eq!(restless(false), restless(true));
}

#[test]
fn a_parent_that_is_written_as_it_is_moves_no_body() {
    for interpolation in [false, true] {
        let mut app = with(interpolation);
        // Three levels of turned and scaled frames, whose composition rounds.
        let mut parent = room(&mut app, 0.1);
        for level in 1..4 {
            let frame = Transform::from_xyz(0.3, 0.7, 0.0)
                .with_rotation(Quat::from_rotation_z(0.3 * level as f32))
                .with_scale(Vec3::splat(1.1));
            parent = app.world_mut().spawn((ChildOf(parent), frame)).id();
        }
        let ball = below(&mut app, parent, Body::Dynamic, 0.0, 0.0);
        support::ground(&mut app);
        steps(&mut app, 200);
        assert!(!physics(&app).body(ball).unwrap().is_awake());
        for _ in 0..5 {
            app.world_mut()
                .get_mut::<Transform>(parent)
                .unwrap()
                .translation
                .x = 0.3;
            app.update();
            assert!(!physics(&app).body(ball).unwrap().is_awake(), "{interpolation}");
        }
    }
}

#[test]
fn a_body_is_drawn_with_its_parent_before_the_next_step() {
    let mut app = app_of_frames(Duration::from_secs_f64(1.0 / 640.0), TomboloPlugin::default());
    let room = room(&mut app, 10.0);
    let ball = below(&mut app, room, Body::Dynamic, 1.0, 50.0);
    let step = |app: &App| physics(app).world().step_index();
    while step(&app) < 5 {
        app.update();
    }
    take(&mut app, room, 20.0);
    let made = step(&app);
    for _ in 0..5 {
        app.update();
        assert!((drawn_at(&app, ball).x - 21.0).abs() < 1.0e-5);
    }
    assert_eq!(step(&app), made, "all before the next step");
    while step(&app) == made {
        app.update();
    }
    assert_eq!(body_at(&app, ball).x, 21.0);
    for _ in 0..20 {
        app.update();
        assert!((drawn_at(&app, ball).x - 21.0).abs() < 1.0e-5);
    }
}

#[test]
fn a_collider_is_where_it_is_drawn_below_a_scaled_root() {
    for interpolation in [false, true] {
        let mut app = with(interpolation);
        let root = app
            .world_mut()
            .spawn(Transform::from_scale(Vec3::splat(2.0)))
            .id();
        let level = app.world_mut().spawn((ChildOf(root), Transform::default())).id();
        let body = below(&mut app, level, Body::Static, 3.0, 0.0);
        let hand = app
            .world_mut()
            .spawn((
                ChildOf(body),
                Collider::circle(0.1),
                Transform::from_xyz(1.0, 0.0, 0.0),
            ))
            .id();
        app.update();
        assert_eq!(drawn_at(&app, hand), Vec2::new(8.0, 0.0));
        assert_eq!(place_of_shape(&app, hand), drawn_at(&app, hand));
        for (entity, factor) in [(root, 3.0), (level, 0.5), (body, 4.0)] {
            app.world_mut().get_mut::<Transform>(entity).unwrap().scale = Vec3::splat(factor);
            app.update();
            assert_eq!(place_of_shape(&app, hand), drawn_at(&app, hand), "{factor}");
        }
        // A body below a body has the scale of that.
        let tip = below(&mut app, hand, Body::Static, 0.0, 1.0);
        let nail = app
            .world_mut()
            .spawn((
                ChildOf(tip),
                Collider::circle(0.1),
                Transform::from_xyz(0.0, 0.5, 0.0),
            ))
            .id();
        app.update();
        for (entity, factor) in [(body, 2.0), (root, 1.0)] {
            app.world_mut().get_mut::<Transform>(entity).unwrap().scale = Vec3::splat(factor);
            app.update();
            assert_eq!(place_of_shape(&app, nail), drawn_at(&app, nail), "{factor}");
        }
    }
}

#[test]
fn a_body_below_a_body_that_steps_move_stays_where_it_is() {
    let mut app = app();
    let carrier = support::ball(&mut app, 0.0, 10.0);
    let shelf = below(&mut app, carrier, Body::Static, 0.0, -8.0);
    steps(&mut app, 30);
    assert_eq!(body_at(&app, shelf), Vec2::new(0.0, 2.0));
    let local = at(&app, shelf).y + body_at(&app, carrier).y;
    assert!((local - 2.0).abs() < 1.0e-4, "{local}");
}
