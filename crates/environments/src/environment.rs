//! [`Environment`]: the trait of one world with a task in it. The lander, the walker, the car and any scene implement it.

use crate::picture::Picture;
use crate::{EnvironmentError, Generator};

/// The action of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action<'a> {
    /// One of a few choices, by number.
    Discrete(i64),
    /// Some numbers; those out of range are clamped.
    Continuous(&'a [f32]),
}

/// The kind of an environment's actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// A number of choices, counted from 0.
    Discrete(i64),
    /// A number of continuous values.
    Continuous(usize),
}

/// The result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The step's reward.
    pub reward: f64,
    /// Whether the episode has ended by itself: further results are meaningless until the next reset.
    pub terminated: bool,
    /// Whether it ended because its task was done: the craft rests, the walker has arrived, the lap is complete.
    pub succeeded: bool,
}

/// One world with a task in it. A clone is a fork: both have the same future until their actions differ.
pub trait Environment: Clone + Send + Sync {
    /// The options of the environment.
    type Options: Clone + PartialEq + Send + Sync;
    /// The type of an observation's values.
    type Number: Copy + Default + Send + Sync;

    /// Creates an environment, which needs a [`reset`](Environment::reset) first.
    ///
    /// # Errors
    ///
    /// If an option is out of range.
    fn new(options: &Self::Options) -> Result<Self, EnvironmentError>;

    /// The options, which a restored save may have replaced.
    fn options(&self) -> &Self::Options;

    /// Replaces the options in the middle of an episode: what a step reads holds from the next step on, what a scene is made of
    /// from the next reset on.
    ///
    /// # Errors
    ///
    /// If one is out of range, or the kind of actions would be another; nothing is changed then.
    fn set_options(&mut self, options: &Self::Options) -> Result<(), EnvironmentError>;

    /// The generator of the random numbers, to continue with those of another one; `None` if they are not NumPy's.
    fn random_mut(&mut self) -> Option<&mut Generator> {
        None
    }

    /// The kind of actions.
    fn actions(&self) -> Space;

    /// The default limit of an episode's steps.
    fn steps_max(&self) -> u32;

    /// Begins an episode. With a seed it is that of the seed; without one the environment's random numbers continue.
    ///
    /// # Errors
    ///
    /// If the physics refuses the scene, which is a defect of this crate.
    fn reset(&mut self, seed: Option<u128>) -> Result<(), EnvironmentError>;

    /// Like [`reset`](Environment::reset), but an environment whose resets draw new colors keeps those that it has, and
    /// draws no random numbers for them. For others it is the same as `reset`.
    ///
    /// # Errors
    ///
    /// Those of [`reset`](Environment::reset).
    fn reset_with_same_look(&mut self, seed: Option<u128>) -> Result<(), EnvironmentError> {
        self.reset(seed)
    }

    /// Whether an episode was begun, or restored from a save: steps are refused before.
    fn has_begun(&self) -> bool;

    /// Advances the world by one step.
    ///
    /// # Errors
    ///
    /// For an invalid action, and before the first reset; the environment is then unchanged.
    fn step(&mut self, action: Action<'_>) -> Result<Outcome, EnvironmentError>;

    /// The observation after the last reset or step; always of the same length.
    fn observation(&self) -> &[Self::Number];

    /// The numbers of the ground that the seed drew: heights or corners; empty before the first reset.
    fn terrain(&self) -> Vec<f64>;

    /// The other numbers of the episode that callers read, whether or not options have them drawn: the lander's places
    /// of wind and turbulence in their patterns, the car's colors of road, field and grass; none for the walker.
    fn episode_numbers(&self) -> Vec<f64> {
        Vec::new()
    }

    /// A picture for display.
    fn picture(&self) -> Picture;

    /// All state that the next steps depend on, options included.
    fn save(&self) -> Vec<u8>;

    /// Replaces this environment by a saved one.
    ///
    /// # Errors
    ///
    /// If the bytes are not a save of this kind of environment and version, or damaged; the environment is then
    /// unchanged.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), EnvironmentError>;
}

/// Options as an environment made with them has them.
///
/// # Errors
///
/// If one is out of range, or the kind of actions would be another than that of `of`.
pub(crate) fn accepted_options<E: Environment>(
    of: &E,
    options: &E::Options,
) -> Result<E::Options, EnvironmentError> {
    let other = E::new(options)?;
    if other.actions() != of.actions() {
        return Err(EnvironmentError::OtherOptions);
    }
    Ok(other.options().clone())
}
