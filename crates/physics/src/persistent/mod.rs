//! Persistent arrays: the containers that all of a world's state is in, and how such arrays are declared, saved, restored,
//! hashed, and kept as images whose pages are shared.

mod array;
mod hash;
mod map;
mod marks;
mod pages;
mod save;
mod view;
mod watched;

pub(crate) use array::PlainArray;
pub(crate) use hash::hash_of_bytes;
pub(crate) use map::PlainMap;
pub(crate) use marks::Marks;
pub(crate) use pages::{Image, Overwrite};
pub use save::{ArrayReport, RestoreError};
pub(crate) use save::{Persistent, Source, hash, open, persistent_arrays, save};
pub(crate) use view::{ArrayView, view};
pub(crate) use watched::Watched;
