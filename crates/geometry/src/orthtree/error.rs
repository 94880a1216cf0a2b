//! [`OrthtreeError`]: the reasons for which a tree refuses a call.

use core::fmt;

/// The reason why a tree refused a call. The tree is unchanged then.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OrthtreeError {
    /// A box has an edge that is NaN or infinite, or a `min` above its `max`. Give finite edges in order.
    InvalidBox {
        /// The first invalid axis: 0 is x.
        axis: usize,
    },
    /// The root has no extent, an infinite one, or one that is not a number.
    InvalidRoot {
        /// The first invalid axis.
        axis: usize,
    },
    /// The finest cells would be smaller than the spacing of `f32` at the root's edge, so that a cell's middle would be
    /// its edge. Take fewer levels, or a root nearer to the origin.
    CellTooSmall {
        /// The requested levels.
        depth_max: u32,
        /// The size of the finest cell along the axis with the least, in the caller's unit.
        cell_size: f32,
    },
    /// More levels than the layout's locational codes or integers hold. Take fewer, or a layout with wider codes.
    TooDeep {
        /// The requested levels, growth included.
        depth: u32,
        /// The most that the layout holds.
        depth_max: u32,
    },
    /// A full tree of this depth would take more memory than its limit; nothing was allocated.
    TooMuchMemory {
        /// Bytes that the nodes would take.
        bytes: u64,
        /// The limit in bytes.
        bytes_max: u64,
    },
    /// The loose factor is not above 1 and at most 4, or not a number.
    LooseFactor {
        /// The given value.
        value: f32,
    },
    /// The object lies outside the root, and the root may not grow that far: it would need more levels than allowed.
    /// Raise `Settings::growth_max`, or keep the object inside.
    OutOfReach {
        /// The first axis along which it is outside.
        axis: usize,
        /// Levels by which the root may still grow.
        growth_left: u32,
    },
    /// The cell size of a uniform grid is not positive and finite.
    CellSize {
        /// The given value.
        value: f32,
    },
    /// The object is larger than a cell of a uniform grid. Keep it in a tree.
    LargerThanCell {
        /// The first axis along which it is larger.
        axis: usize,
    },
    /// The id is stale: its object was removed, or belongs to another tree.
    StaleId {
        /// The place that the id names.
        index: u32,
    },
    /// A batch names an object twice.
    DuplicateId {
        /// The place that the id names.
        index: u32,
    },
    /// No room for more: the lists of all cells have 2²⁹ blocks of four places, or there are 2³² − 2 objects.
    Full,
}

impl fmt::Display for OrthtreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::InvalidBox { axis } => write!(
                f,
                "the box is not finite or inverted along axis {axis}; give finite edges, min first"
            ),
            Self::InvalidRoot { axis } => {
                write!(f, "the root has no finite, positive extent along axis {axis}")
            }
            Self::CellTooSmall { depth_max, cell_size } => write!(
                f,
                "{depth_max} levels give cells of {cell_size}, too small for f32 at the root's edge; take fewer levels"
            ),
            Self::TooDeep { depth, depth_max } => write!(
                f,
                "{depth} levels are more than the layout's {depth_max}; take fewer or a layout with wider codes"
            ),
            Self::TooMuchMemory { bytes, bytes_max } => write!(
                f,
                "a full tree of this depth takes {bytes} bytes, the limit is {bytes_max}; take fewer levels or another layout"
            ),
            Self::LooseFactor { value } => {
                write!(f, "the loose factor is {value}; it must be above 1 and at most 4")
            }
            Self::OutOfReach { axis, growth_left } => write!(
                f,
                "the object lies outside the root along axis {axis}, which may grow by {growth_left} more levels"
            ),
            Self::CellSize { value } => {
                write!(f, "the cells' size is {value}; it must be positive and finite")
            }
            Self::LargerThanCell { axis } => write!(
                f,
                "the object is larger than a cell along axis {axis}; keep it in a tree"
            ),
            Self::StaleId { index } => write!(f, "the id of place {index} is stale: its object is gone"),
            Self::DuplicateId { index } => {
                write!(f, "the object of place {index} is named twice in one batch")
            }
            Self::Full => f.write_str("all places for objects or references are taken"),
        }
    }
}

impl core::error::Error for OrthtreeError {}
