//! Persistent arrays: the container that all of a world's state is in, and how such arrays are declared, saved, restored
//! and hashed.

mod array;
mod save;

pub(crate) use array::PlainArray;
pub use save::{ArrayReport, RestoreError};
pub(crate) use save::{ArrayView, Persistent, Source, hash, open, persistent_arrays, save, view};
