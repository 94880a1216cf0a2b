//! What recording costs: the instructions of steps with some calls each, counted with and without it. Valgrind counts them: the test
//! starts its program under it, and says that it is skipped where there is none.

use crate::valgrind::instructions_of_step;
use tombolo_physics::{BodyDef, BodyId, PhysicsWorld, RecordOptions, Shape, ShapeDef, Vec2, WorldDef};

const DT: f32 = 1.0 / 60.0;
const STEPS: u64 = 256;

/// Set for the process that is counted, to `on` or `off`.
const CASE: &str = "TOMBOLO_RECORDING_COST";

/// A floor and 200 boxes in columns that never sleep.
fn columns() -> (PhysicsWorld, Vec<BodyId>) {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let floor = world.create_body(&BodyDef::default()).unwrap();
    let shape = Shape::segment(Vec2::new(-100.0, 0.0), Vec2::new(100.0, 0.0)).unwrap();
    world.create_shape(floor, &ShapeDef::default(), &shape).unwrap();
    let square = Shape::new_box(1.0, 1.0).unwrap();
    let place = |i: u32| ((i % 20) as f32 * 2.0 - 20.0, 0.5 + (i / 20) as f32);
    let bodies = (0..200).map(|i| {
        let (x, y) = place(i);
        let def = BodyDef {
            allow_sleep: false,
            ..BodyDef::dynamic(x, y)
        };
        let body = world.create_body(&def).unwrap();
        world.create_shape(body, &ShapeDef::default(), &square).unwrap();
        body
    });
    let bodies = bodies.collect();
    (world, bodies)
}

/// What is counted: steps with ten calls each, and all of the recording.
#[inline(never)]
fn counted_steps(world: &mut PhysicsWorld, bodies: &[BodyId]) -> usize {
    for step in 0..STEPS {
        for &body in &bodies[..10] {
            let force = Vec2::new(1.0 + step as f32 / 7.0, 0.0);
            world.body_mut(body).unwrap().apply_force(force).unwrap();
        }
        world.step(DT).unwrap();
    }
    world.take_recording().len()
}

/// Does what the process that is counted is asked for, and nothing in any other.
#[test]
fn is_counted() {
    let Ok(case) = std::env::var(CASE) else {
        return;
    };
    let (mut world, bodies) = columns();
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    if case == "on" {
        world.start_recording(RecordOptions::default());
        assert!(!world.take_recording().is_empty());
    }
    let bytes = counted_steps(&mut world, &bodies);
    assert_eq!(bytes > 0, case == "on");
}

#[test]
fn recording_costs_at_most_a_fiftieth_of_a_step() {
    let Some(off) = instructions_of_step("recording_cost::is_counted", (CASE, "off"), STEPS) else {
        println!("skipped: valgrind is not installed");
        return;
    };
    let on = instructions_of_step("recording_cost::is_counted", (CASE, "on"), STEPS)
        .expect("valgrind was there a moment ago");
    println!("{off} instructions a step, {on} while it is recorded");
    assert!(
        50 * on <= 51 * off,
        "{off} instructions a step, {on} while it is recorded"
    );
}
