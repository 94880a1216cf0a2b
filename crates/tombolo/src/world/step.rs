//! A step of the world: the list of its stages, in order.

use tombolo_threads::{Executor, FloatEnvironment, FloatWorkers, Stopwatch};

use super::World;
use super::inbox::{Pending, sent};
use super::profile::{WorldProfile, WorldStage};
use super::recording::WorldCall;

/// The number of places of each manager, and at least of unused prototypes, that a step examines for ended components.
const COLLECTED_PER_STEP: usize = 64;

impl World {
    /// Advances the world by one step on the calling thread.
    pub fn step(&mut self) {
        self.step_with(&tombolo_threads::Inline);
    }

    /// Advances the world by one step with the workers of `executor`. The result does not depend on them.
    pub fn step_with(&mut self, executor: &dyn Executor) {
        let pending = self.inbox.take();
        self.report(|| WorldCall::Step {
            commands: sent(&pending),
        });
        self.outermost(|world| world.step_here(pending, executor));
        self.report_step();
    }

    fn step_here(&mut self, pending: Pending, executor: &dyn Executor) {
        let _environment = FloatEnvironment::enter();
        self.profile = WorldProfile::default();
        let watch = Stopwatch::start();
        self.note_missing_callbacks();
        // Changes that calls have made in physics are taken over before any stage runs.
        self.sync_from_physics();
        self.stage(WorldStage::Inbox, |world| world.apply_sent(pending));
        self.stage(WorldStage::SegmentCuts, Self::apply_segment_cuts);
        self.stage(WorldStage::Spawners, Self::run_spawners);
        self.stage(WorldStage::Scripts, |world| {
            world.run_scripts(&FloatWorkers(executor))
        });
        self.stage(WorldStage::Agents, Self::run_agents);
        // Fields push bodies at the present poses of their entities.
        self.stage(WorldStage::Fields, Self::update_fields);
        self.stage(WorldStage::Physics, |world| world.step_physics(executor));
        // Transforms follow the bodies that moved, children after parents.
        self.stage(WorldStage::Poses, |world| {
            world.follow_bodies(&FloatWorkers(executor))
        });
        // Characters move among the bodies at their new poses.
        self.stage(WorldStage::Characters, Self::move_characters);
        // After all stages that move entities, so that handlers query their new poses.
        self.stage(WorldStage::Space, |world| {
            world.track_entities(&FloatWorkers(executor))
        });
        self.stage(WorldStage::Zones, Self::update_zones);
        // Events of physics and of zones are published by entities.
        self.stage(WorldStage::Events, Self::publish_events);
        // Scripts handle the events, and trees follow the entities that they move.
        self.stage(WorldStage::Handlers, |world| {
            world.run_handlers();
            world.track_entities(&FloatWorkers(executor));
        });
        self.stage(WorldStage::Collect, Self::collect_dead);
        self.actions.end_step();
        self.keep_moved_for_zones();
        self.moved.end_step();
        self.profile.step_s = watch.elapsed_seconds();
    }

    /// Runs a stage and measures its time.
    fn stage(&mut self, stage: WorldStage, work: impl FnOnce(&mut Self)) {
        let watch = Stopwatch::start();
        work(self);
        self.profile.set(stage, watch.elapsed_seconds());
    }

    fn step_physics(&mut self, executor: &dyn Executor) {
        // For the stage `poses`. A program may have put another physics in the place of the last one.
        self.physics.set_reports_boxes(true);
        let stepped = self.physics.step_with(self.step_seconds, executor);
        debug_assert!(
            stepped.is_ok(),
            "a step is between 0.1 milliseconds and 1 second long"
        );
    }

    fn collect_dead(&mut self) {
        self.entities.collect(COLLECTED_PER_STEP);
        self.destroy_ended();
    }
}
