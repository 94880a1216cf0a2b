//! [`RecordedCall`]: the trait of a kind of calls that a [`Log`](super::Log) can write and a player can read.

use crate::described::{Bytes, Data, Schema};

/// The role of a call in a recording: the roles besides [`CallRole::Call`] are handled by the code that writes and
/// plays recordings, for every kind of world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CallRole<'a> {
    /// A call that the world makes.
    Call,
    /// A step.
    Step,
    /// The hash of the state, for comparison.
    StateHash(u64),
    /// A save that replaces the world.
    Restore(&'a Bytes),
    /// A frame that is taken under a number.
    Frame(u64),
    /// A return to the frame with a number.
    RestoreFrame(u64),
}

/// All calls that change a world of some kind.
pub trait RecordedCall: Data + Clone + core::fmt::Debug {
    /// The first bytes of its recordings, and the version of the block format; the contents of blocks describe
    /// themselves.
    const MAGIC: [u8; 12];

    /// The name of the type in recordings.
    const NAME: &'static str;

    /// The number of most recent frames that a player keeps. A return to an older one is recorded as a save.
    const FRAMES_KEPT: u64;

    /// Adds the kinds of all values of recordings to the schema.
    fn describe(schema: &mut Schema);

    /// The role of the call.
    fn role(&self) -> CallRole<'_>;

    /// The call of [`CallRole::StateHash`].
    fn state_hash(hash: u64) -> Self;

    /// The call of [`CallRole::Restore`].
    fn restore(save: Bytes) -> Self;

    /// The call of [`CallRole::Frame`].
    fn frame(number: u64) -> Self;

    /// The call of [`CallRole::RestoreFrame`].
    fn restore_frame(number: u64) -> Self;
}
