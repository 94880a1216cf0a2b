//! Eight lanes: AVX2.
#![allow(unsafe_code)]

use super::{IndexRow, Lanes, READ_ONLY, Row, StateRows};
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};

/// Eight numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F8(pub(crate) __m256);

macro_rules! operator {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for F8 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: values of this type exist only where the machine has AVX2.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

operator!(Add, add, _mm256_add_ps);
operator!(Sub, sub, _mm256_sub_ps);
operator!(Mul, mul, _mm256_mul_ps);
operator!(Div, div, _mm256_div_ps);

/// Eight rows of four words, as four registers that hold row `i` below row `i + 4`, turned so that each result holds
/// one word of all eight rows.
#[inline(always)]
fn transpose(rows: [__m256; 4]) -> [__m256; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: values of these types exist only where the machine has AVX2.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm256_shuffle_ps::<0xEE>(ab_low, cd_low),
            _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm256_shuffle_ps::<0xEE>(ab_high, cd_high),
        ]
    }
}

/// Words `offset..offset + 4` of eight consecutive lanes' rows, paired for [`transpose`].
///
/// # Safety
///
/// As [`Lanes::gather4`].
#[inline(always)]
unsafe fn rows8(rows: StateRows<'_>, indices: &IndexRow, at: usize, offset: usize) -> [__m256; 4] {
    core::array::from_fn(|lane| {
        // SAFETY: each row has eight words, `offset` is 0 or 4, and nobody writes the rows meanwhile.
        unsafe {
            let low = _mm_loadu_ps(rows.row(indices.0[at + lane]).add(offset));
            let high = _mm_loadu_ps(rows.row(indices.0[at + lane + 4]).add(offset));
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
        }
    })
}

// SAFETY: the operations need AVX2; the kernels make values of this type in functions with that feature only.
unsafe impl Lanes for F8 {
    const WIDTH: usize = 8;
    type Mask = __m256;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(row: &Row, at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range and aligned by the assertion above, which holds by the trait's contract.
        Self(unsafe { _mm256_load_ps(row.0.as_ptr().add(at)) })
    }

    #[inline(always)]
    fn store(self, row: &mut Row, at: usize) {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range and aligned by the assertion above, which holds by the trait's contract.
        unsafe { _mm256_store_ps(row.0.as_mut_ptr().add(at), self.0) };
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn less(self, other: Self) -> __m256 {
        // SAFETY: the trait's contract.
        unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn select(mask: __m256, yes: Self, no: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, mask) })
    }

    #[inline(always)]
    unsafe fn gather4(rows: StateRows<'_>, indices: &IndexRow, at: usize) -> [Self; 4] {
        // SAFETY: the caller's contract.
        transpose(unsafe { rows8(rows, indices, at, 0) }).map(Self)
    }

    #[inline(always)]
    unsafe fn gather8(rows: StateRows<'_>, indices: &IndexRow, at: usize) -> [Self; 8] {
        // SAFETY: the caller's contract.
        let [a, b, c, d] = transpose(unsafe { rows8(rows, indices, at, 0) });
        // SAFETY: the caller's contract.
        let [e, f, g, h] = transpose(unsafe { rows8(rows, indices, at, 4) });
        [a, b, c, d, e, f, g, h].map(Self)
    }

    #[inline(always)]
    unsafe fn scatter4(rows: StateRows<'_>, indices: &IndexRow, at: usize, words: [Self; 4]) {
        // The turn is its own inverse: word registers become row registers.
        for (lane, pair) in transpose(words.map(|word| word.0)).into_iter().enumerate() {
            // SAFETY: each row has eight words, and nobody else touches those not marked read-only meanwhile.
            unsafe {
                let (low, high) = (indices.0[at + lane], indices.0[at + lane + 4]);
                if low & READ_ONLY == 0 {
                    _mm_storeu_ps(rows.row_mut(low), _mm256_castps256_ps128(pair));
                }
                if high & READ_ONLY == 0 {
                    _mm_storeu_ps(rows.row_mut(high), _mm256_extractf128_ps::<1>(pair));
                }
            }
        }
    }
}
