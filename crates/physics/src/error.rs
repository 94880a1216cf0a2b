//! [`PhysicsError`]: what a caller can get wrong, said with the number or name that was wrong.

use crate::constants::{DAMPING_RATIO_MAX, HERTZ_MAX, HERTZ_MIN};
use core::fmt;
use tombolo_geometry::shape::ShapeError;
use tombolo_geometry::split::{DecomposeError, LineError, OutlineError, SplitError};

/// Why a call was refused. The world is as it was before the call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PhysicsError {
    /// A number is not finite or lies outside its range.
    InvalidNumber {
        /// The field or argument.
        what: &'static str,
        /// What was given.
        got: f32,
        /// What is accepted.
        expected: &'static str,
    },
    /// A handle whose object is gone. Handles of different worlds are not told apart: one of another world is refused
    /// only if this world has nothing in the same slot and generation.
    StaleHandle {
        /// `"body"`, `"shape"`, `"outline"`, `"joint"` or `"contact"`.
        what: &'static str,
    },
    /// A joint needs two different bodies.
    UnfitBodies {
        /// What is wrong with the two.
        why: &'static str,
    },
    /// The shape is degenerate.
    Shape(ShapeError),
    /// The outline is none.
    Outline(OutlineError),
    /// The outline, or what is left of it, is thinner than a shape may be.
    TooThin,
    /// The two places do not give a line to cut along.
    Line(LineError),
    /// The outline cannot be cut: after very many cuts rounding made it cross itself.
    Split(SplitError),
    /// The outline cannot be made into convex parts: it crosses itself.
    Decompose(DecomposeError),
    /// The places do not give cells to shatter into.
    Pattern {
        /// What is wrong with them.
        why: &'static str,
    },
    /// The world is full.
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many fit.
        limit: usize,
    },
}

impl fmt::Display for PhysicsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidNumber { what, got, expected } => write!(f, "{what} is {got}, expected {expected}"),
            Self::StaleHandle { what } => {
                write!(
                    f,
                    "the {what} does not exist: it was destroyed, or never was in this world"
                )
            }
            Self::UnfitBodies { why } => write!(f, "the two bodies cannot be joined: {why}"),
            Self::Shape(error) => write!(f, "{error}"),
            Self::Outline(error) => write!(f, "{error}"),
            Self::TooThin => write!(
                f,
                "the outline is thinner than half a millimetre everywhere; make it thicker"
            ),
            Self::Line(error) => write!(f, "{error}"),
            Self::Split(error) => write!(f, "{error}"),
            Self::Decompose(error) => write!(f, "{error}"),
            Self::Pattern { why } => write!(f, "the pattern to shatter by is unfit: {why}"),
            Self::TooMany { what, limit } => write!(f, "too many {what}: the limit is {limit}"),
        }
    }
}

impl core::error::Error for PhysicsError {}

impl From<ShapeError> for PhysicsError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

impl From<OutlineError> for PhysicsError {
    fn from(error: OutlineError) -> Self {
        Self::Outline(error)
    }
}

/// Refuses a number that is not finite.
pub(crate) fn finite(what: &'static str, got: f32) -> Result<(), PhysicsError> {
    if got.is_finite() {
        Ok(())
    } else {
        Err(PhysicsError::InvalidNumber {
            what,
            got,
            expected: "a finite number",
        })
    }
}

/// Refuses a number that is not finite or below zero.
pub(crate) fn non_negative(what: &'static str, got: f32) -> Result<(), PhysicsError> {
    if got.is_finite() && got >= 0.0 {
        Ok(())
    } else {
        Err(PhysicsError::InvalidNumber {
            what,
            got,
            expected: "a finite number that is not negative",
        })
    }
}

/// Refuses a frequency that the solver cannot work with.
pub(crate) fn hertz(what: &'static str, got: f32) -> Result<(), PhysicsError> {
    if got == 0.0 || (HERTZ_MIN..=HERTZ_MAX).contains(&got) {
        Ok(())
    } else {
        let expected = "0, or a number from 0.001 to 10000";
        Err(PhysicsError::InvalidNumber { what, got, expected })
    }
}

/// Refuses a damping ratio that the solver cannot work with.
pub(crate) fn damping_ratio(what: &'static str, got: f32) -> Result<(), PhysicsError> {
    if (0.0..=DAMPING_RATIO_MAX).contains(&got) {
        Ok(())
    } else {
        let expected = "a number from 0 to 1000";
        Err(PhysicsError::InvalidNumber { what, got, expected })
    }
}

/// Refuses a vector with a part that is not finite.
pub(crate) fn finite_vector(what: &'static str, got: glam::Vec2) -> Result<(), PhysicsError> {
    finite(what, got.x)?;
    finite(what, got.y)
}
