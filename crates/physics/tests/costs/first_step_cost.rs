//! The first step after the world has grown, was cloned or was loaded costs no more beside many sleepers than beside few: its
//! scratch memory is as long as what is awake, or is not touched for what sleeps. Counted as in `sleepers_cost.rs`.

use crate::sleepers_cost::{Awake, DT, world_of};
use crate::valgrind::instructions_of_step;
use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef};

/// Set for the process that is counted, to the number of sleepers and what happens before the step.
const CASE: &str = "TOMBOLO_FIRST_STEP_COST";

/// What happens before the step that is counted, and its name.
type Event = (&'static str, fn(&mut PhysicsWorld));

const EVENTS: [Event; 3] = [
    ("grows", grow),
    ("is cloned", replace_by_clone),
    ("is loaded", load),
];

/// Adds bodies that are awake, more than there ever were; where the order of the tree ends, so that its last leaf, which they
/// share with sleepers, stays small.
fn grow(world: &mut PhysicsWorld) {
    let square = Shape::new_box(1.0, 1.0).unwrap();
    for i in 0..100 {
        let def = BodyDef::dynamic(760.0 + 2.0 * (i % 10) as f32, 10.0 + 2.0 * (i / 10) as f32);
        let body = world.create_body(&def).unwrap();
        world.create_shape(body, &ShapeDef::default(), &square).unwrap();
    }
}

fn replace_by_clone(world: &mut PhysicsWorld) {
    *world = world.clone();
}

fn load(world: &mut PhysicsWorld) {
    *world = PhysicsWorld::from_save(&world.save()).unwrap();
}

/// What is counted.
#[inline(never)]
fn counted_steps(world: &mut PhysicsWorld) {
    world.step(DT).unwrap();
}

/// Does what the process that is counted is asked for, and nothing in any other.
#[test]
fn is_counted() {
    let Ok(case) = std::env::var(CASE) else {
        return;
    };
    let (sleepers, name) = case.split_once(' ').unwrap();
    let mut world = world_of(sleepers.parse().unwrap(), Awake::Moves);
    for _ in 0..3 {
        world.step(DT).unwrap();
    }
    let (_, event) = EVENTS.into_iter().find(|(event, _)| *event == name).unwrap();
    event(&mut world);
    counted_steps(&mut world);
    let awake = if name == "grows" { 101 } else { 1 };
    assert_eq!(world.events().moved().len(), awake, "all others sleep");
}

#[test]
fn the_first_step_costs_the_same_beside_any_number_of_sleepers() {
    for (event, _) in EVENTS {
        let count = |sleepers: u32| {
            let case = format!("{sleepers} {event}");
            instructions_of_step("first_step_cost::is_counted", (CASE, &case), 1)
        };
        let Some(few) = count(1_000) else {
            println!("skipped: valgrind is not installed");
            return;
        };
        let many = count(100_000).expect("valgrind was there a moment ago");
        let text =
            format!("the world {event}: {few} instructions beside 1,000 sleepers, {many} beside 100,000");
        println!("{text}");
        // Sets of bits are zeros that the allocator may have to write, some two dozen of them with room for twice as many, and
        // valgrind counts each byte: less than one number for each sleeper.
        assert!(many < few + few / 4 + 4 * 100_000, "{text}");
    }
}
