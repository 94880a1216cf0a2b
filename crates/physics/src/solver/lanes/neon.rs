//! Four lanes: the NEON back end; NEON is part of every AArch64.
//!
//! Minimum and maximum are a comparison and a selection: the machine's own differ from the scalar form for NaN and
//! for zeros of two signs.
#![allow(unsafe_code)]

use super::{Lanes, RecordSink, RecordSource, SimdRow, is_written};
use core::arch::aarch64::*;
use core::ops::{Add, Div, Mul, Sub};

/// Four `f32` lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct N4(pub(crate) float32x4_t);

macro_rules! operator {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for N4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: NEON is part of every AArch64.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

operator!(Add, add, vaddq_f32);
operator!(Sub, sub, vsubq_f32);
operator!(Mul, mul, vmulq_f32);
operator!(Div, div, vdivq_f32);

/// Four records of four words, transposed so that each result holds one word of all records. Its own inverse.
#[inline(always)]
fn transpose([a, b, c, d]: [float32x4_t; 4]) -> [float32x4_t; 4] {
    // SAFETY: NEON is part of every AArch64.
    unsafe {
        // Words 0 and 2, then 1 and 3, of two records each, as pairs of words.
        let pairs = [
            vtrn1q_f32(a, b),
            vtrn2q_f32(a, b),
            vtrn1q_f32(c, d),
            vtrn2q_f32(c, d),
        ];
        let [even_ab, odd_ab, even_cd, odd_cd] = pairs.map(|pair| vreinterpretq_f64_f32(pair));
        [
            vreinterpretq_f32_f64(vtrn1q_f64(even_ab, even_cd)),
            vreinterpretq_f32_f64(vtrn1q_f64(odd_ab, odd_cd)),
            vreinterpretq_f32_f64(vtrn2q_f64(even_ab, even_cd)),
            vreinterpretq_f32_f64(vtrn2q_f64(odd_ab, odd_cd)),
        ]
    }
}

/// Four words of each record, `offset` words in, grouped for [`transpose`].
///
/// # Safety
///
/// The contract of [`Lanes::gather8`].
#[inline(always)]
unsafe fn load_rows(source: &impl RecordSource, offset: usize) -> [float32x4_t; 4] {
    // SAFETY: the caller's contract.
    unsafe {
        [
            vld1q_f32(source.record_of_lane(0).add(offset)),
            vld1q_f32(source.record_of_lane(1).add(offset)),
            vld1q_f32(source.record_of_lane(2).add(offset)),
            vld1q_f32(source.record_of_lane(3).add(offset)),
        ]
    }
}

/// Writes the record of `lane`.
///
/// # Safety
///
/// The contract of [`Lanes::scatter4`].
#[inline(always)]
unsafe fn store_row(sink: &impl RecordSink, lane: usize, value: float32x4_t) {
    let row = sink.record_of_lane_mut(lane);
    if is_written(sink, row) {
        // SAFETY: the caller's contract.
        unsafe { vst1q_f32(row, value) };
    }
}

// SAFETY: NEON is part of every AArch64.
unsafe impl Lanes for N4 {
    const WIDTH: usize = 4;
    type Mask = uint32x4_t;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: NEON is part of every AArch64.
        Self(unsafe { vdupq_n_f32(value) })
    }

    #[inline(always)]
    fn load(row: &SimdRow, at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range by the assertion above, which holds by the trait's contract.
        Self(unsafe { vld1q_f32(row.0.as_ptr().add(at)) })
    }

    #[inline(always)]
    fn store(self, row: &mut SimdRow, at: usize) {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range by the assertion above, which holds by the trait's contract.
        unsafe { vst1q_f32(row.0.as_mut_ptr().add(at), self.0) };
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.less(other), self, other)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.less(self), self, other)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the trait's contract.
        Self(unsafe { vsqrtq_f32(self.0) })
    }

    #[inline(always)]
    fn less(self, other: Self) -> uint32x4_t {
        // SAFETY: NEON is part of every AArch64.
        unsafe { vcltq_f32(self.0, other.0) }
    }

    #[inline(always)]
    fn select(mask: uint32x4_t, yes: Self, no: Self) -> Self {
        // SAFETY: NEON is part of every AArch64.
        Self(unsafe { vbslq_f32(mask, yes.0, no.0) })
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
        let [a, b, c, d] = transpose([a.0, b.0, c.0, d.0]);
        // SAFETY: the caller's contract.
        unsafe {
            store_row(sink, 0, a);
            store_row(sink, 1, b);
            store_row(sink, 2, c);
            store_row(sink, 3, d);
        }
    }
}
