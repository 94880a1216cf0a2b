//! What moving a field costs: the instructions of moving one chain, counted beside 10 and beside 1,000 others. Valgrind counts
//! them: the test starts its program under it, and says that it is skipped where there is none.

use crate::valgrind::instructions_of_step;
use tombolo_physics::{FieldDef, FieldId, FieldKind, PhysicsWorld, Position, Vec2, WorldDef};

/// Set for the process that is counted, to the number of other fields.
const CASE: &str = "TOMBOLO_FIELDS_COST";

const MOVES: u64 = 50;

fn chain(y: f32) -> FieldDef {
    FieldDef {
        position: Position::new(0.0, y),
        ..FieldDef::new(FieldKind::ChainGravity {
            points: (0..16).map(|i| Vec2::new(i as f32, 0.0)).collect(),
            closed: false,
            pull: 1.0,
            along: 0.0,
            reach: 1.0,
        })
    }
}

/// What is counted.
#[inline(never)]
fn counted_steps(world: &mut PhysicsWorld, field: FieldId) {
    for i in 0..MOVES {
        let place = Position::new(i as f32, 1.0);
        world.set_field_pose(field, place, 0.5).unwrap();
    }
}

/// Does what the process that is counted is asked for, and nothing in any other.
#[test]
fn is_counted() {
    let Ok(others) = std::env::var(CASE) else {
        return;
    };
    let others: u32 = others.parse().unwrap();
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let fields: Vec<FieldId> = (0..=others)
        .map(|i| world.create_field(&chain(5.0 * i as f32)).unwrap())
        .collect();
    let middle = fields[fields.len() / 2];
    counted_steps(&mut world, middle);
    let FieldKind::ChainGravity { points, .. } = world.field(middle).unwrap().kind else {
        panic!("it is a chain");
    };
    assert_eq!(points.len(), 16);
}

#[test]
fn moving_a_chain_costs_the_same_beside_any_number_of_others() {
    let count = |others: u32| {
        let case = others.to_string();
        instructions_of_step("fields_cost::is_counted", (CASE, &case), MOVES)
    };
    let Some(few) = count(10) else {
        println!("skipped: valgrind is not installed");
        return;
    };
    let many = count(1_000).expect("valgrind was there a moment ago");
    println!("{few} instructions beside 10 others, {many} beside 1,000");
    assert!(
        many < few + few / 10,
        "{few} instructions beside 10 others, {many} beside 1,000"
    );
}
