//! The four algorithms inside a world.

use tombolo_physics::{
    BodyDef, BodyId, IslandAlgorithm, JointId, PhysicsWorld, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef,
};
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
    let floor = Shape::new_box(120.0, 2.0).unwrap();
    world.create_shape(ground, &ShapeDef::default(), &floor).unwrap();
    let cube = Shape::new_box(1.0, 1.0).unwrap();
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
            .create_shape(ground, &ShapeDef::default(), &Shape::new_box(80.0, 2.0).unwrap())
            .unwrap();
        for i in 0..60 {
            let body = world
                .create_body(&BodyDef::dynamic(
                    (i % 6) as f32 * 1.1,
                    0.6 + (i / 6) as f32 * 1.1,
                ))
                .unwrap();
            world
                .create_shape(body, &ShapeDef::default(), &Shape::new_box(1.0, 1.0).unwrap())
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

/// Bodies at rest without shapes, each jointed to the one before.
fn jointed_line(world: &mut PhysicsWorld, y: f32, count: usize) -> (Vec<BodyId>, Vec<JointId>) {
    let bodies: Vec<BodyId> = (0..count)
        .map(|i| world.create_body(&BodyDef::dynamic(i as f32, y)).unwrap())
        .collect();
    let revolutes = bodies
        .windows(2)
        .map(|pair| {
            let half = Vec2::new(0.5, 0.0);
            world
                .create_joint(RevoluteDef::new(pair[0], half, pair[1], -half))
                .unwrap()
        })
        .collect();
    (bodies, revolutes)
}

/// A ring of 40,000 jointed bodies, which wants to sleep, and in which one revolute joint opens and one closes in each
/// step: what it takes to look for another way round is several budgets in each.
#[test]
fn a_ring_that_opens_and_closes_keeps_no_other_awake() {
    const COUNT: usize = 40_000;
    let mut world = PhysicsWorld::new(&WorldDef {
        gravity: Vec2::ZERO,
        ..WorldDef::default()
    })
    .unwrap();
    let (ring, mut revolutes) = jointed_line(&mut world, 0.0, COUNT);
    let mut rows = Vec::new();
    let open_and_close = |world: &mut PhysicsWorld, revolutes: &mut [JointId], step: usize| {
        let at = |step: usize| step * 12_377 % (COUNT - 1);
        let half = Vec2::new(0.5, 0.0);
        world.destroy_joint(revolutes[at(step + 1)]).unwrap();
        if step > 0 {
            let i = at(step);
            revolutes[i] = world
                .create_joint(RevoluteDef::new(ring[i], half, ring[i + 1], -half))
                .unwrap();
        }
    };
    let round = RevoluteDef::new(
        ring[COUNT - 1],
        Vec2::new(0.5, 0.0),
        ring[0],
        Vec2::new(0.5 - COUNT as f32, 0.0),
    );
    world.create_joint(round).unwrap();
    for step in 0..130 {
        world.step(1.0 / 60.0).unwrap();
        open_and_close(&mut world, &mut revolutes, step);
        match step {
            // When the ring is past its first search already.
            35 => rows.extend((1..=10).map(|row| jointed_line(&mut world, 2.0 * row as f32, 8))),
            40 => {
                for (_, revolutes) in &rows {
                    world.destroy_joint(revolutes[4]).unwrap();
                }
            }
            90.. => {
                let is_awake = |body: &&BodyId| world.body(**body).unwrap().is_awake();
                assert!(is_awake(&&ring[0]), "the ring has no reason to sleep");
                let awake = rows
                    .iter()
                    .flat_map(|(bodies, _)| bodies)
                    .filter(is_awake)
                    .count();
                assert_eq!(awake, 0, "others are awake after {step} steps");
            }
            _ => {}
        }
    }
}
