//! [`NewEdge`]: an input of linking many edges at once, and the scratch memory of that call. `link_many.rs` uses them.

use alloc::vec::Vec;

/// The entry of an island that was not merged into another.
pub(super) const NOT_MERGED: u32 = 0;

/// An edge that is to be linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewEdge {
    /// The caller's index of the edge.
    pub edge: u32,
    /// The two nodes.
    pub nodes: [u32; 2],
}

/// An island that was merged into another, and its nodes at that time: a contiguous part of the members of the island
/// that has them now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone {
    pub(super) island: u32,
    pub(super) first: u32,
    pub(super) last: u32,
}

/// Scratch memory of `Islands::link_many`. Its contents are not used after the call.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkScratch {
    /// For each island the index of the one that it was merged into in this call, plus one; or [`NOT_MERGED`].
    pub(super) parents: Vec<u32>,
    /// The islands that were merged into others in this call, in that order.
    pub(super) gone: Vec<Gone>,
}
