//! Eight lanes: the AVX2 back end, for x86-64.
#![allow(unsafe_code)]

use super::{Lanes, RecordSink, RecordSource, SimdRow, is_written};
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};

/// Eight `f32` lanes.
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

/// Eight records of four words, as four registers that hold record `i` below record `i + 4`, transposed so that each
/// result holds one word of all eight records.
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

/// Four words of each record, `offset` words in, grouped for [`transpose`].
///
/// # Safety
///
/// The contract of [`Lanes::gather8`].
#[inline(always)]
unsafe fn load_rows(source: &impl RecordSource, offset: usize) -> [__m256; 4] {
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

/// Four words of the records of `lane` and `lane + 4`.
///
/// # Safety
///
/// The contract of [`Lanes::gather8`].
#[inline(always)]
unsafe fn load_group(source: &impl RecordSource, lane: usize, offset: usize) -> __m256 {
    // SAFETY: the caller's contract.
    unsafe {
        let low = _mm_loadu_ps(source.record_of_lane(lane).add(offset));
        let high = _mm_loadu_ps(source.record_of_lane(lane + 4).add(offset));
        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
    }
}

/// Writes the records of `lane` and `lane + 4`.
///
/// # Safety
///
/// The contract of [`Lanes::scatter4`].
#[inline(always)]
unsafe fn store_rows(sink: &impl RecordSink, lane: usize, group: __m256) {
    // SAFETY: the caller's contract.
    unsafe {
        store_row(sink, lane, _mm256_castps256_ps128(group));
        store_row(sink, lane + 4, _mm256_extractf128_ps::<1>(group));
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
    fn load(row: &SimdRow, at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range and aligned by the assertion above, which holds by the trait's contract.
        Self(unsafe { _mm256_load_ps(row.0.as_ptr().add(at)) })
    }

    #[inline(always)]
    fn store(self, row: &mut SimdRow, at: usize) {
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
    fn sqrt(self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
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
