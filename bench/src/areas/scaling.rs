//! Area `scaling`: the limits of speedup on more cores than this machine has. For each scene: the serial share of a
//! step, the number of barriers, the bytes read and written, and the bounds for 8, 16 and 64 workers.
//!
//! Time inside of parallel runs is taken on one thread that makes all workers' calls, so that neither waiting nor a
//! shared cache is in it; the rest of the step is serial. Two bounds follow, both with barriers that cost nothing:
//! Amdahl's, where all that is parallel divides by the workers ("Validity of the single processor approach", 1967), and
//! one in which a stage of the solver takes as many turns as its tasks need, all tasks of a stage being equal. How the
//! instructions are counted is in `instructions.rs`, how cache lines move between cores in `directory.rs`.

mod directory;
mod instructions;

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use clap::{ArgMatches, Args, FromArgMatches};
use tombolo::physics::{PhysicsError, PhysicsWorld, Stage};
use tombolo_scenes::{STEP_S, SUBSTEPS, SceneInfo};
use tombolo_threads::Executor;

use self::directory::{Division, Graph};
use super::{Area, Run, physics};
use crate::measure::time;
use crate::report::Progress;

pub(super) const AREA: Area = Area {
    name: "scaling",
    description: "The ten scenes: serial share, barriers and bytes of a step, and the bound for many workers",
    options: Options::augment_args,
    run,
};

#[derive(Debug, Args)]
struct Options {
    /// Scenes by name; `all` stands for the ten that are timed
    #[arg(long, value_delimiter = ',', default_value = "all")]
    scenes: Vec<String>,
    /// Steps of each scene, the first of which is left out
    #[arg(long, default_value_t = 300)]
    steps: u32,
    /// How often each scene is repeated; each step counts with its least times
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Also counts the instructions of so many steps of each scene with valgrind, some fifty times slower than running
    #[arg(long, default_value_t = 0)]
    instructions: u32,
}

/// The numbers of workers for which bounds are reported.
const WORKERS: [u32; 3] = [8, 16, 64];

/// An executor that makes the calls of two workers on one thread, and counts their times and number.
#[derive(Default)]
struct Counting {
    inside_ns: AtomicU64,
    runs: AtomicU64,
}

impl Executor for Counting {
    fn worker_count(&self) -> usize {
        2
    }

    // Not inlined: the count of instructions finds it by its name.
    #[inline(never)]
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

/// The times and bytes of one step.
#[derive(Clone, Copy)]
struct Step {
    serial_ns: f64,
    /// The part of `serial_ns` in each stage; the last is outside of all stages.
    serial_parts_ns: [f64; Stage::ALL.len() + 1],
    /// The time of parallel runs on one core, without the solver.
    parallel_ns: f64,
    /// The time of the solver's stages on one core.
    solver_ns: f64,
    /// The share of `solver_ns` that is left with each of [`WORKERS`].
    solver_shares: [f64; WORKERS.len()],
    barriers: f64,
    bytes: f64,
}

impl Step {
    fn keep_least(&mut self, other: &Self) {
        self.serial_ns = self.serial_ns.min(other.serial_ns);
        self.parallel_ns = self.parallel_ns.min(other.parallel_ns);
        self.solver_ns = self.solver_ns.min(other.solver_ns);
        for (part, other) in self.serial_parts_ns.iter_mut().zip(other.serial_parts_ns) {
            *part = part.min(other);
        }
    }
}

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let options = Options::from_arg_matches(matches)?;
    let scenes = physics::scenes(&options.scenes)?;
    let rounds = if run.smoke { 1 } else { options.rounds.max(1) };
    let counts = usize::from(options.instructions > 0 && !run.smoke);
    let progress = Progress::start("walking the scenes", scenes.len() * (rounds + counts)).with_lines();
    for scene in scenes {
        let size = if run.smoke { scene.size_small } else { scene.size };
        let steps = if run.smoke {
            10
        } else {
            options.steps.min(scene.steps)
        };
        let mut least: Option<Vec<Step>> = None;
        let mut graph = None;
        for _ in 0..rounds {
            let (steps, end) = walk(scene, size, steps).with_context(|| scene.name.to_owned())?;
            graph = Some(end);
            match &mut least {
                None => least = Some(steps),
                Some(least) => {
                    for (least, step) in least.iter_mut().zip(&steps) {
                        least.keep_least(step);
                    }
                }
            }
            progress.advance();
        }
        push(run, scene, &least.expect("at least one round"));
        push_lines(run, scene, &graph.expect("at least one round"));
        if options.instructions > 0 && !run.smoke {
            let [all, serial] = instructions::count(scene, options.instructions.min(scene.steps))?;
            progress.advance();
            run.report.push(scene.name, "instructions", "k", all / 1e3, None);
            run.report
                .push(scene.name, "serial instructions", "k", serial / 1e3, None);
        }
    }
    Ok(())
}

fn push(run: &mut Run, scene: &SceneInfo, steps: &[Step]) {
    let mean = |of: &dyn Fn(&Step) -> f64| steps.iter().map(of).sum::<f64>() / steps.len() as f64;
    let parallel = |step: &Step| step.parallel_ns + step.solver_ns;
    let serial = |step: &Step| step.serial_ns;
    let alone = mean(&serial) + mean(&parallel);
    let report = &mut run.report;
    report.push(scene.name, "serial", "µs", mean(&serial) / 1e3, None);
    let names = Stage::ALL.iter().map(|stage| stage.name()).chain(["other"]);
    for (part, name) in names.enumerate() {
        let microseconds = mean(&|step| step.serial_parts_ns[part]) / 1e3;
        if microseconds >= 1.0 {
            report.push(scene.name, &format!("serial: {name}"), "µs", microseconds, None);
        }
    }
    report.push(
        scene.name,
        "parallel, on one core",
        "µs",
        mean(&parallel) / 1e3,
        None,
    );
    report.push(scene.name, "barriers", "1", mean(&|step| step.barriers), None);
    report.push(scene.name, "bytes", "MB", mean(&|step| step.bytes) / 1e6, None);
    for (index, &workers) in WORKERS.iter().enumerate() {
        let workers_f64 = f64::from(workers);
        let divided = mean(&serial) + mean(&parallel) / workers_f64;
        let metric = format!("speed-up with {workers}, at most");
        report.push(scene.name, &metric, "1", alone / divided, None);
        let in_turns = mean(&|step| {
            step.serial_ns + step.parallel_ns / workers_f64 + step.solver_ns * step.solver_shares[index]
        });
        let metric = format!("speed-up with {workers}, at most, tasks undivided");
        report.push(scene.name, &metric, "1", alone / in_turns, None);
    }
}

/// Adds what a substep moves between cores after the last step, if large islands are awake then.
fn push_lines(run: &mut Run, scene: &SceneInfo, graph: &Graph) {
    for workers in [2].into_iter().chain(WORKERS) {
        let count = |division| graph.count_substep(division, workers as usize).lines as f64;
        let as_created = count(Division::Colors);
        if as_created == 0.0 {
            continue;
        }
        for (schedule, division) in [
            ("sorted", Division::SortedColors),
            ("by chunks", Division::Chunks),
        ] {
            let metric = format!("lines moved, {workers} workers, {schedule}");
            let peer = Some(("in the order of creation", as_created));
            run.report.push(scene.name, &metric, "1", count(division), peer);
        }
    }
}

/// The steps of a scene, and the constraints after the last one.
fn walk(scene: &SceneInfo, size: u32, steps: u32) -> anyhow::Result<(Vec<Step>, Graph)> {
    let mut world = PhysicsWorld::new(&scene.world_def())?;
    world.set_profiling(true);
    let mut motion = scene.build(size, 0, &mut world)?;
    let mut walked = Vec::with_capacity(steps as usize);
    for step in 0..steps {
        motion.before_step(step, &mut world)?;
        if step == 0 {
            world.step_with(STEP_S, &Counting::default())?;
        } else {
            walked.push(counted_step(&mut world)?);
        }
    }
    Ok((walked, Graph::of(&world)))
}

// Not inlined: the count of instructions finds it by its name.
#[inline(never)]
fn plain_step(world: &mut PhysicsWorld, counting: &Counting) -> Result<(), PhysicsError> {
    world.step_with(STEP_S, counting)
}

fn counted_step(world: &mut PhysicsWorld) -> anyhow::Result<Step> {
    let counting = Counting::default();
    let (elapsed, outcome) = time(|| plain_step(world, &counting));
    outcome?;
    let inside_ns = counting.inside_ns.into_inner() as f64;
    let tasks = world.solver_tasks();
    // A solver whose stages have one task each runs without workers.
    let is_divided = tasks.iter().any(|&tasks| tasks > 1);
    let solver_ns = if is_divided {
        SOLVER
            .iter()
            .map(|&stage| world.profile().seconds(stage))
            .sum::<f64>()
            * 1e9
    } else {
        0.0
    };
    let runs = counting.runs.into_inner() as f64;
    let serial_ns = elapsed.as_nanos() as f64 - inside_ns;
    let mut serial_parts_ns = [serial_ns; Stage::ALL.len() + 1];
    let (other_ns, stages_ns) = serial_parts_ns.split_last_mut().expect("at least one");
    for (part, stage) in stages_ns.iter_mut().zip(Stage::ALL) {
        *part = world.profile().serial_seconds(stage) * 1e9;
        *other_ns -= *part;
    }
    Ok(Step {
        serial_ns,
        serial_parts_ns,
        parallel_ns: (inside_ns - solver_ns).max(0.0),
        solver_ns: solver_ns.min(inside_ns),
        solver_shares: WORKERS.map(|workers| share(tasks, workers)),
        // One run is the solver's, which has a barrier for each stage.
        barriers: if is_divided {
            runs - 1.0 + tasks.len() as f64
        } else {
            runs
        },
        bytes: bytes(world),
    })
}

/// The stages that run as one list of stages; packing, which [`Stage::Batches`] has too, is a few microseconds.
const SOLVER: [Stage; 8] = [
    Stage::Batches,
    Stage::Prepare,
    Stage::Integrate,
    Stage::WarmStart,
    Stage::Solve,
    Stage::Relax,
    Stage::Restitution,
    Stage::Store,
];

/// The turns that `workers` take over the turns of one, for stages with these numbers of tasks; 0 without any.
fn share(stage_tasks: &[u32], workers: u32) -> f64 {
    let turns: u32 = stage_tasks.iter().map(|tasks| tasks.div_ceil(workers)).sum();
    let tasks: u32 = stage_tasks.iter().sum();
    f64::from(turns) / f64::from(tasks.max(1))
}

/// The least bytes that a step reads and writes, by the sizes of the records (their sources assert them): a contact,
/// its boxes and poses in the narrow phase; cached manifolds and blocks in the solver, a block once for each of its
/// passes; states, masses, poses, boxes and events of bodies. Joints count as contacts do; trees are left out.
fn bytes(world: &PhysicsWorld) -> f64 {
    let counters = world.counters();
    let substeps = f64::from(SUBSTEPS);
    let collide = 64.0 + 2.0 * (16.0 + 32.0);
    // Sixteen constraints share a block of 36 rows of 64 bytes; preparing, one warm start, two passes a substep, storing.
    let block = 36.0 * 64.0 / 16.0;
    let solve = 2.0 * 128.0 + block * (3.0 + 2.0 * substeps);
    // A body's state is read twice a substep, with 52 bytes of its block; the block is made once from the masses.
    let body = substeps * (2.0 * 32.0 + 52.0) + 60.0 + 32.0 + 60.0 + 32.0 + 16.0 + 40.0;
    counters.awake_contacts as f64 * collide
        + counters.constraints as f64 * solve
        + counters.awake_bodies as f64 * body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_of_one_task_is_no_shorter_with_more_workers() {
        assert_eq!(share(&[1, 1, 8], 1), 1.0);
        assert_eq!(share(&[1, 1, 8], 8), 0.3);
        assert_eq!(share(&[1, 1, 8], 64), 0.3);
        assert_eq!(share(&[], 8), 0.0);
    }
}
