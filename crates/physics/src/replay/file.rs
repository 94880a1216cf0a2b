//! [`RecordingOf`]: the file of a recording; [`RecordingError`]: the reason why it cannot be read or played.

use crate::described::{Kind, Schema, Unfit};
use crate::recording::Scanned;
use crate::world::PhysicsWorld;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

/// The reason why bytes are not a recording, or cannot be played.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordingError {
    /// The bytes do not begin like a recording of this format.
    NotARecording,
    /// The bytes end before the world with which the recording begins.
    NoStart,
    /// Recorded data cannot be read: this version does not know it, or the bytes are forged.
    Unknown {
        /// The number of recorded steps before it, or before its block.
        step: u64,
        /// A description of the data.
        what: String,
    },
    /// A save in the recording that this version does not read.
    Save {
        /// The number of recorded steps before it.
        step: u64,
        /// The reason.
        why: String,
    },
    /// The requested step is after the last one.
    NoStep {
        /// The requested step.
        step: u64,
        /// The number of recorded steps.
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

/// A recording of a [`PhysicsWorld`](crate::PhysicsWorld) for playing.
pub type Recording = RecordingOf<PhysicsWorld>;

/// A recording of a world with calls of some kind, for playing. Its steps are counted from its beginning, whatever
/// steps the world had made before, and a return to a frame does not reduce the count.
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

/// The error for data that could not be read after a number of steps.
pub(super) fn unknown(step: u64) -> impl Fn(Unfit) -> RecordingError {
    move |Unfit(what)| RecordingError::Unknown { step, what }
}
