//! The begin of a recording.

use super::{PhysicsWorld, save_of};
use crate::described::Data;
use crate::recording::{RecordOptions, Start};
use crate::settings::WorldDef;
use crate::state::State;
use alloc::vec::Vec;

impl PhysicsWorld {
    /// From now on every call that changes this world is recorded, with its arguments; what was recorded before and not taken is
    /// gone. A world that is as [`PhysicsWorld::new`] made it begins a recording that any later build plays; another one begins with a
    /// save, which builds of the same save version play.
    ///
    /// Needs the feature `recording`. Costs a branch in each call while nothing is recorded. While it is, a call costs some bytes, and these are compressed by the
    /// 64 kB. How calls are executed (workers, lanes, batches) is not recorded, and a clone of this world is not. See
    /// [`Recording`](crate::Recording) for how it is played.
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

    /// Keeps the calls that change this world until [`PhysicsWorld::take_kept_calls`], beside a recording or without one: for a
    /// world that is built on this one and records itself. A clone keeps none.
    #[doc(hidden)]
    pub fn keep_calls(&mut self) {
        self.log.keep();
    }

    /// What a new world with the settings of this one is made from.
    fn def(&self) -> WorldDef {
        WorldDef {
            islands: self.island_algorithm(),
            ..self.state.settings().def()
        }
    }
}
