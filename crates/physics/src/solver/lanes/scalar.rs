//! One lane: the scalar back end, plain `f32`. The reference for every other back end; it also solves the overflow in
//! order.
#![allow(unsafe_code)]

use super::{Lanes, RecordSink, RecordSource, SimdRow, is_written};
use core::ops::{Add, Div, Mul, Sub};

/// One `f32` lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F1(pub(crate) f32);

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for F1 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $operator other.0)
            }
        }
    };
}

operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

// SAFETY: needs no instructions beyond the base.
unsafe impl Lanes for F1 {
    const WIDTH: usize = 1;
    type Mask = bool;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn load(row: &SimdRow, at: usize) -> Self {
        Self(row.0[at])
    }

    #[inline(always)]
    fn store(self, row: &mut SimdRow, at: usize) {
        row.0[at] = self.0;
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self.0 < other.0 { self } else { other }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(tombolo_geometry::math::sqrt(self.0))
    }

    #[inline(always)]
    fn less(self, other: Self) -> bool {
        self.0 < other.0
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    unsafe fn gather4(source: &impl RecordSource) -> [Self; 4] {
        let row = source.record_of_lane(0);
        // SAFETY: the caller's contract.
        unsafe {
            [
                Self(*row),
                Self(*row.add(1)),
                Self(*row.add(2)),
                Self(*row.add(3)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn gather8(source: &impl RecordSource) -> [Self; 8] {
        let row = source.record_of_lane(0);
        // SAFETY: the caller's contract.
        unsafe {
            [
                Self(*row),
                Self(*row.add(1)),
                Self(*row.add(2)),
                Self(*row.add(3)),
                Self(*row.add(4)),
                Self(*row.add(5)),
                Self(*row.add(6)),
                Self(*row.add(7)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn scatter4(sink: &impl RecordSink, words: [Self; 4]) {
        let row = sink.record_of_lane_mut(0);
        if is_written(sink, row) {
            for (word, value) in words.into_iter().enumerate() {
                // SAFETY: the caller's contract.
                unsafe { *row.add(word) = value.0 };
            }
        }
    }
}
