//! Lanes: [`Lanes`], one arithmetic interface over 1, 4, 8 or 16 numbers at once, and one file per SIMD back end. The
//! width is chosen by [`LaneWidth::widest`].
//!
//! Kernels are written once over [`Lanes`]. Every operation is one IEEE operation per lane, never fused, so a back end
//! changes the number of constraints that are solved at once but not a bit of any result. Minimum, maximum and
//! comparison are defined by their scalar form (see [`Lanes::min`]), and the machine instructions agree with it for NaN
//! and signed zeros too; `tests` checks every back end.
//!
//! The only intrinsics of the crate are in this folder.
//!
//! The reasons are in `docs/decisions.md#gathering-by-traits-not-closures`.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod wasm;

use crate::body::BodyState;
use core::ops::{Add, Div, Mul, Sub};
use tombolo_threads::ClaimedSlice;

/// The number of constraints in a block, whatever the back end: blocks have the same layout on every machine.
pub(crate) const BLOCK: usize = 16;

/// One number for each constraint of a block, aligned for the widest loads.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimdRow(pub(crate) [f32; BLOCK]);

impl SimdRow {
    pub(crate) const ZERO: Self = Self([0.0; BLOCK]);
}

/// One index for each constraint of a block, of a body or another record. Without any mark: gathering goes from index to
/// address, and is most of what a pass over a block does.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimdIndexRow(pub(crate) [u32; BLOCK]);

/// The addresses from which gathering reads the record of each lane. A trait and not a closure, because only functions
/// can inherit the target features of their caller by inlining.
pub(crate) trait RecordSource {
    /// The record of a lane, for reading.
    fn record_of_lane(&self, lane: usize) -> *const f32;
}

/// The addresses to which scattering writes the record of each lane.
pub(crate) trait RecordSink {
    /// Whether some lanes may have no record to write.
    const IS_PARTIAL: bool;

    /// The record of a lane, for writing; null for one that must not be written, if the sink is partial.
    fn record_of_lane_mut(&self, lane: usize) -> *mut f32;
}

/// The records of the bodies `indices[at..]`, in an array of records.
pub(crate) struct IndexedRecords<'a, T> {
    records: &'a [T],
    indices: &'a SimdIndexRow,
    at: usize,
}

impl<'a, T> IndexedRecords<'a, T> {
    /// # Safety
    ///
    /// All indices from `at` on are below the number of records: they are not checked one by one.
    #[inline(always)]
    pub(crate) unsafe fn new(records: &'a [T], indices: &'a SimdIndexRow, at: usize) -> Self {
        Self { records, indices, at }
    }
}

impl<T> RecordSource for IndexedRecords<'_, T> {
    #[inline(always)]
    fn record_of_lane(&self, lane: usize) -> *const f32 {
        let index = self.indices.0[self.at + lane];
        debug_assert!((index as usize) < self.records.len(), "a record for each index");
        // SAFETY: in range by the contract of `new`, which alone makes values of this type.
        let record: *const T = unsafe { self.records.get_unchecked(index as usize) };
        record.cast()
    }
}

/// The bodies' states in the form that the kernels use: records of eight words that several workers read and write by
/// index.
#[derive(Clone, Copy)]
pub(crate) struct BodyStateLanes<'a> {
    states: &'a ClaimedSlice<'a, BodyState>,
}

/// The records of the bodies `indices[at..]`, from their word `first` on.
#[derive(Clone, Copy)]
struct IndexedStates<'a> {
    body_states: BodyStateLanes<'a>,
    indices: &'a SimdIndexRow,
    at: usize,
    first: usize,
}

impl RecordSource for IndexedStates<'_> {
    #[inline(always)]
    fn record_of_lane(&self, lane: usize) -> *const f32 {
        let index = self.indices.0[self.at + lane];
        // SAFETY: in range by the contract of the methods of `BodyStateLanes`, which alone make values of this type.
        let state: *const BodyState = unsafe { self.body_states.states.get(index as usize) };
        state.cast::<f32>().wrapping_add(self.first)
    }
}

impl RecordSink for IndexedStates<'_> {
    const IS_PARTIAL: bool = false;

    #[inline(always)]
    fn record_of_lane_mut(&self, lane: usize) -> *mut f32 {
        let index = self.indices.0[self.at + lane];
        // SAFETY: in range and claimed by the contract of the methods of `BodyStateLanes`.
        let state: *mut BodyState = unsafe { self.body_states.states.get_mut(index as usize) };
        state.cast::<f32>().wrapping_add(self.first)
    }
}

/// Those of the records of a group of lanes that its constraints may change; a bit of the second field is set for the others.
struct SomeStates<'a>(IndexedStates<'a>, u32);

impl RecordSink for SomeStates<'_> {
    const IS_PARTIAL: bool = true;

    #[inline(always)]
    fn record_of_lane_mut(&self, lane: usize) -> *mut f32 {
        if self.1 >> lane & 1 != 0 {
            return core::ptr::null_mut();
        }
        self.0.record_of_lane_mut(lane)
    }
}

/// Whether scattering writes a lane's record.
#[inline(always)]
fn is_written<S: RecordSink>(_: &S, record: *mut f32) -> bool {
    !S::IS_PARTIAL || !record.is_null()
}

impl<'a> BodyStateLanes<'a> {
    pub(crate) fn new(states: &'a ClaimedSlice<'a, BodyState>) -> Self {
        Self { states }
    }

    /// The first four words of the records of `indices[at..]`: velocity x, y, angular, sine of the turn.
    ///
    /// # Safety
    ///
    /// The indices are in range, and no other worker writes these records meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn gather4<V: Lanes>(self, indices: &SimdIndexRow, at: usize) -> [V; 4] {
        // SAFETY: a record has eight words; the rest is the caller's contract.
        unsafe {
            V::gather4(&IndexedStates {
                body_states: self,
                indices,
                at,
                first: 0,
            })
        }
    }

    /// All eight words of the records of `indices[at..]`: those of [`BodyStateLanes::gather4`], then motion x, y,
    /// cosine of the turn, colors.
    ///
    /// # Safety
    ///
    /// The contract of [`BodyStateLanes::gather4`].
    #[inline(always)]
    pub(crate) unsafe fn gather8<V: Lanes>(self, indices: &SimdIndexRow, at: usize) -> [V; 8] {
        // SAFETY: a record has eight words; the rest is the caller's contract.
        unsafe {
            V::gather8(&IndexedStates {
                body_states: self,
                indices,
                at,
                first: 0,
            })
        }
    }

    /// Writes the first four words of the records of `indices[at..]`, except those of lanes whose bit is set in `unwritten`.
    ///
    /// # Safety
    ///
    /// The indices are in range, and no other worker touches the records that are written meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn scatter4<V: Lanes>(
        self,
        (indices, unwritten): (&SimdIndexRow, u32),
        at: usize,
        words: [V; 4],
    ) {
        // SAFETY: the caller's contract.
        unsafe { self.scatter_from((indices, unwritten), [at, 0], words) };
    }

    /// Writes four words of the records of `indices[at..]`, from the word `first` on. Most groups of lanes write all of
    /// their records or none, and need not ask for each.
    ///
    /// # Safety
    ///
    /// The contract of [`BodyStateLanes::scatter4`]; `first` is 0 or 4.
    #[inline(always)]
    unsafe fn scatter_from<V: Lanes>(
        self,
        (indices, unwritten): (&SimdIndexRow, u32),
        [at, first]: [usize; 2],
        words: [V; 4],
    ) {
        let states = IndexedStates {
            body_states: self,
            indices,
            at,
            first,
        };
        let all = (1 << V::WIDTH) - 1;
        let unwritten = unwritten >> at & all;
        // SAFETY: a record has eight words; the rest is the caller's contract.
        unsafe {
            if unwritten == 0 {
                V::scatter4(&states, words);
            } else if unwritten != all {
                V::scatter4(&SomeStates(states, unwritten), words);
            }
        }
    }

    /// Writes all eight words of the records of `indices[at..]`, except those of lanes whose bit is set in `unwritten`.
    ///
    /// # Safety
    ///
    /// The contract of [`BodyStateLanes::scatter4`].
    #[inline(always)]
    pub(crate) unsafe fn scatter8<V: Lanes>(self, row: (&SimdIndexRow, u32), at: usize, words: [V; 8]) {
        let [a, b, c, d, e, f, g, h] = words;
        // SAFETY: the caller's contract.
        unsafe {
            self.scatter_from(row, [at, 0], [a, b, c, d]);
            self.scatter_from(row, [at, 4], [e, f, g, h]);
        }
    }
}

/// `WIDTH` numbers that go through the same operations.
///
/// # Safety
///
/// Values of a back end's type may only be created where the machine has its instructions: inside functions with its
/// `target_feature`. All functions here are `inline(always)`, so that they inherit the features of their caller.
pub(crate) unsafe trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The number of lanes.
    const WIDTH: usize;

    /// The result of a comparison.
    type Mask: Copy;

    /// The same number in every lane.
    fn splat(value: f32) -> Self;

    /// The numbers `at..at + WIDTH` of a SIMD row; `at` is a multiple of `WIDTH`.
    fn load(row: &SimdRow, at: usize) -> Self;

    /// Writes the numbers `at..at + WIDTH` of a SIMD row; `at` is a multiple of `WIDTH`.
    fn store(self, row: &mut SimdRow, at: usize);

    /// `if self < other { self } else { other }` in each lane.
    fn min(self, other: Self) -> Self;

    /// `if self > other { self } else { other }` in each lane.
    fn max(self, other: Self) -> Self;

    /// The square root in each lane, rounded to nearest; NaN below zero.
    fn sqrt(self) -> Self;

    /// `self < other` in each lane; false where either is not a number.
    fn less(self, other: Self) -> Self::Mask;

    /// `yes` in the lanes where the mask holds, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Four words of each lane's record: the first result holds the first words of all records, and so on.
    ///
    /// # Safety
    ///
    /// The records of the lanes `0..WIDTH` have four words that no other worker writes meanwhile.
    unsafe fn gather4(source: &impl RecordSource) -> [Self; 4];

    /// Eight words of each lane's record.
    ///
    /// # Safety
    ///
    /// The records of the lanes `0..WIDTH` have eight words that no other worker writes meanwhile.
    unsafe fn gather8(source: &impl RecordSource) -> [Self; 8];

    /// Writes four words of each lane's record, except where it is null in a partial sink.
    ///
    /// # Safety
    ///
    /// The records of the lanes `0..WIDTH` that are not null have four words that no other worker touches meanwhile.
    unsafe fn scatter4(sink: &impl RecordSink, words: [Self; 4]);
}

/// The back end that runs the kernels: the number of constraints that are solved at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneWidth {
    /// One constraint at a time, scalar code: always available.
    One,
    /// Four at a time: SSE2, NEON, or WebAssembly's SIMD.
    Four,
    /// Eight at a time, AVX2.
    Eight,
    /// Sixteen at a time, AVX-512.
    Sixteen,
}

impl LaneWidth {
    /// All back ends, narrow to wide.
    pub const ALL: [Self; 4] = [Self::One, Self::Four, Self::Eight, Self::Sixteen];

    /// The widest back end that this machine has.
    pub fn widest() -> Self {
        Self::ALL
            .into_iter()
            .rev()
            .find(|width| width.is_available())
            .unwrap_or(Self::One)
    }

    /// Whether this machine has the instructions of the back end.
    pub fn is_available(self) -> bool {
        match self {
            Self::One => true,
            #[cfg(any(
                target_arch = "aarch64",
                all(target_arch = "wasm32", target_feature = "simd128"),
                all(target_arch = "x86_64", feature = "std")
            ))]
            Self::Four => true,
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Self::Eight => std::is_x86_feature_detected!("avx2"),
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Self::Sixteen => {
                std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512dq")
                    && std::is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
            _ => false,
        }
    }

    /// The narrowest back end that holds `count` numbers, or this one if none does: a machine that has this one has the
    /// narrower ones too.
    pub(crate) fn least_for(self, count: usize) -> Self {
        let fits = |width: &Self| *width >= self || width.lanes() >= count;
        Self::ALL.into_iter().find(fits).unwrap_or(self)
    }

    /// The number of constraints that are solved at once.
    pub fn lanes(self) -> usize {
        match self {
            Self::One => 1,
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }
}
