//! Rest lasts when the length of substeps changes from step to step, by the step, by the number of substeps or by extra
//! substeps: what rested does not creep, and results depend on nobody who computes, saves or copies the world.

use crate::feature_support::{DT, place, plain, rect};
use crate::world_support::machines;
use tombolo_physics::{
    BodyDef, BodyId, LaneWidth, PhysicsWorld, RevoluteDef, Rot, Shape, ShapeDef, Vec2, WorldDef,
};
use tombolo_threads::{Executor, Inline, Pool};

/// What changes: steps and the numbers of their substeps, in turns, and whether a body gets extra substeps in every
/// second step.
struct Change {
    name: &'static str,
    steps: &'static [(f32, u32)],
    extra: u32,
    /// How far a box on a slope and the top of a stack may come in 1,200 steps, in meters, and an arm, in radians. Contacts
    /// and joints are less stiff in few substeps: where that changes too, what rests finds another depth in each step.
    limits: [f32; 3],
}

const CHANGES: [Change; 6] = [
    Change {
        name: "1/30 and 1/240",
        steps: &[(1.0 / 30.0, 4), (1.0 / 240.0, 4)],
        extra: 0,
        limits: [0.02, 0.4, 0.12],
    },
    Change {
        name: "1/60 and 1/144",
        steps: &[(DT, 4), (1.0 / 144.0, 4)],
        extra: 0,
        limits: [1.0e-4, 0.006, 3.0e-4],
    },
    Change {
        name: "jitter",
        steps: &[
            (DT, 4),
            (1.1 * DT, 4),
            (0.9 * DT, 4),
            (1.2 * DT, 4),
            (0.8 * DT, 4),
        ],
        extra: 0,
        limits: [1.0e-4, 0.01, 0.0015],
    },
    Change {
        name: "4 and 8 substeps",
        steps: &[(DT, 4), (DT, 8)],
        extra: 0,
        limits: [1.0e-4, 0.006, 3.0e-4],
    },
    Change {
        name: "2 and 8 substeps",
        steps: &[(DT, 2), (DT, 8)],
        extra: 0,
        limits: [5.0e-4, 0.08, 0.01],
    },
    Change {
        name: "extra substeps",
        steps: &[(DT, 4)],
        extra: 6,
        limits: [2.0e-4, 0.006, 3.0e-4],
    },
];

impl Change {
    /// Makes the `index`-th step; a pause, a step of no time, is between some.
    fn step(&self, world: &mut PhysicsWorld, index: usize, of: BodyId, executor: &dyn Executor) {
        let (dt, substeps) = self.steps[index % self.steps.len()];
        if world.def().substeps != substeps {
            world.set_substeps(substeps).unwrap();
        }
        if self.extra > 0 {
            let extra = if index.is_multiple_of(2) { self.extra } else { 0 };
            world.body_mut(of).unwrap().set_extra_substeps(extra).unwrap();
        }
        world.step_with(dt, executor).unwrap();
        if index % 16 == 9 {
            world.step_with(0.0, executor).unwrap();
        }
    }

    fn run(&self, world: &mut PhysicsWorld, steps: usize, of: BodyId) {
        (0..steps).for_each(|index| self.step(world, index, of, &Inline));
        world.validate();
    }
}

fn restless() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef {
        sleeping: false,
        ..WorldDef::default()
    })
    .unwrap()
}

const SLOPE: f32 = -0.3;

/// A box at rest on a slope of 17 degrees, which would hold it up to 31.
fn on_a_slope(world: &mut PhysicsWorld, at: Vec2) -> BodyId {
    let surface = ShapeDef {
        friction: 0.6,
        ..ShapeDef::default()
    };
    let normal = Rot::from_angle(SLOPE).rotate(Vec2::Y);
    [
        (BodyDef::fixed(at.x, at.y), rect(30.0, 1.0)),
        (BodyDef::dynamic(at.x + normal.x, at.y + normal.y), rect(1.0, 1.0)),
    ]
    .map(|(def, shape)| {
        let body = world.create_body(&BodyDef { angle: SLOPE, ..def }).unwrap();
        world.create_shape(body, &surface, &shape).unwrap();
        body
    })[1]
}

fn stack(world: &mut PhysicsWorld, count: usize) -> BodyId {
    plain(world, &BodyDef::fixed(0.0, -1.0), &rect(40.0, 2.0));
    let boxes = (0..count).map(|row| BodyDef::dynamic(0.0, 0.5 + row as f32));
    let bodies = boxes.map(|def| plain(world, &def, &rect(1.0, 1.0)));
    bodies.last().unwrap()
}

/// An arm that a motor holds level.
fn arm(world: &mut PhysicsWorld, at: Vec2) -> BodyId {
    let hinge = world.create_body(&BodyDef::fixed(at.x, at.y)).unwrap();
    let arm = plain(world, &BodyDef::dynamic(at.x + 1.5, at.y), &rect(3.0, 0.5));
    let motor = RevoluteDef {
        enable_motor: true,
        max_motor_torque: 1000.0,
        ..RevoluteDef::new(hinge, Vec2::ZERO, arm, Vec2::new(-1.5, 0.0))
    };
    world.create_joint(motor).unwrap();
    arm
}

/// Asserts that what `measure` gives, how far something came, is below the limit of each change at `place`.
fn assert_rest(place: usize, measure: impl Fn(&Change) -> f32) {
    let moved = CHANGES.map(|change| (change.name, measure(&change), change.limits[place]));
    let is_below = moved.iter().all(|(_, moved, limit)| moved < limit);
    assert!(is_below, "by which change, how far, and the limit: {moved:?}");
}

#[test]
fn a_box_stays_on_its_slope() {
    let crept = |change: &Change| {
        let mut world = restless();
        let body = on_a_slope(&mut world, Vec2::ZERO);
        change.run(&mut world, 120, body);
        let from = place(&world, body);
        change.run(&mut world, 1200, body);
        (place(&world, body) - from).length()
    };
    assert_rest(0, crept);
}

#[test]
fn a_stack_stays_upright() {
    let aside = |change: &Change| {
        let mut world = restless();
        let top = stack(&mut world, 4);
        change.run(&mut world, 1200, top);
        (place(&world, top).to_vec2() - Vec2::new(0.0, 3.5)).length()
    };
    assert_rest(1, aside);
}

#[test]
fn a_motor_holds_its_arm() {
    let sunk = |change: &Change| {
        let mut world = restless();
        let arm = arm(&mut world, Vec2::ZERO);
        change.run(&mut world, 1200, arm);
        world.body(arm).unwrap().rotation().angle().abs()
    };
    assert_rest(2, sunk);
}

/// Machines with joints of every kind, a slope with a roller on it, and an arm.
fn everything() -> (PhysicsWorld, BodyId) {
    let mut world = machines::joints();
    let wheel = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let resists = ShapeDef {
        rolling_resistance: 0.2,
        ..ShapeDef::default()
    };
    let body = on_a_slope(&mut world, Vec2::new(200.0, 0.0));
    let roller = world.create_body(&BodyDef::dynamic(203.0, 2.0)).unwrap();
    world.create_shape(roller, &resists, &wheel).unwrap();
    arm(&mut world, Vec2::new(200.0, 20.0));
    (world, body)
}

#[test]
fn results_depend_on_nobody_who_computes_saves_or_copies() {
    const STEPS: usize = 60;
    let pools = [2, 3, 4, 8].map(|workers| Pool::new(workers).unwrap());
    for change in CHANGES {
        let (mut world, body) = everything();
        let expected: Vec<u64> = (0..STEPS)
            .map(|index| {
                change.step(&mut world, index, body, &Inline);
                world.state_hash()
            })
            .collect();
        let check = |mut world: PhysicsWorld, executor: &dyn Executor, saves: bool, what: &str| {
            for (index, expected) in expected.iter().enumerate() {
                if saves && index % 3 == 1 {
                    world = PhysicsWorld::from_save(&world.save()).unwrap();
                } else if saves && index % 3 == 2 {
                    world = world.clone();
                }
                change.step(&mut world, index, body, executor);
                assert_eq!(
                    world.state_hash(),
                    *expected,
                    "{}, {what}, step {index}",
                    change.name
                );
            }
        };
        for (pool, workers) in pools.iter().zip(["2", "3", "4", "8"]) {
            check(everything().0, pool, false, workers);
        }
        for lanes in LaneWidth::ALL.into_iter().filter(|lanes| lanes.is_available()) {
            let mut world = everything().0;
            world.set_lanes(lanes).unwrap();
            check(world, &Inline, false, &format!("{lanes:?}"));
        }
        check(everything().0, &Inline, true, "saves and clones");
    }
}
