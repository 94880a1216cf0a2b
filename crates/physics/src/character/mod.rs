//! Characters: figures that walk, moved by queries and planes and not by forces. For users: `docs/characters.md`.
//!
//! A [`Character`] is a value that the caller owns: position, velocity, and support. It is not a body, and a world does
//! not store it; [`PhysicsWorld::move_character`](crate::PhysicsWorld::move_character) moves it after a step of the
//! world, among bodies at their poses after that step. A move has this order:
//!
//! 1. Its support has moved and turned: the point of the shape's core that is nearest to the ground moves along
//!    exactly.
//! 2. Its velocity changes by the caller's input, by gravity, by a jump.
//! 3. It moves by its velocity, sliding along obstacles (`slide.rs`), up steps, and down to the ground again
//!    (`ground.rs`).
//! 4. It pushes dynamic bodies with limited force, presses on its support with what that holds of its weight, and takes the momentum of
//!    bodies that hit it (`push.rs`).
//!
//! `def.rs` has the properties of a character, `state.rs` its state and touches. `plane.rs` is the solver of planes,
//! `gather.rs` finds planes in a world, `dropping.rs` the one-way platforms that are let go of, `advance.rs` is the move.
//!
//! Methods: planes after Box2D's mover (Catto, 2025), solved exactly instead of by sweeps; riding by the change of pose after
//! Jolt's virtual character and Godot's first move for platforms.

mod advance;
mod def;
mod dropping;
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
