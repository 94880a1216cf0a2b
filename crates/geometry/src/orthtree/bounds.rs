//! [`Bounds`]: an axis-aligned box of two or three dimensions, closed on all sides.

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

    /// Whether `other` lies wholly inside; touching edges count.
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

impl From<Aabb> for Bounds<2> {
    fn from(value: Aabb) -> Self {
        Self::new(value.min.to_array(), value.max.to_array())
    }
}

const _: () = assert!(size_of::<Bounds<2>>() == 16 && size_of::<Bounds<3>>() == 24);
