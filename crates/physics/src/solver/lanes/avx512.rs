//! Sixteen lanes: AVX-512.
#![allow(unsafe_code)]

use super::{IndexRow, Lanes, READ_ONLY, Row, StateRows};
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};

/// Sixteen numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F16(pub(crate) __m512);

macro_rules! operator {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for F16 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: values of this type exist only where the machine has AVX-512.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

operator!(Add, add, _mm512_add_ps);
operator!(Sub, sub, _mm512_sub_ps);
operator!(Mul, mul, _mm512_mul_ps);
operator!(Div, div, _mm512_div_ps);

/// Sixteen rows of four words, as four registers that hold rows `i`, `i + 4`, `i + 8` and `i + 12`, turned so that each
/// result holds one word of all sixteen rows.
#[inline(always)]
fn transpose(rows: [__m512; 4]) -> [__m512; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: values of these types exist only where the machine has AVX-512.
    unsafe {
        let (ab_low, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        [
            _mm512_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm512_shuffle_ps::<0xEE>(ab_low, cd_low),
            _mm512_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm512_shuffle_ps::<0xEE>(ab_high, cd_high),
        ]
    }
}

/// Words `offset..offset + 4` of sixteen lanes' rows, grouped for [`transpose`].
///
/// # Safety
///
/// As [`Lanes::gather4`].
#[inline(always)]
unsafe fn rows16(rows: StateRows<'_>, indices: &IndexRow, offset: usize) -> [__m512; 4] {
    core::array::from_fn(|lane| {
        // SAFETY: each row has eight words, `offset` is 0 or 4, and nobody writes the rows meanwhile.
        unsafe {
            let quarter = |group: usize| _mm_loadu_ps(rows.row(indices.0[lane + 4 * group]).add(offset));
            let low = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(quarter(0)), quarter(1));
            let high = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(quarter(2)), quarter(3));
            _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high)
        }
    })
}

// SAFETY: the operations need AVX-512 F, DQ and VL; the kernels make values of this type in functions with those
// features only.
unsafe impl Lanes for F16 {
    const WIDTH: usize = 16;
    type Mask = __mmask16;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn load(row: &Row, at: usize) -> Self {
        debug_assert!(at == 0, "a block has sixteen lanes");
        // SAFETY: a row has sixteen numbers and is aligned to 64 bytes.
        Self(unsafe { _mm512_load_ps(row.0.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, row: &mut Row, at: usize) {
        debug_assert!(at == 0, "a block has sixteen lanes");
        // SAFETY: a row has sixteen numbers and is aligned to 64 bytes.
        unsafe { _mm512_store_ps(row.0.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm512_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn less(self, other: Self) -> __mmask16 {
        // SAFETY: the trait's contract.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn select(mask: __mmask16, yes: Self, no: Self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm512_mask_blend_ps(mask, no.0, yes.0) })
    }

    #[inline(always)]
    unsafe fn gather4(rows: StateRows<'_>, indices: &IndexRow, at: usize) -> [Self; 4] {
        debug_assert!(at == 0, "a block has sixteen lanes");
        // SAFETY: the caller's contract.
        transpose(unsafe { rows16(rows, indices, 0) }).map(Self)
    }

    #[inline(always)]
    unsafe fn gather8(rows: StateRows<'_>, indices: &IndexRow, at: usize) -> [Self; 8] {
        debug_assert!(at == 0, "a block has sixteen lanes");
        // SAFETY: the caller's contract.
        let [a, b, c, d] = transpose(unsafe { rows16(rows, indices, 0) });
        // SAFETY: the caller's contract.
        let [e, f, g, h] = transpose(unsafe { rows16(rows, indices, 4) });
        [a, b, c, d, e, f, g, h].map(Self)
    }

    #[inline(always)]
    unsafe fn scatter4(rows: StateRows<'_>, indices: &IndexRow, at: usize, words: [Self; 4]) {
        debug_assert!(at == 0, "a block has sixteen lanes");
        // The turn is its own inverse: word registers become row registers.
        for (lane, group) in transpose(words.map(|word| word.0)).into_iter().enumerate() {
            // SAFETY: each row has eight words, and nobody else touches those not marked read-only meanwhile.
            unsafe {
                let quarters = [
                    _mm512_extractf32x4_ps::<0>(group),
                    _mm512_extractf32x4_ps::<1>(group),
                    _mm512_extractf32x4_ps::<2>(group),
                    _mm512_extractf32x4_ps::<3>(group),
                ];
                for (quarter, value) in quarters.into_iter().enumerate() {
                    let index = indices.0[lane + 4 * quarter];
                    if index & READ_ONLY == 0 {
                        _mm_storeu_ps(rows.row_mut(index), value);
                    }
                }
            }
        }
    }
}
