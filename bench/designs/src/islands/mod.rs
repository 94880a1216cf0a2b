//! Comparison of island algorithms on the same events: [`IslandRecorder`] writes a [`Trace`] of a world, and [`Replay`]
//! applies it to islands.

mod recorder;
mod replay;
mod trace;

pub use recorder::IslandRecorder;
pub use replay::{Replay, SplitChoice};
pub use trace::{Trace, TraceEvent};
