//! [`Bounds`]: an axis-aligned box of two or three dimensions, closed on all sides; [`Bounds4`]: four of them.

use super::OrthtreeError;
use crate::Aabb;

/// An axis-aligned box from `min` to `max` in `D` dimensions. Both edges belong to it; a point is a box without extent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Bounds<const D: usize> {
    /// The lower edge along each axis.
    pub min: [f32; D],
    /// The upper edge along each axis.
    pub max: [f32; D],
}

impl<const D: usize> Bounds<D> {
    /// A box from its corners.
    #[inline]
    pub const fn new(min: [f32; D], max: [f32; D]) -> Self {
        Self { min, max }
    }

    /// The box that holds one point.
    #[inline]
    pub const fn point(point: [f32; D]) -> Self {
        Self {
            min: point,
            max: point,
        }
    }

    /// A box around a point that reaches `half_size` to each side.
    #[inline]
    pub fn around(center: [f32; D], half_size: f32) -> Self {
        Self {
            min: center.map(|c| c - half_size),
            max: center.map(|c| c + half_size),
        }
    }

    /// Whether the two share a point; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let mut all = true;
        for axis in 0..D {
            all &= (self.min[axis] <= other.max[axis]) & (other.min[axis] <= self.max[axis]);
        }
        all
    }

    /// Whether `other` is wholly inside; touching edges count.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        let mut all = true;
        for axis in 0..D {
            all &= (self.min[axis] <= other.min[axis]) & (other.max[axis] <= self.max[axis]);
        }
        all
    }

    /// The squared distance from a point to the nearest point of the box: 0 inside. In `f64`, so that no finite input
    /// overflows.
    #[inline]
    pub fn distance_squared(&self, point: &[f32; D]) -> f64 {
        let mut sum = 0.0;
        for (axis, &coordinate) in point.iter().enumerate() {
            let coordinate = f64::from(coordinate);
            let below = f64::from(self.min[axis]) - coordinate;
            let above = coordinate - f64::from(self.max[axis]);
            let gap = below.max(above).max(0.0);
            sum += gap * gap;
        }
        sum
    }

    /// Fails if an edge is not finite or a pair is inverted.
    #[inline]
    pub(super) fn check(&self) -> Result<(), OrthtreeError> {
        for axis in 0..D {
            let (min, max) = (self.min[axis], self.max[axis]);
            if !(min.is_finite() && max.is_finite() && min <= max) {
                return Err(OrthtreeError::InvalidBox { axis });
            }
        }
        Ok(())
    }
}

/// The number of boxes tested together.
pub(super) const LANES: usize = 4;

/// Four boxes, edge by edge, so that one comparison serves all of them: the argument of
/// [`Region::overlaps_four`](super::Region).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Bounds4<const D: usize> {
    /// The lower edges along each axis.
    pub min: [[f32; LANES]; D],
    /// The upper edges along each axis.
    pub max: [[f32; LANES]; D],
}

impl<const D: usize> Bounds4<D> {
    pub(super) const ZERO: Self = Self {
        min: [[0.0; LANES]; D],
        max: [[0.0; LANES]; D],
    };

    /// One of the four. Panics unless `lane` is below 4.
    #[inline]
    pub fn get(&self, lane: usize) -> Bounds<D> {
        Bounds {
            min: self.min.map(|edges| edges[lane]),
            max: self.max.map(|edges| edges[lane]),
        }
    }

    /// [`Bounds::distance_squared`] for each of the four.
    #[inline]
    pub fn distances_squared(&self, point: &[f32; D]) -> [f64; LANES] {
        let mut sums = [0.0; LANES];
        for (axis, &coordinate) in point.iter().enumerate() {
            let coordinate = f64::from(coordinate);
            for (lane, sum) in sums.iter_mut().enumerate() {
                let below = f64::from(self.min[axis][lane]) - coordinate;
                let above = coordinate - f64::from(self.max[axis][lane]);
                // Comparisons instead of `max`, whose handling of NaN keeps it from being one instruction.
                let gap = if below > above { below } else { above };
                let gap = if gap > 0.0 { gap } else { 0.0 };
                *sum += gap * gap;
            }
        }
        sums
    }

    #[inline]
    pub(super) fn set(&mut self, lane: usize, bounds: &Bounds<D>) {
        for axis in 0..D {
            self.min[axis][lane] = bounds.min[axis];
            self.max[axis][lane] = bounds.max[axis];
        }
    }
}

impl From<Aabb> for Bounds<2> {
    fn from(value: Aabb) -> Self {
        Self::new(value.min.to_array(), value.max.to_array())
    }
}

const _: () = assert!(size_of::<Bounds<2>>() == 16 && size_of::<Bounds<3>>() == 24);
