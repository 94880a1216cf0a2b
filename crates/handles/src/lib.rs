//! Handles that are safe, dense storage that keeps them valid, and bit sets.
//!
//! Priorities, in order: a handle never reaches a value that is not its own; the same calls give the same state on
//! every machine; walking values is walking a slice; look-up, insertion and removal cost as little as they can.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod any;
mod bit_set;
mod error;
mod handle;
mod handle_map;
mod layout;
mod owned;
mod secondary_map;
#[cfg(feature = "serde")]
mod serialise;

pub use any::{AnyHandle, MapTable, TableError};
pub use bit_set::{BitSet, Members};
pub use error::{CorruptError, GroupError, HandleError, MapFull};
pub use handle::{Handle, TypeTag};
pub use handle_map::{
    Drain, Groups, HandleMap, Header, IntoIter, Iter, IterMut, OrderId, RawParts, Slot, SortBudget,
    SortProgress, Sorter,
};
pub use layout::{DefaultLayout, Layout, LongLivedLayout, WhenExhausted};
pub use owned::{Deleter, Foreign, FreeFunction, GlobalHeap, Owned, OwnedBy, Pool, RawOwned, ReturnToPool};
pub use secondary_map::SecondaryMap;
