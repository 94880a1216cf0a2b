//! Hit events: who hit whom, where, how fast and with which impulse.

use crate::feature_support::{Random, add, plain, run, same_everywhere, weightless, world};
use tombolo_physics::{BodyDef, HitEvent, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};

fn reporting() -> ShapeDef {
    ShapeDef {
        hit_events: true,
        ..Default::default()
    }
}

fn flying(x: f32, y: f32, velocity: Vec2) -> BodyDef {
    BodyDef {
        linear_velocity: velocity,
        ..BodyDef::dynamic(x, y)
    }
}

/// Every hit of the next steps.
fn hits(world: &mut PhysicsWorld, steps: usize) -> Vec<HitEvent> {
    let mut all = Vec::new();
    for _ in 0..steps {
        run(world, 1);
        all.extend_from_slice(world.events().hit());
    }
    all
}

#[test]
fn a_ball_that_hits_a_wall_says_where_how_fast_and_how_hard() {
    let mut world = world(&weightless());
    let wall = plain(
        &mut world,
        &BodyDef::fixed(0.0, 0.0),
        &Shape::new_box(2.0, 10.0).unwrap(),
    );
    let ball_shape = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let ball = add(
        &mut world,
        &flying(-3.0, 2.0, Vec2::new(6.0, 0.0)),
        &reporting(),
        &ball_shape,
    );
    let all = hits(&mut world, 40);
    assert_eq!(all.len(), 1, "{all:?}");
    let hit = all[0];
    let first_is_wall = world.shape(hit.shape_a).unwrap().body().id() == wall;
    assert!(first_is_wall || world.shape(hit.shape_b).unwrap().body().id() == wall);
    let towards_ball = if first_is_wall { hit.normal } else { -hit.normal };
    assert!((towards_ball - Vec2::NEG_X).length() < 1.0e-3);
    assert!(
        (hit.approach_speed - 6.0).abs() < 1.0e-3,
        "{}",
        hit.approach_speed
    );
    // It took all of the momentum.
    let momentum = world.body(ball).unwrap().mass() * 6.0;
    assert!(
        (hit.impulse - momentum).abs() < 0.05 * momentum,
        "{} of {momentum}",
        hit.impulse
    );
    assert!(
        (hit.point.to_vec2() - Vec2::new(-1.0, 2.0)).length() < 0.1,
        "{:?}",
        hit.point
    );
    assert!(world.contact(hit.contact).is_some());
}

#[test]
fn hits_below_the_threshold_and_of_shapes_that_do_not_ask_are_not_reported() {
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    for (threshold, ask, expected) in [(1.0, true, 1), (7.0, true, 0), (1.0, false, 0)] {
        let mut world = world(&WorldDef {
            hit_threshold: threshold,
            ..weightless()
        });
        plain(
            &mut world,
            &BodyDef::fixed(0.0, 0.0),
            &Shape::new_box(2.0, 10.0).unwrap(),
        );
        let def = ShapeDef {
            hit_events: ask,
            ..Default::default()
        };
        add(&mut world, &flying(-3.0, 0.0, Vec2::new(6.0, 0.0)), &def, &ball);
        let count = hits(&mut world, 40).len();
        assert_eq!(count, expected, "threshold {threshold}, asked {ask}");
    }
}

#[test]
fn a_near_miss_is_no_hit() {
    let mut world = world(&weightless());
    plain(
        &mut world,
        &BodyDef::fixed(0.0, 0.0),
        &Shape::new_box(2.0, 2.0).unwrap(),
    );
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    // Passes a hand's breadth above, and comes within reach of the speculative points on the way.
    add(
        &mut world,
        &flying(-3.0, 1.515, Vec2::new(20.0, 0.0)),
        &reporting(),
        &ball,
    );
    assert_eq!(hits(&mut world, 30), []);
}

#[test]
fn what_rests_does_not_hit() {
    let mut world = world(&WorldDef::default());
    plain(
        &mut world,
        &BodyDef::fixed(0.0, -1.0),
        &Shape::new_box(40.0, 2.0).unwrap(),
    );
    let boxed = Shape::new_box(1.0, 1.0).unwrap();
    for i in 0..5 {
        add(
            &mut world,
            &BodyDef::dynamic(0.0, 0.5 + i as f32),
            &reporting(),
            &boxed,
        );
    }
    assert_eq!(hits(&mut world, 90), []);
}

#[test]
fn a_bad_threshold_is_refused() {
    let def = WorldDef {
        hit_threshold: f32::NAN,
        ..Default::default()
    };
    let error = PhysicsWorld::new(&def).unwrap_err();
    assert!(error.to_string().contains("hit_threshold"), "{error}");
}

#[test]
fn hits_are_the_same_everywhere_and_in_the_order_of_contacts() {
    let build = || {
        let mut world = world(&WorldDef::default());
        plain(
            &mut world,
            &BodyDef::fixed(0.0, -1.0),
            &Shape::new_box(40.0, 2.0).unwrap(),
        );
        let mut random = Random(5);
        for i in 0..150 {
            let def = flying(
                (i % 15) as f32 - 7.0,
                1.0 + (i / 15) as f32,
                random_velocity(&mut random),
            );
            let shape = if i % 2 == 0 {
                Shape::circle(Vec2::ZERO, 0.3)
            } else {
                Shape::new_box(0.6, 0.5)
            };
            let shape_def = ShapeDef {
                hit_events: i % 3 == 0,
                restitution: 0.3,
                ..Default::default()
            };
            add(&mut world, &def, &shape_def, &shape.unwrap());
        }
        world
    };
    let seen = core::cell::Cell::new(0);
    same_everywhere(build, 80, |world| {
        let hits = world.events().hit();
        assert!(
            hits.windows(2)
                .all(|pair| pair[0].contact.index() < pair[1].contact.index())
        );
        seen.set(seen.get() + hits.len());
        format!("{hits:?}")
    });
    assert!(seen.get() > 500, "{} hits", seen.get());
}

fn random_velocity(random: &mut Random) -> Vec2 {
    Vec2::new(random.between(-5.0, 5.0), random.between(-5.0, 2.0))
}
