//! Four lanes: the back end for WebAssembly's 128-bit vectors, for modules that are compiled with them
//! (`-C target-feature=+simd128`).
//!
//! Only exact operations are used: the relaxed ones, whose results may differ between machines, are not.
#![allow(unsafe_code)]

use super::{Lanes, RecordSink, RecordSource, SimdRow, is_written};
use core::arch::wasm32::*;
use core::ops::{Add, Div, Mul, Sub};

/// Four `f32` lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct W4(pub(crate) v128);

macro_rules! operator {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for W4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self($intrinsic(self.0, other.0))
            }
        }
    };
}

operator!(Add, add, f32x4_add);
operator!(Sub, sub, f32x4_sub);
operator!(Mul, mul, f32x4_mul);
operator!(Div, div, f32x4_div);

/// Four records of four words, transposed so that each result holds one word of all records. Its own inverse.
#[inline(always)]
fn transpose([a, b, c, d]: [v128; 4]) -> [v128; 4] {
    // Words 0 and 1, then 2 and 3, of two records each.
    let (low_ab, low_cd) = (
        i32x4_shuffle::<0, 4, 1, 5>(a, b),
        i32x4_shuffle::<0, 4, 1, 5>(c, d),
    );
    let (high_ab, high_cd) = (
        i32x4_shuffle::<2, 6, 3, 7>(a, b),
        i32x4_shuffle::<2, 6, 3, 7>(c, d),
    );
    [
        i64x2_shuffle::<0, 2>(low_ab, low_cd),
        i64x2_shuffle::<1, 3>(low_ab, low_cd),
        i64x2_shuffle::<0, 2>(high_ab, high_cd),
        i64x2_shuffle::<1, 3>(high_ab, high_cd),
    ]
}

/// Four words of each record, `offset` words in, grouped for [`transpose`].
///
/// # Safety
///
/// The contract of [`Lanes::gather8`].
#[inline(always)]
unsafe fn load_rows(source: &impl RecordSource, offset: usize) -> [v128; 4] {
    // SAFETY: the caller's contract; loads of vectors need no alignment.
    unsafe {
        [
            v128_load(source.record_of_lane(0).add(offset).cast()),
            v128_load(source.record_of_lane(1).add(offset).cast()),
            v128_load(source.record_of_lane(2).add(offset).cast()),
            v128_load(source.record_of_lane(3).add(offset).cast()),
        ]
    }
}

/// Writes the record of `lane`.
///
/// # Safety
///
/// The contract of [`Lanes::scatter4`].
#[inline(always)]
unsafe fn store_row(sink: &impl RecordSink, lane: usize, value: v128) {
    let row = sink.record_of_lane_mut(lane);
    if is_written(sink, row) {
        // SAFETY: the caller's contract; stores of vectors need no alignment.
        unsafe { v128_store(row.cast(), value) };
    }
}

// SAFETY: this file is compiled only into modules that may use the instructions everywhere.
unsafe impl Lanes for W4 {
    const WIDTH: usize = 4;
    type Mask = v128;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self(f32x4_splat(value))
    }

    #[inline(always)]
    fn load(row: &SimdRow, at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range by the assertion above, which holds by the trait's contract.
        Self(unsafe { v128_load(row.0.as_ptr().add(at).cast()) })
    }

    #[inline(always)]
    fn store(self, row: &mut SimdRow, at: usize) {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range by the assertion above, which holds by the trait's contract.
        unsafe { v128_store(row.0.as_mut_ptr().add(at).cast(), self.0) };
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // `pmin(a, b)` is `if b < a { b } else { a }`.
        Self(f32x4_pmin(other.0, self.0))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // `pmax(a, b)` is `if a < b { b } else { a }`.
        Self(f32x4_pmax(other.0, self.0))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(f32x4_sqrt(self.0))
    }

    #[inline(always)]
    fn less(self, other: Self) -> v128 {
        f32x4_lt(self.0, other.0)
    }

    #[inline(always)]
    fn select(mask: v128, yes: Self, no: Self) -> Self {
        Self(v128_bitselect(yes.0, no.0, mask))
    }

    #[inline(always)]
    unsafe fn gather4(source: &impl RecordSource) -> [Self; 4] {
        // SAFETY: the caller's contract.
        transpose(unsafe { load_rows(source, 0) }).map(Self)
    }

    #[inline(always)]
    unsafe fn gather8(source: &impl RecordSource) -> [Self; 8] {
        // SAFETY: the caller's contract.
        let ([a, b, c, d], [e, f, g, h]) =
            unsafe { (transpose(load_rows(source, 0)), transpose(load_rows(source, 4))) };
        [a, b, c, d, e, f, g, h].map(Self)
    }

    #[inline(always)]
    unsafe fn scatter4(sink: &impl RecordSink, words: [Self; 4]) {
        let [a, b, c, d] = transpose(words.map(|word| word.0));
        // SAFETY: the caller's contract.
        unsafe {
            store_row(sink, 0, a);
            store_row(sink, 1, b);
            store_row(sink, 2, c);
            store_row(sink, 3, d);
        }
    }
}
