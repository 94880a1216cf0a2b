//! The step: the ordered list of its stages, each in a file of its own name.
//!
//! A parallel stage writes what belongs to its own items and marks the rest in its worker's bit arrays; the serial
//! part after it walks the marks in the order of indices. The division of items into blocks depends on their number
//! only. Therefore the result does not depend on the workers.

mod collide;
mod continuous;
mod find_pairs;
mod finish_bodies;
mod link_islands;
mod refit;
mod report;
mod scratch;
mod sensors;
mod sleep;
mod solve;
mod split_islands;

pub(crate) use scratch::Scratch;

use crate::PhysicsWorld;
use crate::profile::{Profile, Stage};
use core::sync::atomic::{AtomicU64, Ordering};
use scratch::WorkerScratch;
use tombolo_threads::{Deferred, Executor, FloatEnvironment, Stopwatch};

/// What a stage sees: the world, the memory of one step, and who does the work.
pub(crate) struct Step<'a> {
    pub(crate) world: &'a mut PhysicsWorld,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) executor: &'a Workers<'a>,
    pub(crate) dt: f32,
}

/// Advances the world by one step.
pub(crate) fn step(world: &mut PhysicsWorld, dt: f32, executor: &dyn Executor) {
    let _environment = FloatEnvironment::enter();
    let watch = Stopwatch::start();
    world.state.sum_up_masses();
    // The executor is a user's code. If it panics the step is finished first: the world must not be left half done.
    let executor = Deferred::new(executor);
    let mut scratch = world.take_scratch();
    scratch.prepare(executor.worker_count(), world);
    world.profile = Profile::default();
    // The events' memory of two steps ago is written over, not filled anew.
    core::mem::swap(&mut world.events.moved, &mut scratch.moves);
    world.events.clear();

    let workers = &Workers::new(&executor);
    let mut step = Step {
        world,
        scratch: &mut scratch,
        executor: workers,
        dt,
    };
    step.timed(Stage::FindPairs, find_pairs::find_pairs);
    step.timed(Stage::Collide, collide::collide);
    step.timed(Stage::LinkIslands, link_islands::link_islands);
    if dt > 0.0 {
        solve::solve(&mut step);
        // While the bodies are still where they were when they met.
        report::report_hits(&mut step);
        step.timed(Stage::FinishBodies, finish_bodies::finish_bodies);
        step.timed(Stage::Refit, refit::refit);
        // Bullets look for others where those end the step, so the trees must know that first.
        step.timed(Stage::Continuous, continuous::continuous);
        // Only islands that want to sleep need to be exact, and who wants to is known now.
        step.timed(Stage::SplitIslands, split_islands::split_islands);
        step.timed(Stage::Sleep, sleep::sleep);
    } else {
        // Nothing moves, so nothing sweeps over a sensor.
        step.scratch.sweeps.clear();
    }
    step.timed(Stage::Sensors, sensors::sensors);
    report::report(&mut step);

    world.state.settings[0u32].step_index += 1;
    world.profile.step_s = watch.elapsed_seconds();
    world.put_scratch_back(scratch);
    executor.resume();
}

impl Step<'_> {
    fn timed(&mut self, stage: Stage, run: impl FnOnce(&mut Self)) {
        let (watch, inside_s) = (Stopwatch::start(), self.executor.inside_s());
        run(self);
        let elapsed_s = watch.elapsed_seconds();
        let profile = &mut self.world.profile;
        profile.add(stage, elapsed_s);
        profile.add_serial(stage, elapsed_s - (self.executor.inside_s() - inside_s));
    }
}

/// The workers of a step. They check and set their float environment whenever they take part, whoever's threads they
/// are, and are timed while they do.
pub(crate) struct Workers<'a> {
    executor: &'a dyn Executor,
    inside_ns: AtomicU64,
}

impl<'a> Workers<'a> {
    fn new(executor: &'a dyn Executor) -> Self {
        Self {
            executor,
            inside_ns: AtomicU64::new(0),
        }
    }

    /// Seconds of the step that were spent in parallel runs until now.
    fn inside_s(&self) -> f64 {
        self.inside_ns.load(Ordering::Relaxed) as f64 * 1.0e-9
    }
}

impl Executor for Workers<'_> {
    fn worker_count(&self) -> usize {
        self.executor.worker_count()
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        let watch = Stopwatch::start();
        self.executor.run(&|worker| {
            let _environment = FloatEnvironment::enter();
            task(worker);
        });
        self.inside_ns
            .fetch_add(watch.elapsed_nanoseconds(), Ordering::Relaxed);
    }
}
