//! Environments for reinforcement learning over Tombolo's physics: the scenes, seeds, observations and rewards of
//! Gymnasium's, one world at a time or thousands in one call.
//!
//! Priorities, in this order: a world's result depends on its seed and actions alone, never on its neighbors or on
//! threads; the terrain of a seed is Gymnasium's own; behavior like the original's, which is tested against scores
//! recorded from it; speed; small code.
//!
//! Motion cannot be the original's bit for bit, since that is another engine.
//!
//! ```
//! use tombolo_environments::{Actions, Autoreset, Batch, LunarLander};
//! use tombolo_threads::Inline;
//!
//! let mut landers = Batch::<LunarLander>::new(64, &Default::default(), Autoreset::NextStep, Some(1000))?;
//! landers.reset(&(0..64).collect::<Vec<_>>())?;
//! let fire = vec![2; 64];
//! landers.step(Actions::Discrete(&fire), &Inline)?;
//! assert_eq!(landers.observations().len(), 64 * 8);
//! # Ok::<(), tombolo_environments::EnvironmentError>(())
//! ```
//!
//! Where to read on: `environment.rs` defines an environment; `lander/mod.rs` is the simplest of them,
//! `walker/mod.rs` and `car/mod.rs` are others; `parts.rs` and `picture.rs` have their common parts; `scene/mod.rs` makes
//! an environment of any scene, `world_picture.rs` draws any world; `batch.rs` steps many at once; `seeding.rs` makes
//! NumPy's numbers from a seed.
#![forbid(unsafe_code)]

mod batch;
mod bytes;
mod car;
mod environment;
mod error;
mod lander;
mod parts;
mod picture;
mod rest;
mod scene;
mod seeding;
mod walker;
mod world_picture;

pub use batch::{Actions, Autoreset, Batch, Reset};
pub use car::{CarOptions, CarRacing};
pub use environment::{Action, Environment, Outcome, Space};
pub use error::EnvironmentError;
pub use lander::{LanderOptions, LunarLander};
pub use picture::Picture;
pub use scene::{SceneAct, SceneEnvironment, SceneStarts, SceneTask};
pub use seeding::Generator;
pub use walker::{BipedalWalker, WalkerOptions};
pub use world_picture::{PICTURE_SIZE_MAX, PictureView, draw_world};

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
