//! The switch of a recording.

use super::{PhysicsWorld, hash_of, save_of};
use crate::described::{Bytes, Data};
use crate::recording::{Call, RecordOptions, Start};
use crate::settings::WorldDef;
use crate::state::State;
use alloc::vec::Vec;

impl PhysicsWorld {
    /// From now on every call that changes this world is recorded, with its arguments; what was recorded before and not taken is
    /// gone. A world that is as [`PhysicsWorld::new`] made it begins a recording that any later build plays; another one begins with a
    /// save, which builds of the same save version play.
    ///
    /// Costs a branch in each call while nothing is recorded. While it is, a call costs some bytes, and these are compressed by the
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

    /// Whether calls are recorded.
    pub fn is_recording(&self) -> bool {
        self.log.is_on()
    }

    /// What was recorded since this was last called: appended to what came before it is a whole recording as far as it goes, which is
    /// what a crash after that leaves. Empty while nothing is recorded.
    #[must_use]
    pub fn take_recording(&mut self) -> Vec<u8> {
        self.log.take()
    }

    /// Ends the recording and gives the rest of it.
    #[must_use]
    pub fn end_recording(&mut self) -> Vec<u8> {
        let state = &self.state;
        self.log.end(|| hash_of(state))
    }

    /// Goes on with the recording of `from`, which ends there, as if this world had been restored from a save: for one that takes the
    /// place of another. Does nothing while `from` is not recorded.
    pub fn take_over_recording(&mut self, from: &mut Self) {
        self.log = core::mem::take(&mut from.log);
        let state = &self.state;
        self.log.report(|| Call::Restore {
            save: Bytes(save_of(state)),
        });
    }

    /// Keeps the calls that change this world until [`PhysicsWorld::take_kept_calls`], beside a recording or without one: for a
    /// world that is built on this one and records itself. A clone keeps none.
    #[doc(hidden)]
    pub fn keep_calls(&mut self) {
        self.log.keep();
    }

    /// The calls that were kept, in order; none are kept from now on. `None` if none were, or this world is another one.
    #[doc(hidden)]
    pub fn take_kept_calls(&mut self) -> Option<Vec<Call>> {
        self.log.take_kept()
    }

    /// What a new world with the settings of this one is made from.
    fn def(&self) -> WorldDef {
        WorldDef {
            islands: self.island_algorithm(),
            ..self.state.settings().def()
        }
    }
}
