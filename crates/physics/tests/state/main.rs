//! The state of a world: copies, saves, frames and recordings of it, and random calls that must leave copies alike.

mod fuzz_composites;
mod fuzz_joints;
mod fuzz_world;
mod recording;
mod rewind;
mod rewind_cases;
mod state;

#[path = "../world_support/mod.rs"]
mod world_support;
