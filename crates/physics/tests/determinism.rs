//! The same bits whoever does the work: each world's hashes are one for every number of workers, every width of lanes
//! and every repetition. Where its bodies are at the end, and how fast, is written in the golden file beside this test,
//! so that another level of optimization or another machine can be held to it too.
//!
//! `TOMBOLO_BLESS=1` rewrites `golden.txt`, which is right after a change that is meant to change results, and only
//! then.
#![allow(missing_docs)]

mod world_support;

use std::fmt::Write;
use tombolo_physics::{
    BodyDef, BodyId, JointKind, LaneWidth, PhysicsWorld, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef,
};
use tombolo_threads::{Executor, Pool};
use world_support::DT;
use world_support::worlds::{Named, WORLDS};

/// How often a run's hash is taken on the way.
const STEPS_PER_HASH: usize = 20;

/// What a run comes to: the step at which the last body fell asleep, the hashes of the whole state on the way and at the
/// end, and one of the bodies at the end.
#[derive(Debug, PartialEq)]
struct Run {
    asleep_at: Option<usize>,
    hashes: Vec<u64>,
    bodies: u64,
}

/// A hash (FNV-1a) of the places and velocities of all bodies. The golden file has this one rather than that of the
/// state, which also changes with the layout of the arrays.
fn hash_of_bodies(world: &PhysicsWorld) -> u64 {
    let words = world.bodies().flat_map(|body| {
        let (position, rotation) = (body.position(), body.rotation());
        let velocity = body.linear_velocity();
        [
            position.x,
            position.y,
            rotation.cos,
            rotation.sin,
            velocity.x,
            velocity.y,
            body.angular_velocity(),
        ]
    });
    words
        .flat_map(|word| word.to_bits().to_le_bytes())
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        })
}

fn run(world: &mut PhysicsWorld, steps: usize, executor: &dyn Executor) -> Run {
    let mut run = Run {
        asleep_at: None,
        hashes: Vec::new(),
        bodies: 0,
    };
    for step in 1..=steps {
        world.step_with(DT, executor).unwrap();
        let all_asleep = world.counters().awake_bodies == 0;
        if all_asleep {
            run.asleep_at = Some(step);
        }
        if step % STEPS_PER_HASH == 0 || all_asleep || step == steps {
            run.hashes.push(world.state_hash());
        }
        if all_asleep {
            break;
        }
    }
    run.bodies = hash_of_bodies(world);
    run
}

fn run_with(named: &Named, lanes: LaneWidth, executor: &dyn Executor) -> Run {
    let mut world = (named.build)();
    world.set_lanes(lanes).unwrap();
    run(&mut world, named.steps, executor)
}

fn available_lanes() -> impl Iterator<Item = LaneWidth> {
    LaneWidth::ALL.into_iter().filter(|lanes| lanes.is_available())
}

/// One line of the golden file.
fn golden_line(named: &Named, run: &Run) -> String {
    let asleep = match run.asleep_at {
        Some(step) => format!("asleep at step {step}"),
        None => format!("awake at step {}", named.steps),
    };
    format!("{} {asleep} {:016x}", named.name, run.bodies)
}

#[test]
fn the_results_are_those_of_the_golden_file() {
    let mut lines = String::new();
    let pool = Pool::new(1).unwrap();
    for named in &WORLDS {
        let run = run_with(named, LaneWidth::widest(), &pool);
        writeln!(lines, "{}", golden_line(named, &run)).unwrap();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");
    if std::env::var_os("TOMBOLO_BLESS").is_some() {
        std::fs::write(path, &lines).unwrap();
    }
    let golden = std::fs::read_to_string(path).expect("golden.txt lies beside this test");
    assert_eq!(
        lines, golden,
        "results changed; if that was meant, run with TOMBOLO_BLESS=1"
    );
}

#[test]
fn falling_hinges_come_to_rest() {
    let run = run_with(&WORLDS[0], LaneWidth::widest(), &Pool::new(1).unwrap());
    assert!(run.asleep_at.is_some(), "all bodies sleep within the run");
}

#[test]
fn the_world_of_joints_has_a_joint_of_every_kind() {
    let world = world_support::machines::joints();
    for kind in JointKind::ALL {
        let has = world.joints().any(|joint| joint.kind() == *kind);
        assert!(has, "{kind:?}");
    }
}

#[test]
fn one_result_for_every_number_of_workers_and_width_of_lanes() {
    let pools = [1, 2, 3, 4, 8].map(|workers| Pool::new(workers).unwrap());
    for named in &WORLDS {
        let first = run_with(named, LaneWidth::One, &pools[0]);
        for lanes in available_lanes() {
            for pool in &pools {
                let other = run_with(named, lanes, pool);
                let workers = pool.worker_count();
                assert_eq!(
                    other, first,
                    "{} with {workers} workers and lanes {lanes:?}",
                    named.name
                );
            }
        }
    }
}

#[test]
fn one_result_for_every_size_of_batches() {
    let pools = [1, 3].map(|workers| Pool::new(workers).unwrap());
    for named in &WORLDS {
        let first = run_with(named, LaneWidth::widest(), &pools[0]);
        for bodies_max in [0, 1, 8, 64, u32::MAX] {
            for pool in &pools {
                let mut world = (named.build)();
                world.set_batch_bodies_max(bodies_max);
                let other = run(&mut world, named.steps, pool);
                assert_eq!(other, first, "{} with {bodies_max} bodies a batch", named.name);
            }
        }
    }
}

/// Adds a body with one shape.
fn add(world: &mut PhysicsWorld, def: &BodyDef, shape: &Shape) -> BodyId {
    let body = world.create_body(def).unwrap();
    world.create_shape(body, &ShapeDef::default(), shape).unwrap();
    body
}

/// More islands than a worker packs at once: some 2,400 bodies by themselves and piles of up to twelve, a lift that
/// carries some of them, and some with extra substeps.
fn crowd() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let square = Shape::new_box(1.0, 1.0).unwrap();
    add(
        &mut world,
        &BodyDef::fixed(0.0, -1.0),
        &Shape::new_box(6000.0, 2.0).unwrap(),
    );
    let lift = BodyDef {
        linear_velocity: Vec2::new(0.0, 0.5),
        ..BodyDef::kinematic(0.0, -0.4)
    };
    add(&mut world, &lift, &Shape::new_box(30.0, 1.0).unwrap());
    for column in 0..2400 {
        let height = if column % 40 == 0 { 1 + column / 40 % 12 } else { 1 };
        for row in 0..height {
            let def = BodyDef {
                extra_substeps: if column % 97 == 0 { 4 } else { 0 },
                ..BodyDef::dynamic(2.0 * (column - 1200) as f32, 0.6 + 1.01 * row as f32)
            };
            add(&mut world, &def, &square);
        }
    }
    world
}

#[test]
fn one_result_for_every_packing_of_a_thousand_islands() {
    let pools = [1, 3].map(|workers| Pool::new(workers).unwrap());
    let first = run(&mut crowd(), 12, &pools[0]);
    for bodies_max in [0, 1, 8, 256, u32::MAX] {
        for pool in &pools {
            let mut world = crowd();
            world.set_batch_bodies_max(bodies_max);
            assert_eq!(run(&mut world, 12, pool), first, "{bodies_max} bodies a batch");
        }
    }
}

/// One island of more constraints than are solved in the order of their lists: 1,200 squares on a plate that touches more of
/// them than there are colors, created in another order than they lie in, some of them with extra substeps, some with
/// an arm on a revolute joint.
fn heap() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let square = Shape::new_box(1.0, 1.0).unwrap();
    for (x, y, width, height) in [
        (0.0, -1.5, 80.0, 1.0),
        (-31.0, 15.0, 1.0, 40.0),
        (31.0, 15.0, 1.0, 40.0),
    ] {
        let wall = Shape::new_box(width, height).unwrap();
        add(&mut world, &BodyDef::fixed(x, y), &wall);
    }
    let plate = Shape::new_box(60.0, 0.5).unwrap();
    add(&mut world, &BodyDef::dynamic(0.0, -0.7), &plate);
    for at in (0..1200_u16).map(|at| at * 7 % 1200) {
        let (column, row) = (f32::from(at % 60), f32::from(at / 60));
        let def = BodyDef {
            extra_substeps: if at % 60 == 7 && at < 180 { 2 } else { 0 },
            linear_velocity: Vec2::new(f32::from(at % 5) - 2.0, 0.0),
            ..BodyDef::dynamic(column - 29.5 + 0.1 * (row % 2.0), 0.1 + 1.01 * row)
        };
        let body = add(&mut world, &def, &square);
        if at >= 1140 && at % 2 == 0 {
            let arm = BodyDef::dynamic(column - 29.5, 0.9 + 1.01 * row);
            let arm = add(&mut world, &arm, &square);
            let joint = RevoluteDef::new(body, Vec2::new(0.0, 0.4), arm, Vec2::new(0.0, -0.4));
            world.create_joint(joint).unwrap();
        }
    }
    world
}

#[test]
fn one_result_for_every_order_of_what_all_workers_share() {
    let pools = [1, 2, 3, 8].map(|workers| Pool::new(workers).unwrap());
    for bodies_max in [0, 256] {
        let runs = pools.each_ref().map(|pool| {
            let mut world = heap();
            world.set_batch_bodies_max(bodies_max);
            let run = run(&mut world, 30, pool);
            let counters = world.counters();
            assert!(counters.constraints > 1500, "{counters:?}");
            assert!(counters.overflow_constraints > 10, "{counters:?}");
            run
        });
        for (other, pool) in runs.iter().zip(&pools) {
            assert_eq!(*other, runs[0], "{} workers", pool.worker_count());
        }
    }
}

#[test]
fn one_result_for_every_repetition() {
    // More threads than most machines have cores: who is late differs from run to run.
    let pool = Pool::with_thread_for_each(4).unwrap();
    for named in &WORLDS {
        let runs = [0; 3].map(|_| run_with(named, LaneWidth::widest(), &pool));
        assert!(
            runs.iter().all(|run| *run == runs[0]),
            "{}: {runs:x?}",
            named.name
        );
    }
}

#[test]
fn the_number_of_workers_may_change_from_step_to_step() {
    let pools = [3, 1, 8, 2].map(|workers| Pool::new(workers).unwrap());
    for named in &WORLDS {
        let (mut steady, mut changing) = ((named.build)(), (named.build)());
        for step in 0..60 {
            steady.step_with(DT, &pools[1]).unwrap();
            changing.step_with(DT, &pools[step % pools.len()]).unwrap();
            let lanes = available_lanes().nth(step % available_lanes().count()).unwrap();
            changing.set_lanes(lanes).unwrap();
        }
        assert_eq!(changing.state_hash(), steady.state_hash(), "{}", named.name);
    }
}
