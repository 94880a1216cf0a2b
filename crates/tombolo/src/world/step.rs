//! A step of the world: the list of its stages, in order.

use tombolo_threads::Executor;

use super::World;

/// How many places of each manager, and how many unused prototypes, a step looks at for what is dead.
const COLLECTED_PER_STEP: usize = 64;

impl World {
    /// Advances the world by one step on the calling thread.
    pub fn step(&mut self) {
        self.step_with(&tombolo_threads::Inline);
    }

    /// Advances the world by one step with the workers of `executor`. The result does not depend on them.
    pub fn step_with(&mut self, executor: &dyn Executor) {
        // What calls have changed in physics shows before anyone acts.
        self.settle();
        // 1. What acts by itself.
        self.make_strokes();
        self.run_spawners();
        self.run_scripts();
        self.run_agents();
        // 2. Bodies move.
        self.step_physics(executor);
        // 3. Transforms follow the bodies that moved, children after parents.
        self.follow_bodies();
        // 4. Trees follow what moved.
        self.track_places(executor);
        // 5. What happened is told by entities.
        self.tell_events();
        // 6. Scripts handle it.
        self.run_handlers();
        // 7. The dead are collected.
        self.entities.collect(COLLECTED_PER_STEP);
        self.physical().tidy();
        self.moved.is_read = true;
    }

    fn step_physics(&mut self, executor: &dyn Executor) {
        let stepped = self.physics.step_with(self.step_seconds, executor);
        debug_assert!(
            stepped.is_ok(),
            "a step is between 0.1 milliseconds and 1 second long"
        );
    }
}
