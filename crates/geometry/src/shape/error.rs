//! [`ShapeError`]: the reasons for which numbers do not make a shape.

use super::{LENGTH_MIN, VERTEX_COUNT_MAX};
use core::fmt;

/// The reason why numbers do not make a shape: the name of the bad number, and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A number is NaN or infinite.
    NotFinite {
        /// The number's name: `"radius"`, `"vertex 3"`, …
        what: What,
        /// The number.
        value: f32,
    },
    /// A length is below its minimum ([`LENGTH_MIN`], twice that for a side of a box, 0 for a rounding radius) or above
    /// its maximum ([`COORDINATE_MAX`](super::COORDINATE_MAX), twice that for a side of a box).
    OutOfRange {
        /// The number's name.
        what: What,
        /// The number in meters.
        value: f32,
        /// The least allowed value in meters.
        min: f32,
        /// The greatest allowed value in meters.
        max: f32,
    },
    /// More points than [`VERTEX_COUNT_MAX`].
    TooManyPoints {
        /// The number of points given.
        count: usize,
    },
    /// Fewer than three points, or fewer than three that differ and do not lie on one line.
    Degenerate {
        /// The number of points given.
        count: usize,
        /// The number of corners left after equal and collinear points had been dropped.
        corners: usize,
    },
    /// The kind number of a stored shape is unknown to this version.
    UnknownKind {
        /// The number read.
        kind: u16,
    },
    /// A stored shape has a vertex count that its kind does not allow.
    WrongCount {
        /// The count read.
        count: u16,
    },
    /// A stored shape contradicts itself: its corners are not convex and counter-clockwise, or a number that follows
    /// from the vertices has another value.
    Inconsistent {
        /// The number's name.
        what: What,
    },
}

/// The name of one number of a shape, in a [`ShapeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// A radius.
    Radius,
    /// The center of a circle or of a rectangle.
    Center,
    /// The distance between the two ends of a segment or capsule.
    Length,
    /// The width of a rectangle.
    Width,
    /// The height of a rectangle.
    Height,
    /// The angle of a rectangle.
    Angle,
    /// The vertex, or the input point, of this index.
    Vertex(usize),
    /// The normal of the edge of this index.
    Normal(usize),
    /// The center of mass.
    Centroid,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Radius => f.write_str("radius"),
            Self::Center => f.write_str("center"),
            Self::Length => f.write_str("length"),
            Self::Width => f.write_str("width"),
            Self::Height => f.write_str("height"),
            Self::Angle => f.write_str("angle"),
            Self::Vertex(index) => write!(f, "vertex {index}"),
            Self::Normal(index) => write!(f, "normal {index}"),
            Self::Centroid => f.write_str("centroid"),
        }
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotFinite { what, value } => write!(f, "{what} is {value}: it must be a finite number"),
            Self::OutOfRange {
                what,
                value,
                min,
                max,
            } => write!(
                f,
                "{what} is {value} m: it must lie between {min} m and {max} m in absolute value"
            ),
            Self::TooManyPoints { count } => write!(
                f,
                "a polygon of {count} points: at most {VERTEX_COUNT_MAX} are possible; use several polygons"
            ),
            Self::Degenerate { count, corners } => write!(
                f,
                "{count} points make only {corners} corners: a polygon needs 3 that are more than \
                 {LENGTH_MIN} m apart and not on one line"
            ),
            Self::UnknownKind { kind } => write!(f, "shape kind {kind} is unknown to this version"),
            Self::WrongCount { count } => write!(f, "{count} vertices do not fit the kind of the shape"),
            Self::Inconsistent { what } => write!(f, "{what} contradicts the rest of the shape"),
        }
    }
}

impl core::error::Error for ShapeError {}
