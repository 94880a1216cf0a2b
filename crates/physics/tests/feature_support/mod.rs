//! What the tests of single features share: small worlds, and the proof that workers, clones and saves change nothing.
#![allow(dead_code, reason = "each test program uses a part of it")]

use tombolo_physics::{BodyDef, BodyId, PhysicsWorld, Position, Shape, ShapeDef, Vec2, WorldDef};
use tombolo_threads::Pool;

pub(crate) const DT: f32 = 1.0 / 60.0;

pub(crate) fn weightless() -> WorldDef {
    WorldDef {
        gravity: Vec2::ZERO,
        ..Default::default()
    }
}

pub(crate) fn world(def: &WorldDef) -> PhysicsWorld {
    PhysicsWorld::new(def).unwrap()
}

pub(crate) fn run(world: &mut PhysicsWorld, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
        world.validate();
    }
}

pub(crate) fn add(world: &mut PhysicsWorld, def: &BodyDef, shape_def: &ShapeDef, shape: &Shape) -> BodyId {
    let body = world.create_body(def).unwrap();
    world.create_shape(body, shape_def, shape).unwrap();
    body
}

pub(crate) fn plain(world: &mut PhysicsWorld, def: &BodyDef, shape: &Shape) -> BodyId {
    add(world, def, &ShapeDef::default(), shape)
}

pub(crate) fn rect(width: f32, height: f32) -> Shape {
    Shape::new_box(width, height).unwrap()
}

pub(crate) fn ball(radius: f32) -> Shape {
    Shape::circle(Vec2::ZERO, radius).unwrap()
}

/// A shape with a contact skin, in meters.
pub(crate) fn skin(contact_skin: f32) -> ShapeDef {
    ShapeDef {
        contact_skin,
        ..ShapeDef::default()
    }
}

pub(crate) fn place(world: &PhysicsWorld, body: BodyId) -> Position {
    world.body(body).unwrap().position()
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 40) as f32 / (1 << 24) as f32
    }
}

/// Steps a world with 1, 2, 3 and 8 workers, and once more through a save and a restore in every seventh step: state
/// and `events`, which turns a step's events into text, must be the same in every step. Gives the world of one worker.
pub(crate) fn same_everywhere(
    build: impl Fn() -> PhysicsWorld,
    steps: usize,
    events: impl Fn(&PhysicsWorld) -> String,
) -> PhysicsWorld {
    let mut reference = build();
    let expected: Vec<(u64, String)> = (0..steps)
        .map(|_| {
            reference.step(DT).unwrap();
            (reference.state_hash(), events(&reference))
        })
        .collect();
    for workers in [2, 3, 8] {
        let pool = Pool::new(workers).unwrap();
        let mut world = build();
        for (step, expected) in expected.iter().enumerate() {
            world.step_with(DT, &pool).unwrap();
            assert_eq!(
                &(world.state_hash(), events(&world)),
                expected,
                "{workers} workers, step {step}"
            );
        }
    }
    let mut world = build();
    for (step, expected) in expected.iter().enumerate() {
        if step % 7 == 3 {
            world = PhysicsWorld::from_save(&world.save()).unwrap();
        }
        world.step(DT).unwrap();
        assert_eq!(
            &(world.state_hash(), events(&world)),
            expected,
            "restored, step {step}"
        );
    }
    reference
}
