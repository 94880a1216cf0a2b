//! The order in which entities are spawned, the components that they have beside, and the threads decide nothing.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::Component;
use bevy_math::Vec2;
use bevy_tombolo::physics::{BodyDef, PhysicsWorld, Pose, Shape, ShapeDef, WorldDef};
use bevy_tombolo::{
    Body, Collider, Damping, Joint, Material, Outline, StableKey, TomboloPlugin, Velocity, Workers,
};
use bevy_transform::components::Transform;
use support::{app_with, ball, ground, hash, physics, steps};

const COUNT: u64 = 10_000;

/// A component of the game, which has no business with physics but takes its entity to another table.
#[derive(Component)]
struct Loot;

fn shuffled(count: u64, seed: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    let mut state = seed;
    for place in (1..numbers.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        numbers.swap(place, (state >> 33) as usize % (place + 1));
    }
    numbers
}

fn place(number: u64) -> Vec2 {
    let (column, row) = (number % 50, number / 50);
    Vec2::new(
        column as f32 * 1.2 - 30.0 + 0.13 * (row % 3) as f32,
        1.0 + row as f32 * 1.1,
    )
}

/// One of the crowd: discs, boxes, bodies of several colliders on children, some with components of their own.
fn spawn(app: &mut App, number: u64) {
    let at = place(number);
    let key = StableKey(number + 1);
    let transform = Transform::from_xyz(at.x, at.y, 0.0);
    let mut entity = app.world_mut().spawn((Body::Dynamic, key, transform));
    match number % 4 {
        0 => {
            entity.insert(Collider::circle(0.4));
        }
        1 => {
            entity.insert((Collider::rectangle(0.8, 0.7), Loot));
        }
        2 => {
            entity.insert((
                Collider::circle(0.3),
                Damping {
                    linear: 0.1,
                    angular: 0.2,
                },
                Velocity::linear(0.5, 0.0),
            ));
        }
        _ => {
            entity.with_children(|children| {
                children.spawn((Collider::circle(0.25), Transform::from_xyz(-0.2, 0.0, 0.0)));
                children.spawn((
                    Collider::rectangle(0.4, 0.4),
                    Transform::from_xyz(0.2, 0.0, 0.0),
                    Material {
                        friction: 0.2,
                        ..Material::default()
                    },
                ));
            });
        }
    }
}

fn crowd(order: &[u64], workers: Workers) -> u64 {
    let mut app = app_with(TomboloPlugin {
        workers,
        ..TomboloPlugin::default()
    });
    app.world_mut().spawn((
        Body::Static,
        StableKey(0),
        Collider::rectangle(200.0, 2.0),
        Transform::from_xyz(0.0, -1.0, 0.0),
    ));
    for &number in order {
        spawn(&mut app, number);
    }
    steps(&mut app, 90);
    assert_eq!(physics(&app).world().counters().bodies, order.len() + 1);
    hash(&app)
}

#[test]
fn a_crowd_in_any_order_of_spawning_and_on_any_threads_is_one_world() {
    let in_order: Vec<u64> = (0..COUNT).collect();
    let expected = crowd(&in_order, Workers::One);
    for (seed, workers) in [(1, Workers::One), (2, Workers::Bevy), (3, Workers::Own(3))] {
        assert_eq!(crowd(&shuffled(COUNT, seed), workers), expected, "{workers:?}");
    }
}

#[test]
fn entities_that_change_their_tables_in_between_change_nothing() {
    let run = |shuffles: bool| {
        let mut app = support::app();
        ground(&mut app);
        let balls: Vec<_> = (0..60)
            .map(|i| ball(&mut app, (i % 10) as f32 * 0.9, 1.0 + (i / 10) as f32))
            .collect();
        for step in 0..120 {
            if shuffles && step % 7 == 0 {
                let entity = balls[step * 13 % balls.len()];
                app.world_mut().entity_mut(entity).insert(Loot);
            }
            // All change in one step: the order of that must not be the tables'.
            if step % 20 == 0 {
                for &entity in &balls {
                    let gravity = bevy_tombolo::GravityScale(1.0 - 0.01 * step as f32);
                    app.world_mut()
                        .entity_mut(entity)
                        .insert((gravity, Velocity::linear(0.3, 2.0)));
                }
            }
            app.update();
        }
        hash(&app)
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn children_that_change_bodies_are_the_same_world_whatever_their_tables() {
    let run = |loot: bool| {
        let mut app = support::app();
        let [a, b] = [-5.0, 5.0].map(|x| {
            let body = (Body::Dynamic, Transform::from_xyz(x, 9.0, 0.0));
            app.world_mut().spawn(body).id()
        });
        let one = app.world_mut().spawn((ChildOf(a), Collider::circle(0.3))).id();
        let two = (
            ChildOf(a),
            Collider::rectangle(1.0, 0.4),
            Transform::from_xyz(1.0, 0.0, 0.0),
        );
        let two = app.world_mut().spawn(two).id();
        app.update();
        if loot {
            app.world_mut().entity_mut(one).insert(Loot);
        }
        for child in [one, two] {
            app.world_mut().entity_mut(child).insert(ChildOf(b));
        }
        steps(&mut app, 5);
        assert_eq!(physics(&app).body(b).unwrap().shapes().count(), 2);
        hash(&app)
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn the_world_is_what_the_same_calls_make_without_bevy() {
    let mut app = support::app();
    ground(&mut app);
    for i in 0..20 {
        app.world_mut().spawn((
            Body::Dynamic,
            Collider::rectangle(1.0, 1.0),
            Transform::from_xyz(0.2 * i as f32, 0.6 + 1.1 * i as f32, 0.0),
        ));
    }
    steps(&mut app, 100);

    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let first = StableKey::GIVEN_FROM + 1;
    let mut add = |number: u64, def: BodyDef, shape: Shape| {
        let user_key = first + number;
        let body = world.create_body(&BodyDef { user_key, ..def }).unwrap();
        (body, shape, user_key)
    };
    let mut bodies = vec![add(
        0,
        BodyDef::fixed(0.0, -1.0),
        Shape::new_box(200.0, 2.0).unwrap(),
    )];
    for i in 0..20 {
        let def = BodyDef::dynamic(0.2 * i as f32, 0.6 + 1.1 * i as f32);
        bodies.push(add(i + 1, def, Shape::new_box(1.0, 1.0).unwrap()));
    }
    for (body, shape, user_key) in bodies {
        let def = ShapeDef {
            user_key,
            ..ShapeDef::default()
        };
        world.create_shape(body, &def, &shape).unwrap();
    }
    for _ in 0..100 {
        world.step(1.0 / 64.0).unwrap();
    }
    assert_eq!(hash(&app), world.state_hash());
}

#[test]
fn joints_in_any_order_of_spawning_are_one_world() {
    let run = |order: &[u64]| {
        let mut app = support::app();
        let links: Vec<_> = (0..40)
            .map(|number| {
                let kind = if number == 0 { Body::Static } else { Body::Dynamic };
                let bundle = (
                    kind,
                    StableKey(number),
                    Collider::from(Outline::capsule(0.1, 0.6)),
                    Transform::from_xyz(number as f32, 10.0, 0.0),
                );
                app.world_mut().spawn(bundle).id()
            })
            .collect();
        for &number in order {
            let [a, b] = [links[number as usize], links[number as usize + 1]];
            let [left, right] = [Vec2::new(0.5, 0.0), Vec2::new(-0.5, 0.0)];
            app.world_mut()
                .spawn((StableKey(number), Joint::revolute(a, left, b, right)));
        }
        steps(&mut app, 120);
        assert_eq!(physics(&app).world().counters().joints, 39);
        hash(&app)
    };
    let in_order: Vec<u64> = (0..39).collect();
    assert_eq!(run(&shuffled(39, 5)), run(&in_order));
}

#[test]
fn the_second_of_two_equal_keys_is_refused() {
    use bevy_ecs::message::Messages;
    use bevy_tombolo::{FaultReason, PhysicsFault};
    let mut app = support::app();
    let bundle = || (Body::Dynamic, StableKey(7), Collider::circle(0.5));
    let first = app.world_mut().spawn(bundle()).id();
    let second = app.world_mut().spawn(bundle()).id();
    app.update();
    assert!(physics(&app).body(first).is_some());
    assert!(physics(&app).body(second).is_none());
    let faults = app.world().resource::<Messages<PhysicsFault>>();
    let faults: Vec<_> = faults.iter_current_update_messages().collect();
    assert_eq!(faults.len(), 1);
    assert_eq!(
        (faults[0].entity, &faults[0].reason),
        (second, &FaultReason::KeyInUse(8))
    );
    let pose: Pose = physics(&app).body(first).unwrap().pose();
    assert!(pose.position.y < 0.0, "the first falls");
}
