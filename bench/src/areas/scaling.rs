//! Area `scaling`: what would keep more cores than this machine has from helping. For each scene: how much of a step is
//! serial, how often workers wait for each other, how many bytes go by, and what follows for 8, 16 and 64 workers.
//!
//! Time inside of parallel runs is taken on one thread that makes all workers' calls, so that neither waiting nor a
//! shared cache is in it; the rest of the step is serial. The bound is Amdahl's: no barrier costs anything in it.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use clap::ArgMatches;
use tombolo::physics::PhysicsWorld;
use tombolo::scenes::{self, STEP_S, SUBSTEPS, SceneInfo};
use tombolo_threads::Executor;

use super::{Area, Run, no_options};
use crate::measure::time;

pub(super) const AREA: Area = Area {
    name: "scaling",
    description: "The ten scenes: serial share, barriers and bytes of a step, and the bound for many workers",
    options: no_options,
    run,
};

/// Repetitions, of which each step counts with its least times.
const ROUNDS: usize = 3;
/// Steps of each scene; the first is left out.
const STEPS: u32 = 300;
/// Workers whose bound is told.
const WORKERS: [u32; 3] = [8, 16, 64];

/// Makes the calls of two workers on one thread, and tells how long and how often.
#[derive(Default)]
struct Counting {
    inside_ns: AtomicU64,
    runs: AtomicU64,
}

impl Executor for Counting {
    fn worker_count(&self) -> usize {
        2
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        let (elapsed, ()) = time(|| {
            task(0);
            task(1);
        });
        let elapsed_ns = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        self.inside_ns.fetch_add(elapsed_ns, Ordering::Relaxed);
        self.runs.fetch_add(1, Ordering::Relaxed);
    }
}

/// One step.
#[derive(Clone, Copy)]
struct Step {
    serial_ns: f64,
    parallel_ns: f64,
    barriers: f64,
    bytes: f64,
}

fn run(_: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { ROUNDS };
    for scene in scenes::benchmarks() {
        let size = if run.smoke { scene.size_small } else { scene.size };
        let steps = if run.smoke { 10 } else { STEPS.min(scene.steps) };
        let mut least = walk(scene, size, steps).with_context(|| scene.name.to_owned())?;
        for _ in 1..rounds {
            for (least, step) in least.iter_mut().zip(walk(scene, size, steps)?) {
                least.serial_ns = least.serial_ns.min(step.serial_ns);
                least.parallel_ns = least.parallel_ns.min(step.parallel_ns);
            }
        }
        let mean = |of: fn(&Step) -> f64| least.iter().map(of).sum::<f64>() / least.len() as f64;
        let (serial, parallel) = (mean(|step| step.serial_ns), mean(|step| step.parallel_ns));
        let report = &mut run.report;
        report.push(scene.name, "serial", "µs", serial / 1e3, None);
        report.push(scene.name, "parallel, on one core", "µs", parallel / 1e3, None);
        report.push(scene.name, "barriers", "1", mean(|step| step.barriers), None);
        report.push(scene.name, "bytes", "MB", mean(|step| step.bytes) / 1e6, None);
        for workers in WORKERS {
            let bound = (serial + parallel) / (serial + parallel / f64::from(workers));
            let metric = format!("at most as fast with {workers}");
            report.push(scene.name, &metric, "1", bound, None);
        }
    }
    Ok(())
}

fn walk(scene: &SceneInfo, size: u32, steps: u32) -> anyhow::Result<Vec<Step>> {
    let mut world = PhysicsWorld::new(&scene.world_def())?;
    let mut motion = scene.build(size, 0, &mut world)?;
    let mut walked = Vec::with_capacity(steps as usize);
    for step in 0..steps {
        motion.before_step(step, &mut world)?;
        let counting = Counting::default();
        let (elapsed, outcome) = time(|| world.step_with(STEP_S, &counting));
        outcome?;
        if step == 0 {
            continue;
        }
        let parallel_ns = counting.inside_ns.into_inner() as f64;
        walked.push(Step {
            serial_ns: elapsed.as_nanos() as f64 - parallel_ns,
            parallel_ns,
            // One run is the solver's, which has a barrier for each stage.
            barriers: counting.runs.into_inner() as f64 - 1.0 + f64::from(world.profile().solver_stages),
            bytes: bytes(&world),
        });
    }
    Ok(walked)
}

/// What a step reads and writes at least, by the sizes of the records (their sources assert them): a contact, its boxes
/// and poses in the narrow phase; patches and blocks in the solver, a block once for each of its passes; states, masses,
/// poses, boxes and events of bodies. Trees are left out.
fn bytes(world: &PhysicsWorld) -> f64 {
    let counters = world.counters();
    let substeps = f64::from(SUBSTEPS);
    let collide = 64.0 + 2.0 * (16.0 + 32.0);
    // Sixteen constraints share a block of 36 rows of 64 bytes; preparing, one warm start, two passes a substep, storing.
    let block = 36.0 * 64.0 / 16.0;
    let solve = 2.0 * 128.0 + block * (3.0 + 2.0 * substeps);
    // A body's state is met twice a substep, with 52 bytes of its block; the block is made once from the masses.
    let body = substeps * (2.0 * 32.0 + 52.0) + 60.0 + 32.0 + 60.0 + 32.0 + 16.0 + 40.0;
    counters.awake_contacts as f64 * collide
        + counters.constraints as f64 * solve
        + counters.awake_bodies as f64 * body
}
