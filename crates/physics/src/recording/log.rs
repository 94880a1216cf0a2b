//! [`Log`]: the switch of a world's recording, and what is written while it is on.

use super::blocks::{BlockKind, MAGIC, append};
use super::calls::Call;
use crate::described::{Data, Schema, write_text};
use crate::settings::WorldDef;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

/// A block of calls is closed when it has so many bytes.
const BLOCK_BYTES: usize = 1 << 16;

/// A hash of the state costs a look at all bodies, a step one at those that are awake: one is written when steps have moved so
/// many times as many bodies as there are.
const HASH_WORK: u64 = 128;

/// How many of the last frames a player keeps. Going back to an older one is recorded as a save.
pub(crate) const FRAMES_KEPT: u64 = 1024;

/// What to record beside calls.
///
/// A recording of many steps that is looked at from the middle wants key frames; one that is compared with a run elsewhere wants
/// hashes. Both cost the whole world, in bytes and in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordOptions {
    /// A save of the world is written after every so many steps, so that a player can begin there; 0, which is the default, for
    /// never.
    pub key_frame_steps: u64,
    /// A hash of the state is written after every so many steps, with which a player compares its own; 0, which is the default,
    /// for whenever steps have done so much work that it costs a hundredth of that.
    pub hash_steps: u64,
}

/// What a recording begins with.
pub(crate) enum Start<'a> {
    /// A world as `PhysicsWorld::new` makes it.
    New(&'a WorldDef),
    /// Any world.
    Save(&'a [u8]),
}

/// Which frame of which recording a frame is.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    of: Arc<()>,
    number: u64,
}

/// What is recorded of a world.
#[derive(Debug)]
struct Recorder {
    options: RecordOptions,
    /// Blocks that are closed and that nobody has taken.
    closed: Vec<u8>,
    /// Calls of the block that is open.
    open: Vec<u8>,
    /// Steps before the first call of the block that is open.
    open_steps: u64,
    /// Steps since the recording began.
    steps: u64,
    /// Bodies that steps have moved since the last hash.
    work: u64,
    /// Which frames are this recording's: those since the last key frame, where a player may have begun.
    token: Arc<()>,
    frames: u64,
}

/// The recording of a world, if it is on. A clone of a world is not recorded.
#[derive(Debug, Default)]
pub(crate) struct Log(Option<Box<Recorder>>);

impl Clone for Log {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Log {
    pub(crate) fn begin(start: &Start<'_>, options: RecordOptions) -> Self {
        let mut closed = Vec::from(MAGIC);
        let mut head = Vec::new();
        write_text(env!("CARGO_PKG_VERSION"), &mut head);
        let mut schema = Schema::default();
        Call::kind(&mut schema);
        WorldDef::kind(&mut schema);
        schema.write(&mut head);
        append(BlockKind::Schema, 0, &head, &mut closed);
        match start {
            Start::New(def) => {
                let mut bytes = Vec::new();
                def.write(&mut bytes);
                append(BlockKind::NewWorld, 0, &bytes, &mut closed);
            }
            Start::Save(bytes) => append(BlockKind::Save, 0, bytes, &mut closed),
        }
        Self(Some(Box::new(Recorder {
            options,
            closed,
            open: Vec::new(),
            open_steps: 0,
            steps: 0,
            work: 0,
            token: Arc::new(()),
            frames: 0,
        })))
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// A call is about to be made. Costs a branch while nothing is recorded.
    #[inline]
    pub(crate) fn report(&mut self, call: impl FnOnce() -> Call) {
        if let Some(recorder) = &mut self.0 {
            recorder.write(&call());
        }
    }

    /// A step was made, in which so many of so many bodies were awake. `hash` and `save` are asked for if they are due.
    #[inline]
    pub(crate) fn stepped(
        &mut self,
        bodies: [usize; 2],
        hash: impl FnOnce() -> u64,
        save: impl FnOnce() -> Vec<u8>,
    ) {
        if let Some(recorder) = &mut self.0 {
            recorder.stepped(bodies, hash, save);
        }
    }

    /// A frame is taken: which one of which recording.
    pub(crate) fn frame(&mut self) -> Option<Recorded> {
        let recorder = self.0.as_mut()?;
        let number = recorder.frames;
        recorder.frames += 1;
        recorder.write(&Call::Frame { number });
        let of = Arc::clone(&recorder.token);
        Some(Recorded { of, number })
    }

    /// A frame was restored; if a player will not have it, `save` gives the world as it is now.
    pub(crate) fn restored_frame(&mut self, frame: Option<&Recorded>, save: impl FnOnce() -> Vec<u8>) {
        let Some(recorder) = &mut self.0 else { return };
        let is_kept = |frame: &&Recorded| {
            Arc::ptr_eq(&frame.of, &recorder.token) && recorder.frames - frame.number <= FRAMES_KEPT
        };
        let call = match frame.filter(is_kept) {
            Some(frame) => Call::RestoreFrame { number: frame.number },
            None => Call::Restore {
                save: crate::described::Bytes(save()),
            },
        };
        recorder.write(&call);
    }

    /// All that was written since this was last called, as far as it goes.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        self.0.as_mut().map_or_else(Vec::new, |recorder| {
            recorder.close();
            mem::take(&mut recorder.closed)
        })
    }

    /// Ends the recording, with the hash of the state: what was written since the last [`Log::take`].
    pub(crate) fn end(&mut self, hash: impl FnOnce() -> u64) -> Vec<u8> {
        let Some(mut recorder) = self.0.take() else {
            return Vec::new();
        };
        recorder.write(&Call::StateHash { hash: hash() });
        recorder.close();
        append(BlockKind::End, recorder.steps, &[], &mut recorder.closed);
        recorder.closed
    }
}

impl Recorder {
    fn write(&mut self, call: &Call) {
        if self.open.is_empty() {
            self.open_steps = self.steps;
        }
        call.write(&mut self.open);
        self.steps += u64::from(matches!(call, Call::Step { .. }));
        if self.open.len() >= BLOCK_BYTES {
            self.close();
        }
    }

    fn stepped(
        &mut self,
        [awake, bodies]: [usize; 2],
        hash: impl FnOnce() -> u64,
        save: impl FnOnce() -> Vec<u8>,
    ) {
        self.work += awake as u64;
        let is_due = match self.options.hash_steps {
            0 => self.work >= HASH_WORK * bodies as u64 && bodies > 0,
            every => self.steps.is_multiple_of(every),
        };
        if is_due {
            self.work = 0;
            self.write(&Call::StateHash { hash: hash() });
        }
        let every = self.options.key_frame_steps;
        if every > 0 && self.steps.is_multiple_of(every) {
            self.close();
            append(BlockKind::Save, self.steps, &save(), &mut self.closed);
            self.token = Arc::new(());
        }
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            append(BlockKind::Calls, self.open_steps, &self.open, &mut self.closed);
            self.open.clear();
        }
    }
}
