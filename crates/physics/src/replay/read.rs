//! Reading the file of a recording: its blocks, its calls, its key frames.

use super::file::{RecordingError, RecordingOf, unknown};
use super::recordable::Recordable;
use crate::described::{Data, Kind, Schema, Unfit, Value, read_text};
use crate::recording::{BlockKind, CallRole, RecordedCall, scan};
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

impl<W: Recordable> RecordingOf<W> {
    /// Reads a recording. One that was cut off is read up to its last complete block.
    ///
    /// # Errors
    ///
    /// If the bytes are not a recording, or do not even contain its beginning.
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

    /// The number of recorded steps.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the recording was ended, and not cut off.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The version of the engine that recorded it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The steps after which a player can begin without playing earlier steps: 0, and those of key frames.
    pub fn key_frames(&self) -> impl Iterator<Item = u64> + '_ {
        let first = self.first_start();
        let all = self.blocks.iter().enumerate();
        let starts = all.filter(move |(place, block)| *place >= first && block.kind.is_start());
        starts.map(|(_, block)| block.steps)
    }

    /// The block with which a player begins: the last start block before the first block of calls.
    pub(super) fn first_start(&self) -> usize {
        let starts = self.blocks[1..].iter().take_while(|block| block.kind.is_start());
        starts.count()
    }

    /// Whether the recording begins with a new world, and not only with a save.
    pub fn begins_new(&self) -> bool {
        self.blocks[1].kind == BlockKind::NewWorld
    }

    /// Whether the bytes begin like recordings of this kind of world.
    pub fn is_one(file: &[u8]) -> bool {
        file.starts_with(&W::Call::MAGIC)
    }

    /// The number of the last step, by the calls of the last block that has some.
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

    /// The definition of the new world with which the recording begins, by the name of its type.
    ///
    /// # Errors
    ///
    /// If the recording begins with a save, or with data that this version does not know.
    pub fn new_world<T: Data>(&self, name: &str) -> Result<T, RecordingError> {
        let kind = self.schema.find(name).filter(|_| self.begins_new());
        let no_definition = || unknown(0)(Unfit::new(String::from("a world of no definition")));
        let kind = kind.ok_or_else(no_definition)?;
        let bytes = self.unpack(1)?;
        let value = self.read(&kind, &mut &bytes[..], 0)?;
        T::read(&value).map_err(unknown(0))
    }

    /// The save in a block, if it is of that kind.
    pub(super) fn save(&self, place: usize) -> Result<Option<Vec<u8>>, RecordingError> {
        let is_save = self.blocks[place].kind == BlockKind::Save;
        is_save.then(|| self.unpack(place)).transpose()
    }

    fn read(&self, kind: &Kind, from: &mut &[u8], step: u64) -> Result<Value, RecordingError> {
        let before = from.len();
        let value = self.schema.read_value(kind, from).map_err(unknown(step))?;
        // Values without bytes would never end.
        if before == from.len() {
            return Err(unknown(step)(Unfit::new(String::from("a value of no bytes"))));
        }
        Ok(value)
    }
}
