//! Designs that the engine's own are compared with, and the events that they are compared on. Bench, fuzzing and tests use
//! it; it is not published.
//!
//! | module | contents |
//! | --- | --- |
//! | `entity_index/` | the designs of an entity index that the engine's descends from |
//! | `islands/` | traces of what happens to the islands of a world, recorded from one, and their replay under any algorithm |
#![forbid(unsafe_code)]

pub mod entity_index;
pub mod islands;

/// The examples of the document about going back in time, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rewind.md")]
struct Rewind;

/// The examples of the document about queries, likewise.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/queries.md")]
struct Queries;
