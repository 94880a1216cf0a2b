//! Kerf, a puzzle game made with Tombolo: cut ropes and wood, start machines, and bring Pip to the nest. Here is the whole
//! game without a window; `main.rs` and `front/` draw it and feed it with input.
//!
//! From the ground up: [`levels`] (the scene files), [`play`] (one level being played: input of a step in, world out),
//! [`bot`] (somebody who plays every level to its end), [`progress`] (what was won, as text), [`menu`] (buttons) and
//! [`game`] (title, selection, levels, pause: what a window shows).
//!
//! A level is deterministic: the same input for each step gives the same world, to the bit, with any number of workers.

pub mod bot;
pub mod game;
pub mod levels;
pub mod menu;
pub mod play;
pub mod progress;
