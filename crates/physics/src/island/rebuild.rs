//! The common part of the three algorithms that rebuild islands in each step: the packed edges they read, and the
//! conversion of labels to islands.
//!
//! They work on *places*: the place of a node is its index in the slice of awake nodes that the caller gives. An
//! algorithm leaves a label for each place, equal for two places exactly if they are connected. [`label_islands`]
//! turns labels into islands by one pass in the order of places, a counting sort by label: islands in the order of
//! their first nodes, nodes in each in the given order. So indices and orders depend neither on the labels nor on
//! the algorithm.

use crate::persistent::PlainArray;
use alloc::vec::Vec;
use tombolo_geometry::plain_data;

use super::IslandError;
use super::graph::{Graph, REAL};
use super::list::{List, NONE};
use super::record::IslandRecords;

plain_data! {
    /// An edge between awake nodes.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct PackedEdge {
        /// Its nodes.
        pub(crate) nodes: [u32; 2],
        /// Its index.
        pub(crate) edge: u32,
    }
}

/// The edges between awake nodes, without holes: a union-find reads nothing else. Maintained only under the two
/// algorithms that use it; the order is arbitrary.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedEdges {
    pub(crate) edges: PlainArray<PackedEdge>,
    /// For each edge its place in `edges`, or [`NONE`].
    pub(crate) places: PlainArray<u32>,
}

impl PackedEdges {
    pub(super) fn insert(&mut self, edge: u32, nodes: [u32; 2]) {
        self.places.grow_to(edge as usize, NONE);
        debug_assert_eq!(self.places[edge as usize], NONE, "edge {edge} is packed already");
        self.places[edge as usize] = self.edges.len() as u32;
        self.edges.push(PackedEdge { nodes, edge });
    }

    /// Removes `edge`, if it is there.
    pub(super) fn remove(&mut self, edge: u32) {
        let Some(&place) = self.places.get(edge as usize).filter(|place| **place != NONE) else {
            return;
        };
        self.places[edge] = NONE;
        let place = place as usize;
        let gone = self.edges.swap_remove(place);
        debug_assert_eq!(gone.edge, edge, "a packed edge knows its place");
        if let Some(moved) = self.edges.get(place) {
            self.places[moved.edge] = place as u32;
        }
    }
}

/// Scratch memory of a rebuild. Its contents are not used after the call.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// For each awake node its place.
    pub(super) of_node: Vec<u32>,
    /// For each place its label, itself a place.
    pub(super) labels: Vec<u32>,
    /// For each label the index of its island.
    islands: Vec<u32>,
}

impl Places {
    /// Assigns each awake node its place, after checking that `awake` lists each of them once.
    pub(super) fn assign(
        &mut self,
        graph: &Graph,
        records: &IslandRecords,
        awake: &[u32],
    ) -> Result<(), IslandError> {
        self.of_node.clear();
        self.of_node.resize(graph.nodes.len(), NONE);
        for (place, &node) in awake.iter().enumerate() {
            let island = graph.node(node).ok_or(IslandError::NoNode(node))?.island;
            let is_new = core::mem::replace(&mut self.of_node[node as usize], place as u32) == NONE;
            if !is_new || records.islands[island as usize].is_asleep() {
                return Err(IslandError::NotAwakeOnce(node));
            }
        }
        let expected = records
            .awake
            .iter()
            .map(|&island| records.islands[island as usize].members.count)
            .sum();
        if awake.len() as u32 != expected {
            return Err(IslandError::AwakeMissing {
                given: awake.len() as u32,
                expected,
            });
        }
        self.labels.clear();
        self.labels.resize(awake.len(), NONE);
        Ok(())
    }
}

/// Frees the records of all awake islands. Their nodes are assigned new ones later.
fn end_awake_islands(records: &mut IslandRecords) {
    for &island in records.awake.iter().rev() {
        let record = &mut records.islands[island as usize];
        (record.members, record.edge_count, record.lost_count) = (List::EMPTY, 0, 0);
        record.place = records.first_free.island;
        records.first_free.island = island;
    }
    records.awake.clear();
}

/// Destroys all awake islands and creates new ones from the labels.
pub(super) fn label_islands(
    graph: &mut Graph,
    records: &mut IslandRecords,
    places: &mut Places,
    awake: &[u32],
) {
    end_awake_islands(records);
    places.islands.clear();
    places.islands.resize(awake.len(), NONE);
    for (&node, &label) in awake.iter().zip(&places.labels) {
        let island = &mut places.islands[label as usize];
        if *island == NONE {
            *island = records.create();
        }
        records.push_member(graph, *island, node);
        // Counts ends for now; both ends of each edge are in one island.
        records.islands[*island as usize].edge_count += graph.nodes[node as usize].end_count[REAL];
    }
    for &island in &records.awake {
        records.islands[island as usize].edge_count /= 2;
    }
}
