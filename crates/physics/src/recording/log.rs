//! [`Log`]: the switch of a world's recording, and what is written while it is on.

use super::blocks::{BlockKind, append};
use super::calls::Call;
use super::recorded_call::{CallRole, RecordedCall};
use crate::described::{Bytes, Schema, write_text};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

/// Whether worlds can be recorded: if not, nothing that writes is in a program.
const IS_POSSIBLE: bool = cfg!(feature = "recording");

/// A block of calls is closed when it has so many bytes.
const BLOCK_BYTES: usize = 1 << 16;

/// A hash of the state costs a look at all bodies, a step one at those that are awake: one is written when steps have moved so
/// many times as many bodies as there are.
const HASH_WORK: u64 = 128;

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
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// A new world, by the value that it is made from.
    New(&'a [u8]),
    /// Any world.
    Save(&'a [u8]),
}

/// Which frame of which recording a frame is.
#[derive(Clone, Debug)]
pub struct Recorded {
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
#[derive(Debug)]
pub struct Log<C = Call> {
    recorder: Option<Box<Recorder>>,
    /// Calls that a world which is built on this one has asked for.
    kept: Option<Vec<C>>,
}

impl<C> Default for Log<C> {
    fn default() -> Self {
        Self {
            recorder: None,
            kept: None,
        }
    }
}

impl<C> Clone for Log<C> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<C: RecordedCall> Log<C> {
    /// Begins a recording; of one that was on, what nobody took is gone.
    pub fn begin(&mut self, starts: &[Start<'_>], options: RecordOptions) {
        let mut closed = Vec::from(C::MAGIC);
        let mut head = Vec::new();
        write_text(env!("CARGO_PKG_VERSION"), &mut head);
        let mut schema = Schema::default();
        C::describe(&mut schema);
        schema.write(&mut head);
        append(BlockKind::Schema, 0, &head, &mut closed);
        for start in starts {
            let (kind, bytes) = match start {
                Start::New(bytes) => (BlockKind::NewWorld, bytes),
                Start::Save(bytes) => (BlockKind::Save, bytes),
            };
            append(kind, 0, bytes, &mut closed);
        }
        self.recorder = Some(Box::new(Recorder {
            options,
            closed,
            open: Vec::new(),
            open_steps: 0,
            steps: 0,
            work: 0,
            token: Arc::new(()),
            frames: 0,
        }));
    }

    /// Whether calls are recorded.
    pub fn is_on(&self) -> bool {
        self.recorder.is_some()
    }

    /// A call is about to be made. Costs a branch or two while nothing is recorded.
    #[inline]
    pub fn report(&mut self, call: impl FnOnce() -> C) {
        if IS_POSSIBLE && (self.recorder.is_some() || self.kept.is_some()) {
            self.write(call());
        }
    }

    fn write(&mut self, call: C) {
        if let Some(recorder) = &mut self.recorder {
            recorder.write(&call);
        }
        if let Some(kept) = &mut self.kept {
            kept.push(call);
        }
    }

    /// Keeps the calls from now on, beside those that are kept already.
    #[cfg(feature = "recording")]
    pub(crate) fn keep(&mut self) {
        self.kept.get_or_insert_default();
    }

    /// The calls that were kept; none are from now on. `None` if none were.
    pub(crate) fn take_kept(&mut self) -> Option<Vec<C>> {
        self.kept.take()
    }

    /// A step was made, in which so many of so many bodies were awake. `hash` and `save` are asked for if they are due.
    #[inline]
    pub fn stepped(
        &mut self,
        bodies: [usize; 2],
        hash: impl FnOnce() -> u64,
        save: impl FnOnce() -> Vec<u8>,
    ) {
        if let (true, Some(recorder)) = (IS_POSSIBLE, &mut self.recorder) {
            recorder.stepped::<C>(bodies, hash, save);
        }
    }

    /// A frame is taken: which one of which recording.
    pub fn frame(&mut self) -> Option<Recorded> {
        let recorder = self.recorder.as_mut()?;
        let number = recorder.frames;
        recorder.frames += 1;
        recorder.write(&C::frame(number));
        let of = Arc::clone(&recorder.token);
        Some(Recorded { of, number })
    }

    /// A frame was restored; where a player will not have it, `save` gives the world as it is now.
    pub fn restored_frame(&mut self, frame: Option<&Recorded>, save: impl Fn() -> Vec<u8>) {
        if let Some(recorder) = &mut self.recorder {
            let is_kept = |frame: &&Recorded| {
                Arc::ptr_eq(&frame.of, &recorder.token) && recorder.frames - frame.number <= C::FRAMES_KEPT
            };
            let call = match frame.filter(is_kept) {
                Some(frame) => C::restore_frame(frame.number),
                None => C::restore(Bytes(save())),
            };
            recorder.write(&call);
        }
        if let Some(kept) = &mut self.kept {
            kept.push(C::restore(Bytes(save())));
        }
    }

    /// All that was written since this was last called, as far as it goes.
    pub fn take(&mut self) -> Vec<u8> {
        self.recorder.as_mut().map_or_else(Vec::new, |recorder| {
            recorder.close();
            mem::take(&mut recorder.closed)
        })
    }

    /// Ends the recording, with the hash of the state: what was written since the last [`Log::take`].
    pub fn end(&mut self, hash: impl FnOnce() -> u64) -> Vec<u8> {
        let Some(mut recorder) = self.recorder.take() else {
            return Vec::new();
        };
        recorder.write(&C::state_hash(hash()));
        recorder.close();
        append(BlockKind::End, recorder.steps, &[], &mut recorder.closed);
        recorder.closed
    }
}

impl Recorder {
    fn write<C: RecordedCall>(&mut self, call: &C) {
        if self.open.is_empty() {
            self.open_steps = self.steps;
        }
        call.write(&mut self.open);
        self.steps += u64::from(call.role() == CallRole::Step);
        if self.open.len() >= BLOCK_BYTES {
            self.close();
        }
    }

    fn stepped<C: RecordedCall>(
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
            self.write(&C::state_hash(hash()));
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
