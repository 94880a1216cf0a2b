//! Sixteen lanes: the AVX-512 back end, for x86-64.
#![allow(unsafe_code)]

use super::{Lanes, RecordSink, RecordSource, SimdRow};
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

/// Sixteen records of four words, as four registers that hold records `i`, `i + 4`, `i + 8` and `i + 12`, transposed so
/// that each result holds one word of all sixteen records.
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

/// Four words of each record, `offset` words in, grouped for [`transpose`].
///
/// # Safety
///
/// The contract of [`Lanes::gather8`].
#[inline(always)]
unsafe fn load_rows(source: &impl RecordSource, offset: usize) -> [__m512; 4] {
    // SAFETY: the caller's contract.
    unsafe {
        [
            load_group(source, 0, offset),
            load_group(source, 1, offset),
            load_group(source, 2, offset),
            load_group(source, 3, offset),
        ]
    }
}

/// Four words of the records of `lane`, `lane + 4`, `lane + 8` and `lane + 12`.
///
/// # Safety
///
/// The contract of [`Lanes::gather8`].
#[inline(always)]
unsafe fn load_group(source: &impl RecordSource, lane: usize, offset: usize) -> __m512 {
    // SAFETY: the caller's contract.
    unsafe {
        let a = _mm_loadu_ps(source.record_of_lane(lane).add(offset));
        let b = _mm_loadu_ps(source.record_of_lane(lane + 4).add(offset));
        let c = _mm_loadu_ps(source.record_of_lane(lane + 8).add(offset));
        let d = _mm_loadu_ps(source.record_of_lane(lane + 12).add(offset));
        let low = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(a), b);
        let high = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(c), d);
        _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high)
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
        store_row(sink.record_of_lane_mut(lane), _mm512_castps512_ps128(group));
        store_row(
            sink.record_of_lane_mut(lane + 4),
            _mm512_extractf32x4_ps::<1>(group),
        );
        store_row(
            sink.record_of_lane_mut(lane + 8),
            _mm512_extractf32x4_ps::<2>(group),
        );
        store_row(
            sink.record_of_lane_mut(lane + 12),
            _mm512_extractf32x4_ps::<3>(group),
        );
    }
}

/// Writes one record, if it is not null.
///
/// # Safety
///
/// The contract of [`Lanes::scatter4`].
#[inline(always)]
unsafe fn store_row(row: *mut f32, value: __m128) {
    if !row.is_null() {
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
        let [a, b, c, d] = transpose(unsafe { load_rows(source, 0) });
        [Self(a), Self(b), Self(c), Self(d)]
    }

    #[inline(always)]
    unsafe fn gather8(source: &impl RecordSource) -> [Self; 8] {
        // SAFETY: the caller's contract.
        let ([a, b, c, d], [e, f, g, h]) =
            unsafe { (transpose(load_rows(source, 0)), transpose(load_rows(source, 4))) };
        [
            Self(a),
            Self(b),
            Self(c),
            Self(d),
            Self(e),
            Self(f),
            Self(g),
            Self(h),
        ]
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
