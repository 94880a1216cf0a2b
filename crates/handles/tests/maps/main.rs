//! Handle maps: the cases that they have to get right, what is saved of them, and random operations against plain maps.

mod common;
mod conformance;
mod defects;
mod meta;
mod model;
mod saved;
#[path = "../support/scale.rs"]
mod scale;
