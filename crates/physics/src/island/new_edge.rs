//! [`NewEdge`]: what linking many edges at once is given, and the memory that it takes. `link_many.rs` does it.

use alloc::vec::Vec;

/// An edge that is to be linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewEdge {
    /// The caller's index of it.
    pub edge: u32,
    /// The two nodes.
    pub nodes: [u32; 2],
}

/// An island that was merged away, and which nodes it had then: a stretch of the members of the island that has them now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone {
    pub(super) island: u32,
    pub(super) first: u32,
    pub(super) last: u32,
}

/// Memory of `Islands::link_many`. Nothing here outlives a call.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkScratch {
    /// For each island the one it was merged into in this call, or `NONE`.
    pub(super) parents: Vec<u32>,
    /// The islands that were merged away in this call, in that order.
    pub(super) gone: Vec<Gone>,
}
