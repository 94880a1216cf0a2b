//! Calls that start a recording, and the list of calls that a world built on this one keeps.

use super::{PhysicsWorld, save_of};
use crate::described::Data;
use crate::recording::{RecordOptions, Start};
use crate::state::State;
use alloc::vec::Vec;

impl PhysicsWorld {
    /// Starts a recording of every call that changes this world, with its arguments; recorded bytes that were not taken
    /// are dropped. For a world as created by [`PhysicsWorld::new`] the recording can be played by any later build; for
    /// others it begins with a save, which builds of the same save version can play.
    ///
    /// Needs the feature `recording`. Costs a branch in each call while nothing is recorded. While recording, a call
    /// costs some bytes, which are compressed in blocks of 64 kB. The execution settings (workers, lanes, batches) are
    /// not recorded, and a clone of this world is not. [`Recording`](crate::Recording) plays it.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, RecordOptions, Recording, Shape, ShapeDef, Vec2, WorldDef};
    /// use tombolo_threads::Inline;
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// world.start_recording(RecordOptions::default());
    /// let ball = world.create_body(&BodyDef::dynamic(0.0, 10.0))?;
    /// world.create_shape(ball, &ShapeDef::default(), &Shape::circle(Vec2::ZERO, 0.5)?)?;
    /// for _ in 0..30 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// let mut file = world.take_recording(); // what there is so far, for a file
    /// world.body_mut(ball)?.apply_impulse(Vec2::X)?;
    /// world.step(1.0 / 60.0)?;
    /// file.extend(world.end_recording());
    ///
    /// let recording = Recording::open(file)?;
    /// let mut player = recording.player()?;
    /// while player.play_step(&Inline)? {}
    /// assert_eq!(player.world().state_hash(), world.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start_recording(&mut self, options: RecordOptions) {
        let def = self.def();
        let save = save_of(&self.state);
        let is_new = save == save_of(&State::new(&def));
        let mut new = Vec::new();
        let start = if is_new {
            def.write(&mut new);
            Start::New(&new)
        } else {
            Start::Save(&save)
        };
        self.log.begin(&[start], options);
    }

    /// Keeps the calls that change this world until [`PhysicsWorld::take_kept_calls`], with or without a recording: for
    /// a world that is built on this one and records itself. A clone keeps none.
    #[doc(hidden)]
    pub fn keep_calls(&mut self) {
        self.log.keep();
    }
}
