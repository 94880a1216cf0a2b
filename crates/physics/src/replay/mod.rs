//! Recordings, read and played: [`RecordingOf`] is the file, [`PlayerOf`] a world that makes the recorded calls again.

mod difference;
#[cfg(test)]
mod forged;
mod physics;
mod player;
mod read;

pub use difference::{Difference, PropertyDifference};
pub use player::{Player, PlayerOf, Recordable};
pub use read::{Recording, RecordingError, RecordingOf, unknown};
