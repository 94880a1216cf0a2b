//! [`Recordable`]: the trait of worlds that can be recorded and played.

use super::file::{RecordingError, RecordingOf};
use crate::described::Unfit;
use crate::recording::RecordedCall;
use crate::rewind::Rewindable;
use alloc::string::String;
use tombolo_threads::Executor;

/// A world that can be recorded and played.
pub trait Recordable: Rewindable + Sized {
    /// The type of the calls that change it.
    type Call: RecordedCall;

    /// The world with which a recording begins, before its save is restored if it has one; `own` is a world of the
    /// caller.
    ///
    /// # Errors
    ///
    /// If the recording cannot be read, or only the caller can create such a world.
    fn begin(recording: &RecordingOf<Self>, own: Option<Self>) -> Result<Self, RecordingError>;

    /// The hash of the state that recordings contain.
    fn recorded_hash(&self) -> u64;

    /// Replaces this world by a saved one.
    ///
    /// # Errors
    ///
    /// If this version does not read the save.
    fn restore_recorded(&mut self, save: &[u8]) -> Result<(), String>;

    /// Makes a call of the role [`CallRole::Call`](crate::recording::CallRole::Call) or
    /// [`CallRole::Step`](crate::recording::CallRole::Step). A call that is refused now was also refused when it was
    /// recorded, unless the worlds differ.
    ///
    /// # Errors
    ///
    /// If it is a call that no world records.
    fn make(&mut self, call: Self::Call, executor: &dyn Executor) -> Result<(), Unfit>;
}
