//! Area `rewind`: the cost of a frame beside a full save, a clone and what other engines save, that of going back beside
//! stepping, and that of marking changes in a step.

mod entities;
mod peers;

use std::hint::black_box;

use clap::{ArgMatches, Args, FromArgMatches};
use tombolo::physics::{
    BodyDef, Frame, PhysicsWorld, Position, QueryFilter, Rewind, RewindLimits, Shape, ShapeDef, Vec2,
    WorldDef,
};
use tombolo_bench_protocol::saves::{self, SavedWorld};
use tombolo_scenes::STEP_S;

use super::{Area, Run};
use crate::measure::time;

pub(super) const AREA: Area = Area {
    name: "rewind",
    description: "Frames, forks and going back, beside full saves and clones",
    options: Options::augment_args,
    run,
};

#[derive(Debug, Args)]
struct Options {
    /// Engines whose saves stand beside our frames; `none` for ours alone
    #[arg(long, value_delimiter = ',', default_value = "box2d,rapier-saves")]
    engines: Vec<String>,
}

/// The number of frames that are gone back and stepped again.
const BACK: usize = 8;

/// A world that is rewound.
struct Case {
    name: &'static str,
    world: PhysicsWorld,
    /// The same world for other engines, with its size.
    of_peers: Option<(SavedWorld, u32)>,
}

/// What a frame costs.
struct SavedFrame {
    us: f64,
    kilobytes: f64,
}

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let options = Options::from_arg_matches(matches)?;
    let engines = options.engines.iter().map(String::as_str);
    let engines: Vec<&str> = engines.filter(|name| *name != "none").collect();
    let peers = peers::build(&engines)?;
    let (columns, rows, steps) = if run.smoke { (40, 8, 10) } else { (1_000, 39, 400) };
    let cases = [
        Case {
            name: "10,000 bodies, 100 awake in ten columns",
            world: columns_of_boxes(columns, columns / 10, 0)?,
            of_peers: Some((SavedWorld::Rest, columns)),
        },
        Case {
            name: "10,000 bodies, 100 awake that fly",
            world: columns_of_boxes(columns, 0, columns / 10)?,
            of_peers: None,
        },
        Case {
            name: "780 bodies, all awake",
            world: settled_pyramid(rows)?,
            of_peers: Some((SavedWorld::Awake, rows)),
        },
    ];
    for case in &cases {
        let frame = frames(case, run, steps);
        peers::compare(case, &frame, &peers, steps as u32, run)?;
        returns(case, run, steps)?;
        forks(case, run, steps / 8)?;
        marking(case, run, steps);
    }
    entities::frames(columns, steps, run)
}

/// Some times in nanoseconds.
struct Times(Vec<f64>);

impl Times {
    fn add<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (elapsed, answer) = time(work);
        self.0.push(elapsed.as_secs_f64() * 1e9);
        answer
    }

    /// The median in microseconds.
    fn median_us(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2] / 1e3
    }
}

fn step(world: &mut PhysicsWorld) {
    world
        .step(STEP_S)
        .expect("the step's length is a constant in range");
}

/// A frame after each step, beside the other ways to keep a world.
fn frames(case: &Case, run: &mut Run, steps: usize) -> SavedFrame {
    let mut world = case.world.clone();
    let [mut frame, mut save, mut clone, mut sum, mut changed, mut hash] = [const { Times(Vec::new()) }; 6];
    let mut before = world.frame();
    let mut bytes = Vec::new();
    let full = world.save().len() as f64;
    for index in 0..steps {
        step(&mut world);
        // In turns, as one finds in the caches what the other has read.
        let now = if index % 2 == 0 {
            changed.add(|| world.state_hash());
            world.frame()
        } else {
            frame.add(|| world.frame())
        };
        if index % 2 == 0 {
            black_box(now.checksum());
        } else {
            sum.add(|| now.checksum());
        }
        bytes.push(now.bytes(Some(&before)) as f64);
        before = now;
        if index % 20 == 0 {
            save.add(|| black_box(world.save().len()));
            clone.add(|| black_box(world.clone().step_index()));
            let mut bare = world.clone();
            bare.end_frames();
            hash.add(|| bare.state_hash());
        }
    }
    bytes.sort_by(f64::total_cmp);
    let bytes = bytes[bytes.len() / 2];
    let report = &mut run.report;
    let frame_us = frame.median_us();
    report.push(
        case.name,
        "save of a frame",
        "µs",
        frame_us,
        Some(("full save", save.median_us())),
    );
    report.push(
        case.name,
        "save of a frame",
        "µs",
        frame_us,
        Some(("clone", clone.median_us())),
    );
    report.push(
        case.name,
        "bytes of a frame",
        "kB",
        bytes / 1e3,
        Some(("full save", full / 1e3)),
    );
    let whole = Some(("state_hash without frames", hash.median_us()));
    for (metric, times) in [("checksum of a frame", sum), ("state_hash after a step", changed)] {
        report.push(case.name, metric, "µs", times.median_us(), whole);
    }
    SavedFrame {
        us: frame_us,
        kilobytes: bytes / 1e3,
    }
}

/// Going back to the last frame, and by some frames with the steps again.
fn returns(case: &Case, run: &mut Run, steps: usize) -> anyhow::Result<()> {
    let mut world = case.world.clone();
    let mut rewind = Rewind::new(RewindLimits::default());
    let [mut save, mut back, mut far, mut stepped, mut ask, mut full] = [const { Times(Vec::new()) }; 6];
    let mut saved = Vec::new();
    for index in 0..steps {
        saved.push(save.add(|| rewind.save(&mut world)));
        stepped.add(|| step(&mut world));
        if index % 4 == 1 {
            let last = saved[saved.len() - 1];
            back.add(|| rewind.restore(&mut world, last))?;
            step(&mut world);
        }
        if index % 10 == 9 {
            let hash = world.state_hash();
            let first = saved.len() - BACK;
            let mut again = || {
                rewind.restore(&mut world, saved[first])?;
                step(&mut world);
                for id in &mut saved[first + 1..] {
                    *id = rewind.save(&mut world);
                    step(&mut world);
                }
                anyhow::Ok(())
            };
            // The hash has read the whole world into the cache, unlike in a game.
            again()?;
            far.add(again)?;
            anyhow::ensure!(world.state_hash() == hash, "going back changes the future");
            let seen = saved[first];
            let (from, along) = (Position::new(0.0, 100.0), Vec2::new(0.0, -200.0));
            ask.add(|| {
                anyhow::Ok(
                    rewind
                        .ask(&world, seen)?
                        .cast_ray(from, along, QueryFilter::default())?,
                )
            })?;
        }
        if index % 40 == 0 {
            let bytes = world.save();
            full.add(|| world.clone().restore(&bytes))?;
        }
    }
    let report = &mut run.report;
    let (back_us, save_us) = (back.median_us(), save.median_us());
    report.push(
        case.name,
        "restore of the last frame",
        "µs",
        back_us,
        Some(("its save", save_us)),
    );
    report.push(
        case.name,
        "restore of the last frame",
        "µs",
        back_us,
        Some(("full restore", full.median_us())),
    );
    let steps_us = BACK as f64 * (stepped.median_us() + save_us);
    report.push(
        case.name,
        "8 frames back and again",
        "µs",
        far.median_us(),
        Some(("8 steps and saves", steps_us)),
    );
    report.push(case.name, "a ray 8 frames ago", "µs", ask.median_us(), None);
    Ok(())
}

/// Forks that wait, and one world that steps all of them.
fn forks(case: &Case, run: &mut Run, rounds: usize) -> anyhow::Result<()> {
    let mut world = case.world.clone();
    let mut frames: Vec<Frame> = Vec::new();
    for _ in 0..4 {
        frames.push(world.frame());
        (0..8).for_each(|_| step(&mut world));
    }
    let mut working = PhysicsWorld::from_frame(&frames[0]);
    let [mut held, mut fork, mut next, mut clone] = [const { Times(Vec::new()) }; 4];
    let begin = |working: &mut PhysicsWorld, frame: &Frame| {
        working.restore_frame(frame);
        step(working);
    };
    for round in 0..rounds.max(4) {
        let frame = held.add(|| frames[round % 4].clone());
        // After whole worlds were copied, which leave nothing in the caches.
        fork.add(|| begin(&mut working, &frame));
        // As one of many forks that are stepped one after another.
        begin(&mut working, &frames[(round + 1) % 4]);
        next.add(|| begin(&mut working, &frame));
        let mut other = PhysicsWorld::from_frame(&frame);
        other.end_frames();
        let whole = clone.add(|| {
            let mut whole = other.clone();
            step(&mut whole);
            whole
        });
        anyhow::ensure!(
            whole.state_hash() == working.state_hash(),
            "a fork has another future"
        );
    }
    let report = &mut run.report;
    report.push(
        case.name,
        "a held fork",
        "µs",
        held.median_us(),
        Some(("clone and a step", clone.median_us())),
    );
    report.push(
        case.name,
        "a fork's first step",
        "µs",
        fork.median_us(),
        Some(("clone and a step", clone.median_us())),
    );
    report.push(
        case.name,
        "a fork's first step after that of another fork",
        "µs",
        next.median_us(),
        Some(("clone and a step", clone.median_us())),
    );
    Ok(())
}

/// A step with the marking of changes beside one without.
fn marking(case: &Case, run: &mut Run, steps: usize) {
    let mut worlds = [case.world.clone(), case.world.clone()];
    let mut times = [const { Times(Vec::new()) }; 2];
    worlds[0].frame();
    for _ in 0..steps {
        for (world, times) in worlds.iter_mut().zip(&mut times) {
            times.add(|| step(world));
        }
    }
    let [with, without] = times.map(|times| times.median_us());
    run.report.push(
        case.name,
        "a step that marks",
        "µs",
        with,
        Some(("one that does not", without)),
    );
}

/// Columns of boxes at rest, of which some never sleep, and balls that fly in a pen beside them.
fn columns_of_boxes(columns: u32, awake: u32, balls: u32) -> anyhow::Result<PhysicsWorld> {
    let mut world = PhysicsWorld::new(&WorldDef::default())?;
    saves::columns(&mut world, columns, awake)?;
    for _ in 0..200 {
        step(&mut world);
    }
    let pen = world.create_body(&BodyDef::fixed(0.0, 50.0))?;
    for (x, y, w, h) in [
        (-16.0, 0.0, 1.0, 32.0),
        (16.0, 0.0, 1.0, 32.0),
        (0.0, -16.0, 32.0, 1.0),
        (0.0, 16.0, 32.0, 1.0),
    ] {
        let wall = ShapeDef {
            restitution: 1.0,
            ..ShapeDef::default()
        };
        world.create_shape(pen, &wall, &Shape::box_at(w, h, Vec2::new(x, y), 0.0)?)?;
    }
    let ball = ShapeDef {
        restitution: 1.0,
        friction: 0.0,
        ..ShapeDef::default()
    };
    for index in 0..balls {
        let body = world.create_body(&BodyDef {
            gravity_scale: 0.0,
            linear_velocity: Vec2::new(9.0, 5.0 + (index % 7) as f32),
            ..BodyDef::dynamic((index % 10) as f32 * 2.5 - 12.0, 38.0 + (index / 10) as f32 * 2.5)
        })?;
        world.create_shape(body, &ball, &Shape::circle(Vec2::ZERO, 0.5)?)?;
    }
    for _ in 0..20 {
        step(&mut world);
    }
    Ok(world)
}

/// A pyramid that never sleeps.
fn settled_pyramid(rows: u32) -> anyhow::Result<PhysicsWorld> {
    let mut world = super::tiny::pyramid(rows)?;
    for _ in 0..60 {
        step(&mut world);
    }
    Ok(world)
}
