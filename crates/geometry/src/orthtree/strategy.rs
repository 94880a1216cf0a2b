//! Insertion strategies: the cells to which an object with a given box belongs.
//!
//! Each reduces a box to a [`Reach`], a range of finest cells and a least height; the rest of the tree is independent
//! of the strategy.

use super::{Bounds, Cell, Lattice, OrthtreeError};
use core::fmt::Debug;

/// The result of a strategy for a box: the object belongs to cells of this height or more that hold all of (one of) the
/// finest cells from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach<const D: usize> {
    /// The first finest cell along each axis, from the root's lower corner.
    pub low: [i64; D],
    /// The last finest cell along each axis.
    pub high: [i64; D],
    /// The least height of a cell.
    pub height: u32,
}

/// The assignment of objects to cells: [`Smallest`], [`Loose`] or [`Shared`].
pub trait Strategy<const D: usize>: Clone + Debug + Send + Sync {
    /// Whether an object may be referenced by several cells.
    const SHARED: bool = false;

    /// Checks that the strategy's own values are in range.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::LooseFactor`].
    fn check(&self) -> Result<(), OrthtreeError> {
        Ok(())
    }

    /// The cells of a box, which is valid.
    fn reach(&self, lattice: &Lattice<D>, bounds: &Bounds<D>) -> Reach<D>;

    /// Whether objects may reach out of their cells. Then a tree records how far they do, and queries extend their
    /// range by that.
    const LOOSE: bool = false;
}

#[inline]
fn range<const D: usize>(lattice: &Lattice<D>, bounds: &Bounds<D>) -> Reach<D> {
    Reach {
        low: core::array::from_fn(|axis| lattice.locate(f64::from(bounds.min[axis]), axis)),
        high: core::array::from_fn(|axis| lattice.locate(f64::from(bounds.max[axis]), axis)),
        height: 0,
    }
}

/// The smallest cell that encloses the box: one cell an object, found in O(1) from the highest bit in which the ends of
/// the range differ. Objects on a plane of the upper levels stay near the root, where every query near that plane tests
/// them. Right for points, and for few or large objects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Smallest;

impl<const D: usize> Strategy<D> for Smallest {
    #[inline]
    fn reach(&self, lattice: &Lattice<D>, bounds: &Bounds<D>) -> Reach<D> {
        range(lattice, bounds)
    }
}

/// Every cell that the box touches has a reference; objects are in leaves only. Queries test least, moving costs most.
///
/// A node is divided when more objects than the capacity touch it without covering it: one that covers a cell would be in
/// all of its children, and dividing would never end. A box of many cells has many references, about its border divided
/// by the size of the cells there: keep `depth_max` small. Boxes that cover a cell are counted again by each object that
/// leaves it or its neighbors, or joins it without covering it: keep those few too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shared;

impl<const D: usize> Strategy<D> for Shared {
    const SHARED: bool = true;

    #[inline]
    fn reach(&self, lattice: &Lattice<D>, bounds: &Bounds<D>) -> Reach<D> {
        range(lattice, bounds)
    }
}

/// The cell around the object's center on the level given by its size: cells are taken to be `factor` times as large as
/// they are, around the same center, and overlap. One cell an object, found in O(1), never one far too large because of
/// a plane; queries visit a little more. With factor 2 an object is in a cell of one to two times its size.
///
/// After T. Ulrich, *Loose Octrees* (Game Programming Gems 1, 2000).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loose {
    /// The factor by which cells are enlarged: above 1, at most 4. Larger: smaller cells, more of them in a query.
    pub factor: f32,
}

impl Default for Loose {
    fn default() -> Self {
        Self { factor: 2.0 }
    }
}

impl<const D: usize> Strategy<D> for Loose {
    const LOOSE: bool = true;

    fn check(&self) -> Result<(), OrthtreeError> {
        if self.factor > 1.0 && self.factor <= 4.0 {
            return Ok(());
        }
        Err(OrthtreeError::LooseFactor { value: self.factor })
    }

    /// A box around the center of size `e` reaches out of a cell of size `s` by at most `e/2`, and may by `(k −
    /// 1)·s/2`: it fits where `e <= (k − 1)·s`.
    #[inline]
    fn reach(&self, lattice: &Lattice<D>, bounds: &Bounds<D>) -> Reach<D> {
        let mut size = 0.0_f64;
        for axis in 0..D {
            let extent = f64::from(bounds.max[axis]) - f64::from(bounds.min[axis]);
            size = size.max(extent * lattice.inverse_unit(axis));
        }
        let place = core::array::from_fn(|axis| {
            let middle = 0.5 * (f64::from(bounds.min[axis]) + f64::from(bounds.max[axis]));
            lattice.locate(middle, axis)
        });
        Reach {
            low: place,
            high: place,
            height: height_of(size / (f64::from(self.factor) - 1.0)),
        }
    }
}

/// The least `h` with `size <= 2^h`, read from the exponent; exact at powers of two.
#[inline]
fn height_of(size: f64) -> u32 {
    if size <= 1.0 {
        return 0;
    }
    let bits = size.to_bits();
    let exponent = (bits >> 52) as u32 - 1023;
    exponent + u32::from(bits << 12 != 0)
}

impl<const D: usize> Reach<D> {
    /// The first axis along which the range leaves the root, or 0 if only the height does; `None` if it fits.
    #[inline]
    pub(super) fn outside(&self, root_height: u32) -> Option<usize> {
        let size = 1_i64 << root_height;
        let mut fits = self.height <= root_height;
        for axis in 0..D {
            fits &= (self.low[axis] >= 0) & (self.high[axis] < size);
        }
        if fits {
            return None;
        }
        Some(
            (0..D)
                .find(|&axis| self.low[axis] < 0 || self.high[axis] >= size)
                .unwrap_or(0),
        )
    }

    /// The octant of the old root when the root grows towards this range: the upper one along axes on which the range
    /// reaches below the root, else the lower one.
    pub(super) fn octant_of_old_root(&self) -> usize {
        (0..D).map(|axis| usize::from(self.low[axis] < 0) << axis).sum()
    }

    /// The one cell of a strategy that does not share: of the least height at which both ends are in one cell.
    #[inline]
    pub(super) fn target(&self, root: &Cell<D>) -> Cell<D> {
        let mut differing = 0;
        for axis in 0..D {
            differing |= self.low[axis] ^ self.high[axis];
        }
        let height = self.height.max(64 - differing.leading_zeros());
        Cell {
            corner: core::array::from_fn(|axis| {
                root.corner[axis].wrapping_add((self.low[axis] >> height << height) as u32)
            }),
            height,
        }
    }

    /// Whether the range touches a cell of the root.
    #[inline]
    pub(super) fn touches(&self, cell: &Cell<D>, root: &Cell<D>) -> bool {
        let offset = cell.offset_in(root);
        (0..D).all(|axis| {
            let first = i64::from(offset[axis]);
            self.low[axis] < first + (1 << cell.height) && self.high[axis] >= first
        })
    }

    /// Whether the range covers a cell of the root wholly.
    pub(super) fn covers(&self, cell: &Cell<D>, root: &Cell<D>) -> bool {
        let offset = cell.offset_in(root);
        (0..D).all(|axis| {
            let first = i64::from(offset[axis]);
            self.low[axis] <= first && self.high[axis] >= first + (1 << cell.height) - 1
        })
    }
}

/// The least depth at which a tree of points with capacity 1 is sure to separate all of them: no node is deeper.
///
/// For points at least `distance_min` apart in a root of side `root_size`. An inner node holds two points, so its diagonal
/// is at least their distance: its depth is at most log2(root_size / distance_min) + log2(√D). Leaves are one deeper.
/// `None` without a bound: duplicates (`distance_min` 0) are divided down to the depth limit.
///
/// The *number* of nodes has no bound in the number of points: two pairs in opposite corners, each pair ever closer,
/// make the tree ever deeper.
///
/// ```
/// use tombolo_geometry::orthtree::depth_bound;
/// // Two points in opposite corners: the root is divided once.
/// assert_eq!(depth_bound::<2>(1.0, 1.414), Some(1));
/// assert_eq!(depth_bound::<3>(1024.0, 1.0), Some(11));
/// ```
pub fn depth_bound<const D: usize>(root_size: f64, distance_min: f64) -> Option<u32> {
    if !(root_size > 0.0 && root_size.is_finite() && distance_min > 0.0) {
        return None;
    }
    // A quotient may be beyond all numbers; one of numbers that are brought together by powers of two is not.
    const SHIFT: i32 = 600;
    let ratio = root_size / distance_min;
    let halvings = if ratio.is_finite() {
        libm::log2(ratio)
    } else {
        let ratio = libm::ldexp(root_size, -SHIFT) / libm::ldexp(distance_min, SHIFT);
        libm::log2(ratio) + f64::from(2 * SHIFT)
    };
    let bound = halvings + 0.5 * libm::log2(D as f64);
    Some(libm::floor(bound).max(0.0) as u32 + 1)
}
