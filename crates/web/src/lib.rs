//! The engine as a WebAssembly module: plain exported functions over numbers. `packages/js/tombolo.js` makes classes of
//! them, and only it is meant to call them (feature `package`); those of `session.rs` are for the worker of a page that
//! simulates by itself, whose module has no others.
//!
//! Arguments that are not numbers, and results, go through buffers of this module that JavaScript sees as typed arrays
//! (`exchange.rs`). Worlds are identified by small numbers (`worlds.rs`). No function here takes a pointer, so whatever
//! JavaScript passes, memory stays sound; the only thing unsafe is that exported names are global.
//!
//! Priorities, in this order: sound memory, whatever JavaScript passes; the bits of the native library; a small module.
//!
//! A function returns -1 if the call was refused; the error buffer then has the reason.
//!
//! Why no generated bindings: `docs/decisions.md#plain-exports-for-javascript`.
#![deny(unsafe_code)]

#[cfg(feature = "package")]
mod bodies;
#[cfg(feature = "package")]
mod characters;
#[cfg(feature = "cuts")]
mod cuts;
#[cfg(feature = "package")]
mod events;
mod exchange;
#[cfg(feature = "package")]
mod joints;
#[cfg(feature = "package")]
mod queries;
#[cfg(feature = "package")]
mod rules;
#[cfg(feature = "scenes")]
mod scenes;
#[cfg(feature = "session")]
mod session;
#[cfg(feature = "package")]
mod shapes;
#[cfg(feature = "package")]
mod solids;
#[cfg(feature = "threads")]
mod threads;
#[cfg(feature = "package")]
mod tiles;
#[cfg(feature = "package")]
mod worlds;
