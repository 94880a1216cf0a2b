//! Tests of one box or ray against the eight boxes of a node, with vector instructions; the scalar
//! version beside them runs on other machines, and the test compares both.
//!
//! SSE2 is part of every x86-64. A walk over pairs and a search make so many tests that each is compiled once more for AVX,
//! and [`dispatch`] chooses between the two when it begins: at each test a choice would keep these few instructions from
//! being inlined.
#![allow(unsafe_code)]

use super::node::{LANES, Node};
use crate::{Aabb, Vec2};

/// The instructions with which a walk compares boxes.
pub(super) trait Compare {
    /// Bit `i` is set when lane `i` of the node shares a point with the box; touching edges count.
    fn overlap_mask(node: &Node, other: Aabb) -> u32;

    /// The lanes of the node that a cast enters up to `fraction_max`, each with the fraction at which it is entered.
    fn entries(slabs: &Slabs, node: &Node, fraction_max: f32) -> Entries;
}

/// The instructions that every machine of the target has.
pub(super) struct Baseline;

impl Compare for Baseline {
    #[inline(always)]
    fn overlap_mask(node: &Node, other: Aabb) -> u32 {
        overlap_mask(node, other)
    }

    #[inline(always)]
    fn entries(slabs: &Slabs, node: &Node, fraction_max: f32) -> Entries {
        slabs.entries(node, fraction_max)
    }
}

/// A loop of many tests.
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
    use super::{Compare, Entries, Slabs, Walk};
    use crate::Aabb;
    use crate::bvh::node::{LANES, Node};
    use core::arch::x86_64::{
        __m256, _CMP_LE_OQ, _CMP_UNORD_Q, _mm256_add_ps, _mm256_and_ps, _mm256_blendv_ps, _mm256_cmp_ps,
        _mm256_loadu_ps, _mm256_max_ps, _mm256_min_ps, _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_ps,
        _mm256_setzero_ps, _mm256_storeu_ps, _mm256_sub_ps,
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

        #[inline(always)]
        fn entries(slabs: &Slabs, node: &Node, fraction_max: f32) -> Entries {
            // SAFETY: `run` asks for a machine with AVX, and nothing else names this type.
            unsafe {
                if slabs.is_plain_ray {
                    entries::<true>(slabs, node, fraction_max)
                } else {
                    entries::<false>(slabs, node, fraction_max)
                }
            }
        }
    }

    /// [`Slabs::entries`], of all eight lanes at once.
    #[inline]
    #[target_feature(enable = "avx")]
    fn entries<const PLAIN: bool>(slabs: &Slabs, node: &Node, fraction_max: f32) -> Entries {
        let instead_of_nan = |value: __m256, bound: f32| {
            if PLAIN {
                return value;
            }
            let is_nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(value, value);
            _mm256_blendv_ps(value, _mm256_set1_ps(bound), is_nan)
        };
        let slab = |min: __m256, max: __m256, half_size: f32, start: f32, inverse: f32| {
            let (start, inverse) = (_mm256_set1_ps(start), _mm256_set1_ps(inverse));
            let (min, max) = if PLAIN {
                (min, max)
            } else {
                let half_size = _mm256_set1_ps(half_size);
                (_mm256_sub_ps(min, half_size), _mm256_add_ps(max, half_size))
            };
            let one = _mm256_mul_ps(_mm256_sub_ps(min, start), inverse);
            let other = _mm256_mul_ps(_mm256_sub_ps(max, start), inverse);
            let low = instead_of_nan(one, f32::NEG_INFINITY);
            let high = instead_of_nan(other, f32::INFINITY);
            (_mm256_min_ps(low, high), _mm256_max_ps(low, high))
        };
        // SAFETY: the arrays hold eight numbers.
        let eight = |values: &[f32; LANES]| unsafe { _mm256_loadu_ps(values.as_ptr()) };
        let (min_x, max_x) = (eight(&node.min_x), eight(&node.max_x));
        let x = slab(min_x, max_x, slabs.half_size.x, slabs.start.x, slabs.inverse.x);
        let (min_y, max_y) = (eight(&node.min_y), eight(&node.max_y));
        let y = slab(min_y, max_y, slabs.half_size.y, slabs.start.y, slabs.inverse.y);
        let near = _mm256_max_ps(_mm256_max_ps(x.0, y.0), _mm256_setzero_ps());
        let far = _mm256_min_ps(_mm256_min_ps(x.1, y.1), _mm256_set1_ps(fraction_max));
        let met = _mm256_and_ps(
            _mm256_cmp_ps::<_CMP_LE_OQ>(near, far),
            _mm256_cmp_ps::<_CMP_LE_OQ>(min_x, max_x),
        );
        let mut entries = [0.0; LANES];
        // SAFETY: there is room for eight numbers.
        unsafe { _mm256_storeu_ps(entries.as_mut_ptr(), near) };
        Entries {
            lanes: _mm256_movemask_ps(met) as u32,
            entries,
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

/// The lanes that a search enters.
pub(super) struct Entries {
    /// One bit for each lane.
    pub(super) lanes: u32,
    /// For a lane that is entered: the fraction of a cast, or the distance of its box. Any number for the others.
    pub(super) entries: [f32; LANES],
}

/// A cast prepared for the slab test (T. Kay, J. Kajiya, *Ray Tracing Complex Scenes*, 1986).
pub(super) struct Slabs {
    start: Vec2,
    inverse: Vec2,
    half_size: Vec2,
    /// Whether it is a ray that is along no axis, so that nothing is 0 · ∞ and there is no half size to add: the tests
    /// have the same results with half as many instructions.
    #[cfg(target_arch = "x86_64")]
    is_plain_ray: bool,
}

impl Slabs {
    /// For a box of half the size `half_size` that moves from `start` by `translation`.
    pub(super) fn new(start: Vec2, translation: Vec2, half_size: Vec2) -> Self {
        // A displacement of zero along an axis gives infinity here, of one sign: the slab is then met always or never,
        // or 0 · ∞ = NaN on its edge, which the tests take for always.
        let inverse = |component: f32| {
            if component.abs() < f32::MIN_POSITIVE {
                f32::INFINITY
            } else {
                1.0 / component
            }
        };
        let inverse = Vec2::new(inverse(translation.x), inverse(translation.y));
        Self {
            start,
            inverse,
            half_size,
            #[cfg(target_arch = "x86_64")]
            is_plain_ray: half_size == Vec2::ZERO
                && start.is_finite()
                && inverse.x.is_normal()
                && inverse.y.is_normal(),
        }
    }

    /// The lanes that are entered up to `fraction_max`, each with the fraction at which it is entered.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn entries(&self, node: &Node, fraction_max: f32) -> Entries {
        // SAFETY: SSE2 is part of the x86-64 base, so every machine that runs this has it.
        unsafe {
            if self.is_plain_ray {
                self.entries_sse2::<true>(node, fraction_max)
            } else {
                self.entries_sse2::<false>(node, fraction_max)
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "sse2")]
    fn entries_sse2<const PLAIN: bool>(&self, node: &Node, fraction_max: f32) -> Entries {
        use core::arch::x86_64::{
            __m128, _mm_add_ps, _mm_and_ps, _mm_andnot_ps, _mm_cmple_ps, _mm_cmpunord_ps, _mm_max_ps,
            _mm_min_ps, _mm_movemask_ps, _mm_mul_ps, _mm_or_ps, _mm_set1_ps, _mm_setr_ps, _mm_setzero_ps,
            _mm_storeu_ps, _mm_sub_ps,
        };
        let instead_of_nan = |value: __m128, bound: f32| {
            if PLAIN {
                return value;
            }
            let is_nan = _mm_cmpunord_ps(value, value);
            _mm_or_ps(
                _mm_and_ps(is_nan, _mm_set1_ps(bound)),
                _mm_andnot_ps(is_nan, value),
            )
        };
        let slab = |min: __m128, max: __m128, half_size: f32, start: f32, inverse: f32| {
            let (half_size, start, inverse) =
                (_mm_set1_ps(half_size), _mm_set1_ps(start), _mm_set1_ps(inverse));
            let (min, max) = if PLAIN {
                (min, max)
            } else {
                (_mm_sub_ps(min, half_size), _mm_add_ps(max, half_size))
            };
            let one = _mm_mul_ps(_mm_sub_ps(min, start), inverse);
            let other = _mm_mul_ps(_mm_sub_ps(max, start), inverse);
            let low = instead_of_nan(one, f32::NEG_INFINITY);
            let high = instead_of_nan(other, f32::INFINITY);
            (_mm_min_ps(low, high), _mm_max_ps(low, high))
        };
        let (mut lanes, mut entries) = (0, [0.0; LANES]);
        for half in 0..2 {
            let first = 4 * half;
            let four = |values: &[f32; LANES]| {
                _mm_setr_ps(
                    values[first],
                    values[first + 1],
                    values[first + 2],
                    values[first + 3],
                )
            };
            let (min_x, max_x) = (four(&node.min_x), four(&node.max_x));
            let x = slab(min_x, max_x, self.half_size.x, self.start.x, self.inverse.x);
            let (min_y, max_y) = (four(&node.min_y), four(&node.max_y));
            let y = slab(min_y, max_y, self.half_size.y, self.start.y, self.inverse.y);
            let near = _mm_max_ps(_mm_max_ps(x.0, y.0), _mm_setzero_ps());
            let far = _mm_min_ps(_mm_min_ps(x.1, y.1), _mm_set1_ps(fraction_max));
            let met = _mm_and_ps(_mm_cmple_ps(near, far), _mm_cmple_ps(min_x, max_x));
            // SAFETY: there are four numbers from `first` on, which is 0 or 4 of 8.
            unsafe { _mm_storeu_ps(entries.as_mut_ptr().add(first), near) };
            lanes |= (_mm_movemask_ps(met) as u32) << first;
        }
        Entries { lanes, entries }
    }

    /// The lanes that are entered up to `fraction_max`, each with the fraction at which it is entered.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub(super) fn entries(&self, node: &Node, fraction_max: f32) -> Entries {
        self.entries_plain(node, fraction_max)
    }

    /// The scalar version of [`Self::entries`].
    #[cfg(any(test, not(target_arch = "x86_64")))]
    #[inline]
    fn entries_plain(&self, node: &Node, fraction_max: f32) -> Entries {
        let (mut lanes, mut entries) = (0, [0.0; LANES]);
        let axis = |axis: usize| (self.half_size[axis], self.start[axis], self.inverse[axis]);
        for (lane, entry) in entries.iter_mut().enumerate() {
            let x = slab(node.min_x[lane], node.max_x[lane], axis(0));
            let y = slab(node.min_y[lane], node.max_y[lane], axis(1));
            let near = x.0.max(y.0).max(0.0);
            let far = x.1.min(y.1).min(fraction_max);
            if (near <= far) & (node.min_x[lane] <= node.max_x[lane]) {
                *entry = near;
                lanes |= 1 << lane;
            }
        }
        Entries { lanes, entries }
    }
}

/// The interval of fractions in which a line is between two parallel edges, grown by the half size.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn slab(min: f32, max: f32, (half_size, start, inverse): (f32, f32, f32)) -> (f32, f32) {
    let one = (min - half_size - start) * inverse;
    let other = (max + half_size - start) * inverse;
    // NaN means on the edge of the slab and parallel to it, so that side does not bound the line.
    let low = if one.is_nan() { f32::NEG_INFINITY } else { one };
    let high = if other.is_nan() { f32::INFINITY } else { other };
    (low.min(high), low.max(high))
}

#[cfg(test)]
mod tests {
    use super::{Compare, Entries, Slabs, Walk, dispatch, overlap_mask, overlap_mask_plain};
    use crate::bvh::Node;
    use crate::bvh::node::bits;
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

    /// A point on the same grid, so that casts run along edges, or beside it; some displacements are too short to divide by.
    fn any_point() -> impl Strategy<Value = Vec2> {
        let on_grid = (-5..5_i32, -5..5_i32).prop_map(|(x, y)| Vec2::new(x as f32, y as f32));
        let beside = (-5.0..5.0_f32, -5.0..5.0_f32).prop_map(|(x, y)| Vec2::new(x, y));
        let tiny = Just(Vec2::new(1.0e-40, -3.0));
        prop_oneof![8 => on_grid, 3 => beside, 1 => tiny]
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

    /// Likewise, of a cast.
    struct Entered<'a> {
        node: &'a Node,
        slabs: &'a Slabs,
        fraction_max: f32,
        entries: &'a mut Option<Entries>,
    }

    impl Walk for Entered<'_> {
        #[inline(always)]
        fn run<C: Compare>(self) {
            *self.entries = Some(C::entries(self.slabs, self.node, self.fraction_max));
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

        #[test]
        fn casts_enter_the_same_lanes_at_the_same_fractions(
            boxes in prop::array::uniform8(any_box()),
            start in any_point(),
            translation in any_point(),
            half_size in (0..3_i32, 0..3_i32),
            fraction_max in prop_oneof![Just(1.0_f32), 0.0..2.0_f32],
        ) {
            let mut node = Node::EMPTY;
            for (lane, &b) in boxes.iter().enumerate() {
                node.set_lane(lane, b);
            }
            let half_size = 0.5 * Vec2::new(half_size.0 as f32, half_size.1 as f32);
            let slabs = Slabs::new(start, translation, half_size);
            let (lanes, plain) = (slabs.entries(&node, fraction_max), slabs.entries_plain(&node, fraction_max));
            let mut widest = None;
            dispatch(Entered { node: &node, slabs: &slabs, fraction_max, entries: &mut widest });
            let widest = widest.expect("the walk was run");
            prop_assert_eq!([lanes.lanes, widest.lanes], [plain.lanes; 2]);
            for lane in bits(plain.lanes) {
                // Equal as numbers: zero may have either sign.
                prop_assert_eq!([lanes.entries[lane], widest.entries[lane]], [plain.entries[lane]; 2]);
            }
        }
    }
}
