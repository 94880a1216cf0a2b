//! Locational codes: a cell's path from the root as one integer.
//!
//! A code is a leading 1, then one group of `D` bits for each level, the root's child first; bit 0 of a group is x, bit 1
//! y, bit 2 z, set for the upper half. The root is 1. The codes are those of I. Gargantini, *An Effective Way to Represent
//! Quadtrees* (CACM 25, 1982), with the leading 1 of later practice, from which a bit scan reads the depth.

use super::{Dimension, Orthants};
use core::cmp::Ordering;
use core::fmt;

/// The integers in which a code is stored: `u32` and `u64`.
pub trait CodeWord: Copy + Ord + fmt::Debug + Default + Send + Sync + sealed::Sealed + 'static {
    /// The number of bits of the word.
    const BITS: u32;
    /// The number 1, the code of the root.
    const ONE: Self;
    /// Converts from the lower bits of a `u64`.
    fn from_bits(bits: u64) -> Self;
    /// Converts to a `u64`.
    fn to_bits(self) -> u64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

macro_rules! code_word {
    ($($word:ty),*) => {$(
        impl CodeWord for $word {
            const BITS: u32 = <$word>::BITS;
            const ONE: Self = 1;
            #[inline]
            fn from_bits(bits: u64) -> Self {
                bits as $word
            }
            #[inline]
            fn to_bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}

code_word!(u32, u64);

/// A locational code of `D` dimensions in a word of type `W`.
///
/// Holds 15 levels of a quadtree or 10 of an octree in `u32`, 31 and 21 in `u64`. `Ord` is the numeric order, which is
/// *level* order: all cells of a level before those of the next. The order of a traversal is
/// [`preorder`](Self::preorder).
///
/// ```
/// use tombolo_geometry::orthtree::Code;
/// let cell = Code::<3, u32>::ROOT.child(5).unwrap().child(2).unwrap();
/// assert_eq!(cell.bits(), 0b1_101_010);
/// assert_eq!(cell.depth(), 2);
/// assert_eq!(cell.octant(), 2);
/// assert_eq!(cell.parent().unwrap().bits(), 0b1_101);
/// // x is bit 0: upper half, then lower half.
/// assert_eq!(cell.coordinates(), [0b10, 0b01, 0b10]);
/// ```
///
/// Other dimensions do not compile:
///
/// ```compile_fail
/// use tombolo_geometry::orthtree::Code;
/// let none = Code::<4, u64>::ROOT;
/// ```
///
/// ```compile_fail
/// tombolo_geometry::orthtree::visit_all::<1, u32>(3, |_| {});
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code<const D: usize, W>(W);

/// The reason why a number is not a locational code, or has no child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeError {
    /// The number is 0, or its leading 1 is not at a bit of a level: it has no depth.
    NoLevel {
        /// The number.
        bits: u64,
    },
    /// The level does not fit the word.
    TooDeep {
        /// The requested level.
        depth: u32,
        /// The last level that fits.
        depth_max: u32,
    },
    /// A cell of this level has no such coordinate, or no such child.
    OutOfRange {
        /// The coordinate or octant.
        value: u32,
    },
}

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoLevel { bits } => {
                write!(f, "{bits:#x} is no locational code: its leading 1 is on no level")
            }
            Self::TooDeep { depth, depth_max } => {
                write!(
                    f,
                    "level {depth} does not fit the word, whose last level is {depth_max}"
                )
            }
            Self::OutOfRange { value } => write!(f, "there is no cell {value} on this level"),
        }
    }
}

impl core::error::Error for CodeError {}

impl<const D: usize, W: CodeWord> Code<D, W>
where
    Dimension<D>: Orthants,
{
    /// The last level that fits.
    pub const DEPTH_MAX: u32 = (W::BITS - 1) / D as u32;

    /// The code of the root.
    pub const ROOT: Self = Self(W::ONE);

    /// The code with these bits.
    ///
    /// # Errors
    ///
    /// [`CodeError::NoLevel`] if they are no code.
    pub fn from_bits(bits: W) -> Result<Self, CodeError> {
        let value = bits.to_bits();
        if value == 0 || !value.ilog2().is_multiple_of(D as u32) {
            return Err(CodeError::NoLevel { bits: value });
        }
        Ok(Self(bits))
    }

    /// The cell at these coordinates, counted in cells of its level from the root's lower corner.
    ///
    /// # Errors
    ///
    /// [`CodeError`] if the level does not fit the word or a coordinate the level.
    pub fn from_coordinates(coordinates: [u32; D], depth: u32) -> Result<Self, CodeError> {
        if depth > Self::DEPTH_MAX {
            let depth_max = Self::DEPTH_MAX;
            return Err(CodeError::TooDeep { depth, depth_max });
        }
        match coordinates.iter().find(|&&c| u64::from(c) >> depth != 0) {
            Some(&value) => Err(CodeError::OutOfRange { value }),
            None => Ok(Self::of(coordinates, depth)),
        }
    }

    /// Like [`from_coordinates`](Self::from_coordinates), for coordinates that are known to fit.
    #[inline]
    pub(super) fn of(coordinates: [u32; D], depth: u32) -> Self {
        Self(W::from_bits((1 << (D as u32 * depth)) | interleave(coordinates)))
    }

    /// The code as a number.
    #[inline]
    pub fn bits(self) -> W {
        self.0
    }

    /// The number of levels below the root.
    #[inline]
    pub fn depth(self) -> u32 {
        self.0.to_bits().ilog2() / D as u32
    }

    /// The octant of the cell in its parent: bit 0 set if it is in the upper half along x, and so on. 0 for the root.
    #[inline]
    pub fn octant(self) -> usize {
        if self == Self::ROOT {
            return 0;
        }
        (self.0.to_bits() & ((1 << D) - 1)) as usize
    }

    /// The parent cell; `None` for the root.
    #[inline]
    pub fn parent(self) -> Option<Self> {
        (self != Self::ROOT).then(|| Self(W::from_bits(self.0.to_bits() >> D)))
    }

    /// The child cell in an octant.
    ///
    /// # Errors
    ///
    /// [`CodeError`] if the level does not fit, or there is no such child.
    pub fn child(self, octant: usize) -> Result<Self, CodeError> {
        if self.depth() == Self::DEPTH_MAX {
            return Err(CodeError::TooDeep {
                depth: self.depth() + 1,
                depth_max: Self::DEPTH_MAX,
            });
        }
        if octant >= 1 << D {
            return Err(CodeError::OutOfRange { value: octant as u32 });
        }
        Ok(Self(W::from_bits((self.0.to_bits() << D) | octant as u64)))
    }

    /// The place of the cell along each axis, in cells of its level from the root's lower corner.
    #[inline]
    pub fn coordinates(self) -> [u32; D] {
        deinterleave(self.0.to_bits() & !(1 << (D as u32 * self.depth())))
    }

    /// The order of a traversal: a cell before its children, children by octant.
    ///
    /// Codes are shifted to one level before they are compared, and the shorter one goes first if they then agree:
    /// comparing the numbers as they are would give level order.
    #[inline]
    pub fn preorder(self, other: Self) -> Ordering {
        self.aligned().cmp(&other.aligned())
    }

    fn aligned(self) -> (u64, u32) {
        let depth = self.depth();
        (self.0.to_bits() << (D as u32 * (Self::DEPTH_MAX - depth)), depth)
    }
}

/// Calls `visit` for all codes down to a level in pre-order: the complete tree.
///
/// # Errors
///
/// [`CodeError::TooDeep`] if the level does not fit the word; then nothing is visited.
pub fn visit_all<const D: usize, W: CodeWord>(
    depth_max: u32,
    mut visit: impl FnMut(Code<D, W>),
) -> Result<(), CodeError>
where
    Dimension<D>: Orthants,
{
    if depth_max > Code::<D, W>::DEPTH_MAX {
        let depth = depth_max;
        let depth_max = Code::<D, W>::DEPTH_MAX;
        return Err(CodeError::TooDeep { depth, depth_max });
    }
    let mut stack = alloc::vec![Code::<D, W>::ROOT];
    while let Some(code) = stack.pop() {
        visit(code);
        if code.depth() < depth_max {
            let first = code.0.to_bits() << D;
            stack.extend((0..1 << D).rev().map(|octant| Code(W::from_bits(first | octant))));
        }
    }
    Ok(())
}

/// Interleaves the bits of several numbers, the first axis lowest: the Morton order. 32 bits an axis in 2D, 21 in 3D.
#[inline]
pub(super) fn interleave<const D: usize>(coordinates: [u32; D]) -> u64 {
    let mut bits = 0;
    for (axis, &coordinate) in coordinates.iter().enumerate() {
        let spread = if D == 2 {
            spread_by_two(coordinate)
        } else {
            spread_by_three(coordinate)
        };
        bits |= spread << axis;
    }
    bits
}

/// The inverse of [`interleave`].
#[inline]
pub(super) fn deinterleave<const D: usize>(bits: u64) -> [u32; D] {
    core::array::from_fn(|axis| {
        let shifted = bits >> axis;
        if D == 2 {
            gather_by_two(shifted)
        } else {
            gather_by_three(shifted)
        }
    })
}

#[inline]
fn spread_by_two(value: u32) -> u64 {
    let mut bits = u64::from(value);
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

#[inline]
fn gather_by_two(value: u64) -> u32 {
    let mut bits = value & 0x5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) as u32
}

#[inline]
fn spread_by_three(value: u32) -> u64 {
    let mut bits = u64::from(value) & 0x1f_ffff;
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

#[inline]
fn gather_by_three(value: u64) -> u32 {
    let mut bits = value & 0x1249_2492_4924_9249;
    bits = (bits | bits >> 2) & 0x10c3_0c30_c30c_30c3;
    bits = (bits | bits >> 4) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits >> 8) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits >> 16) & 0x001f_0000_0000_ffff;
    ((bits | bits >> 32) & 0x1f_ffff) as u32
}
