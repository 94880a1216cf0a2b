//! The four algorithms inside a world.

use tombolo_physics::{BodyDef, IslandAlgorithm, PhysicsWorld, Shape, ShapeDef, WorldDef};
use tombolo_threads::{Inline, Pool};

/// Stacks of boxes with a gap between every two, and a box that falls on them later than the rest comes to lie.
fn stacks(algorithm: IslandAlgorithm, sleeping: bool) -> PhysicsWorld {
    let def = WorldDef {
        islands: algorithm,
        sleeping,
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def).unwrap();
    let ground = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let floor = Shape::rectangle(60.0, 1.0).unwrap();
    world.create_shape(ground, &ShapeDef::default(), &floor).unwrap();
    let cube = Shape::rectangle(0.5, 0.5).unwrap();
    let mut drop = |x: f32, y: f32| {
        let body = world.create_body(&BodyDef::dynamic(x, y)).unwrap();
        world.create_shape(body, &ShapeDef::default(), &cube).unwrap();
    };
    for column in 0..8 {
        for row in 0..5 {
            drop(
                column as f32 * 2.2 - 8.0 + row as f32 * 0.1,
                0.55 + row as f32 * 1.1,
            );
        }
    }
    drop(0.3, 60.0);
    world
}

#[test]
fn with_sleeping_off_the_results_do_not_depend_on_the_algorithm() {
    let pool = Pool::new(2).unwrap();
    let mut worlds = IslandAlgorithm::ALL.map(|algorithm| stacks(algorithm, false));
    for step in 0..1000 {
        let mut hashes = worlds.iter_mut().map(|world| {
            world.step_with(1.0 / 60.0, &pool).unwrap();
            world.state_hash()
        });
        let first = hashes.next().unwrap();
        assert!(
            hashes.all(|hash| hash == first),
            "the algorithms part in step {step}"
        );
    }
}

#[test]
fn islands_fall_asleep_and_wake_as_a_whole_under_each_algorithm() {
    for algorithm in IslandAlgorithm::ALL {
        let mut world = stacks(algorithm, true);
        let mut asleep_at = Vec::new();
        let mut was_woken = false;
        for step in 0..1500 {
            let before = world.counters().awake_bodies;
            world.step_with(1.0 / 60.0, &Inline).unwrap();
            world.validate();
            let awake = world.counters().awake_bodies;
            was_woken |= awake > before;
            if awake == 0 {
                asleep_at.push(step);
            }
        }
        assert!(was_woken, "{algorithm:?}: the late box wakes a stack");
        assert!(!asleep_at.is_empty(), "{algorithm:?}: all sleep in the end");
    }
}

#[test]
fn a_world_restored_under_each_algorithm_goes_on_alike() {
    for algorithm in IslandAlgorithm::ALL {
        let mut world = stacks(algorithm, true);
        for step in 0..400 {
            if step == 170 {
                let mut restored = PhysicsWorld::from_save(&world.save()).unwrap();
                for _ in 0..200 {
                    world.step(1.0 / 60.0).unwrap();
                    restored.step(1.0 / 60.0).unwrap();
                    assert!(
                        world.save() == restored.save(),
                        "{algorithm:?}: the bytes of both are the same"
                    );
                }
            }
            world.step(1.0 / 60.0).unwrap();
        }
    }
}

#[test]
fn the_algorithm_can_be_changed_while_bodies_lie_touch_and_hang() {
    let build = || {
        let def = WorldDef {
            sleeping: false,
            ..Default::default()
        };
        let mut world = PhysicsWorld::new(&def).unwrap();
        let ground = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
        world
            .create_shape(
                ground,
                &ShapeDef::default(),
                &Shape::rectangle(40.0, 1.0).unwrap(),
            )
            .unwrap();
        for i in 0..60 {
            let body = world
                .create_body(&BodyDef::dynamic(
                    (i % 6) as f32 * 1.1,
                    0.6 + (i / 6) as f32 * 1.1,
                ))
                .unwrap();
            world
                .create_shape(body, &ShapeDef::default(), &Shape::rectangle(0.5, 0.5).unwrap())
                .unwrap();
        }
        world
    };
    let (mut changed, mut plain) = (build(), build());
    for step in 0..240 {
        let algorithms = IslandAlgorithm::ALL;
        if step % 20 == 10 {
            changed.set_island_algorithm(algorithms[step / 20 % algorithms.len()]);
            changed.validate();
        }
        changed.step(1.0 / 60.0).unwrap();
        plain.step(1.0 / 60.0).unwrap();
        changed.validate();
        assert_eq!(changed.state_hash(), plain.state_hash(), "step {step}");
    }
}
