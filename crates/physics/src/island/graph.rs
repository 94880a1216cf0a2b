//! The graph under the islands: node and edge records, and the lists of the edges at each node.
//!
//! All references are indices into flat arrays; a node's edges form a doubly linked list whose links are in the edges,
//! so linking and unlinking cost a few writes and no memory is held per node. Only this file writes the list of a
//! node's edges; the other files of `island/` read it. It has no islands, except that a node stores the index of its
//! own.

use crate::persistent::PlainArray;
use tombolo_geometry::plain_data;

use super::list::{Linked, Links, NONE};

/// The largest index of a node or an edge plus one: the end of an edge is `edge * 2 + side`, which must stay below
/// [`NONE`].
pub(crate) const INDEX_MAX: u32 = 1 << 30;

/// The bit of [`Edge::flags`] of an edge that belongs to the spanning tree of its island.
pub(crate) const TREE: u32 = 1;

/// The kind of the edges that the caller linked.
pub(super) const REAL: usize = 0;
/// The kind of the gaps that lost edges left in the spanning tree (`split.rs`).
pub(super) const GAPS: usize = 1;

plain_data! {
    /// A node: a body that can move. `island` is [`NONE`] in a record that is not in use.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct IslandNode {
        /// The island the node is in.
        pub(crate) island: u32,
        /// Neighbors in the island's list of members.
        pub(crate) links: Links,
        /// The first end in the node's list of edges, or [`NONE`]; the same for gaps.
        pub(crate) first_end: [u32; 2],
        /// The number of edges that meet here; the same for gaps.
        pub(crate) end_count: [u32; 2],
        /// The number of the edges that belong to the spanning tree.
        pub(crate) tree_count: u32,
    }

    /// An edge: a touching contact or a joint, or a gap. `nodes[0]` is [`NONE`] in a record that is not in use.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct Edge {
        /// The two nodes, in the order in which they were given.
        pub(crate) nodes: [u32; 2],
        /// The next end in the list of each node.
        pub(crate) next: [u32; 2],
        /// The previous end in the list of each node.
        pub(crate) previous: [u32; 2],
        /// [`TREE`] or 0.
        pub(crate) flags: u32,
    }
}

const _: () = assert!(size_of::<IslandNode>() == 32 && size_of::<Edge>() == 28);

impl Linked for IslandNode {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

impl IslandNode {
    pub(super) const EMPTY: Self = Self {
        island: NONE,
        links: Links::EMPTY,
        first_end: [NONE; 2],
        end_count: [0; 2],
        tree_count: 0,
    };
}

impl Edge {
    pub(super) const EMPTY: Self = Self {
        nodes: [NONE; 2],
        next: [NONE; 2],
        previous: [NONE; 2],
        flags: 0,
    };

    pub(super) fn is_live(&self) -> bool {
        self.nodes[0] != NONE
    }

    pub(super) fn is_tree(&self) -> bool {
        self.flags & TREE != 0
    }
}

/// One end of an edge, seen from the node that it is at.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The edge.
    pub(super) edge: u32,
    /// The index in the edge's two nodes, 0 or 1, of the node that this end is at.
    pub(super) side: usize,
    /// The node at the other end.
    pub(super) other: u32,
    /// Whether the edge belongs to the spanning tree.
    pub(super) is_tree: bool,
}

/// The arrays of the graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: PlainArray<IslandNode>,
    /// The edges, by the caller's index, and the gaps, by an internal index.
    pub(crate) edges: [PlainArray<Edge>; 2],
}

impl Graph {
    pub(super) fn node(&self, node: u32) -> Option<&IslandNode> {
        self.nodes
            .get(node as usize)
            .filter(|record| record.island != NONE)
    }

    pub(super) fn edge(&self, edge: u32) -> Option<&Edge> {
        self.edges[REAL]
            .get(edge as usize)
            .filter(|record| record.is_live())
    }

    /// The number of ends of one kind at `node`.
    #[inline]
    pub(super) fn end_count(&self, kind: usize, node: u32) -> u32 {
        self.nodes[node as usize].end_count[kind]
    }

    /// The ends of one kind at `node`, the newest edge first.
    pub(super) fn ends(&self, kind: usize, node: u32) -> NodeEnds<'_> {
        NodeEnds {
            edges: &self.edges[kind],
            key: self.nodes[node as usize].first_end[kind],
        }
    }

    /// Writes the record of a node that is alone in its island.
    #[inline]
    pub(super) fn insert_node(&mut self, node: u32, island: u32) {
        let record = IslandNode {
            island,
            ..IslandNode::EMPTY
        };
        if node as usize == self.nodes.len() {
            self.nodes.push(record);
        } else {
            self.nodes.grow_to(node as usize, IslandNode::EMPTY);
            self.nodes[node] = record;
        }
    }

    /// Writes a live edge and inserts its ends at the head of the lists of its two nodes.
    #[inline]
    pub(super) fn insert_edge(&mut self, kind: usize, edge: u32, nodes: [u32; 2], flags: u32) {
        let edges = &mut self.edges[kind];
        edges.grow_to(edge as usize, Edge::EMPTY);
        debug_assert!(!edges[edge as usize].is_live(), "edge {edge} is there already");
        debug_assert!(
            nodes[0] != nodes[1],
            "edge {edge} would lead from a node to itself"
        );
        debug_assert!(kind == REAL || flags == 0, "a gap is in no tree");
        let keys = [edge * 2, edge * 2 + 1];
        let firsts = [0, 1].map(|side: usize| {
            let node = &mut self.nodes[nodes[side]];
            debug_assert!(node.island != NONE, "an edge at a node that is gone");
            let first = core::mem::replace(&mut node.first_end[kind], keys[side]);
            debug_assert_eq!(first == NONE, node.end_count[kind] == 0, "a node counts its ends");
            node.end_count[kind] += 1;
            node.tree_count += flags & TREE;
            first
        });
        edges[edge] = Edge {
            nodes,
            next: firsts,
            previous: [NONE; 2],
            flags,
        };
        for (first, key) in firsts.into_iter().zip(keys) {
            if first != NONE {
                let before = &mut edges[first >> 1].previous[(first & 1) as usize];
                debug_assert_eq!(*before, NONE, "nothing is before the first end");
                *before = key;
            }
        }
    }

    /// Removes a live edge from the lists of its nodes and frees its record, which it returns.
    pub(super) fn remove_edge(&mut self, kind: usize, edge: u32) -> Edge {
        let edges = &mut self.edges[kind];
        let record = edges[edge as usize];
        debug_assert!(record.is_live(), "edge {edge} is gone already");
        for side in 0..2 {
            let key = edge * 2 + side as u32;
            let (next, previous) = (record.next[side], record.previous[side]);
            if next != NONE {
                let before = &mut edges[(next >> 1) as usize].previous[(next & 1) as usize];
                debug_assert_eq!(*before, key, "neighbors in a node's list");
                *before = previous;
            }
            let node = &mut self.nodes[record.nodes[side] as usize];
            if previous == NONE {
                debug_assert_eq!(node.first_end[kind], key, "nothing is before the first end");
                node.first_end[kind] = next;
            } else {
                let after = &mut edges[(previous >> 1) as usize].next[(previous & 1) as usize];
                debug_assert_eq!(*after, key, "neighbors in a node's list");
                *after = next;
            }
            debug_assert!(node.end_count[kind] > 0, "a node counts its ends");
            node.end_count[kind] -= 1;
            debug_assert!(
                node.tree_count >= record.flags & TREE,
                "a node counts its tree edges"
            );
            node.tree_count -= record.flags & TREE;
        }
        edges[edge as usize] = Edge::EMPTY;
        record
    }

    /// Adds `edge`, which is not in the spanning tree, to it.
    pub(super) fn set_tree(&mut self, edge: u32) {
        let record = &mut self.edges[REAL][edge as usize];
        debug_assert!(
            record.is_live() && !record.is_tree(),
            "edge {edge} is there and in no tree"
        );
        debug_assert_eq!(
            self.nodes[record.nodes[0] as usize].island, self.nodes[record.nodes[1] as usize].island,
            "a tree spans one island"
        );
        record.flags |= TREE;
        for node in record.nodes {
            self.nodes[node as usize].tree_count += 1;
        }
    }
}

/// Iterates over the ends of one kind at one node.
pub(super) struct NodeEnds<'a> {
    edges: &'a [Edge],
    key: u32,
}

impl Iterator for NodeEnds<'_> {
    type Item = End;

    #[inline]
    fn next(&mut self) -> Option<End> {
        if self.key == NONE {
            return None;
        }
        let (edge, side) = (self.key >> 1, (self.key & 1) as usize);
        let record = &self.edges[edge as usize];
        self.key = record.next[side];
        Some(End {
            edge,
            side,
            other: record.nodes[1 - side],
            is_tree: record.is_tree(),
        })
    }
}
