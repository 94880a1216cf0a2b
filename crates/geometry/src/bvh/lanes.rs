//! Overlap tests of one box against the eight of a node. The only file of the tree with vector instructions; the scalar
//! version beside them runs on other machines, and the test compares both.
//!
//! SSE2 is part of every x86-64, so queries make no choice at run time, which would keep these few instructions from
//! being inlined into them. A walk over pairs makes so many tests that it is compiled once more for AVX, and
//! [`dispatch`] chooses between the two when it begins.
#![allow(unsafe_code)]

use super::node::Node;
use crate::Aabb;

/// The instructions with which a walk compares boxes.
pub(super) trait Compare {
    /// Bit `i` is set when lane `i` of the node shares a point with the box; touching edges count.
    fn overlap_mask(node: &Node, other: Aabb) -> u32;
}

/// The instructions that every machine of the target has.
pub(super) struct Baseline;

impl Compare for Baseline {
    #[inline(always)]
    fn overlap_mask(node: &Node, other: Aabb) -> u32 {
        overlap_mask(node, other)
    }
}

/// A loop of many overlap tests.
pub(super) trait Walk {
    /// Runs the loop. To be inlined whole, or it is not compiled for the instructions that it runs with.
    fn run<C: Compare>(self);
}

/// Runs a walk with the widest instructions that the machine has; the results are the same for all.
#[inline]
pub(super) fn dispatch(walk: impl Walk) {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if std::is_x86_feature_detected!("avx") {
        // SAFETY: the machine has AVX.
        return unsafe { wide::run(walk) };
    }
    walk.run::<Baseline>();
}

/// AVX: all eight lanes at once.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod wide {
    use super::{Compare, Walk};
    use crate::Aabb;
    use crate::bvh::node::Node;
    use core::arch::x86_64::{
        _CMP_LE_OQ, _mm256_and_ps, _mm256_cmp_ps, _mm256_loadu_ps, _mm256_movemask_ps, _mm256_set1_ps,
    };

    /// For use within [`run`] only.
    pub(super) struct Avx;

    impl Compare for Avx {
        #[inline(always)]
        fn overlap_mask(node: &Node, other: Aabb) -> u32 {
            // SAFETY: `run` asks for a machine with AVX, and nothing else names this type; the arrays hold eight numbers.
            unsafe {
                let eight = |values: &[f32; 8]| _mm256_loadu_ps(values.as_ptr());
                let x = _mm256_and_ps(
                    _mm256_cmp_ps::<_CMP_LE_OQ>(eight(&node.min_x), _mm256_set1_ps(other.max.x)),
                    _mm256_cmp_ps::<_CMP_LE_OQ>(_mm256_set1_ps(other.min.x), eight(&node.max_x)),
                );
                let y = _mm256_and_ps(
                    _mm256_cmp_ps::<_CMP_LE_OQ>(eight(&node.min_y), _mm256_set1_ps(other.max.y)),
                    _mm256_cmp_ps::<_CMP_LE_OQ>(_mm256_set1_ps(other.min.y), eight(&node.max_y)),
                );
                _mm256_movemask_ps(_mm256_and_ps(x, y)) as u32
            }
        }
    }

    /// Runs a walk with AVX.
    #[target_feature(enable = "avx")]
    pub(super) fn run(walk: impl Walk) {
        walk.run::<Avx>();
    }
}

impl Node {
    /// The lanes that share a point with a box, one bit each; touching edges count.
    #[inline(always)]
    pub fn overlaps(&self, other: Aabb) -> u32 {
        overlap_mask(self, other)
    }
}

/// Bit `i` is set when lane `i` of the node shares a point with the box; touching edges count.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn overlap_mask(node: &Node, other: Aabb) -> u32 {
    // SAFETY: SSE2 is part of the x86-64 base, so every machine that runs this has it.
    unsafe { overlap_mask_sse2(node, other) }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn overlap_mask_sse2(node: &Node, other: Aabb) -> u32 {
    use core::arch::x86_64::{_mm_and_ps, _mm_cmple_ps, _mm_movemask_ps, _mm_set1_ps, _mm_setr_ps};
    let min_x = _mm_set1_ps(other.min.x);
    let min_y = _mm_set1_ps(other.min.y);
    let max_x = _mm_set1_ps(other.max.x);
    let max_y = _mm_set1_ps(other.max.y);
    let mut mask = 0;
    for half in 0..2 {
        let four = |values: &[f32; 8]| {
            let start = 4 * half;
            _mm_setr_ps(
                values[start],
                values[start + 1],
                values[start + 2],
                values[start + 3],
            )
        };
        let x = _mm_and_ps(
            _mm_cmple_ps(four(&node.min_x), max_x),
            _mm_cmple_ps(min_x, four(&node.max_x)),
        );
        let y = _mm_and_ps(
            _mm_cmple_ps(four(&node.min_y), max_y),
            _mm_cmple_ps(min_y, four(&node.max_y)),
        );
        mask |= (_mm_movemask_ps(_mm_and_ps(x, y)) as u32) << (4 * half);
    }
    mask
}

/// Bit `i` is set when lane `i` of the node shares a point with the box; touching edges count.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn overlap_mask(node: &Node, other: Aabb) -> u32 {
    overlap_mask_plain(node, other)
}

/// The scalar version of [`overlap_mask`].
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn overlap_mask_plain(node: &Node, other: Aabb) -> u32 {
    (0..super::LANES).fold(0, |mask, lane| {
        let hit = (node.min_x[lane] <= other.max.x)
            & (node.min_y[lane] <= other.max.y)
            & (other.min.x <= node.max_x[lane])
            & (other.min.y <= node.max_y[lane]);
        mask | (u32::from(hit) << lane)
    })
}

#[cfg(test)]
mod tests {
    use super::{Compare, Walk, dispatch, overlap_mask, overlap_mask_plain};
    use crate::bvh::Node;
    use crate::{Aabb, Vec2};
    use proptest::prelude::*;

    /// A box on a coarse grid, so that touching edges are common, or one of the odd ones.
    fn any_box() -> impl Strategy<Value = Aabb> {
        prop_oneof![
            8 => (-4..4_i32, -4..4_i32, 0..3_i32, 0..3_i32).prop_map(|(x, y, w, h)| {
                let min = Vec2::new(x as f32, y as f32);
                Aabb::new(min, min + Vec2::new(w as f32, h as f32))
            }),
            1 => Just(Aabb::EMPTY),
            1 => Just(Aabb::new(Vec2::NAN, Vec2::NAN)),
        ]
    }

    /// One test, made with any of the instruction sets.
    struct Compared<'a> {
        node: &'a Node,
        other: Aabb,
        mask: &'a mut Option<u32>,
    }

    impl Walk for Compared<'_> {
        #[inline(always)]
        fn run<C: Compare>(self) {
            *self.mask = Some(C::overlap_mask(self.node, self.other));
        }
    }

    proptest! {
        #[test]
        fn vector_and_plain_lanes_agree(boxes in prop::array::uniform8(any_box()), other in any_box()) {
            let mut node = Node::EMPTY;
            for (lane, &b) in boxes.iter().enumerate() {
                node.set_lane(lane, b);
            }
            let plain = overlap_mask_plain(&node, other);
            prop_assert_eq!(overlap_mask(&node, other), plain);
            let mut widest = None;
            dispatch(Compared { node: &node, other, mask: &mut widest });
            prop_assert_eq!(widest, Some(plain));
        }
    }
}
