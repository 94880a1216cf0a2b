//! Four lanes: SSE2.
#![allow(unsafe_code)]

use super::{IndexRow, Lanes, READ_ONLY, Row, StateRows};
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};

/// Four numbers.
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

/// Four rows of four words, turned so that each result holds one word of all rows.
#[inline(always)]
pub(super) fn transpose(mut rows: [__m128; 4]) -> [__m128; 4] {
    let [a, b, c, d] = &mut rows;
    // SAFETY: SSE2 is part of every x86_64.
    unsafe { _MM_TRANSPOSE4_PS(a, b, c, d) };
    rows
}

/// The rows of four consecutive lanes, `offset` words in.
///
/// # Safety
///
/// As [`Lanes::gather4`].
#[inline(always)]
pub(super) unsafe fn rows4(rows: StateRows<'_>, indices: &IndexRow, at: usize, offset: usize) -> [__m128; 4] {
    // SAFETY: each row has eight words, `offset` is 0 or 4, and nobody writes the rows meanwhile.
    core::array::from_fn(|lane| unsafe { _mm_loadu_ps(rows.row(indices.0[at + lane]).add(offset)) })
}

/// Writes the first four words of four consecutive lanes' rows.
///
/// # Safety
///
/// As [`Lanes::scatter4`].
#[inline(always)]
pub(super) unsafe fn write_rows4(rows: StateRows<'_>, indices: &IndexRow, at: usize, values: [__m128; 4]) {
    for (lane, value) in values.into_iter().enumerate() {
        let index = indices.0[at + lane];
        if index & READ_ONLY == 0 {
            // SAFETY: the row has eight words, and nobody else touches it meanwhile.
            unsafe { _mm_storeu_ps(rows.row_mut(index), value) };
        }
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
    fn load(row: &Row, at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= super::BLOCK && at.is_multiple_of(Self::WIDTH));
        // SAFETY: in range and aligned by the assertion above, which holds by the trait's contract.
        Self(unsafe { _mm_load_ps(row.0.as_ptr().add(at)) })
    }

    #[inline(always)]
    fn store(self, row: &mut Row, at: usize) {
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
    unsafe fn gather4(rows: StateRows<'_>, indices: &IndexRow, at: usize) -> [Self; 4] {
        // SAFETY: the caller's contract.
        transpose(unsafe { rows4(rows, indices, at, 0) }).map(Self)
    }

    #[inline(always)]
    unsafe fn gather8(rows: StateRows<'_>, indices: &IndexRow, at: usize) -> [Self; 8] {
        // SAFETY: the caller's contract.
        let [a, b, c, d] = transpose(unsafe { rows4(rows, indices, at, 0) });
        // SAFETY: the caller's contract.
        let [e, f, g, h] = transpose(unsafe { rows4(rows, indices, at, 4) });
        [a, b, c, d, e, f, g, h].map(Self)
    }

    #[inline(always)]
    unsafe fn scatter4(rows: StateRows<'_>, indices: &IndexRow, at: usize, words: [Self; 4]) {
        // SAFETY: the caller's contract.
        unsafe { write_rows4(rows, indices, at, transpose(words.map(|word| word.0))) };
    }
}
