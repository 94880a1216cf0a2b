//! The end of a recording, and what there is of it so far. `start_recording.rs` begins one.

use super::{PhysicsWorld, hash_of, save_of};
use crate::described::Bytes;
use crate::recording::Call;
use alloc::vec::Vec;

impl PhysicsWorld {
    /// Whether calls are recorded.
    pub fn is_recording(&self) -> bool {
        self.log.is_on()
    }

    /// What was recorded since this was last called: appended to what came before it is a whole recording as far as it goes, which is
    /// what a crash after that leaves. Empty while nothing is recorded.
    #[must_use]
    pub fn take_recording(&mut self) -> Vec<u8> {
        self.log.take()
    }

    /// Ends the recording and gives the rest of it.
    #[must_use]
    pub fn end_recording(&mut self) -> Vec<u8> {
        let state = &self.state;
        self.log.end(|| hash_of(state))
    }

    /// Goes on with the recording of `from`, which ends there, as if this world had been restored from a save: for one that takes the
    /// place of another. Does nothing while `from` is not recorded.
    pub fn take_over_recording(&mut self, from: &mut Self) {
        self.log = core::mem::take(&mut from.log);
        let state = &self.state;
        self.log.report(|| Call::Restore {
            save: Bytes(save_of(state)),
        });
    }

    /// The calls that were kept, in order; none are kept from now on. `None` if none were, or this world is another one.
    #[doc(hidden)]
    pub fn take_kept_calls(&mut self) -> Option<Vec<Call>> {
        self.log.take_kept()
    }
}
