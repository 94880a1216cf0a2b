//! [`Player`]: a world that makes the calls of a recording again.

use super::read::{Recording, RecordingError, unknown};
use crate::described::Unfit;
use crate::recording::{BlockKind, Call, FRAMES_KEPT, calls};
use crate::rewind::Frame;
use crate::world::PhysicsWorld;
use alloc::collections::VecDeque;
use alloc::format;
use tombolo_threads::Executor;

/// A world that makes the calls of a [`Recording`] again, with any workers and lanes.
///
/// Where the results of this version are others than those of the version that recorded, it plays on, and
/// [`Player::first_difference`] says from which step on the worlds differ. An id is played as it was recorded.
#[derive(Clone, Debug)]
pub struct Player<'a> {
    recording: &'a Recording,
    world: PhysicsWorld,
    steps: u64,
    /// The block that comes next, and what is left of the one before.
    next_block: usize,
    calls: VecDeque<Call>,
    /// The last frames that were taken, by their numbers.
    frames: VecDeque<(u64, Frame)>,
    /// The last step at whose end the world was as it was recorded, and the first at which it was not.
    agreed: u64,
    differs: Option<u64>,
}

impl Recording {
    /// A player at the start.
    ///
    /// # Errors
    ///
    /// If the recording begins with a save that this version does not read.
    pub fn player(&self) -> Result<Player<'_>, RecordingError> {
        Player::at_block(self, 1)
    }

    /// A player after so many steps, from the last key frame before that on.
    ///
    /// # Errors
    ///
    /// If there are not so many steps, or as [`Player::play_step`].
    pub fn player_at(&self, step: u64, executor: &dyn Executor) -> Result<Player<'_>, RecordingError> {
        if step > self.steps() {
            let steps = self.steps();
            return Err(RecordingError::NoStep { step, steps });
        }
        let is_start = |kind| matches!(kind, BlockKind::NewWorld | BlockKind::Save);
        let mut blocks = self.blocks.iter();
        let start = blocks.rposition(|block| is_start(block.kind) && block.steps <= step);
        let mut player = Player::at_block(self, start.unwrap_or(1))?;
        while player.steps < step {
            if !player.play_step(executor)? {
                break;
            }
        }
        Ok(player)
    }
}

impl<'a> Player<'a> {
    fn at_block(recording: &'a Recording, place: usize) -> Result<Self, RecordingError> {
        let steps = recording.blocks[place].steps;
        Ok(Self {
            recording,
            world: recording.world(place)?,
            steps,
            next_block: place + 1,
            calls: VecDeque::new(),
            frames: VecDeque::new(),
            agreed: steps,
            differs: None,
        })
    }

    /// The world.
    pub fn world(&self) -> &PhysicsWorld {
        &self.world
    }

    /// The world, to set how it computes (lanes, batches, profiling) or to change what is played.
    pub fn world_mut(&mut self) -> &mut PhysicsWorld {
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
            let is_step = matches!(call, Call::Step { .. });
            self.play(call, executor)?;
            if is_step {
                self.compare_hashes()?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The next call, which is then to be [played](Player::play); `None` at the end.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn next_call(&mut self) -> Result<Option<Call>, RecordingError> {
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
        while let Some(&Call::StateHash { hash }) = self.calls.front() {
            self.calls.pop_front();
            self.compare(hash);
            self.read_on()?;
        }
        Ok(())
    }

    fn compare(&mut self, hash: u64) {
        if self.differs.is_none() {
            match self.world.state_hash() == hash {
                true => self.agreed = self.steps,
                false => self.differs = Some(self.steps),
            }
        }
    }

    /// Makes one call. One that is refused was refused when it was recorded, or the worlds differ.
    ///
    /// # Errors
    ///
    /// If it is a save that this version does not read, or a frame that was not taken.
    pub fn play(&mut self, call: Call, executor: &dyn Executor) -> Result<(), RecordingError> {
        let step = self.steps;
        match call {
            Call::Step { dt } => {
                played(self.world.step_with(dt, executor));
                self.steps += 1;
            }
            Call::StateHash { hash } => self.compare(hash),
            Call::Restore { save } => {
                let restored = self.world.restore(&save.0);
                restored.map_err(|why| RecordingError::Save { step, why })?;
            }
            Call::Frame { number } => {
                self.frames.push_back((number, self.world.frame()));
                while self.frames.len() as u64 > FRAMES_KEPT {
                    self.frames.pop_front();
                }
            }
            Call::RestoreFrame { number } => {
                let kept = self.frames.iter().find(|(known, _)| *known == number);
                let (_, frame) =
                    kept.ok_or_else(|| unknown(step)(Unfit::new(format!("frame {number} was not taken"))))?;
                self.world.restore_frame(frame);
            }
            call => make(call, &mut self.world),
        }
        Ok(())
    }
}

/// What a call answers is nothing to a player.
fn played<T>(_: T) {}

/// Makes a call that needs nothing but the world.
macro_rules! declare {
    ($( $call:ident { $($field:ident: $type:ty),* } => |$world:ident| $play:expr; )*) => {
        fn make(call: Call, world: &mut PhysicsWorld) {
            match call {
                $( Call::$call { $($field),* } => {
                    let $world = &mut *world;
                    played($play);
                } )*
                Call::Step { .. }
                | Call::Restore { .. }
                | Call::Frame { .. }
                | Call::RestoreFrame { .. }
                | Call::StateHash { .. } => {}
            }
        }
    };
}
calls!(declare);
