//! What the marking of changed pages costs a step: the instructions of a step, counted with a frame and without. Valgrind counts
//! them: the test starts its program under it, and says that it is skipped where there is none.

use crate::valgrind::instructions_of_step;
use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};

const DT: f32 = 1.0 / 60.0;
const STEPS: u64 = 64;

/// Set for the process that is counted, to a world and whether it has a frame.
const CASE: &str = "TOMBOLO_MARKING_COST";

/// Columns of ten boxes, of which ten never sleep.
fn columns() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let floor = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let shape = Shape::new_box(400.0, 2.0).unwrap();
    world.create_shape(floor, &ShapeDef::default(), &shape).unwrap();
    let square = Shape::new_box(1.0, 1.0).unwrap();
    for index in 0..1_000_u32 {
        let (column, row) = (index / 10, index % 10);
        let body = BodyDef {
            allow_sleep: column % 10 != 0,
            ..BodyDef::dynamic(2.0 * column as f32 - 100.0, 0.5 + row as f32)
        };
        let body = world.create_body(&body).unwrap();
        world.create_shape(body, &ShapeDef::default(), &square).unwrap();
    }
    world
}

/// A hundred balls that fly in a pen.
fn pen() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let pen = world.create_body(&BodyDef::fixed(0.0, 50.0)).unwrap();
    let bouncing = ShapeDef {
        restitution: 1.0,
        friction: 0.0,
        ..ShapeDef::default()
    };
    for (x, y, w, h) in [
        (-16.0, 0.0, 1.0, 32.0),
        (16.0, 0.0, 1.0, 32.0),
        (0.0, -16.0, 32.0, 1.0),
        (0.0, 16.0, 32.0, 1.0),
    ] {
        let wall = Shape::box_at(w, h, Vec2::new(x, y), 0.0).unwrap();
        world.create_shape(pen, &bouncing, &wall).unwrap();
    }
    let round = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    for index in 0..100 {
        let body = BodyDef {
            gravity_scale: 0.0,
            linear_velocity: Vec2::new(9.0, 5.0 + (index % 7) as f32),
            ..BodyDef::dynamic((index % 10) as f32 * 2.5 - 12.0, 38.0 + (index / 10) as f32 * 2.5)
        };
        let body = world.create_body(&body).unwrap();
        world.create_shape(body, &bouncing, &round).unwrap();
    }
    world
}

/// What is counted.
#[inline(never)]
fn counted_steps(worlds: &mut [PhysicsWorld], steps: u64) {
    for world in worlds {
        (0..steps).for_each(|_| world.step(DT).unwrap());
    }
}

/// Does what the process that is counted is asked for, and nothing in any other.
#[test]
fn is_counted() {
    let Ok(case) = std::env::var(CASE) else {
        return;
    };
    let (name, frames) = case.split_once(' ').unwrap();
    let (mut worlds, steps, counted) = match name {
        "rest" => (vec![columns()], 120, STEPS),
        "fly" => (vec![pen()], 20, STEPS),
        _ => ((0..STEPS / 8).map(|_| columns()).collect(), 0, 1),
    };
    for world in &mut worlds {
        (0..steps).for_each(|_| world.step(DT).unwrap());
        let awake = if name == "begin" { 1_000 } else { 100 };
        assert_eq!(world.counters().awake_bodies, awake);
        if frames == "with" {
            world.frame();
        }
    }
    counted_steps(&mut worlds, counted);
}

#[test]
fn marking_costs_little_of_a_step() {
    // In thousandths of a step, with the checks for overflow of the tests' builds. A contact that comes or goes is a dozen
    // marks in links, colors and islands; in the first step of a world all of them begin.
    for (name, limit, steps) in [
        ("rest", 1_040, STEPS),
        ("fly", 1_050, STEPS),
        ("begin", 1_050, STEPS / 8),
    ] {
        let count = |frames: &str| {
            let case = format!("{name} {frames}");
            instructions_of_step("marking_cost::is_counted", (CASE, &case), steps)
        };
        let Some(without) = count("without") else {
            println!("skipped: valgrind is not installed");
            return;
        };
        let with = count("with").expect("valgrind was there a moment ago");
        println!("{name}: {without} instructions a step, {with} with marks");
        assert!(
            1_000 * with <= limit * without,
            "{name}: {without} instructions a step, {with} with marks"
        );
    }
}
