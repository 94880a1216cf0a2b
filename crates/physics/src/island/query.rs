//! Queries of the islands: membership, edges, counts, and which islands are awake. Reads only.

use super::Islands;
use super::graph::REAL;
use super::list::NONE;
use super::record::{edges_of, nodes_of};

impl Islands {
    /// The island that a node is in, or `None` if there is no such node.
    pub fn island_of(&self, node: u32) -> Option<u32> {
        self.graph.node(node).map(|record| record.island)
    }

    /// The place of a node's island in [`Islands::awake_islands`]; `None` if there is no such node, or it sleeps.
    pub(crate) fn awake_place_of(&self, node: u32) -> Option<u32> {
        let place = self.records.islands[self.island_of(node)?].place;
        (place != NONE).then_some(place)
    }

    /// The two nodes of an edge, in the order in which they were linked.
    pub fn edge_nodes(&self, edge: u32) -> Option<[u32; 2]> {
        self.graph.edge(edge).map(|record| record.nodes)
    }

    /// The nodes of an island: those of the island that kept its index at a merge before those of the other, each in
    /// their previous order. Empty if there is no such island.
    pub fn nodes(&self, island: u32) -> impl Iterator<Item = u32> + '_ {
        nodes_of(&self.graph, &self.records, island)
    }

    /// The node that follows another one in [`Islands::nodes`], for loops that change other data meanwhile; `None`
    /// after the last.
    pub fn node_after(&self, node: u32) -> Option<u32> {
        let next = self.graph.node(node)?.links.next;
        (next != NONE).then_some(next)
    }

    /// The edges of an island, each once, listed at the first of the two nodes that were passed when it was linked:
    /// nodes in their order, and the newest edge of a node first.
    pub fn edges(&self, island: u32) -> impl Iterator<Item = u32> + '_ {
        edges_of(&self.graph, &self.records, island)
    }

    /// The number of nodes of an island; 0 if there is no such island.
    pub fn node_count(&self, island: u32) -> u32 {
        self.records.get(island).map_or(0, |record| record.members.count)
    }

    /// The number of edges of an island; 0 if there is no such island.
    pub fn edge_count(&self, island: u32) -> u32 {
        self.records.get(island).map_or(0, |record| record.edge_count)
    }

    /// The number of all nodes.
    pub fn total_nodes(&self) -> u32 {
        self.head.node_count
    }

    /// The number of all edges.
    pub fn total_edges(&self) -> u32 {
        self.head.edge_count
    }

    /// All islands, awake or asleep, by ascending index.
    pub fn islands(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.records.islands.len() as u32)
            .filter(|&island| self.records.islands[island as usize].is_live())
    }

    /// The islands that are awake. The order depends only on the calls so far: newest last, except that the last fills
    /// the place of one that falls asleep or is destroyed.
    pub fn awake_islands(&self) -> &[u32] {
        &self.records.awake
    }

    /// Whether an island sleeps; also true if there is no such island.
    pub fn is_asleep(&self, island: u32) -> bool {
        self.records.get(island).is_none_or(|record| record.is_asleep())
    }

    /// Whether an island may be disconnected: edges of its spanning tree were lost and it was not split since. `false`
    /// proves that it is connected.
    pub fn needs_split(&self, island: u32) -> bool {
        self.records.get(island).is_some_and(|record| {
            let is_alone =
                || record.members.count == 1 && self.graph.ends(REAL, record.members.head).next().is_none();
            let waits = self.head.stale != 0 && !record.is_asleep() && !is_alone();
            waits || !record.is_connected()
        })
    }

    /// The number of lost edges that may have connected an island, since it was last known to be connected.
    pub fn lost_count(&self, island: u32) -> u32 {
        self.records
            .get(island)
            .map_or(0, |record| record.gaps.count.saturating_add(record.lost_count))
    }

    /// One more than the largest index that an island ever had: the length of an array with an element per island.
    pub fn island_index_end(&self) -> u32 {
        self.records.islands.len() as u32
    }

    /// The number of times that the record of an island was used for a new island: distinguishes an island from a later
    /// one with its index.
    pub fn generation(&self, island: u32) -> Option<u32> {
        self.records.get(island).map(|record| record.generation)
    }
}
