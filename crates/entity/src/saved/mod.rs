//! The description of the managers in a save, by which another build reads it: of each its name, its version, and the
//! names and kinds of the properties that it holds.
//!
//! `managers.rs` has the managers, `kind.rs` the kinds of properties. `property/form.rs` matches properties with the
//! present ones. `docs/saves.md` says what is promised, and what a build does whose properties change.

mod kind;
mod managers;

pub(crate) use kind::{SavedKind, write_kind};
pub(crate) use managers::VERSION;
pub use managers::{SavedManager, SavedManagers};
