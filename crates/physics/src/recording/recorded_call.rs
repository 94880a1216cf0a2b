//! [`RecordedCall`]: what a kind of calls must be for a [`Log`](super::Log) to write it and a player to read it.

use crate::described::{Bytes, Data, Schema};

/// Which of a recording's own calls a call is: what writes and plays recordings knows these of every kind of world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CallRole<'a> {
    /// None of them: the world makes it.
    Call,
    /// A step.
    Step,
    /// The hash of the state, to be compared.
    StateHash(u64),
    /// A save that the world becomes.
    Restore(&'a Bytes),
    /// A frame is taken under a number.
    Frame(u64),
    /// The frame of a number is gone back to.
    RestoreFrame(u64),
}

/// All calls that change a world of some kind.
pub trait RecordedCall: Data + Clone + core::fmt::Debug {
    /// First bytes of its recordings, and the version of what follows: of the blocks, not of what is in them, which says of
    /// itself what it is.
    const MAGIC: [u8; 12];

    /// The name of the type in recordings.
    const NAME: &'static str;

    /// How many of the last frames a player keeps. Going back to an older one is recorded as a save.
    const FRAMES_KEPT: u64;

    /// Describes all that recordings hold.
    fn describe(schema: &mut Schema);

    /// Which of a recording's own calls it is.
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
