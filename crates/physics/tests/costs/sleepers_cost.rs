//! What sleeps costs nothing: the instructions of a step with one awake body, counted beside 1,000, 10,000 and 100,000
//! sleeping ones. Valgrind counts them: the test starts its program under it, and says that it is skipped where there is none.

use crate::valgrind::instructions_of_step;
use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};

pub(crate) const DT: f32 = 1.0 / 60.0;
const STEPS: u64 = 50;

/// Set for the process that is counted, to the number of sleepers and what the awake body does.
const CASE: &str = "TOMBOLO_SLEEPERS_COST";

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Awake {
    Rests,
    Moves,
}

/// A floor, `sleepers` bodies asleep in rows above it, and one that is awake beside them.
pub(crate) fn world_of(sleepers: u32, awake: Awake) -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let square = Shape::new_box(1.0, 1.0).unwrap();
    let mut create = |def: BodyDef, shape: &Shape| {
        let body = world.create_body(&def).unwrap();
        world.create_shape(body, &ShapeDef::default(), shape).unwrap();
    };
    let floor = Shape::segment(Vec2::new(-1000.0, 0.0), Vec2::new(1000.0, 0.0)).unwrap();
    create(BodyDef::default(), &floor);
    for i in 0..sleepers {
        let def = BodyDef::dynamic(1.5 * (i % 500) as f32, 10.0 + 1.5 * (i / 500) as f32);
        create(BodyDef { awake: false, ..def }, &square);
    }
    let one = match awake {
        Awake::Rests => BodyDef::dynamic(-20.0, 0.5),
        Awake::Moves => BodyDef {
            linear_velocity: Vec2::new(3.0, 0.0),
            gravity_scale: 0.0,
            ..BodyDef::dynamic(-20.0, 50.0)
        },
    };
    let one = BodyDef {
        allow_sleep: false,
        ..one
    };
    create(one, &square);
    world
}

/// What is counted.
#[inline(never)]
fn counted_steps(world: &mut PhysicsWorld) {
    for _ in 0..STEPS {
        world.step(DT).unwrap();
    }
}

/// Does what the process that is counted is asked for, and nothing in any other.
#[test]
fn is_counted() {
    let Ok(case) = std::env::var(CASE) else {
        return;
    };
    let (sleepers, awake) = case.split_once(' ').unwrap();
    let awake = if awake == "Rests" {
        Awake::Rests
    } else {
        Awake::Moves
    };
    let mut world = world_of(sleepers.parse().unwrap(), awake);
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    counted_steps(&mut world);
    assert_eq!(world.events().moved().len(), 1, "all others sleep");
}

#[test]
fn one_awake_body_costs_the_same_beside_any_number_of_sleepers() {
    // A body that moves goes down the trees, whose two added levels cost it something, whatever else a step costs.
    for (awake, share, levels) in [(Awake::Rests, 0.02, 0), (Awake::Moves, 0.0, 2_000)] {
        let count = |sleepers: u32| {
            let case = format!("{sleepers} {awake:?}");
            instructions_of_step("sleepers_cost::is_counted", (CASE, &case), STEPS)
        };
        let Some(few) = count(1_000) else {
            println!("skipped: valgrind is not installed");
            return;
        };
        for sleepers in [10_000, 100_000] {
            let many = count(sleepers).expect("valgrind was there a moment ago");
            println!("{awake:?}: {few} instructions beside 1,000 sleepers, {many} beside {sleepers}");
            assert!(
                many < few + (share * few as f64) as u64 + levels,
                "{awake:?}: {few} instructions a step beside 1,000 sleepers, {many} beside {sleepers}"
            );
        }
    }
}
