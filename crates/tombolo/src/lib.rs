//! Tombolo: a deterministic, multicore world engine for 2D games.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

pub mod scenes;

pub use tombolo_physics as physics;
