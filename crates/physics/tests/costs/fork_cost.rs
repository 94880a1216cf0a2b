//! What the first step of a fork costs: a working world that held another frame takes it and makes a step, beside a clone that
//! makes one. Instructions, as valgrind counts them.

use crate::valgrind::instructions_of_step;
use tombolo_physics::{BodyDef, Frame, PhysicsWorld, Shape, ShapeDef, WorldDef};

const DT: f32 = 1.0 / 60.0;
const STEPS: u64 = 16;

/// Set for the process that is counted, to what is counted.
const CASE: &str = "TOMBOLO_FORK_COST";

/// Ten thousand boxes in rows of ten on the ground, a hundred of which never sleep.
fn rows() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let floor = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let shape = Shape::new_box(2_400.0, 2.0).unwrap();
    world.create_shape(floor, &ShapeDef::default(), &shape).unwrap();
    let square = Shape::new_box(1.0, 1.0).unwrap();
    for index in 0..10_000_u32 {
        let (row, place) = (index / 10, index % 10);
        let body = BodyDef {
            allow_sleep: row % 100 != 0,
            ..BodyDef::dynamic(2.0 * row as f32 - 1_000.0, 0.5 + place as f32)
        };
        let body = world.create_body(&body).unwrap();
        world.create_shape(body, &ShapeDef::default(), &square).unwrap();
    }
    world
}

/// What is counted: the first steps of forks, one after another.
#[inline(never)]
fn counted_steps(working: &mut PhysicsWorld, frames: &[Frame], clone: bool) {
    for step in 0..STEPS as usize {
        if clone {
            let mut whole = working.clone();
            whole.step(DT).unwrap();
        } else {
            working.restore_frame(&frames[step % frames.len()]);
            working.step(DT).unwrap();
        }
    }
}

/// Does what the process that is counted is asked for, and nothing in any other.
#[test]
fn is_counted() {
    let Ok(case) = std::env::var(CASE) else {
        return;
    };
    let mut world = rows();
    (0..60).for_each(|_| world.step(DT).unwrap());
    assert_eq!(world.counters().awake_bodies, 100);
    let mut frames = Vec::new();
    for _ in 0..4 {
        frames.push(world.frame());
        (0..8).for_each(|_| world.step(DT).unwrap());
    }
    let mut working = PhysicsWorld::from_frame(&frames[0]);
    working.step(DT).unwrap();
    counted_steps(&mut working, &frames, case == "clone");
}

#[test]
#[ignore = "valgrind runs a world of ten thousand bodies for minutes; cargo test --test costs fork -- --ignored"]
fn the_first_step_of_a_fork_costs_what_it_changes() {
    let count = |case| instructions_of_step("fork_cost::is_counted", (CASE, case), STEPS);
    let Some(fork) = count("fork") else {
        println!("skipped: valgrind is not installed");
        return;
    };
    let clone = count("clone").expect("valgrind was there a moment ago");
    println!("the first step of a fork {fork} instructions, of a clone {clone}");
    assert!(10 * fork <= clone, "{fork} instructions, {clone} of a clone");
}
