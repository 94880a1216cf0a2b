//! [`PlayerOf`]: a world that makes the calls of a recording again.

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
/// Where the results of this version are others than those of the version that recorded, it plays on, and
/// [`Player::first_difference`] says from which step on the worlds differ. An id is played as it was recorded.
#[derive(Clone, Debug)]
pub struct PlayerOf<'a, W: Recordable> {
    recording: &'a RecordingOf<W>,
    world: W,
    steps: u64,
    /// The block that comes next, and what is left of the one before.
    next_block: usize,
    calls: VecDeque<W::Call>,
    /// The last frames that were taken, by their numbers.
    frames: VecDeque<(u64, W::Frame)>,
    /// The last step at whose end the world was as it was recorded, and the first at which it was not.
    agreed: u64,
    differs: Option<u64>,
}

impl<W: Recordable> RecordingOf<W> {
    /// A player at the start.
    ///
    /// # Errors
    ///
    /// If the recording begins with a save that this version does not read, or with a world that only the caller can make.
    pub fn player(&self) -> Result<PlayerOf<'_, W>, RecordingError> {
        PlayerOf::at_block(self, self.first_start(), None)
    }

    /// A player at the start, of a world that the caller has made as the recorded one was: with the same managers, resources and
    /// scripts.
    ///
    /// # Errors
    ///
    /// If the recording begins with a save that this version does not read, or that does not fit the world.
    pub fn player_in(&self, world: W) -> Result<PlayerOf<'_, W>, RecordingError> {
        PlayerOf::at_block(self, self.first_start(), Some(world))
    }

    /// A player after so many steps, from the last key frame before that on.
    ///
    /// # Errors
    ///
    /// If there are not so many steps, or as [`PlayerOf::play_step`].
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

    /// The world.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// The world, to set how it computes (lanes, batches, profiling) or to change what is played.
    pub fn world_mut(&mut self) -> &mut W {
        &mut self.world
    }

    /// How many steps of the recording were made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Between which steps the world began to differ from the one that was recorded, as far as its hashes say: it was as
    /// recorded after the first, and not after the second. `None` while all that were compared agree.
    pub fn first_difference(&self) -> Option<[u64; 2]> {
        self.differs.map(|step| [self.agreed, step])
    }

    /// Makes the calls up to the next step and the step, or the rest of the calls if there is no step: false then.
    ///
    /// # Errors
    ///
    /// If a call cannot be read, or a save among them.
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

    /// The next call, which is then to be [played](PlayerOf::play); `None` at the end.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn next_call(&mut self) -> Result<Option<W::Call>, RecordingError> {
        self.read_on()?;
        Ok(self.calls.pop_front())
    }

    /// Reads the next block of calls if none is left of the one before.
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

    /// Compares with the hashes that come next.
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

    /// Makes one call. One that is refused was refused when it was recorded, or the worlds differ.
    ///
    /// # Errors
    ///
    /// If it is a save that this version does not read, a frame that was not taken, or a call that no world recorded.
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
