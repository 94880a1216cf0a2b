//! Accurate offsets: twice the area of a triangle, rounded once, however thin the triangle.
//!
//! [`super::line::turn`] guarantees a sign and its value may be entirely wrong; here the value counts, because crossing
//! points are divided from it. Products and differences are carried with their rounding errors ("error-free
//! transformations", T. Dekker, 1971, and D. Knuth); fused multiplication is not used, as it is not available
//! everywhere.

use glam::DVec2;

/// A sum of two numbers of which the second is the rounding error of the first. [`DoublePair`]s are two at a time, side
/// by side.
type Double = [f64; 2];
type DoublePair = DVec2;

/// The sum and its rounding error.
#[inline]
fn two_sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    let b_part = sum - a;
    [sum, (a - (sum - b_part)) + (b - b_part)]
}

#[inline]
fn two_differences(a: DoublePair, b: DoublePair) -> [DoublePair; 2] {
    let difference = a - b;
    let b_part = difference - a;
    [difference, (a - (difference - b_part)) - (b + b_part)]
}

/// 2^27 + 1: splits a number into the upper half of its bits and the lower.
const SPLITTER: f64 = 134_217_729.0;

#[inline]
fn halves(a: DoublePair) -> [DoublePair; 2] {
    let shifted = a * SPLITTER;
    let high = shifted - (shifted - a);
    [high, a - high]
}

/// The product and its rounding error, from the factors and their halves.
#[inline]
fn two_products(
    a: DoublePair,
    [a_high, a_low]: [DoublePair; 2],
    b: DoublePair,
    [b_high, b_low]: [DoublePair; 2],
) -> [DoublePair; 2] {
    let product = a * b;
    let lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    [product, lost]
}

/// The product and its rounding error.
#[inline]
fn two_product(a: f64, b: f64) -> Double {
    let [a, b] = [DoublePair::splat(a), DoublePair::splat(b)];
    two_products(a, halves(a), b, halves(b)).map(|pair| pair.x)
}

/// A line, prepared for measuring offsets from it.
#[derive(Clone, Copy)]
pub(super) struct LineDistance {
    ends: [DVec2; 2],
    /// From the first end to the second: the vector, its rounding error, and its halves.
    along: [DVec2; 2],
    along_halves: [DVec2; 2],
}

impl LineDistance {
    /// For the line through two points. The same whichever comes first, so that crossings have the same bits for a line and
    /// its reverse.
    #[inline]
    pub(super) fn new(a: DVec2, b: DVec2) -> Self {
        let size = |p: DVec2| p.abs().element_sum();
        let (size_a, size_b) = (size(a), size(b));
        let is_swapped =
            (size_b < size_a) | ((size_b == size_a) & ((b.x < a.x) | ((b.x == a.x) & (b.y < a.y))));
        // By index and not by a branch: lines have all directions.
        let first = usize::from(is_swapped);
        let ends = [[a, b][first], [a, b][1 - first]];
        let along = two_differences(ends[1], ends[0]);
        Self {
            ends,
            along,
            along_halves: halves(along[0]),
        }
    }

    /// For two points: twice the area of the triangle with the line's two points, up to the sign, and the bound of its
    /// error beside half a step of rounding.
    #[inline]
    pub(super) fn doubled_areas(&self, [one, other]: [DVec2; 2]) -> (DoublePair, DoublePair) {
        // Sixteen squares of half a step, with as much again as a margin: eight for each product, four for the
        // difference.
        const ERROR: f64 = 8.0 * f64::EPSILON * f64::EPSILON;
        let [from, _] = self.ends;
        let times = |axis: usize, points: DoublePair, from: f64| {
            let [b, b_lost] = two_differences(points, DoublePair::splat(from));
            let [a, a_lost, a_high, a_low] = [
                self.along[0],
                self.along[1],
                self.along_halves[0],
                self.along_halves[1],
            ]
            .map(|pair| DoublePair::splat(pair[axis]));
            let [product, lost] = two_products(a, [a_high, a_low], b, halves(b));
            [product, lost + (a * b_lost + a_lost * b)]
        };
        let left = times(0, DoublePair::new(one.y, other.y), from.y);
        let right = times(1, DoublePair::new(one.x, other.x), from.x);
        let [difference, lost] = two_differences(left[0], right[0]);
        (
            difference + (lost + (left[1] - right[1])),
            (left[0].abs() + right[0].abs()) * ERROR,
        )
    }

    /// The same for one point, without an error except the last rounding.
    pub(super) fn doubled_area_exactly(&self, point: DVec2) -> f64 {
        doubled_area_exactly(self.ends[0], self.ends[1], point)
    }
}

/// Twice the area of the triangle `a`, `b`, `c`, rounded once. Costs some 800 operations.
#[cold]
#[inline(never)]
pub(super) fn doubled_area_exactly(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let [ax, ay] = [two_sum(a.x, -c.x), two_sum(a.y, -c.y)];
    let [bx, by] = [two_sum(b.x, -c.x), two_sum(b.y, -c.y)];
    // A sum of numbers whose bits do not overlap, the least first: J. R. Shewchuk's expansions, 1997.
    let mut sum = [0.0; 16];
    let mut count = 0;
    let mut add = |mut term: f64| {
        for part in &mut sum[..count] {
            [term, *part] = two_sum(term, *part);
        }
        sum[count] = term;
        count += 1;
    };
    for (one, other, sign) in [(ax, by, 1.0), (ay, bx, -1.0)] {
        for x in one {
            for y in other {
                let [product, lost] = two_product(x, y);
                add(sign * lost);
                add(sign * product);
            }
        }
    }
    sum.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;
    use num_traits::{Signed, ToPrimitive, Zero};
    use proptest::prelude::*;

    fn exactly(a: DVec2, b: DVec2, c: DVec2) -> BigRational {
        let of = |value: f64| BigRational::from_float(value).expect("finite");
        (of(a.x) - of(c.x)) * (of(b.y) - of(c.y)) - (of(a.y) - of(c.y)) * (of(b.x) - of(c.x))
    }

    proptest! {
        /// Points on a line but for some steps, of all sizes.
        #[test]
        fn thin_triangles_have_their_area(
            a in prop::array::uniform2(-10.0f64..10.0),
            along in prop::array::uniform2(-10.0f64..10.0),
            (t, beside) in (-100.0f64..100.0, prop_oneof![Just(0.0), -1.0e-13..1.0e-13, -1.0f64..1.0]),
            scale in prop_oneof![Just(1.0), Just(1.0e-60), Just(1.0e60)],
        ) {
            let [a, along] = [DVec2::from(a) * scale, DVec2::from(along) * scale];
            let (b, c) = (a + along, a + along * t + along.perp() * beside);
            let truth = exactly(a, b, c);
            let off = |value: f64| {
                (BigRational::from_float(value).expect("finite") - &truth).abs().to_f64().expect("in range")
            };
            let size = truth.to_f64().expect("in range").abs();
            let exact = doubled_area_exactly(a, b, c);
            prop_assert_eq!(exact == 0.0, truth.is_zero());
            prop_assert!(off(exact) <= 0.501 * f64::EPSILON * size);
            let ruler = LineDistance::new(a, b);
            let (values, errors) = ruler.doubled_areas([c, a]);
            let error = errors.x + 0.501 * f64::EPSILON * size;
            prop_assert!(off(values.x).min(off(-values.x)) <= error);
            prop_assert!(values.y.abs() <= errors.y);
            prop_assert_eq!(LineDistance::new(b, a).doubled_areas([c, a]).0, values);
        }
    }
}
