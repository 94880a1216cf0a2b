//! [`PlayerOf`]: a world that makes the calls of a recording again, with any executor, and compares its hashes.

use super::file::{RecordingError, RecordingOf, unknown};
use super::recordable::Recordable;
use crate::described::Unfit;
use crate::recording::{BlockKind, CallRole, RecordedCall};
use crate::world::PhysicsWorld;
use alloc::collections::VecDeque;
use alloc::format;
use tombolo_threads::Executor;

/// A [`PhysicsWorld`] that makes the calls of a [`Recording`](crate::Recording) again.
pub type Player<'a> = PlayerOf<'a, PhysicsWorld>;

/// A world that makes the calls of a recording again, with any workers and lanes.
///
/// If the results of this version differ from those of the version that recorded, it continues, and
/// [`Player::first_difference`] returns the steps between which the worlds began to differ. Ids are played as they were
/// recorded.
#[derive(Clone, Debug)]
pub struct PlayerOf<'a, W: Recordable> {
    recording: &'a RecordingOf<W>,
    world: W,
    steps: u64,
    /// The next block, and the remaining calls of the one before.
    next_block: usize,
    calls: VecDeque<W::Call>,
    /// The most recent frames, by their numbers.
    frames: VecDeque<(u64, W::Frame)>,
    /// The last step after which the world agreed with the recording, and the first after which it did not.
    agreed: u64,
    differs: Option<u64>,
}

impl<W: Recordable> RecordingOf<W> {
    /// A player at the start.
    ///
    /// # Errors
    ///
    /// If the recording begins with a save that this version does not read, or with a world that only the caller can
    /// create.
    pub fn player(&self) -> Result<PlayerOf<'_, W>, RecordingError> {
        PlayerOf::at_block(self, self.first_start(), None)
    }

    /// A player at the start, with a world that the caller has created like the recorded one: with the same managers,
    /// resources and scripts.
    ///
    /// # Errors
    ///
    /// If the recording begins with a save that this version does not read, or that does not fit the world.
    pub fn player_in(&self, world: W) -> Result<PlayerOf<'_, W>, RecordingError> {
        PlayerOf::at_block(self, self.first_start(), Some(world))
    }

    /// A player after a number of steps, which plays from the last key frame before them.
    ///
    /// # Errors
    ///
    /// If there are fewer steps, or in the same cases as [`PlayerOf::play_step`].
    pub fn player_at(&self, step: u64, executor: &dyn Executor) -> Result<PlayerOf<'_, W>, RecordingError> {
        if step > self.steps() {
            let steps = self.steps();
            return Err(RecordingError::NoStep { step, steps });
        }
        let mut blocks = self.blocks.iter();
        let start = blocks.rposition(|block| block.kind.is_start() && block.steps <= step);
        let start = start.unwrap_or(1).max(self.first_start());
        let mut player = PlayerOf::at_block(self, start, None)?;
        while player.steps < step {
            if !player.play_step(executor)? {
                break;
            }
        }
        Ok(player)
    }
}

impl<'a, W: Recordable> PlayerOf<'a, W> {
    fn at_block(recording: &'a RecordingOf<W>, place: usize, own: Option<W>) -> Result<Self, RecordingError> {
        let steps = recording.blocks[place].steps;
        let mut world = W::begin(recording, own)?;
        if let Some(save) = recording.save(place)? {
            let restored = world.restore_recorded(&save);
            restored.map_err(|why| RecordingError::Save { step: steps, why })?;
        }
        Ok(Self {
            recording,
            world,
            steps,
            next_block: place + 1,
            calls: VecDeque::new(),
            frames: VecDeque::new(),
            agreed: steps,
            differs: None,
        })
    }

    /// The world in its present state.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// The world, for changing its execution settings (lanes, batches, profiling) or the course of the recording.
    pub fn world_mut(&mut self) -> &mut W {
        &mut self.world
    }

    /// The number of steps of the recording that were made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The two steps between which the world began to differ from the recorded one, by its hashes: it agreed after the
    /// first, and differed after the second. `None` while all compared hashes agree.
    pub fn first_difference(&self) -> Option<[u64; 2]> {
        self.differs.map(|step| [self.agreed, step])
    }

    /// Makes the calls up to the next step and the step itself. If there is no further step, makes the remaining calls
    /// and returns false.
    ///
    /// # Errors
    ///
    /// If a call cannot be read, or a save among the calls.
    pub fn play_step(&mut self, executor: &dyn Executor) -> Result<bool, RecordingError> {
        while let Some(call) = self.next_call()? {
            let is_step = call.role() == CallRole::Step;
            self.play(call, executor)?;
            if is_step {
                self.compare_hashes()?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The next call, which the caller must then [play](PlayerOf::play); `None` at the end.
    ///
    /// # Errors
    ///
    /// If the call cannot be read.
    pub fn next_call(&mut self) -> Result<Option<W::Call>, RecordingError> {
        self.read_on()?;
        Ok(self.calls.pop_front())
    }

    /// Reads the next block of calls if none of the one before is left.
    fn read_on(&mut self) -> Result<(), RecordingError> {
        while self.calls.is_empty() && self.next_block < self.recording.blocks.len() {
            let place = self.next_block;
            self.next_block += 1;
            if self.recording.blocks[place].kind == BlockKind::Calls {
                self.calls = self.recording.calls(place)?;
            }
        }
        Ok(())
    }

    /// Compares the state with the hashes that come next.
    fn compare_hashes(&mut self) -> Result<(), RecordingError> {
        self.read_on()?;
        while let Some(CallRole::StateHash(hash)) = self.calls.front().map(RecordedCall::role) {
            self.calls.pop_front();
            self.compare(hash);
            self.read_on()?;
        }
        Ok(())
    }

    fn compare(&mut self, hash: u64) {
        if self.differs.is_none() {
            match self.world.recorded_hash() == hash {
                true => self.agreed = self.steps,
                false => self.differs = Some(self.steps),
            }
        }
    }

    /// Makes one call. A call that is refused now was also refused when it was recorded, unless the worlds differ.
    ///
    /// # Errors
    ///
    /// If the call is a save that this version does not read, a frame that was not taken, or a call that no world
    /// records.
    pub fn play(&mut self, call: W::Call, executor: &dyn Executor) -> Result<(), RecordingError> {
        let step = self.steps;
        let is_step = call.role() == CallRole::Step;
        match call.role() {
            CallRole::Call | CallRole::Step => {
                self.world.make(call, executor).map_err(unknown(step))?;
                self.steps += u64::from(is_step);
            }
            CallRole::StateHash(hash) => self.compare(hash),
            CallRole::Restore(save) => {
                let restored = self.world.restore_recorded(&save.0);
                restored.map_err(|why| RecordingError::Save { step, why })?;
            }
            CallRole::Frame(number) => {
                self.frames.push_back((number, self.world.frame()));
                while self.frames.len() as u64 > W::Call::FRAMES_KEPT {
                    self.frames.pop_front();
                }
            }
            CallRole::RestoreFrame(number) => {
                let kept = self.frames.iter().find(|(known, _)| *known == number);
                let (_, frame) =
                    kept.ok_or_else(|| unknown(step)(Unfit::new(format!("frame {number} was not taken"))))?;
                self.world.restore_frame(frame);
            }
        }
        Ok(())
    }
}
