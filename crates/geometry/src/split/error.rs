//! [`SplitError`]: the reasons why a polygon was not split.

use core::fmt;

/// The reason why a polygon was not split. The splitter can be used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitError {
    /// Along the line, inside and outside do not alternate: the polygon crosses or touches itself near this edge. A
    /// polygon made by [`ConcavePolygon::new`](super::ConcavePolygon::new) does not; one that came from very many cuts
    /// may, because of rounding, where the removal of features too small for a new polygon did not help either. Make it
    /// again from its points to find the error.
    Unsound {
        /// The edge of the polygon.
        edge: u32,
    },
    /// A value of [`Slivers`](super::Slivers) is negative or NaN.
    Slivers,
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsound { edge } => write!(
                f,
                "the polygon crosses or touches itself near edge {edge}; check it with ConcavePolygon::new"
            ),
            Self::Slivers => {
                f.write_str("a limit for slivers is negative or not a number; give zero or more")
            }
        }
    }
}

impl core::error::Error for SplitError {}
