//! [`Recordable`]: what a world does that can be recorded and played.

use super::file::{RecordingError, RecordingOf};
use crate::described::Unfit;
use crate::recording::RecordedCall;
use crate::rewind::Rewindable;
use alloc::string::String;
use tombolo_threads::Executor;

/// A world that can be recorded and played.
pub trait Recordable: Rewindable + Sized {
    /// The calls that change it.
    type Call: RecordedCall;

    /// The world that a recording begins with, before the save in it if there is one; `own` is one that the caller has made.
    ///
    /// # Errors
    ///
    /// If the recording cannot be read, or nobody but the caller can make such a world.
    fn begin(recording: &RecordingOf<Self>, own: Option<Self>) -> Result<Self, RecordingError>;

    /// The hash that recordings have.
    fn recorded_hash(&self) -> u64;

    /// Becomes a saved world.
    ///
    /// # Errors
    ///
    /// If this version does not read the save.
    fn restore_recorded(&mut self, save: &[u8]) -> Result<(), String>;

    /// Makes a call, of [`CallRole::Call`](crate::recording::CallRole::Call) or [`CallRole::Step`](crate::recording::CallRole::Step). One that is refused was refused when it was recorded, or the worlds
    /// differ.
    ///
    /// # Errors
    ///
    /// If it is one that no world recorded.
    fn make(&mut self, call: Self::Call, executor: &dyn Executor) -> Result<(), Unfit>;
}
