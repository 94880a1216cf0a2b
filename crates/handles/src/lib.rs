//! Generation-checked handles, dense maps that can be sorted under them, bit sets, and owning pointers with erased
//! deleters. `no_std` with `alloc`; no threads, no clock, no hash of addresses: the same calls give the same state
//! everywhere.
//!
//! Priorities, in order: a handle never reaches a value that is not its own; the same calls give the same state on
//! every machine; iteration over values is iteration over a slice; look-up, insertion and removal cost as little as
//! they can; memory.
//!
//! What a stale handle gets: `None` from [`HandleMap::get`], and from [`HandleMap::try_get`] an error that names both
//! generations, [`HandleError::Stale`].
//!
//! | container | what for | a value costs, beside itself | look-up |
//! | --- | --- | --- | --- |
//! | [`HandleMap`] | values that are inserted, removed and iterated | 12 bytes | two reads |
//! | [`SecondaryMap`] | more data about another map's values | 8 bytes a slot | one read |
//! | [`MapTable`] | maps of many types behind one kind of handle | as the map | three reads |
//! | [`BitSet`] | marks by index | one bit | one read |
//! | [`Owned`], [`OwnedBy`], [`Pool`] | objects that stay where they are | 16, 8, and 16 bytes a block | one read |
//! | [`OwnedWith`] | the same, with a deleter that has state | 8 bytes and the state | one read |
//! | [`SharedOwned`], [`WeakOwned`] | objects with several owners | 16 bytes an owner, 24 an object | one read |
//!
//! The handle map descends from the `handle_map` of github.com/y2kiah/griffin-containers ("Game Engine Containers"),
//! without its defects; the owners from an article on type-erased deleters for `std::unique_ptr`.
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
mod serialize;
mod shim;

pub use any::{AnyHandle, MapTable, TableError};
pub use bit_set::{BitSet, Members, OccupiedWords};
pub use error::{CorruptError, GroupError, HandleError, MapFull};
pub use handle::{Handle, TypeTag};
pub use handle_map::{
    Drain, Groups, HandleMap, Header, IntoIter, Iter, IterMut, OrderId, RawParts, Slot, SlotGeneration,
    SortBudget, SortProgress, Sorter,
};
pub use layout::{DefaultLayout, Layout, LongLivedLayout, WhenExhausted};
pub use owned::{
    AnyDeleter, DeleteWith, Deleter, Foreign, FreeFunction, GlobalHeap, In, Owned, OwnedBy, OwnedWith, Pool,
    RawOwned, ReturnToPool, SharedOwned, WeakOwned,
};
pub use secondary_map::SecondaryMap;

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
