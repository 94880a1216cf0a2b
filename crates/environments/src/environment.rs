//! [`Environment`]: one world with a task in it.

use crate::EnvironmentError;
use crate::picture::Picture;

/// What is done in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action<'a> {
    /// One of a few choices, by number.
    Discrete(i64),
    /// Some numbers; what is beyond their range counts as its end.
    Continuous(&'a [f32]),
}

/// Which actions there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// So many choices, from 0.
    Discrete(i64),
    /// So many numbers.
    Continuous(usize),
}

/// What a step came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The step's reward.
    pub reward: f64,
    /// Whether the episode has ended by itself: what follows means nothing until the next reset.
    pub terminated: bool,
}

/// One world with a task in it. A clone is a fork: both have the same future until their actions differ.
pub trait Environment: Clone + Send + Sync {
    /// What the environment is made with.
    type Options: Clone + Default + Send + Sync;
    /// A number of an observation.
    type Number: Copy + Default + Send + Sync;

    /// An environment that waits for its first [`reset`](Environment::reset).
    ///
    /// # Errors
    ///
    /// If an option is out of range.
    fn new(options: &Self::Options) -> Result<Self, EnvironmentError>;

    /// Which actions there are.
    fn actions(&self) -> Space;

    /// How many steps an episode has at most where nobody says otherwise.
    fn steps_max(&self) -> u32;

    /// Begins an episode. With a seed it is that seed's; without one the environment's random numbers go on.
    ///
    /// # Errors
    ///
    /// If the physics refuses the scene, which is a defect of this crate.
    fn reset(&mut self, seed: Option<u128>) -> Result<(), EnvironmentError>;

    /// Advances the world by one step.
    ///
    /// # Errors
    ///
    /// For an action that there is not, and before the first reset; the environment is then as it was.
    fn step(&mut self, action: Action<'_>) -> Result<Outcome, EnvironmentError>;

    /// What is seen since the last reset or step; always of the same length.
    fn observation(&self) -> &[Self::Number];

    /// Numbers that the seed drew the ground from: heights or corners; empty before the first reset.
    fn terrain(&self) -> Vec<f64>;

    /// What a person would look at.
    fn picture(&self) -> Picture;

    /// All that the next steps depend on, options included.
    fn save(&self) -> Vec<u8>;

    /// Replaces this environment by a saved one.
    ///
    /// # Errors
    ///
    /// If the bytes are not a save of this kind of environment and version, or damaged; the environment is then as it was.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), EnvironmentError>;
}
