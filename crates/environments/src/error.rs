//! [`EnvironmentError`]: the reasons why calls of environments and batches are refused.

use core::fmt;
use tombolo_physics::{PhysicsError, RestoreError, ShapeError};

/// The reason why a call was refused. The environment is then unchanged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// An option is out of range.
    Option {
        /// The name of the option.
        what: &'static str,
        /// The value that was given.
        got: f64,
        /// The values that are valid.
        expected: &'static str,
    },
    /// An action that the environment does not have.
    Action {
        /// The actions that are valid.
        expected: &'static str,
    },
    /// The length of an array is not the one that the call needs.
    Length {
        /// The name of the array.
        what: &'static str,
        /// The number of items that were given.
        got: usize,
        /// The number of items that the call needs.
        expected: usize,
    },
    /// A world of the batch that does not exist.
    NoWorld {
        /// The index that was given.
        got: usize,
        /// The number of worlds.
        count: usize,
    },
    /// A world of the batch that needs a reset before its first step.
    NotReset {
        /// The index of the world.
        world: usize,
    },
    /// The physics refused a call.
    Physics(PhysicsError),
    /// The physics refused a save.
    Restore(RestoreError),
    /// The bytes are not a save of this environment and version, or damaged.
    Damaged,
    /// A save of a world with other options than the batch's.
    OtherOptions,
    /// A scene, or a property or script of it, that cannot be used as a task says.
    Task {
        /// What cannot be used: the path of a property or script, or the part of the task.
        what: Box<str>,
        /// The reason.
        why: Box<str>,
    },
    /// A world of a batch whose step failed; the others have moved.
    InWorld {
        /// The index of the world.
        world: usize,
        /// The reason.
        error: Box<Self>,
    },
}

impl EnvironmentError {
    pub(crate) fn task(what: &str, why: impl fmt::Display) -> Self {
        Self::Task {
            what: what.into(),
            why: why.to_string().into(),
        }
    }
}

impl fmt::Display for EnvironmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option { what, got, expected } => {
                write!(f, "{what} is {got}, expected {expected}")
            }
            Self::Action { expected } => write!(f, "no such action, expected {expected}"),
            Self::Length { what, got, expected } => {
                write!(f, "{got} {what}, expected {expected}")
            }
            Self::NoWorld { got, count } => write!(f, "no world {got}: the batch has {count}"),
            Self::NotReset { world } => write!(f, "world {world} needs a reset before its first step"),
            Self::Physics(error) => write!(f, "{error}"),
            Self::Restore(error) => write!(f, "{error}"),
            Self::Damaged => write!(f, "not a save of this environment and version, or damaged"),
            Self::OtherOptions => write!(f, "a save of a world with other options"),
            Self::Task { what, why } => write!(f, "{what}: {why}"),
            Self::InWorld { world, error } => write!(f, "in world {world}: {error}"),
        }
    }
}

impl std::error::Error for EnvironmentError {}

impl From<PhysicsError> for EnvironmentError {
    fn from(error: PhysicsError) -> Self {
        Self::Physics(error)
    }
}

impl From<ShapeError> for EnvironmentError {
    fn from(error: ShapeError) -> Self {
        Self::Physics(error.into())
    }
}

impl From<RestoreError> for EnvironmentError {
    fn from(error: RestoreError) -> Self {
        Self::Restore(error)
    }
}
