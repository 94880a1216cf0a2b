//! The physics world, drawn with Bevy's gizmos.
#![allow(missing_docs)]

mod support;

use std::any::TypeId;

use bevy_app::App;
use bevy_asset::{AssetApp, AssetPlugin, Assets};
use bevy_ecs::prelude::Name;
use bevy_gizmos::config::GizmoConfigStore;
use bevy_gizmos::{GizmoAsset, GizmoHandles};
use bevy_math::Vec2;
use bevy_tombolo::physics::DrawOptions;
use bevy_tombolo::{PhysicsGizmoOptions, PhysicsGizmos, PhysicsGizmosPlugin};
use support::{app, ball, ground};

fn drawn_app() -> App {
    let mut app = app();
    app.add_plugins(AssetPlugin::default()).init_asset::<GizmoAsset>();
    app.add_plugins(PhysicsGizmosPlugin);
    app
}

/// The ends of lines and the points of strips of the last frame; NaN separates strips.
fn points(app: &App) -> Vec<Vec2> {
    let handles = app.world().resource::<GizmoHandles>().handles();
    let Some(Some(handle)) = handles.get(&TypeId::of::<PhysicsGizmos>()) else {
        return Vec::new();
    };
    let gizmo = app.world().resource::<Assets<GizmoAsset>>().get(handle).unwrap();
    let buffer = gizmo.buffer();
    let points = buffer.list_positions.iter().chain(&buffer.strip_positions);
    points.map(|point| point.truncate()).collect()
}

#[test]
fn shapes_are_drawn_where_the_bodies_are_in_each_frame() {
    let mut app = drawn_app();
    ground(&mut app);
    let ball = ball(&mut app, 30.0, 5.0);
    app.update();
    for _ in 0..3 {
        app.update();
        let center = support::body_at(&app, ball);
        let points = points(&app);
        let near = points.iter().filter(|point| (**point - center).length() < 0.51);
        assert!(near.clone().count() > 8, "the ball's outline");
        let rim = near.filter(|point| ((**point - center).length() - 0.5).abs() < 1.0e-3);
        assert!(rim.count() > 8);
        assert!(points.contains(&Vec2::new(100.0, 0.0)), "a corner of the ground");
        assert!(points.len() < 200, "only those of this frame");
    }
}

#[test]
fn options_choose_and_the_group_switches_off() {
    let mut app = drawn_app();
    ground(&mut app);
    let ball = ball(&mut app, 0.0, 0.5);
    app.world_mut().entity_mut(ball).insert(Name::new("ball"));
    support::steps(&mut app, 5);
    let plain = points(&app).len();
    let more = |options: DrawOptions| {
        let mut app = drawn_app();
        ground(&mut app);
        let ball = support::ball(&mut app, 0.0, 0.5);
        app.world_mut().entity_mut(ball).insert(Name::new("ball"));
        app.insert_resource(PhysicsGizmoOptions(options));
        support::steps(&mut app, 5);
        points(&app).len()
    };
    let all = DrawOptions::default;
    assert_eq!(more(all()), plain);
    assert!(
        more(DrawOptions {
            contacts: true,
            ..all()
        }) > plain
    );
    assert!(
        more(DrawOptions { names: true, ..all() }) > plain,
        "letters are lines"
    );
    assert_eq!(
        more(DrawOptions {
            shapes: false,
            joints: false,
            ..all()
        }),
        0
    );
    let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
    store.config_mut::<PhysicsGizmos>().0.enabled = false;
    app.update();
    assert_eq!(points(&app), []);
}
