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

/// Oscillations per second and the damping ratio of a free oscillation about zero.
pub(crate) fn oscillation(samples: &[f32]) -> (f32, f32) {
    let mut crossings = Vec::new();
    for (i, pair) in samples.windows(2).enumerate() {
        if (pair[0] > 0.0) != (pair[1] > 0.0) {
            crossings.push(i as f32 + pair[0] / (pair[0] - pair[1]));
        }
    }
    let halves = (crossings.len() - 1) as f32;
    let hertz = 0.5 * halves / ((crossings[crossings.len() - 1] - crossings[0]) * DT);
    // The tops of the parabolas through the three samples around each peak.
    let peaks: Vec<f32> = samples
        .windows(3)
        .filter(|w| w[1].abs() >= w[0].abs() && w[1].abs() > w[2].abs())
        .map(|w| (w[1] - (w[0] - w[2]) * (w[0] - w[2]) / (8.0 * (w[0] - 2.0 * w[1] + w[2]))).abs())
        .collect();
    let decrement = libm::logf(peaks[0] / peaks[peaks.len() - 1]) / (0.5 * (peaks.len() - 1) as f32);
    (
        hertz,
        decrement / (std::f32::consts::TAU * std::f32::consts::TAU + decrement * decrement).sqrt(),
    )
}
