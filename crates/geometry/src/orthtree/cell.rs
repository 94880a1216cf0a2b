//! [`Cell`]: a cell as integers, and [`Lattice`]: the mapping of those integers to space.
//!
//! Every decision about cells is made in integers. A coordinate `x` lies in the finest cell `floor((x − origin) / unit)`,
//! computed in `f64`; the function is monotone, so `a <= b` gives cells in the same order and pruning by integer ranges
//! never loses an object, whatever is rounded. Cells are half-open, the root too: an object on a plane between two cells
//! belongs to the upper one.
//!
//! A cell's corner is counted from the corner of the tree's *first* root, modulo 2³². So it stays the same when the root
//! grows: the root is a window on a torus of integers that can be moved without touching what lies in it. That is what
//! makes a hashed tree grow at the cost of a pointer tree.
//!
//! The reasons are in `docs/decisions.md#cells-of-quadtrees-are-integers-on-a-torus`.

use super::{Bounds, OrthtreeError};

/// A cubic cell of the lattice: 2^`height` finest cells along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Cell<const D: usize> {
    /// The lower corner in finest cells from the first root's lower corner, modulo 2³².
    pub corner: [u32; D],
    /// The level, counted from the finest cells upwards: a finest cell has 0.
    pub height: u32,
}

impl<const D: usize> Cell<D> {
    /// The cell's position in `root`, in finest cells from the root's lower corner.
    #[inline]
    pub fn offset_in(&self, root: &Self) -> [u32; D] {
        core::array::from_fn(|axis| self.corner[axis].wrapping_sub(root.corner[axis]))
    }

    /// The child of this cell in an octant. `self.height` must not be 0.
    #[inline]
    pub fn child(&self, octant: usize) -> Self {
        let height = self.height - 1;
        Self {
            corner: core::array::from_fn(|axis| {
                self.corner[axis].wrapping_add(((octant >> axis & 1) as u32) << height)
            }),
            height,
        }
    }

    /// The ancestor of this height of a cell in the tree with this root.
    #[inline]
    pub fn ancestor(&self, height: u32, root: &Self) -> Self {
        let offset = self.offset_in(root);
        Self {
            corner: core::array::from_fn(|axis| {
                root.corner[axis].wrapping_add((u64::from(offset[axis]) >> height << height) as u32)
            }),
            height,
        }
    }

    /// The octant of the child of this cell that holds `inner`, a cell within it and smaller than it.
    #[inline]
    pub fn octant_of(&self, inner: &Self) -> usize {
        let mut octant = 0;
        for axis in 0..D {
            let offset = inner.corner[axis].wrapping_sub(self.corner[axis]);
            octant |= ((offset >> (self.height - 1) & 1) as usize) << axis;
        }
        octant
    }

    /// Whether `inner` is this cell or is inside it.
    #[inline]
    pub fn covers(&self, inner: &Self) -> bool {
        let mut all = inner.height <= self.height;
        for axis in 0..D {
            let offset = inner.corner[axis].wrapping_sub(self.corner[axis]);
            all &= u64::from(offset) >> self.height == 0;
        }
        all
    }
}

/// The mapping from the integers of the cells to space.
///
/// `root.corner` is `corner` modulo 2³²; `|corner|` and `corner + 2^root.height` stay within ±2³².
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice<const D: usize> {
    /// The first root's lower corner.
    origin: [f64; D],
    /// The size of a finest cell along each axis.
    unit: [f64; D],
    inverse_unit: [f64; D],
    /// The root's lower corner in finest cells from the origin, exact.
    corner: [i64; D],
    root: Cell<D>,
}

impl<const D: usize> Lattice<D> {
    /// A lattice whose root is `bounds`, divided into 2^`depth_max` finest cells along each axis.
    pub(super) fn new(bounds: &Bounds<D>, depth_max: u32) -> Result<Self, OrthtreeError> {
        for axis in 0..D {
            let size = bounds.max[axis] - bounds.min[axis];
            if !(bounds.min[axis].is_finite() && size.is_finite() && size > 0.0) {
                return Err(OrthtreeError::InvalidRoot { axis });
            }
        }
        let cells = (1_u64 << depth_max) as f64;
        let unit: [f64; D] =
            core::array::from_fn(|axis| (f64::from(bounds.max[axis]) - f64::from(bounds.min[axis])) / cells);
        for (axis, &size) in unit.iter().enumerate() {
            let cell_size = size as f32;
            let half = 0.5 * cell_size;
            let edges = [bounds.min[axis], bounds.max[axis]];
            if half == 0.0
                || edges
                    .iter()
                    .any(|&edge| edge + half == edge || edge - half == edge)
            {
                return Err(OrthtreeError::CellTooSmall { depth_max, cell_size });
            }
        }
        Ok(Self {
            origin: bounds.min.map(f64::from),
            unit,
            inverse_unit: unit.map(|u| 1.0 / u),
            corner: [0; D],
            root: Cell {
                corner: [0; D],
                height: depth_max,
            },
        })
    }

    /// Origin, unit, corner and root: the data that a save needs.
    pub(super) fn parts(&self) -> ([f64; D], [f64; D], [i64; D], Cell<D>) {
        (self.origin, self.unit, self.corner, self.root)
    }

    /// The inverse of [`parts`](Self::parts), for a first root of this many levels; `None` if no lattice has these
    /// parts.
    pub(super) fn from_parts(
        origin: [f64; D],
        unit: [f64; D],
        corner: [i64; D],
        height: u32,
        depth_max: u32,
    ) -> Option<Self> {
        const FAR: i64 = 1 << 32;
        // The first root, which determines all but the position of the present one.
        let size = (1_u64 << depth_max) as f64;
        let first = Bounds {
            min: origin.map(|edge| edge as f32),
            max: core::array::from_fn(|axis| (origin[axis] + size * unit[axis]) as f32),
        };
        let lattice = Self::new(&first, depth_max).ok()?;
        let bits = |values: [f64; D]| values.map(f64::to_bits);
        if (bits(lattice.origin), bits(lattice.unit)) != (bits(origin), bits(unit)) {
            return None;
        }
        // Roots grow and shrink by whole first roots.
        let is_sound = corner.iter().all(|&corner| {
            let end = corner.checked_add(1 << height);
            corner >= -FAR && end.is_some_and(|end| end <= FAR) && corner.rem_euclid(1 << depth_max) == 0
        });
        is_sound.then(|| Self {
            corner,
            root: Cell {
                corner: corner.map(|c| c as u32),
                height,
            },
            ..lattice
        })
    }

    /// The finest cell along an axis, from the root's lower corner; negative or too large outside. Values beyond 2⁴⁰
    /// are clamped there, far outside any root.
    #[inline]
    pub fn locate(&self, coordinate: f64, axis: usize) -> i64 {
        self.locate_absolute(coordinate, axis) - self.corner[axis]
    }

    /// Like [`locate`](Self::locate), from the first root's lower corner.
    #[inline]
    pub(super) fn locate_absolute(&self, coordinate: f64, axis: usize) -> i64 {
        const FAR: f64 = (1_u64 << 40) as f64;
        let place = (coordinate - self.origin[axis]) * self.inverse_unit[axis];
        let place = place.clamp(-FAR, FAR);
        // A conversion truncates towards zero; below zero that is one too high, except for whole numbers.
        let cut = place as i64;
        cut - i64::from((cut as f64) > place)
    }

    /// The coordinate of the plane at the lower side of a finest cell, counted from the first root's lower corner. All
    /// code uses this one value; it rises with the place.
    #[inline]
    pub(super) fn plane(&self, axis: usize, place: i64) -> f64 {
        self.origin[axis] + place as f64 * self.unit[axis]
    }

    /// The root's lower corner in finest cells from the first root's.
    pub(super) fn root_corner(&self) -> [i64; D] {
        self.corner
    }

    /// The root.
    #[inline]
    pub fn root(&self) -> Cell<D> {
        self.root
    }

    /// The size of the root along an axis, in finest cells.
    #[inline]
    pub fn root_size(&self) -> i64 {
        1 << self.root.height
    }

    /// The size of a finest cell along an axis, in the caller's unit.
    #[inline]
    pub fn unit(&self, axis: usize) -> f64 {
        self.unit[axis]
    }

    /// The inverse of [`unit`](Self::unit), rounded as in [`locate`](Self::locate).
    #[inline]
    pub(super) fn inverse_unit(&self, axis: usize) -> f64 {
        self.inverse_unit[axis]
    }

    /// The box of a cell, each edge rounded once to `f32`.
    #[inline]
    pub fn bounds(&self, cell: &Cell<D>) -> Bounds<D> {
        let place = cell
            .offset_in(&self.root)
            .map(|offset| (u64::from(offset) >> cell.height) as u32);
        self.bounds_around(place, cell.height, 0.0)
    }

    /// The box of the cell at a place among those of its height, counted from the root's lower corner, grown by a margin
    /// on all sides; each edge rounded once to `f32`.
    #[inline]
    pub(super) fn bounds_around(&self, place: [u32; D], height: u32, margin: f64) -> Bounds<D> {
        let edge = |axis: usize, place: u64| self.plane(axis, self.corner[axis] + (place << height) as i64);
        Bounds {
            min: core::array::from_fn(|axis| (edge(axis, u64::from(place[axis])) - margin) as f32),
            max: core::array::from_fn(|axis| (edge(axis, u64::from(place[axis]) + 1) + margin) as f32),
        }
    }

    /// A bound above the rounding to `f32` of an edge in the root.
    #[inline]
    pub(super) fn slack(&self) -> f64 {
        let mut reach = 0.0_f64;
        for axis in 0..D {
            let low = self.plane(axis, self.corner[axis]);
            let high = low + self.root_size() as f64 * self.unit[axis];
            reach = reach.max(low.abs()).max(high.abs());
        }
        reach * f64::from(f32::EPSILON)
    }

    /// Doubles the root; the old one becomes child `octant` of the new one.
    pub(super) fn grow(&mut self, octant: usize) {
        for axis in 0..D {
            if octant >> axis & 1 == 1 {
                self.corner[axis] -= self.root_size();
            }
        }
        self.reset_root(self.root.height + 1);
    }

    /// Halves the root to its child `octant`.
    pub(super) fn shrink(&mut self, octant: usize) {
        for axis in 0..D {
            if octant >> axis & 1 == 1 {
                self.corner[axis] += self.root_size() / 2;
            }
        }
        self.reset_root(self.root.height - 1);
    }

    fn reset_root(&mut self, height: u32) {
        self.root = Cell {
            corner: self.corner.map(|c| c as u32),
            height,
        };
    }
}

const _: () = assert!(size_of::<Cell<2>>() == 12 && size_of::<Cell<3>>() == 16);
