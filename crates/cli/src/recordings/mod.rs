//! Recordings of worlds and of physics, as files: `record.rs` writes one while a world runs, `play.rs` plays one,
//! `diff.rs` finds the first difference of two, `shrink.rs` makes one shorter; `file.rs` reads them.

mod diff;
mod file;
mod play;
mod record;
mod shrink;

pub(crate) use diff::diff;
pub(crate) use play::{PlayingTime, page_of, play};
pub(crate) use record::record;
pub(crate) use shrink::shrink;
