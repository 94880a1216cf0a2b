//! What keeps a world cheap without changing what happens in it: sleeping by each body's own threshold, bodies created
//! asleep, bodies destroyed between steps, manifolds that are kept from step to step.

use crate::feature_support::{add, place, plain, run, same_everywhere, weightless, world};
use tombolo_physics::{BodyDef, BodyId, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};

fn square(half: f32) -> Shape {
    Shape::new_box(2.0 * half, 2.0 * half).unwrap()
}

fn ground(world: &mut PhysicsWorld) -> BodyId {
    plain(
        world,
        &BodyDef::fixed(0.0, -1.0),
        &Shape::new_box(100.0, 2.0).unwrap(),
    )
}

/// Boxes on each other, the lowest on a ground with its top at 0.
fn stack(world: &mut PhysicsWorld, x: f32, count: usize, awake: bool) -> Vec<BodyId> {
    (0..count)
        .map(|row| {
            let def = BodyDef {
                awake,
                ..BodyDef::dynamic(x, 0.5 + row as f32)
            };
            plain(world, &def, &square(0.5))
        })
        .collect()
}

#[test]
fn a_body_sleeps_below_its_own_threshold_and_not_above() {
    // All drift at 0.2 m/s through nothing: who may sleep at that speed does so after half a second.
    for (threshold, allow_sleep, sleeps) in [(0.1, true, false), (0.3, true, true), (0.3, false, false)] {
        let mut world = world(&weightless());
        let def = BodyDef {
            linear_velocity: Vec2::new(0.2, 0.0),
            sleep_threshold: threshold,
            allow_sleep,
            ..BodyDef::dynamic(0.0, 0.0)
        };
        let body = plain(&mut world, &def, &square(0.5));
        run(&mut world, 28);
        assert!(world.body(body).unwrap().is_awake(), "not before half a second");
        run(&mut world, 12);
        assert_eq!(
            !world.body(body).unwrap().is_awake(),
            sleeps,
            "threshold {threshold}, {allow_sleep}"
        );
    }
}

#[test]
fn the_tips_of_a_turning_body_count_for_its_threshold() {
    // 0.1 rad/s: 0.07 m/s at the corner of the small one, 0.7 m/s at the end of the long one.
    for (half_length, sleeps) in [(0.5, true), (7.0, false)] {
        let mut world = world(&weightless());
        let def = BodyDef {
            angular_velocity: 0.1,
            sleep_threshold: 0.1,
            ..BodyDef::dynamic(0.0, 0.0)
        };
        let body = plain(&mut world, &def, &Shape::new_box(2.0 * half_length, 1.0).unwrap());
        run(&mut world, 40);
        assert_eq!(!world.body(body).unwrap().is_awake(), sleeps, "{half_length}");
    }
}

#[test]
fn one_body_of_an_island_that_may_not_sleep_keeps_all_awake() {
    let mut world = world(&WorldDef::default());
    ground(&mut world);
    stack(&mut world, 0.0, 2, true);
    let restless = BodyDef {
        allow_sleep: false,
        ..BodyDef::dynamic(0.0, 2.5)
    };
    let top = plain(&mut world, &restless, &square(0.5));
    let apart = stack(&mut world, 10.0, 2, true);
    run(&mut world, 120);
    assert_eq!(world.counters().awake_bodies, 3);
    assert!(!world.body(apart[0]).unwrap().is_awake());
    world.destroy_body(top).unwrap();
    run(&mut world, 60);
    assert_eq!(world.counters().awake_bodies, 0, "without it they rest");
}

#[test]
fn bodies_created_asleep_hang_in_the_air_and_cost_nothing_until_something_comes() {
    let mut world = world(&WorldDef::default());
    ground(&mut world);
    let def = |x: f32| BodyDef {
        awake: false,
        ..BodyDef::dynamic(x, 5.0)
    };
    let hanging = plain(&mut world, &def(0.0), &square(0.5));
    let other = plain(&mut world, &def(20.0), &square(0.5));
    run(&mut world, 60);
    assert_eq!(place(&world, hanging).y, 5.0);
    let counters = world.counters();
    assert_eq!((counters.awake_bodies, counters.awake_contacts), (0, 0));

    let shot = BodyDef {
        linear_velocity: Vec2::new(0.0, -20.0),
        ..BodyDef::dynamic(0.0, 9.0)
    };
    plain(&mut world, &shot, &square(0.5));
    run(&mut world, 30);
    assert!(place(&world, hanging).y < 4.0, "what is hit wakes and falls");
    assert_eq!(place(&world, other).y, 5.0, "and nothing else does");
}

#[test]
fn a_stack_created_asleep_wakes_as_one_and_stands() {
    let mut world = world(&WorldDef::default());
    ground(&mut world);
    let boxes = stack(&mut world, 0.0, 5, false);
    run(&mut world, 10);
    assert_eq!(world.counters().awake_bodies, 0);
    // They came asleep, so nobody has looked for what they touch. It is found as soon as one of them wakes.
    world.body_mut(boxes[2]).unwrap().wake();
    run(&mut world, 200);
    for (row, &body) in boxes.iter().enumerate() {
        let y = place(&world, body).y;
        assert!((y - 0.5 - row as f32).abs() < 0.02, "row {row} is at {y}");
    }
    assert_eq!(world.counters().awake_bodies, 0, "and sleeps again");
}

#[test]
fn what_stood_on_a_destroyed_body_falls() {
    let mut world = world(&WorldDef::default());
    ground(&mut world);
    let boxes = stack(&mut world, 0.0, 4, true);
    run(&mut world, 120);
    assert_eq!(world.counters().awake_bodies, 0);
    world.destroy_body(boxes[1]).unwrap();
    assert!(
        world.body(boxes[1]).is_none() && world.destroy_body(boxes[1]).is_err(),
        "its id is stale"
    );
    run(&mut world, 120);
    for (body, height) in [(boxes[0], 0.5), (boxes[2], 1.5), (boxes[3], 2.5)] {
        let y = place(&world, body).y;
        assert!((y - height).abs() < 0.03, "{y}, not {height}");
    }
}

/// A rain of boxes of which some are destroyed in every step, the newest ones touching or flying, awake or asleep.
fn churn() -> PhysicsWorld {
    let mut world = world(&WorldDef::default());
    ground(&mut world);
    for row in 0..6 {
        for column in 0..6 {
            let def = BodyDef::dynamic(1.2 * column as f32 - 3.0, 0.6 + 1.1 * row as f32);
            plain(&mut world, &def, &square(0.5));
        }
    }
    world
}

#[test]
fn destroying_and_creating_in_every_step_leaves_a_sound_world() {
    let mut world = churn();
    for step in 0..200_usize {
        let bodies: Vec<BodyId> = world.bodies().map(|body| body.id()).skip(1).collect();
        let gone = bodies[step * 7 % bodies.len()];
        world.destroy_body(gone).unwrap();
        let def = BodyDef {
            awake: step % 3 != 0,
            ..BodyDef::dynamic((step % 7) as f32 - 3.0, 8.0)
        };
        add(&mut world, &def, &ShapeDef::default(), &square(0.4));
        run(&mut world, 1);
        assert!(world.body(gone).is_none());
        assert_eq!(world.bodies().len(), 37);
    }
}

#[test]
fn contacts_of_what_rests_keep_their_manifolds_and_of_what_rolls_do_not() {
    let mut world = world(&WorldDef {
        sleeping: false,
        ..Default::default()
    });
    ground(&mut world);
    let boxes = stack(&mut world, 0.0, 5, true);
    run(&mut world, 60);
    let counters = world.counters();
    assert_eq!((counters.recycled_contacts, counters.awake_contacts), (5, 5));

    // A manifold that is kept still follows the bodies: pushed sideways within the limit, its points go with the box.
    let before: Vec<f32> = points_x(&world, boxes[4]);
    world
        .body_mut(boxes[4])
        .unwrap()
        .set_linear_velocity(Vec2::new(0.5, 0.0))
        .unwrap();
    run(&mut world, 2);
    assert_eq!(world.counters().recycled_contacts, 5);
    for (now, before) in points_x(&world, boxes[4]).iter().zip(&before) {
        assert!(now - before > 0.003, "{now} after {before}");
    }

    let ball = BodyDef {
        linear_velocity: Vec2::new(4.0, 0.0),
        angular_velocity: -8.0,
        ..BodyDef::dynamic(10.0, 0.5)
    };
    plain(&mut world, &ball, &Shape::circle(Vec2::ZERO, 0.5).unwrap());
    run(&mut world, 30);
    let counters = world.counters();
    assert_eq!((counters.recycled_contacts, counters.awake_contacts), (5, 6));
}

fn points_x(world: &PhysicsWorld, body: BodyId) -> Vec<f32> {
    let contacts = world.body(body).unwrap().contacts().collect::<Vec<_>>();
    contacts
        .iter()
        .flat_map(|contact| {
            contact
                .points()
                .map(|(point, ..)| point.to_vec2().x)
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn sleeping_and_keeping_manifolds_are_the_same_everywhere() {
    let asleep_and_awake = || {
        let mut world = churn();
        stack(&mut world, 20.0, 4, false);
        world
    };
    let world = same_everywhere(asleep_and_awake, 50, |world| {
        format!("{:?}", world.events().moved().len())
    });
    assert!(world.counters().recycled_contacts > 0);
}
