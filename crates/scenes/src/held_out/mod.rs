//! Held-out scenes: worlds that are timed like the published ones, and that the engine was not tuned to.
//!
//! A lead in ten well-known worlds may depend on those ten. These twelve have what they lack: circles and capsules in
//! heaps, sizes that differ by a factor of thirty, one body that carries thousands, rough ground, loaded chains of
//! revolute joints, crowds of fixed or sleeping bodies around a few that move, many bodies that fly and hardly meet.
//! They were written after the engine was fast, and no change to the engine may be made for their sake.

mod crowds;
mod parts;
mod piles;
mod structures;

pub(crate) use crowds::{ASLEEP, FREE_FALL, GAS, PEGS};
pub(crate) use piles::{BALL_PIT, MIXED_SIZES, MIXER, TERRAIN};
pub(crate) use structures::{BRIDGES, DOMINOES, PLATE, TOWERS};
