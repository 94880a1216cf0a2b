//! Several worlds of physics in one app: each in a sub app of its own.
#![allow(missing_docs)]

mod support;

use bevy_app::{App, AppLabel, FixedMain, Main, SubApp};
use bevy_ecs::prelude::Entity;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_math::Vec2;
use bevy_tombolo::physics::WorldDef;
use bevy_tombolo::{Physics, Rollback, TomboloPlugin};
use support::{app, app_with, at, ball, hash, physics, steps};

#[derive(AppLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Room {
    Moon,
    Sun,
}

/// An app with a ball, and the ball.
fn room(gravity: f32) -> (App, Entity) {
    let def = WorldDef {
        gravity: Vec2::new(0.0, gravity),
        ..WorldDef::default()
    };
    let mut room = app_with(TomboloPlugin {
        def,
        interpolation: false,
        ..TomboloPlugin::default()
    });
    let ball = ball(&mut room, 0.0, 0.0);
    (room, ball)
}

fn add(app: &mut App, label: Room, mut room: App) {
    let mut sub: SubApp = core::mem::take(room.main_mut());
    sub.update_schedule = Some(Main.intern());
    app.insert_sub_app(label, sub);
}

fn height(app: &App, label: Room, ball: Entity) -> f32 {
    let physics = app.sub_app(label).world().resource::<Physics>();
    physics.body(ball).unwrap().position().y
}

#[test]
fn worlds_in_sub_apps_step_with_the_app_and_know_nothing_of_each_other() {
    let (moon, on_moon) = room(-1.6);
    let (sun, on_sun) = room(-274.0);
    let mut app = app();
    let here = ball(&mut app, 0.0, 0.0);
    add(&mut app, Room::Moon, moon);
    add(&mut app, Room::Sun, sun);
    steps(&mut app, 64);
    let (mut alone, on_alone) = room(-1.6);
    steps(&mut alone, 64);
    assert_eq!(height(&app, Room::Moon, on_moon), at(&alone, on_alone).y);
    assert!((at(&app, here).y + 5.0).abs() < 0.1);
    assert!(height(&app, Room::Sun, on_sun) < -100.0);
    // One goes back, the others go on.
    let before = hash(&app);
    let saved = app.sub_app_mut(Room::Moon).world_mut().save_physics();
    steps(&mut app, 1);
    let after = height(&app, Room::Moon, on_moon);
    app.sub_app_mut(Room::Moon).world_mut().restore_physics(&saved);
    assert!(height(&app, Room::Moon, on_moon) > after);
    assert_ne!(hash(&app), before);
    assert_eq!(physics(&app).world().counters().bodies, 1);
}

/// Rooms that go back at different times, each from steps of its own, end where those end that never did.
#[test]
fn rooms_that_go_back_while_others_go_on_end_where_straight_runs_do() {
    let straight = |gravity: f32| {
        let (mut alone, ball) = room(gravity);
        steps(&mut alone, 48);
        at(&alone, ball)
    };
    let (moon, on_moon) = room(-1.6);
    let (sun, on_sun) = room(-274.0);
    let mut app = app();
    let here = ball(&mut app, 0.0, 0.0);
    add(&mut app, Room::Moon, moon);
    add(&mut app, Room::Sun, sun);
    // The app makes 48 steps; a room that goes back by some makes them again by itself.
    for step in 1..=48 {
        steps(&mut app, 1);
        for (room, ball, period) in [(Room::Moon, on_moon, 5), (Room::Sun, on_sun, 7)] {
            if step % period != 0 {
                continue;
            }
            let world = app.sub_app_mut(room).world_mut();
            let saved = world.save_physics();
            world
                .resource_mut::<Physics>()
                .body_mut(ball)
                .unwrap()
                .set_gravity_scale(-3.0)
                .unwrap();
            for _ in 0..period {
                world.run_schedule(FixedMain);
            }
            world.restore_physics(&saved);
        }
    }
    assert_eq!(height(&app, Room::Moon, on_moon), straight(-1.6).y);
    assert_eq!(height(&app, Room::Sun, on_sun), straight(-274.0).y);
    let (mut alone, on_alone) = room(physics(&app).world().gravity().y);
    steps(&mut alone, 48);
    assert_eq!(at(&app, here), at(&alone, on_alone));
}
