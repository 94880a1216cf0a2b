//! What the tests of joints share: a world, a square of a kilogram, and stepping while something is sampled.
#![allow(dead_code)]

use tombolo_physics::{BodyDef, BodyId, JointDef, JointId, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};

pub(crate) const DT: f32 = 1.0 / 60.0;
pub(crate) const GRAVITY: f32 = 10.0;

pub(crate) fn world(gravity: f32) -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef {
        gravity: Vec2::new(0.0, -gravity),
        sleeping: false,
        ..WorldDef::default()
    })
    .unwrap()
}

/// A square of `side` meters and one kilogram.
pub(crate) fn square(world: &mut PhysicsWorld, def: &BodyDef, side: f32) -> BodyId {
    let body = world.create_body(def).unwrap();
    let shape = Shape::new_box(side, side).unwrap();
    let def = ShapeDef {
        density: 1.0 / (side * side),
        ..ShapeDef::default()
    };
    world.create_shape(body, &def, &shape).unwrap();
    body
}

pub(crate) fn ground(world: &mut PhysicsWorld) -> BodyId {
    world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap()
}

pub(crate) fn joint(world: &mut PhysicsWorld, def: impl Into<JointDef>) -> JointId {
    world.create_joint(def).unwrap()
}

/// Steps the world and samples something before each step.
pub(crate) fn sampled(
    world: &mut PhysicsWorld,
    steps: usize,
    sample: impl Fn(&PhysicsWorld) -> f32,
) -> Vec<f32> {
    (0..steps)
        .map(|_| {
            let value = sample(world);
            world.step(DT).unwrap();
            value
        })
        .collect()
}

pub(crate) fn close(got: f32, wanted: f32, share: f32, what: &str) {
    assert!(
        (got - wanted).abs() <= share * wanted.abs(),
        "{what}: {got}, not {wanted}"
    );
}
