//! Persistent arrays: the containers of a world's whole state, and the code that declares, saves, restores and hashes
//! them and keeps them as images with shared pages. Every module of the state uses it; none writes to the arrays in
//! another way.

mod array;
mod conversion;
mod description;
mod hash;
mod map;
mod marks;
mod migration;
mod page_hash;
mod pages;
mod restore_error;
mod save;
mod source;
mod view;

pub(crate) use array::PlainArray;
pub(crate) use hash::hash_of_bytes;
pub(crate) use map::PlainMap;
pub(crate) use marks::Marks;
#[cfg(test)]
pub(crate) use marks::PAGE_BYTES;
pub(crate) use migration::Migrations;
#[cfg(test)]
pub(crate) use migration::{AddedArray, AddedField, Removed, RenamedField, VERSION};
pub(crate) use pages::{Image, Overwrite, hash};
pub use restore_error::RestoreError;
pub use save::ArrayReport;
pub(crate) use save::{Persistent, open, persistent_arrays, save};
pub(crate) use source::Source;
pub(crate) use view::{ArrayView, view};
