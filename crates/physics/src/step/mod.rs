//! The step: the ordered list of its stages, each in a file of the same name.
//!
//! A parallel stage writes data of its own items and marks the rest in its worker's bit arrays; the serial part after
//! it processes the marks in the order of indices. The division of items into blocks depends only on their number.
//! Therefore the result does not depend on the workers.

mod classify;
mod collide;
mod composites;
mod continuous;
mod fast_shapes;
mod fields;
mod find_pairs;
mod finish_bodies;
mod lent;
mod link_islands;
mod refit;
mod report;
mod scratch;
mod sensors;
mod sleep;
mod solve;
mod split_islands;
mod stage;
mod sweep;

pub(crate) use scratch::Scratch;
pub(crate) use stage::StepWorld;

use crate::profile::{Profile, Stage};
use stage::{Step, Workers};
use tombolo_threads::{Deferred, Executor, FloatEnvironment, Stopwatch};

/// Advances the world by one step of `dt` seconds, with the scratch memory of the last step.
pub(crate) fn step(world: StepWorld<'_>, kept: &mut Scratch, dt: f32, executor: &dyn Executor) {
    let _environment = FloatEnvironment::enter();
    let watch = world.is_profiling.then(Stopwatch::start);
    world.state.sum_up_masses();
    continuous::wake_ahead(world.state, world.callbacks, dt, &mut kept.indices);
    // The executor is the user's code. If it panics the step is finished first, so that the world is not left half
    // done.
    let executor = Deferred::new(executor);
    kept.prepare(executor.worker_count(), world.state);
    kept.look_for_bullets(world.state);
    *world.profile = Profile::default();
    // The events' memory of two steps ago is overwritten, not reallocated.
    core::mem::swap(&mut world.events.moved, &mut kept.moves);
    core::mem::swap(&mut world.events.moved_boxes, &mut kept.move_boxes);
    world.events.clear();

    let workers = &Workers::new(&executor, world.is_profiling);
    let mut step = Step {
        world,
        scratch: &mut *kept,
        executor: workers,
        dt,
    };
    step.timed(Stage::FindPairs, find_pairs::find_pairs);
    step.timed(Stage::Collide, collide::collide);
    step.timed(Stage::LinkIslands, link_islands::link_islands);
    if dt > 0.0 {
        // The force of a field on a body depends on its substeps.
        step.timed(Stage::Batches, |step| {
            step.scratch.connected_sets.find(&*step.world.state);
        });
        if !step.world.state.fields.is_empty() {
            step.timed(Stage::Fields, fields::fields);
        }
        composites::begin(&mut step);
        solve::solve(&mut step);
        // Runs while the bodies still have the poses for which the contacts were computed.
        report::report_hits(&mut step);
        report::report_forces(&mut step);
        composites::measure(&mut step);
        step.timed(Stage::FinishBodies, finish_bodies::finish_bodies);
        step.timed(Stage::Refit, refit::refit);
        // Bullets collide with other bodies where those end the step, so the trees must be updated first.
        step.timed(Stage::Continuous, continuous::continuous);
        // Only islands that are about to sleep need to be exact, and these are known now.
        step.timed(Stage::SplitIslands, split_islands::split_islands);
        step.timed(Stage::Sleep, sleep::sleep);
    } else {
        // Nothing moves, so no sweep crosses a sensor.
        step.scratch.sweeps.clear();
    }
    step.timed(Stage::Sensors, sensors::sensors);
    report::report(&mut step);

    let world = step.world;
    world.state.head[0u32].step_index += 1;
    world.profile.step_s = watch.map_or(0.0, |watch| watch.elapsed_seconds());
    kept.is_in_step = false;
    executor.resume();
}
