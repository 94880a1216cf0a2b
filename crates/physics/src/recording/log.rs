//! [`Log`]: the switch of a world's recording, and the writer that it turns on. The methods of worlds report their
//! calls here.

use super::blocks::{BlockKind, append};
use super::calls::Call;
use super::recorded_call::{CallRole, RecordedCall};
use crate::described::{Bytes, Schema, write_text};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

/// Whether worlds can be recorded: if not, programs contain no code that writes.
const IS_POSSIBLE: bool = cfg!(feature = "recording");

/// The size in bytes at which a block of calls is closed.
const BLOCK_BYTES: usize = 1 << 16;

/// A hash of the state costs a test of all bodies, a step one of those that are awake: a hash is written after the
/// steps have moved this many times the number of bodies.
const HASH_WORK: u64 = 128;

/// The options of a recording.
///
/// Playing a long recording from the middle needs key frames; comparing it with another run needs hashes. Both cost the
/// whole world, in bytes and in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordOptions {
    /// The number of steps after which a save of the world is written as a key frame, so that a player can begin there;
    /// 0, the default, for never.
    pub key_frame_steps: u64,
    /// The number of steps after which a hash of the state is written, with which a player compares its own; 0, the
    /// default, for whenever steps have done a hundred times the work of a hash.
    pub hash_steps: u64,
}

/// The beginning of a recording.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// A new world, by its definition.
    New(&'a [u8]),
    /// Any world, by a save.
    Save(&'a [u8]),
}

/// The identity of a frame within a recording.
#[derive(Clone, Debug)]
pub struct Recorded {
    of: Arc<()>,
    number: u64,
}

/// The state of a recording in progress.
#[derive(Debug)]
struct Recorder {
    options: RecordOptions,
    /// Closed blocks that were not yet taken.
    closed: Vec<u8>,
    /// Calls of the open block.
    open: Vec<u8>,
    /// The number of steps before the first call of the open block.
    open_steps: u64,
    /// The number of steps since the start of the recording.
    steps: u64,
    /// The number of bodies that steps have moved since the last hash.
    work: u64,
    /// The token of this recording's frames: those since the last key frame, where a player may have begun.
    token: Arc<()>,
    frames: u64,
}

/// The recording of a world, if it is on. A clone of a world is not recorded.
#[derive(Debug)]
pub struct Log<C = Call> {
    recorder: Option<Box<Recorder>>,
    /// Calls that are kept for a world which is built on this one.
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
    /// Starts a recording; the bytes of an earlier one that were not taken are dropped.
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

    /// Records a call before it is made. Costs a branch or two while nothing is recorded.
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

    /// Starts to keep the calls, in addition to those that are kept already.
    #[cfg(feature = "recording")]
    pub(crate) fn keep(&mut self) {
        self.kept.get_or_insert_default();
    }

    /// Takes the kept calls and stops keeping them. `None` if none were kept.
    pub(crate) fn take_kept(&mut self) -> Option<Vec<C>> {
        self.kept.take()
    }

    /// Records a step with the numbers of awake and of all bodies. `hash` and `save` are called if they are due.
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

    /// Records that a frame is taken, and returns its identity.
    pub fn frame(&mut self) -> Option<Recorded> {
        let recorder = self.recorder.as_mut()?;
        let number = recorder.frames;
        recorder.frames += 1;
        recorder.write(&C::frame(number));
        let of = Arc::clone(&recorder.token);
        Some(Recorded { of, number })
    }

    /// Whether a player will have the frame: it was taken in this recording since the last key frame, and not too long
    /// ago.
    pub fn is_kept(&self, frame: Option<&Recorded>) -> bool {
        let recorders = self.recorder.as_ref().zip(frame);
        recorders.is_some_and(|(recorder, frame)| {
            Arc::ptr_eq(&frame.of, &recorder.token) && recorder.frames - frame.number <= C::FRAMES_KEPT
        })
    }

    /// Records that a frame was restored; if a player will not have that frame, `save` provides the present world.
    pub fn restored_frame(&mut self, frame: Option<&Recorded>, save: impl Fn() -> Vec<u8>) {
        let kept = frame.filter(|frame| self.is_kept(Some(frame)));
        if let Some(recorder) = &mut self.recorder {
            let call = match kept {
                Some(frame) => C::restore_frame(frame.number),
                None => C::restore(Bytes(save())),
            };
            recorder.write(&call);
        }
        if let Some(kept) = &mut self.kept {
            kept.push(C::restore(Bytes(save())));
        }
    }

    /// The bytes written since the last call, up to now.
    pub fn take(&mut self) -> Vec<u8> {
        self.recorder.as_mut().map_or_else(Vec::new, |recorder| {
            recorder.close();
            mem::take(&mut recorder.closed)
        })
    }

    /// Ends the recording with the hash of the state, and returns the bytes written since the last [`Log::take`].
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
