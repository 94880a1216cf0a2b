//! Recordings, read and played: [`Recording`] is the file, [`Player`] a world that makes the recorded calls again.

mod difference;
#[cfg(test)]
mod forged;
mod player;
mod read;

pub use difference::{Difference, PropertyDifference};
pub use player::Player;
pub use read::{Recording, RecordingError};
