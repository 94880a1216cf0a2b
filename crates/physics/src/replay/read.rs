//! [`RecordingOf`]: the file of a recording, read.

use super::player::Recordable;
use crate::described::{Data, Kind, Schema, Unfit, Value, read_text};
use crate::recording::{BlockKind, CallRole, RecordedCall, Scanned, scan};
use crate::world::PhysicsWorld;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

/// Why bytes are no recording, or cannot be played.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordingError {
    /// The bytes do not begin as a recording of this format does.
    NotARecording,
    /// The bytes end before the world that the recording begins with.
    NoStart,
    /// What is recorded cannot be read: this version does not know it, or the bytes were made to fool.
    Unknown {
        /// How many steps were recorded before it, or before the block that it is in.
        step: u64,
        /// What it is.
        what: String,
    },
    /// A save in the recording, which this version does not read.
    Save {
        /// How many steps were recorded before it.
        step: u64,
        /// Why.
        why: String,
    },
    /// There are not so many steps.
    NoStep {
        /// The step that was asked for.
        step: u64,
        /// How many there are.
        steps: u64,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARecording => f.write_str("these bytes are not a recording that this version reads"),
            Self::NoStart => f.write_str("the recording ends before its first call"),
            Self::Unknown { step, what } => write!(f, "the recording after step {step}: {what}"),
            Self::Save { step, why } => write!(f, "the recording's save after step {step}: {why}"),
            Self::NoStep { step, steps } => write!(f, "there is no step {step}: the recording has {steps}"),
        }
    }
}

impl core::error::Error for RecordingError {}

/// A recording of a [`PhysicsWorld`](crate::PhysicsWorld), read.
pub type Recording = RecordingOf<PhysicsWorld>;

/// A recording of a world with calls of some kind, read. Its steps are counted from where it begins, whatever steps the world had made, and going back in
/// time with a frame takes none away.
#[derive(Clone, Debug)]
pub struct RecordingOf<W> {
    file: Vec<u8>,
    version: Box<str>,
    pub(super) schema: Schema,
    call: Kind,
    pub(super) blocks: Vec<Scanned>,
    is_whole: bool,
    steps: u64,
    world: PhantomData<fn() -> W>,
}

impl<W: Recordable> RecordingOf<W> {
    /// Reads a recording. One that was cut off is read as far as its last whole block.
    ///
    /// # Errors
    ///
    /// If the bytes are no recording, or do not even have its beginning.
    pub fn open(file: Vec<u8>) -> Result<Self, RecordingError> {
        if !file.starts_with(&W::Call::MAGIC) {
            return Err(RecordingError::NotARecording);
        }
        let (blocks, is_clean) = scan(&file);
        let mut all = blocks.iter();
        let head = all.next().filter(|block| block.kind == BlockKind::Schema);
        let start = all
            .next()
            .filter(|block| matches!(block.kind, BlockKind::NewWorld | BlockKind::Save));
        let (Some(head), Some(_)) = (head, start) else {
            return Err(RecordingError::NoStart);
        };
        let bytes = head
            .unpack(&file)
            .ok_or_else(|| unknown(0)(Unfit::new(String::from("its head"))))?;
        let mut head = &bytes[..];
        let version = read_text(&mut head).map_err(unknown(0))?;
        let schema = Schema::read(&mut head).map_err(unknown(0))?;
        let no_calls = || unknown(0)(Unfit::new(String::from("it has no calls")));
        let call = schema.find(W::Call::NAME).ok_or_else(no_calls)?;
        let is_whole = is_clean && blocks.last().is_some_and(|block| block.kind == BlockKind::End);
        let mut recording = Self {
            file,
            version,
            schema,
            call,
            blocks,
            is_whole,
            steps: 0,
            world: PhantomData,
        };
        recording.steps = recording.count_steps()?;
        Ok(recording)
    }

    /// How many steps were recorded.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the recording was ended, and not cut off.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The version of the engine that made it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The steps after which a player can begin without the steps before: 0, and those of key frames.
    pub fn key_frames(&self) -> impl Iterator<Item = u64> + '_ {
        let first = self.first_start();
        let all = self.blocks.iter().enumerate();
        let starts = all.filter(move |(place, block)| *place >= first && block.kind.is_start());
        starts.map(|(_, block)| block.steps)
    }

    /// The block that a player begins with: the last of those before the first call, which is made with the others.
    pub(super) fn first_start(&self) -> usize {
        let starts = self.blocks[1..].iter().take_while(|block| block.kind.is_start());
        starts.count()
    }

    /// Whether it begins with a new world, and not with a save alone.
    pub fn begins_new(&self) -> bool {
        self.blocks[1].kind == BlockKind::NewWorld
    }

    /// Whether these bytes begin as recordings of this kind of world do.
    pub fn is_one(file: &[u8]) -> bool {
        file.starts_with(&W::Call::MAGIC)
    }

    /// What the last step number is, by the calls of the last block that has some.
    fn count_steps(&self) -> Result<u64, RecordingError> {
        let Some(place) = self
            .blocks
            .iter()
            .rposition(|block| block.kind == BlockKind::Calls)
        else {
            return Ok(0);
        };
        let calls = self.calls(place)?;
        let steps = calls.iter().filter(|call| call.role() == CallRole::Step).count();
        self.blocks[place]
            .steps
            .checked_add(steps as u64)
            .ok_or_else(|| unknown(0)(Unfit::new(String::from("more steps than there are numbers"))))
    }

    /// The bytes of a block.
    fn unpack(&self, place: usize) -> Result<Vec<u8>, RecordingError> {
        let block = &self.blocks[place];
        let broken = || unknown(block.steps)(Unfit::new(String::from("bytes that cannot be unpacked")));
        block.unpack(&self.file).ok_or_else(broken)
    }

    /// The calls of a block.
    pub(super) fn calls(&self, place: usize) -> Result<VecDeque<W::Call>, RecordingError> {
        let step = self.blocks[place].steps;
        let bytes = self.unpack(place)?;
        let mut rest = &bytes[..];
        let mut calls = VecDeque::new();
        while !rest.is_empty() {
            let value = self.read(&self.call, &mut rest, step)?;
            calls.push_back(W::Call::read(&value).map_err(unknown(step))?);
        }
        Ok(calls)
    }

    /// What the new world that the recording begins with is made from, by the name of its type.
    ///
    /// # Errors
    ///
    /// If the recording begins with a save, or with something that this version does not know.
    pub fn new_world<T: Data>(&self, name: &str) -> Result<T, RecordingError> {
        let kind = self.schema.find(name).filter(|_| self.begins_new());
        let no_definition = || unknown(0)(Unfit::new(String::from("a world of no definition")));
        let kind = kind.ok_or_else(no_definition)?;
        let bytes = self.unpack(1)?;
        let value = self.read(&kind, &mut &bytes[..], 0)?;
        T::read(&value).map_err(unknown(0))
    }

    /// The save in a block of that kind.
    pub(super) fn save(&self, place: usize) -> Result<Option<Vec<u8>>, RecordingError> {
        let is_save = self.blocks[place].kind == BlockKind::Save;
        is_save.then(|| self.unpack(place)).transpose()
    }

    fn read(&self, kind: &Kind, from: &mut &[u8], step: u64) -> Result<Value, RecordingError> {
        let before = from.len();
        let value = self.schema.read_value(kind, from).map_err(unknown(step))?;
        // Values of no bytes would never end.
        if before == from.len() {
            return Err(unknown(step)(Unfit::new(String::from("a value of no bytes"))));
        }
        Ok(value)
    }
}

/// What could not be read, after how many steps.
pub fn unknown(step: u64) -> impl Fn(Unfit) -> RecordingError {
    move |Unfit(what)| RecordingError::Unknown { step, what }
}
