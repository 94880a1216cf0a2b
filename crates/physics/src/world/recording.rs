//! Calls about a recording in progress: its bytes so far and its end. `start_recording.rs` starts one.

use super::{PhysicsWorld, hash_of, save_of};
use crate::described::Bytes;
use crate::recording::Call;
use alloc::vec::Vec;

impl PhysicsWorld {
    /// Whether calls are recorded.
    pub fn is_recording(&self) -> bool {
        self.log.is_on()
    }

    /// The bytes recorded since the last call: appended to the bytes of earlier calls they are a valid recording of
    /// everything so far, which is what remains after a crash. Empty while nothing is recorded.
    #[must_use]
    pub fn take_recording(&mut self) -> Vec<u8> {
        self.log.take()
    }

    /// Ends the recording and returns the rest of it.
    #[must_use]
    pub fn end_recording(&mut self) -> Vec<u8> {
        self.mark_broken_step();
        let (state, image) = (&self.state, self.image.as_ref());
        self.log.end(|| hash_of(state, image))
    }

    /// Continues the recording of `from`, which ends there, as if this world had been restored from a save: for a world
    /// that replaces another. Does nothing while `from` is not recorded.
    pub fn take_over_recording(&mut self, from: &mut Self) {
        self.log = core::mem::take(&mut from.log);
        let state = &self.state;
        self.log.report(|| Call::Restore {
            save: Bytes(save_of(state)),
        });
    }

    /// Takes the calls that were kept, in order, and stops keeping them. `None` if none were kept, or this world was
    /// replaced by another.
    #[doc(hidden)]
    pub fn take_kept_calls(&mut self) -> Option<Vec<Call>> {
        self.log.take_kept()
    }
}
