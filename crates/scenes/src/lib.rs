//! Benchmark worlds, written once for every engine.
//!
//! Contents: [`SCENES`], the ten worlds of Box2D's benchmark suite, its determinism test, twelve held-out worlds of
//! our own, and six of machines of joints, each as a builder that gives a [`SceneTarget`] this engine's own
//! definition structs. The bench, the tests, `tombolo run` and `tombolo verify` build the same worlds from here;
//! another engine needs one adapter that implements the trait.
//!
//! A scene is a pure function of its size and seed. Seed 0 is the exact scene; any other moves each body (or each
//! group of bodies that joints tie together) by up to 5 % of its size, so that a result can be shown not to depend on
//! one lucky arrangement. Scalars are computed in `f32` in the order in which the original computes them.
//!
//! Priorities, in this order: the same bodies and numbers as in the original; the same world for every engine; little
//! to read.
//!
//! Source of the facts: Box2D's `shared/benchmarks.c`, `shared/human.c` and `shared/determinism.c` (Erin Catto, MIT),
//! restated here as numbers.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

mod builder;
mod drums;
mod heaps;
mod held_out;
mod joints;
mod machines;
mod motion;
mod pusher;
mod pyramids;
mod ragdolls;
mod rain;
mod scene;
mod target;

pub use motion::Motion;
pub use pusher::Pusher;
pub use ragdolls::Rain;
pub use scene::{BuildError, SceneInfo, Suite};
pub use target::{STEP_S, SUBSTEPS, SceneTarget};

/// Every scene, in the order in which tables show them.
pub const SCENES: &[SceneInfo] = &[
    pyramids::LARGE_PYRAMID,
    pyramids::MANY_PYRAMIDS,
    drums::TUMBLER,
    joints::JOINT_GRID,
    heaps::COMPOUNDS,
    heaps::SMASH,
    heaps::JUNKYARD,
    drums::SPINNER,
    drums::WASHER,
    rain::RAIN,
    joints::FALLING_HINGES,
    held_out::BALL_PIT,
    held_out::MIXED_SIZES,
    held_out::MIXER,
    held_out::TERRAIN,
    held_out::PLATE,
    held_out::TOWERS,
    held_out::DOMINOES,
    held_out::BRIDGES,
    held_out::GAS,
    held_out::FREE_FALL,
    held_out::PEGS,
    held_out::ASLEEP,
    machines::CARS,
    machines::RAG_DOLLS,
    machines::ROPES,
    machines::WELDED_BRIDGES,
    machines::SLIDERS,
    machines::MOTORS,
];

/// The scenes of a suite.
///
/// ```
/// use tombolo_scenes::{self as scenes, Suite};
///
/// assert_eq!(scenes::of_suite(Suite::Published).count(), 10);
/// ```
pub fn of_suite(suite: Suite) -> impl Iterator<Item = &'static SceneInfo> {
    SCENES.iter().filter(move |scene| scene.suite == suite)
}

/// The scene with a name.
///
/// ```
/// let scene = tombolo_scenes::find("large_pyramid").unwrap();
/// assert_eq!((scene.size, scene.steps), (100, 500));
/// assert!(tombolo_scenes::find("no such scene").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static SceneInfo> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
