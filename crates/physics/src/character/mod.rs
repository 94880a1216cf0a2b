//! Characters: figures that walk, moved by geometry and not by forces. For users: `docs/characters.md`.
//!
//! A [`Character`] is a value of the caller's: where it is, how fast, and what it stands on. It is no body, and a world
//! does not know of it; [`PhysicsWorld::move_character`](crate::PhysicsWorld::move_character) moves it after a step of the
//! world, among bodies as that step left them. A move has this order:
//!
//! 1. What it stands on has moved and turned: the place of the shape's core that is nearest to the ground goes along exactly.
//! 2. Its velocity changes by what the caller wants, by gravity, by a jump.
//! 3. It goes along its velocity, sliding along what is in the way (`slide.rs`), up steps, and down to the ground again
//!    (`ground.rs`).
//! 4. It pushes dynamic bodies with limited force, presses on what carries it by its weight, and takes the momentum of what
//!    hits it (`push.rs`).
//!
//! `def.rs` says what a character is, `state.rs` where it is and what it touches. `plane.rs` is the solver of planes, `gather.rs` finds planes in a world, `advance.rs` is the move.
//!
//! Methods: planes after Box2D's mover (Catto, 2025), solved exactly instead of by sweeps; riding by the change of pose after
//! Jolt's virtual character and Godot's first move for platforms.

mod advance;
mod def;
mod gather;
mod ground;
mod plane;
mod push;
mod scratch;
mod slide;
mod state;

pub use def::{CHARACTER_GAP_M, CharacterDef, CharacterInput};
pub use plane::{MovePlane, solve_planes};
pub use scratch::CharacterScratch;
pub use state::{CHARACTER_CRUSH_M, Character, CharacterTouch, Support};
