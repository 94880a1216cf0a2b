//! Sixteen lanes: the AVX-512 back end, for x86-64.
#![allow(unsafe_code)]

use super::{Lanes, RecordSink, RecordSource, SimdRow, is_written};
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};

/// Sixteen `f32` lanes.
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

/// Sixteen records of four words, as four registers that hold records `i`, `i + 4`, `i + 8` and `i + 12` in their quarters,
/// transposed so that each result holds one word of all sixteen records.
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

/// Four words of the records of `lane`, `lane + 4`, `lane + 8` and `lane + 12`.
///
/// # Safety
///
/// The contract of [`Lanes::gather4`].
#[inline(always)]
unsafe fn load_fours(source: &impl RecordSource, lane: usize) -> __m512 {
    // SAFETY: the caller's contract.
    unsafe {
        let group = _mm512_castps128_ps512(_mm_loadu_ps(source.record_of_lane(lane)));
        let group = _mm512_insertf32x4::<1>(group, _mm_loadu_ps(source.record_of_lane(lane + 4)));
        let group = _mm512_insertf32x4::<2>(group, _mm_loadu_ps(source.record_of_lane(lane + 8)));
        _mm512_insertf32x4::<3>(group, _mm_loadu_ps(source.record_of_lane(lane + 12)))
    }
}

/// Eight words of the records of `lane` and `lane + 4`.
///
/// # Safety
///
/// The contract of [`Lanes::gather8`].
#[inline(always)]
unsafe fn load_eights(source: &impl RecordSource, lane: usize) -> __m512 {
    // SAFETY: the caller's contract.
    unsafe {
        let group = _mm512_castps256_ps512(_mm256_loadu_ps(source.record_of_lane(lane)));
        _mm512_insertf32x8::<1>(group, _mm256_loadu_ps(source.record_of_lane(lane + 4)))
    }
}

/// Writes the records of `lane`, `lane + 4`, `lane + 8` and `lane + 12`.
///
/// # Safety
///
/// The contract of [`Lanes::scatter4`].
#[inline(always)]
unsafe fn store_rows(sink: &impl RecordSink, lane: usize, group: __m512) {
    // SAFETY: the caller's contract.
    unsafe {
        store_row(sink, lane, _mm512_castps512_ps128(group));
        store_row(sink, lane + 4, _mm512_extractf32x4_ps::<1>(group));
        store_row(sink, lane + 8, _mm512_extractf32x4_ps::<2>(group));
        store_row(sink, lane + 12, _mm512_extractf32x4_ps::<3>(group));
    }
}

/// Writes the record of one lane, if it has one.
///
/// # Safety
///
/// The contract of [`Lanes::scatter4`].
#[inline(always)]
unsafe fn store_row(sink: &impl RecordSink, lane: usize, value: __m128) {
    let row = sink.record_of_lane_mut(lane);
    if is_written(sink, row) {
        // SAFETY: the caller's contract.
        unsafe { _mm_storeu_ps(row, value) };
    }
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
    fn load(row: &SimdRow, at: usize) -> Self {
        debug_assert!(at == 0, "a block has sixteen lanes");
        // SAFETY: a SIMD row has sixteen numbers and is aligned to 64 bytes.
        Self(unsafe { _mm512_load_ps(row.0.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, row: &mut SimdRow, at: usize) {
        debug_assert!(at == 0, "a block has sixteen lanes");
        // SAFETY: a SIMD row has sixteen numbers and is aligned to 64 bytes.
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
    fn sqrt(self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm512_sqrt_ps(self.0) })
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
    unsafe fn gather4(source: &impl RecordSource) -> [Self; 4] {
        // SAFETY: the caller's contract.
        let rows = unsafe {
            [
                load_fours(source, 0),
                load_fours(source, 1),
                load_fours(source, 2),
                load_fours(source, 3),
            ]
        };
        let [a, b, c, d] = transpose(rows);
        [Self(a), Self(b), Self(c), Self(d)]
    }

    #[inline(always)]
    unsafe fn gather8(source: &impl RecordSource) -> [Self; 8] {
        // One load for each record, and its address once. SAFETY: the caller's contract.
        let (low, high) = unsafe {
            (
                [
                    load_eights(source, 0),
                    load_eights(source, 1),
                    load_eights(source, 2),
                    load_eights(source, 3),
                ],
                [
                    load_eights(source, 8),
                    load_eights(source, 9),
                    load_eights(source, 10),
                    load_eights(source, 11),
                ],
            )
        };
        // Quarters of each register: word `i` of records 0 to 3, word `i + 4` of these, and the same of records 4 to 7; then
        // of the eight others.
        let ([a, b, c, d], [e, f, g, h]) = (transpose(low), transpose(high));
        // SAFETY: values of these types exist only where the machine has AVX-512.
        unsafe {
            [
                Self(_mm512_shuffle_f32x4::<0x88>(a, e)),
                Self(_mm512_shuffle_f32x4::<0x88>(b, f)),
                Self(_mm512_shuffle_f32x4::<0x88>(c, g)),
                Self(_mm512_shuffle_f32x4::<0x88>(d, h)),
                Self(_mm512_shuffle_f32x4::<0xDD>(a, e)),
                Self(_mm512_shuffle_f32x4::<0xDD>(b, f)),
                Self(_mm512_shuffle_f32x4::<0xDD>(c, g)),
                Self(_mm512_shuffle_f32x4::<0xDD>(d, h)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn scatter4(sink: &impl RecordSink, [a, b, c, d]: [Self; 4]) {
        // The transposition is its own inverse: word registers become record registers.
        let [a, b, c, d] = transpose([a.0, b.0, c.0, d.0]);
        // SAFETY: the caller's contract.
        unsafe {
            store_rows(sink, 0, a);
            store_rows(sink, 1, b);
            store_rows(sink, 2, c);
            store_rows(sink, 3, d);
        }
    }
}
