//! What a query of touches costs among many static shapes at one place, counted in instructions: each of them may have all
//! others as neighbors.

use crate::valgrind::instructions_of_step;
use tombolo_physics::{BodyDef, Filter, PhysicsWorld, Pose, QueryFilter, Shape, ShapeDef, Vec2, WorldDef};

/// Set for the process that is counted, to the number of shapes and whether they have one filter.
const CASE: &str = "TOMBOLO_TOUCHES_COST";

/// Static boxes at one place, on a body each; with one filter they cover each other, with other ones none covers any.
fn heap_of(count: u32, is_alike: bool) -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let square = Shape::new_box(2.0, 2.0).unwrap();
    for i in 0..count {
        let body = world
            .create_body(&BodyDef::fixed(0.0, -1e-4 * (i % 100) as f32))
            .unwrap();
        let def = ShapeDef {
            filter: Filter {
                group: if is_alike { 0 } else { -1 - i as i32 },
                ..Filter::default()
            },
            ..ShapeDef::default()
        };
        world.create_shape(body, &def, &square).unwrap();
    }
    world.step(1.0 / 60.0).unwrap();
    world
}

/// What is counted.
#[inline(never)]
fn counted_steps(world: &PhysicsWorld) -> usize {
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let place = Pose::new(Vec2::new(0.0, 1.4), 0.0);
    world
        .touches(&ball, place, 0.01, QueryFilter::default())
        .unwrap()
        .len()
}

/// Does what the process that is counted is asked for, and nothing in any other.
#[test]
fn is_counted() {
    let Ok(case) = std::env::var(CASE) else {
        return;
    };
    let (count, is_alike) = case.split_once(' ').unwrap();
    let count = count.parse().unwrap();
    let world = heap_of(count, is_alike.parse().unwrap());
    assert!(counted_steps(&world) > 0);
}

/// Per shape it costs the same among 4,000 as among 2,000, whether they cover each other or not.
#[test]
fn touches_of_many_shapes_at_one_place_cost_no_square() {
    for is_alike in [true, false] {
        let count = |shapes: u32| {
            let case = format!("{shapes} {is_alike}");
            instructions_of_step("touches_cost::is_counted", (CASE, &case), 1)
        };
        let Some(few) = count(2_000) else {
            println!("skipped: valgrind is not installed");
            return;
        };
        let many = count(4_000).expect("valgrind was there a moment ago");
        println!("alike {is_alike}: {few} instructions among 2,000 shapes, {many} among 4,000");
        assert!(
            many < few * 5 / 2,
            "alike {is_alike}: {few} instructions among 2,000 shapes, {many} among 4,000"
        );
    }
}
