//! [`Step`]: the access of a stage to the world, the scratch memory of the step and the workers; and the timing of
//! stages.

use super::scratch::Scratch;
use crate::callback::Callbacks;
use crate::events::Events;
use crate::profile::{Profile, Stage};
use crate::solver::lanes::LaneWidth;
use crate::state::State;
use core::sync::atomic::{AtomicU64, Ordering};
use tombolo_threads::{Executor, FloatWorkers, Stopwatch};

/// The parts of a world that a step reads and changes.
pub(crate) struct StepWorld<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) events: &'a mut Events,
    pub(crate) profile: &'a mut Profile,
    pub(crate) recycled_contacts: &'a mut usize,
    pub(crate) callbacks: &'a Callbacks,
    pub(crate) is_profiling: bool,
    /// Whether the boxes of moved bodies are reported.
    pub(crate) reports_boxes: bool,
    pub(crate) lanes: LaneWidth,
    pub(crate) batch_bodies_max: u32,
}

/// The data of a step that a stage works on: the world, the scratch memory, and the workers.
pub(crate) struct Step<'a> {
    pub(crate) world: StepWorld<'a>,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) executor: &'a Workers<'a>,
    pub(crate) dt: f32,
}

impl Step<'_> {
    pub(super) fn timed(&mut self, stage: Stage, run: impl FnOnce(&mut Self)) {
        if !self.world.is_profiling {
            return run(self);
        }
        let (watch, inside_s) = (Stopwatch::start(), self.executor.inside_s());
        run(self);
        let elapsed_s = watch.elapsed_seconds();
        let profile = &mut self.world.profile;
        profile.add(stage, elapsed_s);
        profile.add_serial(stage, elapsed_s - (self.executor.inside_s() - inside_s));
    }
}

/// The workers of a step, in the float environment of the engine and timed.
pub(crate) struct Workers<'a> {
    executor: FloatWorkers<'a>,
    is_profiling: bool,
    inside_ns: AtomicU64,
}

impl<'a> Workers<'a> {
    pub(super) fn new(executor: &'a dyn Executor, is_profiling: bool) -> Self {
        Self {
            executor: FloatWorkers(executor),
            is_profiling,
            inside_ns: AtomicU64::new(0),
        }
    }

    /// The seconds of the step that were spent in parallel runs so far.
    pub(super) fn inside_s(&self) -> f64 {
        self.inside_ns.load(Ordering::Relaxed) as f64 * 1.0e-9
    }
}

impl Executor for Workers<'_> {
    fn worker_count(&self) -> usize {
        self.executor.worker_count()
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        let watch = self.is_profiling.then(Stopwatch::start);
        self.executor.run(task);
        if let Some(watch) = watch {
            self.inside_ns
                .fetch_add(watch.elapsed_nanoseconds(), Ordering::Relaxed);
        }
    }
}
