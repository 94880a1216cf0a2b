//! A live session over a world of Tombolo: messages in, frames out.
//!
//! The requests of a page ([`Request`]) and the messages to it ([`Message`]) are in `protocol.rs`. From the bottom up:
//! `action.rs` has the actions of users, `edit.rs` what they change in the scene's file, `write_back.rs` puts edits into its
//! text ([`scene_text`], kept with indices in `scene_draft.rs`) by the changes of `placement_text.rs` and `form_text.rs`, `log.rs` is
//! the list of actions, `history.rs` the kept past, and [`Session`] the world with its past. [`Playback`] plays a session at a speed and carries
//! out the requests of pages; [`Page`] keeps what was sent to one page, and writes frames for it (`frames/`, of which
//! [`Recorder`] makes the recording of a whole run, which is shown by [`pages`], where the pages' own programs are, too). `inspector.rs` has the views of entities, `graph_runs.rs` what node
//! graphs did, `field_marks.rs` and `joint_marks.rs` the drawings of fields and joints. [`Solo`] is a page that has a session for itself.
//!
//! Priorities, in this order: a log of actions, played again, gives the same world; what is wrong in a request is
//! answered and changes nothing; frames are small.
//!
//! This crate has no sockets, files, threads or clocks: they are the program's around it, and a module in a page has
//! none.
#![deny(unsafe_code)]
#![deny(missing_docs)]

mod action;
mod edit;
mod failure;
mod field_marks;
mod form_text;
mod frames;
mod graph_runs;
mod history;
mod inspector;
mod joint_marks;
mod log;
mod origin;
mod page;
pub mod pages;
mod placement_text;
mod playback;
mod protocol;
mod scene_draft;
pub mod scene_text;
mod session;
mod solo;
mod write_back;

pub use failure::Failure;
pub use field_marks::FieldMarks;
pub use frames::{Recorder, Recording};
pub use log::Log;
pub use origin::Origin;
pub use page::Page;
pub use playback::{After, Playback, Shown};
pub use protocol::{HostRequest, Message, Outbox, Request};
pub use session::Session;
pub use solo::Solo;
pub use write_back::WrittenBack;
