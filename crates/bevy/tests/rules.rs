//! The table of contact rules, with the numbers of the tests in other languages.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::prelude::{Entity, Mut};
use bevy_math::Vec2;
use bevy_tombolo::physics::{ANY_CATEGORY, ANY_MATERIAL, ContactRule};
use bevy_tombolo::{
    Body, Collider, CollisionFilter, ContactRules, FaultReason, Material, Physics, Rollback, SleepState,
    Velocity,
};
use bevy_transform::components::Transform;
use support::{app_of_60_hz, at, faults, get, hash, physics, steps, velocity};

fn rules(app: &mut App) -> Mut<'_, ContactRules> {
    app.world_mut().resource_mut::<ContactRules>()
}

fn of(material: u32) -> Material {
    Material {
        material,
        ..Material::default()
    }
}

/// A crate of material 2 on ground of material 1.
fn belt() -> (App, Entity) {
    let mut app = app_of_60_hz();
    let world = app.world_mut();
    let below = Transform::from_xyz(0.0, -1.0, 0.0);
    world.spawn((Body::Static, Collider::rectangle(60.0, 2.0), of(1), below));
    let above = Transform::from_xyz(0.0, 0.5, 0.0);
    let crate_ = (Body::Dynamic, Collider::rectangle(1.0, 1.0), of(2), above);
    let crate_ = world.spawn(crate_).id();
    (app, crate_)
}

fn conveyor(speed: f32) -> ContactRule {
    ContactRule {
        surface_speed: Some(speed),
        friction: Some(1.0),
        ..ContactRule::default()
    }
}

#[test]
fn a_rule_makes_a_conveyor_until_it_is_removed() {
    let (mut app, crate_) = belt();
    rules(&mut app).set_contact_rule(1, 2, conveyor(-3.0));
    steps(&mut app, 120);
    assert!((velocity(&app, crate_).x.abs() - 3.0).abs() < 0.06);
    assert_eq!(rules(&mut app).remove_contact_rule(2, 1), Some(conveyor(-3.0)));
    assert_eq!(rules(&mut app).remove_contact_rule(2, 1), None);
    steps(&mut app, 120);
    assert!(velocity(&app, crate_).x.abs() < 0.01);
    assert_eq!(physics(&app).world().contact_rules().len(), 0);
}

#[test]
fn a_one_way_rule_makes_a_platform_that_is_passed_from_below() {
    let mut app = app_of_60_hz();
    let up = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    rules(&mut app).set_contact_rule(5, ANY_MATERIAL, up);
    let world = app.world_mut();
    let at_plank = Transform::from_xyz(20.0, 3.0, 0.0);
    world.spawn((Body::Static, Collider::rectangle(4.0, 0.2), of(5), at_plank));
    let below = Transform::from_xyz(20.0, 0.5, 0.0);
    let jumper = (
        Body::Dynamic,
        Collider::rectangle(0.8, 0.8),
        below,
        Velocity::linear(0.0, 9.0),
    );
    let jumper = world.spawn(jumper).id();
    steps(&mut app, 180);
    assert!((at(&app, jumper).y - 3.5).abs() < 0.02);
}

#[test]
fn a_rule_for_a_category_makes_ghosts() {
    let (mut app, _) = belt();
    let ignore = ContactRule {
        ignore: true,
        ..ContactRule::default()
    };
    rules(&mut app).set_category_rule(2, ANY_CATEGORY, ignore);
    let ghost = (
        Body::Dynamic,
        Collider::rectangle(1.0, 1.0),
        CollisionFilter::new(2, u64::MAX),
        Transform::from_xyz(-9.0, 0.5, 0.0),
    );
    let ghost = app.world_mut().spawn(ghost).id();
    steps(&mut app, 90);
    assert!(at(&app, ghost).y < -1.0);
    assert_eq!(
        rules(&mut app).remove_category_rule(2, ANY_CATEGORY),
        Some(ignore)
    );
    app.update();
    assert_eq!(physics(&app).world().category_rules().len(), 0);
}

#[test]
fn a_rule_that_is_wrong_is_refused_and_the_others_hold() {
    let (mut app, crate_) = belt();
    let bad = ContactRule {
        friction: Some(-1.0),
        ..ContactRule::default()
    };
    rules(&mut app).set_contact_rule(1, 3, bad);
    rules(&mut app).set_contact_rule(1, 2, conveyor(3.0));
    rules(&mut app).set_category_rule(3, ANY_CATEGORY, ContactRule::default());
    app.update();
    let faults = faults(&app);
    assert_eq!(faults.len(), 2, "{faults:?}");
    for fault in faults {
        assert_eq!(fault.entity, Entity::PLACEHOLDER);
        assert!(matches!(fault.reason, FaultReason::Refused(_)));
    }
    steps(&mut app, 119);
    assert!((velocity(&app, crate_).x.abs() - 3.0).abs() < 0.06);
}

#[test]
fn a_table_that_is_written_as_it_is_wakes_no_body_and_rules_of_calls_are_left_alone() {
    let (mut app, crate_) = belt();
    rules(&mut app).set_contact_rule(1, 2, ContactRule::default());
    app.update();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let world = physics.world_mut();
    world.set_contact_rule(7, 8, conveyor(1.0)).unwrap();
    for _ in 0..120 {
        rules(&mut app).set_contact_rule(1, 2, ContactRule::default());
        app.update();
    }
    assert!(get::<SleepState>(&app, crate_).is_asleep());
    rules(&mut app).remove_contact_rule(1, 2);
    app.update();
    let left: Vec<_> = support::physics(&app).world().contact_rules().collect();
    assert_eq!(left, [([7, 8], conveyor(1.0))]);
}

#[test]
fn rules_go_back_with_the_physics_and_then_follow_the_table() {
    let (mut app, _) = belt();
    rules(&mut app).set_contact_rule(1, 2, conveyor(3.0));
    steps(&mut app, 20);
    let saved = app.world_mut().save_physics();
    let table = app.world().resource::<ContactRules>().clone();
    steps(&mut app, 20);
    let straight = hash(&app);
    app.world_mut().restore_physics(&saved);
    // Other inputs: another rule, which the game then takes back.
    *rules(&mut app) = ContactRules::default();
    rules(&mut app).set_contact_rule(2, 1, conveyor(-8.0));
    rules(&mut app).set_contact_rule(4, 5, conveyor(-8.0));
    steps(&mut app, 20);
    assert_ne!(hash(&app), straight);
    app.world_mut().restore_physics(&saved);
    *rules(&mut app) = table;
    steps(&mut app, 20);
    assert_eq!(hash(&app), straight);
    // A table that is not taken back counts from the next step on.
    *rules(&mut app) = ContactRules::default();
    app.world_mut().restore_physics(&saved);
    app.update();
    assert_eq!(physics(&app).world().contact_rules().len(), 0);
}
