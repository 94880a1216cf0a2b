//! Plane vectors in lanes, shared by the kernels of contacts, revolute joints and fluids.

use super::lanes::{Lanes, SimdRow};

/// A vector from a pair of SIMD rows.
#[inline(always)]
pub(crate) fn load2<V: Lanes>(rows: &[SimdRow; 2], at: usize) -> [V; 2] {
    [V::load(&rows[0], at), V::load(&rows[1], at)]
}

/// The dot product.
#[inline(always)]
pub(crate) fn dot<V: Lanes>(a: [V; 2], b: [V; 2]) -> V {
    a[0] * b[0] + a[1] * b[1]
}

/// The z component of the cross product.
#[inline(always)]
pub(crate) fn cross<V: Lanes>(a: [V; 2], b: [V; 2]) -> V {
    a[0] * b[1] - a[1] * b[0]
}

/// A vector times a number.
#[inline(always)]
pub(crate) fn scaled<V: Lanes>(v: [V; 2], s: V) -> [V; 2] {
    [v[0] * s, v[1] * s]
}

/// A vector turned by an angle given by sine and cosine.
#[inline(always)]
pub(crate) fn rotate<V: Lanes>(sin: V, cos: V, v: [V; 2]) -> [V; 2] {
    [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]]
}
