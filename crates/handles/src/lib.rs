//! Handles that are safe, dense storage that keeps them valid, and bit sets.
//!
//! Priorities, in order: a handle never reaches a value that is not its own; the same calls give the same state on
//! every machine; walking values is walking a slice; look-up, insertion and removal cost as little as they can.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod bit_set;
mod error;
mod handle;
mod handle_map;
mod layout;

pub use bit_set::{BitSet, Members};
pub use error::{CorruptError, HandleError, MapFull};
pub use handle::{Handle, TypeTag};
pub use handle_map::{HandleMap, Header, Iter, IterMut, RawParts, Slot};
pub use layout::{DefaultLayout, Layout, LongLivedLayout, WhenExhausted};
