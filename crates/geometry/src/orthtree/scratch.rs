//! The plan of a batch before it is carried out, and the memory for that.

use alloc::vec::Vec;

/// The plan of an item of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Plan {
    /// It stays in its cell, and only its box is written.
    Stays,
    /// It goes to another cell; with the positions of both cells along the curve.
    Leaves { from: u64, to: u64 },
    /// The root has to grow first.
    IsOutside,
}

/// An item of a batch, and its position along the curve.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CurveEntry {
    pub(super) order: u64,
    pub(super) item: u32,
    /// The object's index.
    pub(super) index: u32,
}

/// Memory that batches reuse, so that its pages are touched for the first time once. A clone begins without.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) plans: Vec<Plan>,
    pub(super) leaving: Vec<CurveEntry>,
    pub(super) arriving: Vec<CurveEntry>,
    pub(super) sorted: Vec<CurveEntry>,
    /// The keys of moving objects: by item, or by the object's index where all move.
    pub(super) keys: Vec<u64>,
    /// The objects named so far, a bit for each.
    pub(super) seen: Vec<u64>,
}

impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}
