//! Deterministic multicore 2D rigid-body physics.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

pub mod broad_phase;
pub mod island;
