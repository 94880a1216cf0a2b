//! Bodies of entities that calls cut.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::Entity;
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Vec2;
use bevy_tombolo::physics::{Position, QueryFilter};
use bevy_tombolo::{
    Body, Collider, ColliderLink, GravityScale, Joint, Material, Physics, Rollback, SpatialQuery, StableKey,
};
use bevy_transform::components::Transform;
use support::{app, body_at, faults, get, hash, link, physics, steps};

/// A plank of 0.8 kg.
fn plank(app: &mut App) -> Entity {
    let plank = (
        Body::Dynamic,
        GravityScale(0.0),
        Collider::rectangle(4.0, 0.2),
        StableKey(1),
    );
    app.world_mut().spawn(plank).id()
}

/// Cuts off what is beyond a distance from the middle.
fn cut(app: &mut App, plank: Entity, distance: f32) {
    let id = link(app, plank).id().unwrap();
    let at = body_at(app, plank).x + distance;
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let (from, to) = (Position::new(at, -9.0), Position::new(at, 9.0));
    let cut = physics.world_mut().slice(id, from, to).unwrap();
    assert_eq!(cut.expect("the line crosses it").pieces.len(), 1);
}

fn mass(app: &App, entity: Entity) -> f32 {
    physics(app).body(entity).unwrap().mass()
}

/// The collider that a ray finds that comes down on the plank.
fn collider_at(app: &mut App, x: f32) -> Option<Entity> {
    let find = move |query: SpatialQuery| {
        let hit = query
            .cast_ray(Vec2::new(x, 5.0), Vec2::new(0.0, -9.0), QueryFilter::default())
            .unwrap();
        hit.map(|hit| hit.collider)
    };
    app.world_mut().run_system_once(find).unwrap()
}

#[test]
fn a_cut_body_stays_cut_when_the_world_goes_back() {
    for cut_in_step_of_save in [false, true] {
        let mut app = app();
        let plank = plank(&mut app);
        steps(&mut app, 2);
        cut(&mut app, plank, 1.0);
        if !cut_in_step_of_save {
            steps(&mut app, 1);
        }
        let snapshot = app.world_mut().save_physics();
        steps(&mut app, 5);
        let straight = hash(&app);
        assert!((mass(&app, plank) - 0.6).abs() < 1.0e-5);
        app.world_mut().restore_physics(&snapshot);
        assert_eq!(collider_at(&mut app, 0.0), Some(plank));
        steps(&mut app, 5);
        assert_eq!(hash(&app), straight);
        assert_eq!(physics(&app).world().counters().bodies, 2);
        assert_eq!(collider_at(&mut app, 0.0), Some(plank));
    }
}

#[test]
fn a_body_that_was_cut_since_is_whole_again_when_the_world_goes_back() {
    let mut app = app();
    let plank = plank(&mut app);
    steps(&mut app, 2);
    let snapshot = app.world_mut().save_physics();
    cut(&mut app, plank, 1.0);
    steps(&mut app, 3);
    app.world_mut().restore_physics(&snapshot);
    steps(&mut app, 3);
    assert!((mass(&app, plank) - 0.8).abs() < 1.0e-5);
    assert_eq!(physics(&app).world().counters().bodies, 1);
    assert_eq!(get::<ColliderLink>(&app, plank).shapes().len(), 1);
}

#[test]
fn the_rest_of_a_cut_body_belongs_to_its_entity() {
    let mut app = app();
    let plank = plank(&mut app);
    steps(&mut app, 2);
    cut(&mut app, plank, 1.0);
    steps(&mut app, 1);
    assert_eq!(collider_at(&mut app, 0.0), Some(plank));
    assert!(get::<ColliderLink>(&app, plank).concave_polygon().is_some());
    // Another surface is that of the rest.
    let heavy = Material {
        density: 2.0,
        ..Material::default()
    };
    app.world_mut().entity_mut(plank).insert(heavy);
    steps(&mut app, 1);
    assert!((mass(&app, plank) - 1.2).abs() < 1.0e-5, "{}", mass(&app, plank));
    // Another outline is a whole one.
    app.world_mut()
        .entity_mut(plank)
        .insert(Collider::rectangle(2.0, 0.2));
    steps(&mut app, 1);
    assert!((mass(&app, plank) - 0.8).abs() < 1.0e-5, "{}", mass(&app, plank));
    cut(&mut app, plank, 0.5);
    cut(&mut app, plank, 0.25);
    app.world_mut().entity_mut(plank).remove::<Collider>();
    steps(&mut app, 1);
    assert_eq!(physics(&app).body(plank).unwrap().shapes().count(), 0);
    assert_eq!(faults(&app), []);
}

#[test]
fn what_a_cut_took_from_a_body_does_not_come_again() {
    let mut app = app();
    let plank = plank(&mut app);
    let knob = (
        ChildOf(plank),
        Collider::circle(0.3),
        Transform::from_xyz(1.5, 0.0, 0.0),
    );
    let knob = app.world_mut().spawn(knob).id();
    let hook = app.world_mut().spawn((Body::Static, StableKey(2))).id();
    app.world_mut().spawn(Joint::revolute(
        hook,
        Vec2::new(1.8, 0.0),
        plank,
        Vec2::new(1.8, 0.0),
    ));
    steps(&mut app, 2);
    cut(&mut app, plank, 1.0);
    steps(&mut app, 1);
    let snapshot = app.world_mut().save_physics();
    steps(&mut app, 5);
    let straight = hash(&app);
    let found = collider_at(&mut app, 1.5);
    app.world_mut().restore_physics(&snapshot);
    steps(&mut app, 5);
    assert_eq!(hash(&app), straight, "neither the knob nor the joint comes back");
    assert_eq!(collider_at(&mut app, 1.5), found);
    assert_eq!(get::<ColliderLink>(&app, knob).shapes(), []);
    app.world_mut().despawn(knob);
    steps(&mut app, 1);
    assert_eq!(physics(&app).world().counters().bodies, 3);
}
