//! The stages batches to store: packs small islands into batches, sets the solver up and runs its substeps
//! (`solver/stages.rs`): once for each group of bodies that is solved in more substeps (`solver/connected.rs`), then
//! for all others.

use super::stage::Step;
use crate::body::BodyState;
use crate::contact::graph::Color;
use crate::profile::{Profile, Stage};
use crate::settings::Settings;
use crate::solver::batches::Portion;
use crate::solver::contact_block::{ContactSoftness, Substep};
use crate::solver::integrate::StepMotion;
use crate::solver::joint_block::JointSettings;
use crate::solver::softness::Softness;
use crate::solver::stages::{self, SolverWorld};
use crate::solver::work::SolverSettings;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tombolo_threads::Stopwatch;

pub(crate) fn solve(step: &mut Step<'_>) {
    // If all bodies sleep, there is no constraint to solve either.
    if step.world.state.awake_bodies.is_empty() {
        return;
    }
    step.timed(Stage::Batches, |step| {
        let limit = step.world.batch_bodies_max;
        let sets = &step.scratch.connected_sets;
        step.scratch
            .batches
            .pack(&*step.world.state, sets, limit, step.executor);
    });
    let clock = step.world.is_profiling.then(StageClock::new);
    let inside_s = step.executor.inside_s();
    let state = &mut *step.world.state;
    // The states of awake bodies are marked when their steps are finished.
    let colored = state.graph.colors.iter().flat_map(Color::all_joints);
    state.joint_sims.mark_each(colored.map(|joint| joint.place));

    let substeps = state.settings().substeps;
    let mut stages = 0;
    for group in 0..step.scratch.connected_sets.extras().len() {
        let extra = step.scratch.connected_sets.extras()[group];
        let portion = step
            .scratch
            .batches
            .extra_portion(group, step.world.batch_bodies_max);
        stages += solve_portion(step, portion, substeps + extra, clock.as_ref());
        take_kinematic_back(step);
    }
    // Last, so that kinematic bodies end at the same poses as in a world without extra substeps.
    let portion = step.scratch.batches.main_portion();
    stages += solve_portion(step, portion, substeps, clock.as_ref());

    let world = &mut step.world;
    world.profile.solver_stages = stages;
    if let Some(clock) = clock {
        let elapsed_s = clock.watch.elapsed_seconds();
        let serial_s = elapsed_s - (step.executor.inside_s() - inside_s);
        world.profile.add_serial(Stage::Prepare, serial_s);
        clock.finish(world.profile);
    }
}

/// Runs the substeps of one portion of the world, and returns the number of stages.
fn solve_portion(step: &mut Step<'_>, portion: Portion, substeps: u32, clock: Option<&StageClock>) -> u32 {
    let settings = solver_settings(step, substeps);
    let state = &mut *step.world.state;
    let awake_contacts = state.contacts.awake_len();
    let stages = stages::run(
        &mut step.scratch.solver,
        SolverWorld {
            graph: &state.graph,
            batches: &step.scratch.batches,
            portion,
            cached_manifolds: state.contacts.cached_manifolds.slice_mut(0..awake_contacts),
            joints: state.joint_sims.unmarked_mut(),
            poses: &state.body_poses,
            sims: &state.body_sims,
            controls: &state.body_controls,
            states: state.body_states.unmarked_mut(),
            awake_bodies: &state.awake_bodies,
        },
        &settings,
        step.executor,
        &|stage| {
            if let Some(clock) = clock {
                clock.enter(stage);
            }
        },
    );
    step.scratch.solver.list_hits(&mut step.scratch.hits);
    step.scratch.solver.list_strained(&mut step.scratch.strained);
    stages
}

/// Resets kinematic bodies to the start of the step: they moved within the substeps of a group.
fn take_kinematic_back(step: &mut Step<'_>) {
    // The awake bodies are marked when their steps are finished.
    let states = step.world.state.body_states.unmarked_mut();
    for &body in step.scratch.connected_sets.kinematic() {
        let state = &mut states[body as usize];
        *state = BodyState {
            linear_velocity: state.linear_velocity,
            angular_velocity: state.angular_velocity,
            colors: state.colors,
            ..BodyState::default()
        };
    }
}

fn solver_settings(step: &Step<'_>, substeps: u32) -> SolverSettings {
    let Settings {
        gravity,
        restitution_threshold,
        contact_hertz,
        contact_damping_ratio,
        push_speed_max,
        speed_max,
        bouncing,
        ..
    } = *step.world.state.settings();
    let state = &*step.world.state;
    let h = step.dt / substeps as f32;
    // Clamped: above an eighth of the substep rate, a soft contact would be solved worse, not better.
    let hertz = contact_hertz.min(0.125 / h);
    SolverSettings {
        lanes: step.world.lanes,
        substeps,
        motion: StepMotion::new(h, step.dt, gravity, speed_max),
        substep: Substep {
            inverse_h: 1.0 / h,
            push_speed_max,
            restitution_threshold,
            softness: ContactSoftness {
                movable: Softness::new(hertz, contact_damping_ratio, h),
                fixed: Softness::new(2.0 * hertz, contact_damping_ratio, h),
            },
        },
        joints: JointSettings::new(h, step.dt),
        hit_speed: state.hit_threshold_min(),
        bounces: bouncing > 0 || state.callbacks_in_use().pre_solve || state.is_there_a_bouncing_rule(),
    }
}

/// Measures the time that the calling worker spends in each stage, waiting included.
struct StageClock {
    watch: Stopwatch,
    entered_ns: AtomicU64,
    stage: AtomicUsize,
    spent_ns: [AtomicU64; Stage::ALL.len()],
}

impl StageClock {
    fn new() -> Self {
        Self {
            watch: Stopwatch::start(),
            entered_ns: AtomicU64::new(0),
            stage: AtomicUsize::new(Stage::Prepare as usize),
            spent_ns: core::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    /// Records that the calling worker enters `stage`. Called by one worker only: relaxed order is enough.
    fn enter(&self, stage: Stage) {
        let old = self.stage.swap(stage as usize, Ordering::Relaxed);
        if old != stage as usize {
            let now = self.watch.elapsed_nanoseconds();
            let before = self.entered_ns.swap(now, Ordering::Relaxed);
            self.spent_ns[old].fetch_add(now - before, Ordering::Relaxed);
        }
    }

    fn finish(self, profile: &mut Profile) {
        // Entering a stage that the solver does not have closes the last one.
        self.enter(Stage::SplitIslands);
        for stage in Stage::ALL {
            profile.add(
                stage,
                self.spent_ns[stage as usize].load(Ordering::Relaxed) as f64 * 1.0e-9,
            );
        }
    }
}
