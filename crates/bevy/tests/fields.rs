//! Wind, fluids and the gravity of places, as components.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Commands, Entity};
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Vec2;
use bevy_tombolo::physics::{
    BodyDef, FieldDef, FieldId, FieldKind, PhysicsWorld, Position, Shape, ShapeDef, WorldDef,
};
use bevy_tombolo::{
    Body, BodyLink, Collider, FaultReason, Field, FieldLink, Physics, Rollback, SpawnPhysics, StableKey,
    TomboloPlugin, Velocity,
};
use bevy_transform::components::Transform;
use support::{app, ball, body_at, faults, get, hash, physics, steps, velocity};

/// A pull to the right within a box of two meters.
fn pull() -> Field {
    let acceleration = Vec2::new(20.0, 0.0);
    Field::within(
        Shape::new_box(2.0, 2.0).unwrap(),
        FieldKind::Gravity { acceleration },
    )
}

fn at(x: f32, y: f32) -> Transform {
    Transform::from_xyz(x, y, 0.0)
}

fn spawn(app: &mut App, field: Field, x: f32, y: f32) -> Entity {
    app.world_mut().spawn((field, at(x, y))).id()
}

fn id(app: &App, field: Entity) -> FieldId {
    get::<FieldLink>(app, field).id().expect("it was created")
}

fn def(app: &App, field: Entity) -> FieldDef {
    let def = physics(app).world().field(id(app, field));
    def.expect("it is in the world")
}

fn count(app: &App) -> usize {
    physics(app).world().fields().count()
}

/// An app whose world has no gravity of its own.
fn weightless() -> App {
    support::app_with(TomboloPlugin {
        def: WorldDef {
            gravity: Vec2::ZERO,
            ..WorldDef::default()
        },
        interpolation: false,
        ..TomboloPlugin::default()
    })
}

#[test]
fn a_field_does_what_the_same_field_of_a_plain_world_does() {
    let water = FieldKind::Fluid {
        density: 2.0,
        velocity: Vec2::new(0.5, 0.0),
        drag: 1.0,
        viscosity: 0.5,
    };
    let pool = Field::within(Shape::new_box(8.0, 4.0).unwrap(), water);
    let mut app = app();
    let balls = [ball(&mut app, 0.0, 1.0), ball(&mut app, 9.0, 1.0)];
    let field = spawn(&mut app, pool.clone(), 0.0, -2.0);
    let mut plain = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let bodies = [0.0, 9.0].map(|x| {
        let body = plain.create_body(&BodyDef::dynamic(x, 1.0)).unwrap();
        let disc = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        plain.create_shape(body, &ShapeDef::default(), &disc).unwrap();
        body
    });
    let twin = FieldDef {
        position: Position::new(0.0, -2.0),
        ..pool.def
    };
    let twin = plain.create_field(&twin).unwrap();
    for step in 0..120 {
        if step == 60 {
            *app.world_mut().get_mut::<Transform>(field).unwrap() = at(8.0, -5.0);
            plain.set_field_pose(twin, Position::new(8.0, -5.0), 0.0).unwrap();
        }
        app.update();
        plain.step(1.0 / 64.0).unwrap();
        for (ball, body) in balls.iter().zip(bodies) {
            let expected = plain.body(body).unwrap().position().to_vec2();
            assert_eq!(body_at(&app, *ball), expected, "step {step}");
        }
    }
    let buoyed = [0, 1].map(|i| velocity(&app, balls[i]).y);
    assert!(
        buoyed[0] < -6.0 && buoyed[1] > buoyed[0] + 1.0,
        "one fell out of the fluid, one into it: {buoyed:?}"
    );
}

#[test]
fn a_field_below_a_body_goes_with_it() {
    let mut app = weightless();
    let lift = app
        .world_mut()
        .spawn((Body::Kinematic, Velocity::linear(0.0, 4.0), at(0.0, 0.0)))
        .id();
    let field = spawn(&mut app, pull(), 3.0, 1.0);
    app.world_mut().entity_mut(field).insert(ChildOf(lift));
    let ball = ball(&mut app, 3.0, 9.0);
    steps(&mut app, 32);
    // Where the lift was before the last step.
    let before = get::<BodyLink>(&app, lift).pose().position - Vec2::new(0.0, 4.0 / 64.0);
    let offset = def(&app, field).position.to_vec2() - (before + Vec2::new(3.0, 1.0));
    assert!(offset.length() < 1.0e-4, "{offset}");
    assert_eq!(velocity(&app, ball), Vec2::ZERO, "the field is not there yet");
    steps(&mut app, 96);
    assert!(velocity(&app, ball).x > 1.0);
}

#[test]
fn a_body_in_a_field_that_stays_as_it_is_falls_asleep() {
    let mut app = app();
    support::ground(&mut app);
    let ball = ball(&mut app, 0.0, 0.5);
    let down = Vec2::new(0.0, -1.0);
    spawn(
        &mut app,
        Field::everywhere(FieldKind::Gravity { acceleration: down }),
        0.0,
        0.0,
    );
    steps(&mut app, 200);
    assert!(!physics(&app).body(ball).unwrap().is_awake());
}

#[test]
fn fields_change_and_go_with_their_components() {
    let mut app = app();
    let field = spawn(&mut app, pull(), 0.0, 0.0);
    assert_eq!(get::<FieldLink>(&app, field).id(), None);
    app.update();
    let first = id(&app, field);
    let world = app.world_mut();
    world.get_mut::<Field>(field).unwrap().def.mask = 6;
    *world.get_mut::<Transform>(field).unwrap() = at(4.0, 5.0);
    app.update();
    let is = def(&app, field);
    assert_eq!((id(&app, field), is.mask), (first, 6));
    assert_eq!(is.position.to_vec2(), Vec2::new(4.0, 5.0));
    app.world_mut().entity_mut(field).insert(Disabled);
    app.update();
    assert!(!def(&app, field).enabled);
    app.world_mut().entity_mut(field).remove::<Disabled>();
    app.update();
    assert!(def(&app, field).enabled);
    app.world_mut().entity_mut(field).remove::<Field>();
    app.update();
    assert_eq!((count(&app), get::<FieldLink>(&app, field).id()), (0, None));
    app.world_mut().entity_mut(field).insert(pull());
    app.update();
    assert_eq!((count(&app), def(&app, field).mask), (1, u64::MAX));
    app.world_mut().despawn(field);
    app.update();
    assert_eq!(count(&app), 0);
}

#[test]
fn what_calls_did_holds_until_the_component_has_another_value() {
    let mut app = app();
    let field = spawn(&mut app, pull(), 0.0, 0.0);
    app.update();
    let here = id(&app, field);
    let world = app.world_mut().resource_mut::<Physics>().into_inner().world_mut();
    world.set_field_enabled(here, false).unwrap();
    steps(&mut app, 2);
    assert!(!def(&app, field).enabled);
    let world = app.world_mut().resource_mut::<Physics>().into_inner().world_mut();
    world.destroy_field(here).unwrap();
    app.world_mut().get_mut::<Transform>(field).unwrap().translation.x = 3.0;
    steps(&mut app, 2);
    assert_eq!(count(&app), 0);
    app.world_mut().get_mut::<Field>(field).unwrap().def.mask = 6;
    app.update();
    assert_eq!(def(&app, field).position.to_vec2(), Vec2::new(3.0, 0.0));
}

#[test]
fn fields_are_created_by_key_in_whatever_order_they_are_spawned() {
    let made = |order: [u64; 3]| {
        let mut app = app();
        let ball = app
            .world_mut()
            .spawn((StableKey(9), Body::Dynamic, Collider::circle(0.5), at(0.0, 0.0)))
            .id();
        for key in order {
            let acceleration = Vec2::new(0.1 * key as f32, 1.0e3 / key as f32);
            let field = Field::everywhere(FieldKind::Gravity { acceleration });
            app.world_mut().spawn((StableKey(key), field));
        }
        steps(&mut app, 10);
        assert!(velocity(&app, ball).y > 1.0);
        hash(&app)
    };
    assert_eq!(made([1, 2, 3]), made([3, 1, 2]));
    assert_eq!(made([1, 2, 3]), made([2, 3, 1]));
}

#[test]
fn what_is_refused_is_told_once_and_comes_when_it_is_mended() {
    let mut app = app();
    let mut bad = pull();
    bad.def.area = Some(Shape::segment(Vec2::ZERO, Vec2::X).unwrap());
    let bad = app.world_mut().spawn((StableKey(1), bad)).id();
    let good = app.world_mut().spawn((StableKey(2), pull())).id();
    let twin = app.world_mut().spawn((StableKey(2), pull())).id();
    app.update();
    let told = faults(&app);
    assert_eq!(
        told.iter().map(|fault| fault.entity).collect::<Vec<_>>(),
        [twin, bad]
    );
    assert_eq!(told[0].reason, FaultReason::KeyInUse(StableKey(2).user_key()));
    assert_eq!(count(&app), 1);
    app.update();
    assert_eq!(faults(&app), []);
    app.world_mut().entity_mut(bad).insert(pull());
    app.world_mut().despawn(good);
    app.update();
    assert_eq!(faults(&app), []);
    assert_eq!(count(&app), 2);
    // One that changes to what is refused stays as it was.
    app.world_mut().get_mut::<Transform>(twin).unwrap().translation.x = f32::NAN;
    app.update();
    assert_eq!(faults(&app).len(), 1);
    assert_eq!(def(&app, twin).position, Position::ORIGIN);
    // A refused one that goes gives its key back.
    let mut again = pull();
    again.def.area = Some(Shape::segment(Vec2::ZERO, Vec2::X).unwrap());
    let again = app.world_mut().spawn((StableKey(3), again)).id();
    app.update();
    app.world_mut().despawn(again);
    let third = app.world_mut().spawn((StableKey(3), pull())).id();
    app.update();
    assert_eq!(faults(&app), []);
    id(&app, third);
}

/// Fields that move, change, come and go between a save and going back.
#[test]
fn fields_go_back_with_the_world() {
    let build = || {
        let mut app = weightless();
        let ball = ball(&mut app, 0.0, 0.0);
        let moved = spawn(&mut app, pull(), 0.0, 0.0);
        let gone = app.world_mut().spawn((StableKey(7), pull(), at(1.0, 0.0))).id();
        steps(&mut app, 5);
        (app, ball, moved, gone)
    };
    let (mut straight, ..) = build();
    steps(&mut straight, 20);
    let (mut app, ball, moved, gone) = build();
    let saved = app.world_mut().save_physics();
    let ids = [moved, gone].map(|field| id(&app, field));
    let world = app.world_mut();
    world.get_mut::<Transform>(moved).unwrap().translation.y = 4.0;
    world.get_mut::<Field>(moved).unwrap().def.mask = 6;
    world.despawn(gone);
    let late = spawn(&mut app, pull(), 2.0, 0.0);
    steps(&mut app, 8);
    let world = app.world_mut();
    world.restore_physics(&saved);
    world.get_mut::<Transform>(moved).unwrap().translation.y = 0.0;
    *world.get_mut::<Field>(moved).unwrap() = pull();
    world.despawn(late);
    let gone = world.spawn((StableKey(7), pull(), at(1.0, 0.0))).id();
    steps(&mut app, 20);
    assert_eq!(faults(&app), []);
    assert_eq!([moved, gone].map(|field| id(&app, field)), ids);
    assert_eq!(hash(&app), hash(&straight));
    assert!(velocity(&app, ball).x > 1.0);
    // Those that are not spawned again, and those that were spawned since, are as the entities are.
    app.world_mut().restore_physics(&saved);
    app.world_mut().despawn(gone);
    let late = spawn(&mut app, pull(), 2.0, 0.0);
    app.update();
    assert_eq!(count(&app), 2);
    app.world_mut().restore_physics(&saved);
    app.update();
    assert_eq!(count(&app), 2);
    assert_eq!(def(&app, late).position.to_vec2(), Vec2::new(2.0, 0.0));
    assert_ne!(def(&app, late).user_key, def(&app, moved).user_key);
}

#[test]
fn fields_of_a_world_made_elsewhere_are_spawned_where_they_are() {
    let mut plain = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let wanted = FieldDef {
        position: Position::new(2.0, -1.0),
        angle: 0.5,
        ..pull().def
    };
    let there = plain.create_field(&wanted).unwrap();
    let mut app = app();
    let spawned = app
        .world_mut()
        .run_system_once(move |mut commands: Commands| commands.spawn_physics(&plain, None))
        .unwrap();
    app.update();
    let [(of, entity)] = spawned.fields[..] else {
        panic!("there is one: {spawned:?}");
    };
    let is = def(&app, entity);
    assert_eq!((of, is.position, is.kind), (there, wanted.position, wanted.kind));
    assert!((is.angle - 0.5).abs() < 1.0e-6);
}
