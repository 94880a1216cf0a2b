//! Four lanes: the SSE2 back end; SSE2 is part of every x86-64.
#![allow(unsafe_code)]

use super::{Lanes, RecordSink, RecordSource, SimdRow, is_written};
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};

/// Four `f32` lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F4(pub(crate) __m128);

macro_rules! operator {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for F4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: values of this type exist only where the machine has SSE2.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

operator!(Add, add, _mm_add_ps);
operator!(Sub, sub, _mm_sub_ps);
operator!(Mul, mul, _mm_mul_ps);
operator!(Div, div, _mm_div_ps);

/// Four records of four words, transposed so that each result holds one word of all records.
#[inline(always)]
fn transpose(mut rows: [__m128; 4]) -> [__m128; 4] {
    let [a, b, c, d] = &mut rows;
    // SAFETY: SSE2 is part of every x86_64.
    unsafe { _MM_TRANSPOSE4_PS(a, b, c, d) };
    rows
}

/// Four words of each record, `offset` words in, grouped for [`transpose`].
///
/// # Safety
///
/// The contract of [`Lanes::gather8`].
#[inline(always)]
unsafe fn load_rows(source: &impl RecordSource, offset: usize) -> [__m128; 4] {
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

/// Four words of the record of `lane`.
///
/// # Safety
///
/// The contract of [`Lanes::gather8`].
#[inline(always)]
unsafe fn load_group(source: &impl RecordSource, lane: usize, offset: usize) -> __m128 {
    // SAFETY: the caller's contract.
    unsafe { _mm_loadu_ps(source.record_of_lane(lane).add(offset)) }
}

/// Writes the record of `lane`.
///
/// # Safety
///
/// The contract of [`Lanes::scatter4`].
#[inline(always)]
unsafe fn store_rows(sink: &impl RecordSink, lane: usize, value: __m128) {
    let row = sink.record_of_lane_mut(lane);
    if is_written(sink, row) {
        // SAFETY: the caller's contract.
        unsafe { _mm_storeu_ps(row, value) };
    }
}

// SAFETY: SSE2 is part of every x86_64.
unsafe impl Lanes for F4 {
    const WIDTH: usize = 4;
    type Mask = __m128;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: SSE2 is part of every x86_64.
        Self(unsafe { _mm_set1_ps(value) })
    }

    #[inline(always)]
    fn load(row: &SimdRow, at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range and aligned by the assertion above, which holds by the trait's contract.
        Self(unsafe { _mm_load_ps(row.0.as_ptr().add(at)) })
    }

    #[inline(always)]
    fn store(self, row: &mut SimdRow, at: usize) {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range and aligned by the assertion above, which holds by the trait's contract.
        unsafe { _mm_store_ps(row.0.as_mut_ptr().add(at), self.0) };
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of every x86_64.
        Self(unsafe { _mm_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of every x86_64.
        Self(unsafe { _mm_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { _mm_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn less(self, other: Self) -> __m128 {
        // SAFETY: SSE2 is part of every x86_64.
        unsafe { _mm_cmplt_ps(self.0, other.0) }
    }

    #[inline(always)]
    fn select(mask: __m128, yes: Self, no: Self) -> Self {
        // SAFETY: SSE2 is part of every x86_64.
        Self(unsafe { _mm_or_ps(_mm_and_ps(mask, yes.0), _mm_andnot_ps(mask, no.0)) })
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
