//! [`TriangleError`]: the reasons for which a triangle is refused.

use crate::orthtree::OrthtreeError;
use crate::orthtree::pieces::PIECE_COUNT_MAX;
use core::fmt;
use tombolo_handles::HandleError;

/// The reason why a triangle was refused. Nothing is changed then.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum TriangleError {
    /// A coordinate of this corner is infinite or NaN.
    NotFinite {
        /// The number of the corner, from 0.
        corner: usize,
    },
    /// Its corners lie on a line or at a point: its area is not greater than the rounding of it.
    NoArea,
    /// It is out of reach of the root, or there is no room.
    Tree(OrthtreeError),
    /// It would have more than [`PIECE_COUNT_MAX`] pieces: take larger cells.
    TooManyPieces,
    /// The id is stale.
    Stale(HandleError),
}

impl fmt::Display for TriangleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { corner } => write!(f, "corner {corner} of the triangle is not finite"),
            Self::NoArea => f.write_str("the triangle has no area that rounding leaves"),
            Self::Tree(error) => error.fmt(f),
            Self::TooManyPieces => write!(
                f,
                "the triangle has more than {PIECE_COUNT_MAX} pieces; take larger cells"
            ),
            Self::Stale(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for TriangleError {}
