//! Kerf, a puzzle game made with Tombolo: cut ropes and wood, start machines, and bring Pip to the nest. This library
//! is the whole game without a window; `main.rs` and `front/` draw it and give it input.
//!
//! From the bottom up: [`levels`] (the scene files), [`play`] (one level being played: input of a step in, world out),
//! [`bot`] (a player that wins every level), [`progress`] (the levels that were won, as text), [`replaced`] (files that are written whole), [`menu`] (buttons),
//! [`input`] (keys, pointer and gamepads as input), [`options`] (the command line) and [`game`] (title, selection, levels,
//! pause: the screens of a window).
//!
//! A level is deterministic: the same input for each step gives the same world, to the bit, with any number of workers.

pub mod bot;
pub mod game;
pub mod input;
pub mod levels;
pub mod menu;
pub mod options;
pub mod play;
pub mod progress;
pub mod replaced;
