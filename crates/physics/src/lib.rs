//! Deterministic multicore 2D rigid-body physics.
#![deny(unsafe_code)]

pub mod broad_phase;
