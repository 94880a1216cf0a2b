//! The records of islands: allocation, the array of awake islands, members, gaps, and moving nodes between islands.
//!
//! `mod.rs` and `split.rs` make every change of an island's record through this file, so that the counts, the lists and
//! each node's `island` are always consistent.

use crate::persistent::PlainArray;
use tombolo_geometry::plain_data;

use super::graph::{Edge, GAPS, Graph, REAL};
use super::list::{Links, List, NONE};

plain_data! {
    /// An island: a set of nodes that may be connected. `members.count` is 0 in a record that is not in use.
    ///
    /// Under the persistent algorithm an island has a spanning tree, made of edges between its members and of gaps. The
    /// tree has one edge or gap less than there are members, and no cycle. So an island without gaps is connected. Only
    /// in an island that gave its tree up, which counts lost edges as the other algorithms do, are tree edges and gaps
    /// meaningless. The other algorithms have no tree and no gaps.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct Island {
        /// The nodes.
        pub(crate) members: List,
        /// The gaps in the spanning tree.
        pub(crate) gaps: List,
        /// The number of edges between members.
        pub(crate) edge_count: u32,
        /// The place in the array of awake islands; [`NONE`] if the island sleeps. In a record that is not in use: the
        /// index of the next such record.
        pub(crate) place: u32,
        /// The number of times that this record was used for a new island.
        pub(crate) generation: u32,
        /// Edges that were lost since the island was found or gave its tree up, if no spanning tree is maintained; else
        /// 0.
        pub(crate) lost_count: u32,
    }

    /// The heads of the free lists, or [`NONE`].
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct FirstFree {
        /// The record of the next new island.
        pub(crate) island: u32,
        /// The record of the next new gap.
        pub(crate) gap: u32,
    }
}

const _: () = assert!(size_of::<Island>() == 40);

impl Island {
    pub(super) fn is_live(&self) -> bool {
        self.members.count != 0
    }

    pub(super) fn is_asleep(&self) -> bool {
        self.place == NONE
    }

    pub(super) fn is_connected(&self) -> bool {
        self.gaps.count == 0 && (self.has_tree() || self.members.count == 1)
    }

    /// Whether the spanning tree of the persistent algorithm is maintained; false for an island that gave it up. Under
    /// the other algorithms, which have no tree, whether the island lost no edge.
    pub(super) fn has_tree(&self) -> bool {
        self.lost_count == 0
    }
}

/// All islands, the array of the awake ones, and the gaps.
#[derive(Clone, Debug)]
pub(crate) struct IslandRecords {
    pub(crate) islands: PlainArray<Island>,
    /// The awake islands, in the order of waking, except that the last one is moved into each place that becomes free.
    pub(crate) awake: PlainArray<u32>,
    /// For each gap its neighbors in its island's list; in a free record `next` is the next free one.
    pub(crate) gap_links: PlainArray<Links>,
    pub(crate) first_free: FirstFree,
}

impl IslandRecords {
    pub(super) fn new() -> Self {
        Self {
            islands: PlainArray::default(),
            awake: PlainArray::default(),
            gap_links: PlainArray::default(),
            first_free: FirstFree {
                island: NONE,
                gap: NONE,
            },
        }
    }

    pub(super) fn get(&self, island: u32) -> Option<&Island> {
        self.islands
            .get(island as usize)
            .filter(|record| record.is_live())
    }

    /// Creates an awake island without members. The caller adds members before any other call.
    pub(super) fn create(&mut self) -> u32 {
        self.create_with(List::EMPTY)
    }

    /// Creates an awake island with these members, which the caller labels.
    #[inline]
    pub(super) fn create_with(&mut self, members: List) -> u32 {
        let mut record = Island {
            members,
            gaps: List::EMPTY,
            edge_count: 0,
            place: self.awake.len() as u32,
            generation: 0,
            lost_count: 0,
        };
        let index = match self.first_free.island {
            NONE => {
                self.islands.push(record);
                self.islands.len() as u32 - 1
            }
            free => {
                let old = &mut self.islands[free as usize];
                debug_assert!(!old.is_live(), "a free record has no members");
                record.generation = old.generation.wrapping_add(1);
                self.first_free.island = old.place;
                *old = record;
                free
            }
        };
        self.awake.push(index);
        index
    }

    /// Frees the record of an island that has no members, edges or gaps left.
    pub(super) fn destroy(&mut self, island: u32) {
        self.leave_awake(island);
        let record = &mut self.islands[island as usize];
        debug_assert!(record.members.count == 0 && record.gaps.count == 0 && record.edge_count == 0);
        record.place = self.first_free.island;
        self.first_free.island = island;
    }

    /// Removes `island` from the array of awake islands, if it is there.
    pub(super) fn leave_awake(&mut self, island: u32) {
        let place = self.islands[island as usize].place;
        if place == NONE {
            return;
        }
        debug_assert_eq!(
            self.awake[place as usize], island,
            "an awake island knows its place"
        );
        self.islands[island as usize].place = NONE;
        self.awake.swap_remove(place as usize);
        if let Some(&moved) = self.awake.get(place as usize) {
            self.islands[moved as usize].place = place;
        }
    }

    /// Appends a sleeping `island` to the array of awake islands.
    pub(super) fn enter_awake(&mut self, island: u32) {
        debug_assert!(self.islands[island as usize].is_asleep(), "awake already");
        self.islands[island as usize].place = self.awake.len() as u32;
        self.awake.push(island);
    }

    pub(super) fn push_member(&mut self, graph: &mut Graph, island: u32, node: u32) {
        self.islands[island as usize]
            .members
            .push_back(&mut graph.nodes, node);
        graph.nodes[node as usize].island = island;
    }

    pub(super) fn remove_member(&mut self, graph: &mut Graph, island: u32, node: u32) {
        let record = &mut self.islands[island as usize];
        debug_assert_eq!(
            graph.nodes[node as usize].island, island,
            "a member of another island"
        );
        record.members.remove(&mut graph.nodes, node);
        if record.members.count == 1 {
            // A single node is spanned by no edges.
            record.lost_count = 0;
        }
    }

    /// Adds a gap between two members of `island`.
    pub(super) fn add_gap(&mut self, graph: &mut Graph, island: u32, nodes: [u32; 2]) {
        let gap = match self.first_free.gap {
            NONE => {
                self.gap_links.push(Links::EMPTY);
                self.gap_links.len() as u32 - 1
            }
            free => {
                debug_assert!(!graph.edges[GAPS][free as usize].is_live(), "a free gap");
                self.first_free.gap = self.gap_links[free as usize].next;
                free
            }
        };
        debug_assert!(
            nodes
                .iter()
                .all(|&node| graph.nodes[node as usize].island == island),
            "a gap lies in one island"
        );
        graph.insert_edge(GAPS, gap, nodes, 0);
        self.islands[island as usize]
            .gaps
            .push_back(&mut self.gap_links, gap);
    }

    /// Removes a gap of `island`, which the caller has filled or given up.
    pub(super) fn remove_gap(&mut self, graph: &mut Graph, island: u32, gap: u32) -> Edge {
        self.islands[island as usize]
            .gaps
            .remove(&mut self.gap_links, gap);
        self.gap_links[gap as usize].next = self.first_free.gap;
        self.first_free.gap = gap;
        graph.remove_edge(GAPS, gap)
    }

    /// Removes all gaps of `island`, whose tree is given up or rebuilt.
    pub(super) fn clear_gaps(&mut self, graph: &mut Graph, island: u32) {
        let mut gap = core::mem::replace(&mut self.islands[island as usize].gaps, List::EMPTY).head;
        while gap != NONE {
            // The lists of both nodes are cleared whole: gaps do not lead from island to island.
            for node in core::mem::replace(&mut graph.edges[GAPS][gap as usize], Edge::EMPTY).nodes {
                let node = &mut graph.nodes[node as usize];
                (node.first_end[GAPS], node.end_count[GAPS]) = (NONE, 0);
            }
            let next = core::mem::replace(&mut self.gap_links[gap as usize].next, self.first_free.gap);
            self.first_free.gap = gap;
            gap = next;
        }
    }

    /// Merges the smaller of two islands into the larger, at a tie the second into the first; returns the one that
    /// remains and the one that is gone. The caller adds the edge that spans them. Cost: O(nodes of the smaller).
    ///
    /// Each node is relabeled at once, where the first persistent islands (Erin Catto, "Simulation Islands", 2023) only
    /// recorded a parent and collected the nodes in a later pass: a node's island is read far more often than islands
    /// merge, and a node is relabeled at most log₂ n times as long as nothing splits.
    pub(super) fn merge(&mut self, graph: &mut Graph, a: u32, b: u32) -> (u32, u32) {
        debug_assert!(a != b, "an island merged with itself");
        debug_assert_eq!(
            self.islands[a as usize].is_asleep(),
            self.islands[b as usize].is_asleep(),
            "islands that merge sleep alike"
        );
        let counts = [a, b].map(|island| self.islands[island as usize].members.count);
        let (large, small) = if counts[0] >= counts[1] { (a, b) } else { (b, a) };
        let mut at = self.islands[small as usize].members.head;
        while at != NONE {
            let node = &mut graph.nodes[at as usize];
            node.island = large;
            at = node.links.next;
        }
        self.append(graph, large, small);
        (large, small)
    }

    /// Moves all members, gaps and edge counts of the island `small` to `large`, and frees its record. The caller
    /// labels its nodes.
    #[inline]
    pub(super) fn append(&mut self, graph: &mut Graph, large: u32, small: u32) {
        let emptied = &mut self.islands[small];
        let gone = *emptied;
        (emptied.members, emptied.gaps, emptied.edge_count) = (List::EMPTY, List::EMPTY, 0);
        self.destroy(small);
        let stays = &mut self.islands[large];
        stays.members.append(&mut graph.nodes, gone.members);
        if gone.gaps.count > 0 {
            stays.gaps.append(&mut self.gap_links, gone.gaps);
        }
        stays.edge_count += gone.edge_count;
        stays.lost_count = stays.lost_count.saturating_add(gone.lost_count);
    }

    /// Moves `nodes`, which are spanned by edges and gaps and have none to the rest, from `from` into a new island,
    /// which sleeps if `from` does. Cost: O(nodes and their ends).
    pub(super) fn move_out(&mut self, graph: &mut Graph, from: u32, nodes: &[u32]) -> u32 {
        let new = self.create();
        let mut ends = 0;
        for &node in nodes {
            self.remove_member(graph, from, node);
            self.push_member(graph, new, node);
            ends += graph.nodes[node as usize].end_count[REAL];
            for end in graph.ends(GAPS, node).filter(|end| end.side == 0) {
                self.islands[from as usize]
                    .gaps
                    .remove(&mut self.gap_links, end.edge);
                self.islands[new as usize]
                    .gaps
                    .push_back(&mut self.gap_links, end.edge);
            }
        }
        debug_assert!(ends % 2 == 0, "what leaves takes both ends of its edges along");
        debug_assert!(
            self.islands[from as usize].edge_count >= ends / 2,
            "an island counts its edges"
        );
        debug_assert!(self.islands[from as usize].members.count > 0, "somebody stays");
        self.islands[new as usize].edge_count = ends / 2;
        self.islands[from as usize].edge_count -= ends / 2;
        if self.islands[from as usize].is_asleep() {
            self.leave_awake(new);
        }
        new
    }
}

/// The members of an island in order; none if there is no such island.
pub(super) fn nodes_of<'a>(
    graph: &'a Graph,
    records: &IslandRecords,
    island: u32,
) -> impl Iterator<Item = u32> + use<'a> {
    let mut at = records.get(island).map_or(NONE, |record| record.members.head);
    core::iter::from_fn(move || {
        let node = at;
        at = graph.nodes.get(node as usize)?.links.next;
        Some(node)
    })
}

/// The edges of an island, each once; none if there is no such island.
pub(super) fn edges_of<'a>(
    graph: &'a Graph,
    records: &IslandRecords,
    island: u32,
) -> impl Iterator<Item = u32> + use<'a> {
    let first_ends = |node| {
        graph
            .ends(REAL, node)
            .filter(|end| end.side == 0)
            .map(|end| end.edge)
    };
    nodes_of(graph, records, island).flat_map(first_ends)
}
