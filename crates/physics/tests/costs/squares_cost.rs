//! What must not cost a square, counted in instructions: twice as many of something cost about twice as much.
#![allow(clippy::print_stdout)]

use crate::valgrind::instructions_of_step;
use tombolo_physics::{BodyDef, BodyId, PhysicsWorld, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef};

/// Set for the process that is counted, to the case and the number of things.
const CASE: &str = "TOMBOLO_SQUARES_COST";

/// What is counted.
#[inline(never)]
fn counted_steps(work: impl FnOnce()) {
    work();
}

fn no_gravity() -> PhysicsWorld {
    let def = WorldDef {
        gravity: Vec2::ZERO,
        ..WorldDef::default()
    };
    PhysicsWorld::new(&def).unwrap()
}

/// Boxes at rest on the tiles of one static body, each on its own.
fn boxes_on_tiles(count: u32, tile: &ShapeDef) -> (PhysicsWorld, Vec<BodyId>) {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let small = Shape::new_box(0.5, 0.5).unwrap();
    let mut bodies = vec![ground];
    for i in 0..count {
        let x = 2.0 * i as f32;
        let shape = Shape::box_at(1.0, 1.0, Vec2::new(x, 0.0), 0.0).unwrap();
        world.create_shape(ground, tile, &shape).unwrap();
        let body = world.create_body(&BodyDef::dynamic(x, 0.75)).unwrap();
        world.create_shape(body, &ShapeDef::default(), &small).unwrap();
        bodies.push(body);
    }
    world.step(1.0 / 60.0).unwrap();
    (world, bodies)
}

/// A joint between the ground, which touches all boxes, and each of them.
fn joints_to_ground(count: u32) {
    let (mut world, bodies) = boxes_on_tiles(count, &ShapeDef::default());
    let [ground, boxes @ ..] = &*bodies else { panic!() };
    counted_steps(|| {
        for &body in boxes {
            let joint = RevoluteDef::new(*ground, Vec2::ZERO, body, Vec2::ZERO);
            world.create_joint(joint).unwrap();
        }
    });
}

/// A step in which all sleep, on tiles that ask for forces.
fn thresholds(count: u32) {
    let tile = ShapeDef {
        force_threshold: 1e6,
        ..ShapeDef::default()
    };
    let (mut world, _) = boxes_on_tiles(count, &tile);
    (0..120).for_each(|_| world.step(1.0 / 60.0).unwrap());
    assert_eq!(world.counters().awake_bodies, 0);
    counted_steps(|| world.step(1.0 / 60.0).unwrap());
}

/// A step of bullets that fly side by side, one above the other.
fn column_of_bullets(count: u32) {
    let mut world = no_gravity();
    let ball = Shape::circle(Vec2::ZERO, 0.1).unwrap();
    for i in 0..count {
        let def = BodyDef {
            bullet: true,
            linear_velocity: Vec2::new(100.0, 0.0),
            ..BodyDef::dynamic(0.0, 3.0 * i as f32)
        };
        let body = world.create_body(&def).unwrap();
        world.create_shape(body, &ShapeDef::default(), &ball).unwrap();
    }
    (0..3).for_each(|_| world.step(1.0 / 60.0).unwrap());
    counted_steps(|| world.step(1.0 / 60.0).unwrap());
}

/// Does what the process that is counted is asked for, and nothing in any other.
#[test]
fn is_counted() {
    let Ok(case) = std::env::var(CASE) else {
        return;
    };
    let (name, count) = case.split_once(' ').unwrap();
    let count = count.parse().unwrap();
    match name {
        "joints" => joints_to_ground(count),
        "thresholds" => thresholds(count),
        "bullets" => column_of_bullets(count),
        other => panic!("no case is called {other}"),
    }
}

fn costs_no_square(name: &str, few: u32) {
    let count = |things: u32| {
        let case = format!("{name} {things}");
        instructions_of_step("squares_cost::is_counted", (CASE, &case), 1)
    };
    let Some(of_few) = count(few) else {
        println!("skipped: valgrind is not installed");
        return;
    };
    let of_many = count(2 * few).expect("valgrind was there a moment ago");
    println!("{name}: {of_few} instructions with {few}, {of_many} with twice as many");
    assert!(
        of_many < of_few * 5 / 2,
        "{name}: {of_few} instructions with {few}, {of_many} with twice as many"
    );
}

#[test]
fn joints_to_ground_that_all_touch_cost_no_square() {
    costs_no_square("joints", 1000);
}

#[test]
fn force_thresholds_of_all_tiles_of_a_body_cost_no_square() {
    costs_no_square("thresholds", 400);
}

#[test]
fn bullets_in_a_column_cost_no_square() {
    costs_no_square("bullets", 2000);
}
