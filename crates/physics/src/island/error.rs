//! [`IslandError`] and [`CorruptIslands`]: errors of calls on islands. Each message names the wrong index and the
//! remedy. After an error nothing has changed.

use alloc::string::String;
use core::fmt;

/// The reason why a change of the islands was refused. The islands are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IslandError {
    /// The index of a node or an edge is 2³⁰ or more.
    IndexTooLarge(u32),
    /// A node with this index exists already.
    NodeExists(u32),
    /// There is no node with this index.
    NoNode(u32),
    /// The node still has edges: unlink them first.
    NodeHasEdges {
        /// The node.
        node: u32,
        /// The number of its edges.
        edge_count: u32,
    },
    /// An edge with this index exists already.
    EdgeExists(u32),
    /// There is no edge with this index.
    NoEdge(u32),
    /// An edge cannot lead from a node to itself.
    SelfLink(u32),
    /// One end sleeps and the other is awake: wake this island, then link.
    Asleep {
        /// The sleeping island.
        island: u32,
    },
    /// There is no island with this index.
    NoIsland(u32),
    /// The list of awake nodes contains this node, which sleeps or is listed twice.
    NotAwakeOnce(u32),
    /// The list of awake nodes is too short.
    AwakeMissing {
        /// The number of nodes in the list.
        given: u32,
        /// The number of awake nodes.
        expected: u32,
    },
    /// The island may be several islands: split it, then put it to sleep.
    NeedsSplit(u32),
}

impl fmt::Display for IslandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::IndexTooLarge(index) => write!(f, "index {index} is not below 2^30; use a smaller index"),
            Self::NodeExists(node) => {
                write!(f, "node {node} exists already; remove it before adding it anew")
            }
            Self::NoNode(node) => write!(f, "there is no node {node}; add it first"),
            Self::NodeHasEdges { node, edge_count } => {
                write!(
                    f,
                    "node {node} still has {edge_count} edges; unlink them before removing it"
                )
            }
            Self::EdgeExists(edge) => write!(
                f,
                "edge {edge} is linked already; unlink it before linking it anew"
            ),
            Self::NoEdge(edge) => write!(f, "edge {edge} is not linked"),
            Self::SelfLink(node) => write!(f, "an edge from node {node} to itself; give two different nodes"),
            Self::Asleep { island } => {
                write!(
                    f,
                    "island {island} sleeps and the other end is awake; wake it before linking"
                )
            }
            Self::NoIsland(island) => write!(f, "there is no island {island}"),
            Self::NotAwakeOnce(node) => {
                write!(
                    f,
                    "node {node} sleeps or was named twice; name each awake node once"
                )
            }
            Self::AwakeMissing { given, expected } => {
                write!(
                    f,
                    "{given} of {expected} awake nodes were named; name each of them once"
                )
            }
            Self::NeedsSplit(island) => {
                write!(
                    f,
                    "island {island} may have come apart; split it before putting it to sleep"
                )
            }
        }
    }
}

impl core::error::Error for IslandError {}

/// The invariant that [`Islands::validate`](super::Islands::validate) found violated: a saved state that was damaged,
/// or a defect of this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorruptIslands {
    /// The violated invariant, and the record in which it is violated.
    pub what: String,
}

impl fmt::Display for CorruptIslands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the islands are damaged: {}", self.what)
    }
}

impl core::error::Error for CorruptIslands {}
