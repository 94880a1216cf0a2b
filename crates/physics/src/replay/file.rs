//! [`RecordingOf`]: the file of a recording, and why bytes are none.

use crate::described::{Kind, Schema, Unfit};
use crate::recording::Scanned;
use crate::world::PhysicsWorld;
use alloc::boxed::Box;
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
    pub(super) file: Vec<u8>,
    pub(super) version: Box<str>,
    pub(super) schema: Schema,
    pub(super) call: Kind,
    pub(super) blocks: Vec<Scanned>,
    pub(super) is_whole: bool,
    pub(super) steps: u64,
    pub(super) world: PhantomData<fn() -> W>,
}

/// What could not be read, after how many steps.
pub fn unknown(step: u64) -> impl Fn(Unfit) -> RecordingError {
    move |Unfit(what)| RecordingError::Unknown { step, what }
}
