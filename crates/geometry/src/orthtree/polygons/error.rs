//! [`PolygonError`]: the reasons for which a polygon is refused.

use crate::orthtree::OrthtreeError;
use crate::orthtree::pieces::PIECE_COUNT_MAX;
use crate::split::SplitError;
use core::fmt;
use tombolo_handles::HandleError;

/// The reason why a polygon was refused. Nothing is changed then.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PolygonError {
    /// It is out of reach of the root, or there is no room.
    Tree(OrthtreeError),
    /// It cannot be cut: its polygon crosses itself. [`ConcavePolygon::new`](crate::split::ConcavePolygon::new) never
    /// returns such a polygon.
    Split(SplitError),
    /// It would have more than [`PIECE_COUNT_MAX`] pieces: take larger cells, or fewer corners.
    TooManyPieces,
    /// Its area is less than the rounding of it.
    NoArea,
    /// The id is stale.
    Stale(HandleError),
}

impl fmt::Display for PolygonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tree(error) => error.fmt(f),
            Self::Split(error) => error.fmt(f),
            Self::TooManyPieces => write!(
                f,
                "the polygon has more than {PIECE_COUNT_MAX} pieces; take larger cells"
            ),
            Self::NoArea => f.write_str("the polygon has no area that rounding leaves"),
            Self::Stale(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PolygonError {}
