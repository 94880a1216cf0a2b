//! Reading and playing recordings: [`RecordingOf`] is the file, [`PlayerOf`] a world that makes the recorded calls
//! again.

mod difference;
mod file;
#[cfg(test)]
mod forged;
mod physics;
mod player;
mod read;
mod recordable;

pub use difference::{Difference, PropertyDifference};
pub use file::{Recording, RecordingError, RecordingOf};
pub use player::{Player, PlayerOf};
pub use recordable::Recordable;
