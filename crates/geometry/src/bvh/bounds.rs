//! [`union_of_lanes`]: the smallest box around the eight of a node, with vector instructions where the target always has them;
//! a scalar version beside them runs on other machines, and the test compares both.
#![allow(unsafe_code)]

use crate::{Aabb, Vec2};

/// The edges of eight boxes.
pub(super) struct Edges<'a> {
    pub(super) min_x: &'a [f32; 8],
    pub(super) min_y: &'a [f32; 8],
    pub(super) max_x: &'a [f32; 8],
    pub(super) max_y: &'a [f32; 8],
}

/// The smallest box around eight boxes that are valid or empty.
///
/// Of equal edges the one of the lowest lane is taken, by every version: so a refit of one path and a refit of all nodes
/// give the same signs of zero.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn union_of_lanes(boxes: &Edges<'_>) -> Aabb {
    // SAFETY: SSE2 is part of the x86-64 base, so every machine that runs this has it.
    unsafe { union_of_lanes_sse2(boxes) }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn union_of_lanes_sse2(boxes: &Edges<'_>) -> Aabb {
    use core::arch::x86_64::{
        __m128, _mm_castps_pd, _mm_cvtsd_f64, _mm_max_ps, _mm_min_ps, _mm_setr_ps, _mm_shuffle_ps,
    };
    let four = |[a, b, c, d]: [f32; 4]| _mm_setr_ps(a, b, c, d);
    let halves = |&[a, b, c, d, e, f, g, h]: &[f32; 8]| (four([a, b, c, d]), four([e, f, g, h]));
    // The first, third, fifth and seventh of eight, and the others: neighbors are compared first, and then neighbors of
    // what remains, so that the lower lane is always the second operand, which is the result where both are equal.
    let even = |(low, high): (__m128, __m128)| _mm_shuffle_ps::<0b10_00_10_00>(low, high);
    let odd = |(low, high): (__m128, __m128)| _mm_shuffle_ps::<0b11_01_11_01>(low, high);
    let least = |pair| _mm_min_ps(odd(pair), even(pair));
    let greatest = |pair| _mm_max_ps(odd(pair), even(pair));
    let min = least((least(halves(boxes.min_x)), least(halves(boxes.min_y))));
    let max = greatest((greatest(halves(boxes.max_x)), greatest(halves(boxes.max_y))));
    // Now each has two numbers of x and two of y.
    let (min, max) = (least((min, min)), greatest((max, max)));
    let vector = |pair: __m128| {
        let [x, y]: [f32; 2] = bytemuck::cast(_mm_cvtsd_f64(_mm_castps_pd(pair)));
        Vec2::new(x, y)
    };
    Aabb::new(vector(min), vector(max))
}

/// The smallest box around eight boxes that are valid or empty.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn union_of_lanes(boxes: &Edges<'_>) -> Aabb {
    union_of_lanes_plain(boxes)
}

/// The scalar version of [`union_of_lanes`].
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn union_of_lanes_plain(boxes: &Edges<'_>) -> Aabb {
    let least = |v: &[f32; 8]| v.iter().fold(f32::INFINITY, |m, &x| if x < m { x } else { m });
    let greatest = |v: &[f32; 8]| {
        v.iter()
            .fold(f32::NEG_INFINITY, |m, &x| if x > m { x } else { m })
    };
    Aabb::new(
        Vec2::new(least(boxes.min_x), least(boxes.min_y)),
        Vec2::new(greatest(boxes.max_x), greatest(boxes.max_y)),
    )
}

#[cfg(test)]
mod tests {
    use super::{Edges, union_of_lanes, union_of_lanes_plain};
    use crate::{Aabb, Vec2};
    use proptest::prelude::*;

    /// A box with edges on few places, so that lanes often tie, at zeros of both signs too; some are empty.
    fn any_signed_box() -> impl Strategy<Value = Aabb> {
        let edge = || prop::sample::select(vec![-2.0, -1.0e-40, -0.0, 0.0, 1.0_f32]);
        let valid = (edge(), edge(), edge(), edge()).prop_map(|(a, b, c, d)| {
            let ordered = |a: f32, b: f32| if a <= b { (a, b) } else { (b, a) };
            let ((left, right), (low, high)) = (ordered(a, b), ordered(c, d));
            Aabb::new(Vec2::new(left, low), Vec2::new(right, high))
        });
        prop_oneof![6 => valid, 1 => Just(Aabb::EMPTY)]
    }

    proptest! {
        #[test]
        fn the_union_has_the_same_bits_with_and_without_vectors(
            boxes in prop::array::uniform8(any_signed_box()),
        ) {
            let boxes = Edges {
                min_x: &boxes.map(|b| b.min.x),
                min_y: &boxes.map(|b| b.min.y),
                max_x: &boxes.map(|b| b.max.x),
                max_y: &boxes.map(|b| b.max.y),
            };
            let bits = |b: Aabb| [b.min.x, b.min.y, b.max.x, b.max.y].map(f32::to_bits);
            prop_assert_eq!(bits(union_of_lanes(&boxes)), bits(union_of_lanes_plain(&boxes)));
        }
    }
}
