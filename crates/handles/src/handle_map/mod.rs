//! `HandleMap`: values side by side in one array, each named by a handle that stays valid wherever its value moves.
//!
//! Four arrays, after griffin's `handle_map`: `slots` (sparse, by handle index: the place of the value, or the next
//! free slot), `values` (dense), `metas` (dense, parallel to values: user data about each), `owners` (dense, parallel
//! to values: the slot that a value belongs to).
//!
//! Invariants:
//! - `values.len() == metas.len() == owners.len()`; `slots.len() <= NO_INDEX` of the layout.
//! - Slot `owners[d]` is live and its index is `d`, for every dense index `d`; no other slot is live.
//! - The free slots that are not retired form one list from `free_head` to `free_tail`, `free_count` long.
//! - The first `ordered_len` values are in the order that `order` names, as far as the map can see.
//!
//! Only the files of this folder touch the arrays.

mod array;
mod header;
mod insert;
mod iterate;
mod look_up;
mod many;
mod map;
mod meta;
mod raw_parts;
mod remove;
mod slot;
mod sort;
mod sorter;

pub use header::Header;
pub use iterate::{IntoIter, Iter, IterMut};
pub use map::HandleMap;
pub use raw_parts::RawParts;
pub use remove::Drain;
pub use slot::{Slot, SlotGeneration};
pub use sort::{Groups, OrderId};
pub use sorter::{SortBudget, SortProgress, Sorter};
