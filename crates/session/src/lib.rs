//! A live session over a world of Tombolo: messages in, frames out.
//!
//! What a page asks for ([`Request`]) and what it is told ([`Message`]) is in `protocol.rs`. From the ground up: `action.rs` is
//! what hands do, `write_back.rs` puts what was edited into the scene's text ([`scene_text`]), `log.rs` is the list of actions,
//! and [`Session`] the world with its past. [`Playback`] plays a session at a speed and does what pages ask for; [`Page`] knows
//! what a page was told, and writes frames for it (`frames/`, of which [`Recorder`] makes the recording of a whole run).
//! `inspector.rs` is what a page shows of entities, `field_marks.rs` and `joint_marks.rs` what fields and joints look like.
//! [`Solo`] is a page that has a session for itself.
//!
//! There are no sockets, files, threads and clocks in here: the program around it has them, or as a module in a page has none.
#![deny(unsafe_code)]
#![deny(missing_docs)]

mod action;
mod failure;
mod field_marks;
mod frames;
mod inspector;
mod joint_marks;
mod log;
mod origin;
mod page;
mod playback;
mod protocol;
pub mod scene_text;
mod session;
mod solo;
mod write_back;

pub use failure::Failure;
pub use field_marks::FieldMarks;
pub use frames::{ComponentText, Recorder, Recording};
pub use log::Log;
pub use origin::Origin;
pub use page::Page;
pub use playback::{After, Playback, Shown};
pub use protocol::{Errand, Message, Outbox, Request};
pub use session::Session;
pub use solo::Solo;
pub use write_back::WrittenBack;
