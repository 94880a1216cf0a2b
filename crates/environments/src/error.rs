//! [`EnvironmentError`].

use core::fmt;
use tombolo_physics::{PhysicsError, RestoreError, ShapeError};

/// Why a call was refused. The environment is then as it was.
#[derive(Debug)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// An option is out of range.
    Option {
        /// Its name.
        what: &'static str,
        /// What was given.
        got: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// An action that the environment does not have.
    Action {
        /// What was expected.
        expected: &'static str,
    },
    /// An array has not the length that the call needs.
    Length {
        /// Of what.
        what: &'static str,
        /// How many items were given.
        got: usize,
        /// How many the call needs.
        expected: usize,
    },
    /// A world of the batch that does not exist.
    NoWorld {
        /// The number that was given.
        got: usize,
        /// How many there are.
        count: usize,
    },
    /// The physics refused something.
    Physics(PhysicsError),
    /// The physics refused a save.
    Restore(RestoreError),
    /// The bytes are not a save of this environment and version, or damaged.
    Damaged,
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
            Self::Physics(error) => write!(f, "{error}"),
            Self::Restore(error) => write!(f, "{error}"),
            Self::Damaged => write!(f, "not a save of this environment and version, or damaged"),
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
