//! What `rebuild.rs` does before and after the labels are found, by all workers: naming the places, and making islands of
//! labels. Only the parallel union-find uses it; the islands, their order and that of their nodes are those of
//! `rebuild.rs`, bit by bit.
//!
//! A counting sort by label:
//!
//! 1. A label is the smallest place of its island: one thread makes an island for each place that is its own label.
//! 2. Blocks of places, each by one worker: nodes are told their islands, and those of one island are strung together,
//!    in order, to runs.
//! 3. One thread hangs the runs together, in the order of blocks. That is a few writes for each run, not for each node.
#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use tombolo_threads::{ClaimedSlice, Executor, parallel_chunks};

use super::graph::{Graph, NONE, Node, REAL};
use super::list::{Links, List};
use super::parallel_union_find::{Atomic, PLACES_PER_BLOCK};
use super::record::Records;

/// Nodes of one island in one block, strung together.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The island's label.
    label: u32,
    nodes: List,
    /// Ends of edges at the nodes.
    end_count: u32,
}

impl Run {
    const fn empty(label: u32) -> Self {
        Self {
            label,
            nodes: List::EMPTY,
            end_count: 0,
        }
    }

    /// Hangs a node of `island` behind the run.
    ///
    /// # Safety
    ///
    /// Nobody else touches the node, nor those of the run.
    unsafe fn push(&mut self, nodes: &ClaimedSlice<'_, Node>, node: u32, island: u32) {
        // SAFETY: the caller's contract.
        let record = unsafe { nodes.get_mut(node as usize) };
        record.island = island;
        record.links = Links {
            next: NONE,
            previous: self.nodes.tail,
        };
        self.end_count += record.end_count[REAL];
        match self.nodes.tail {
            NONE => self.nodes.head = node,
            // SAFETY: the caller's contract; the node before is another one.
            tail => unsafe { nodes.get_mut(tail as usize) }.links.next = node,
        }
        self.nodes.tail = node;
        self.nodes.count += 1;
    }
}

/// How many runs a block remembers, by the last bits of their labels. An island whose run is forgotten gets another.
const REMEMBERED: usize = 256;

/// The runs of a block of places, in the order of their first nodes.
type Runs = Vec<Run>;

/// Memory of a rebuild. Nothing here outlives a call.
#[derive(Clone, Debug, Default)]
pub(super) struct ParallelRebuild {
    blocks: Vec<Runs>,
    /// For each label its island.
    islands: Vec<u32>,
}

/// Giving each awake node its place, and the check that `awake` names each of them once.
///
/// The entries of nodes that are not awake keep what an earlier call left: no packed edge leads there.
pub(super) struct Naming<'a> {
    pub(super) graph: &'a Graph,
    pub(super) records: &'a Records,
    pub(super) awake: &'a [u32],
    pub(super) of_node: &'a [Atomic],
}

impl Naming<'_> {
    /// Whether as many nodes are named as there are awake ones.
    pub(super) fn counts_all(&self) -> bool {
        let islands = self.records.awake.iter();
        let awake: u32 = islands
            .map(|&island| self.records.islands[island as usize].members.count)
            .sum();
        awake as usize == self.awake.len()
    }

    /// Tells the nodes at these places where they are; false if one is no awake node.
    pub(super) fn name(&self, places: Range<usize>) -> bool {
        let mut all_awake = true;
        for place in places {
            let node = self.awake[place];
            let is_awake = self
                .graph
                .node(node)
                .is_some_and(|record| !self.records.islands[record.island as usize].is_asleep());
            all_awake &= is_awake;
            if is_awake {
                self.of_node[node as usize].store(place as u32, Relaxed);
            }
        }
        all_awake
    }

    /// Whether the nodes at these places were told these places last. One that was named twice kept one of its places.
    pub(super) fn kept(&self, mut places: Range<usize>) -> bool {
        places.all(|place| self.of_node[self.awake[place] as usize].load(Relaxed) == place as u32)
    }
}

impl ParallelRebuild {
    /// Ends all awake islands and makes new ones from the labels. `awake` names each awake node once, and each label is
    /// the smallest place that has it.
    pub(super) fn label_islands(
        &mut self,
        executor: &dyn Executor,
        graph: &mut Graph,
        records: &mut Records,
        awake: &[u32],
        labels: &[u32],
    ) {
        super::rebuild::end_awake_islands(records);
        self.islands.resize(self.islands.len().max(awake.len()), NONE);
        for (place, &label) in labels.iter().enumerate() {
            if label == place as u32 {
                self.islands[place] = records.create();
            }
        }

        let block_count = awake.len().div_ceil(PLACES_PER_BLOCK);
        if self.blocks.len() < block_count {
            self.blocks.resize_with(block_count, Runs::default);
        }
        let (islands, blocks) = (&self.islands, &mut self.blocks[..block_count]);
        let nodes = ClaimedSlice::new(&mut graph.nodes);
        parallel_chunks(executor, blocks, 1, &|_worker, index, block| {
            let first = index * PLACES_PER_BLOCK;
            let places = first..awake.len().min(first + PLACES_PER_BLOCK);
            let labelled = awake[places.clone()].iter().zip(&labels[places]);
            // SAFETY: `awake` names each node once and in one block only, and each block is one worker's.
            unsafe { string(&mut block[0], labelled, islands, &nodes) };
        });

        for run in blocks.iter().flatten() {
            let record = &mut records.islands[islands[run.label as usize] as usize];
            record.members.append(&mut graph.nodes, run.nodes);
            record.edge_count += run.end_count;
        }
        for &island in &records.awake {
            // Each edge has both its ends in one island.
            records.islands[island as usize].edge_count /= 2;
        }
    }
}

/// Strings labelled nodes together, by island and in order, and tells each its island.
///
/// # Safety
///
/// No node is named twice, and nobody else touches the nodes that are named.
unsafe fn string<'a>(
    runs: &mut Runs,
    labelled: impl Iterator<Item = (&'a u32, &'a u32)>,
    islands: &[u32],
    nodes: &ClaimedSlice<'_, Node>,
) {
    runs.clear();
    let mut remembered = [NONE; REMEMBERED];
    for (&node, &label) in labelled {
        let run = &mut remembered[label as usize % REMEMBERED];
        if runs.get(*run as usize).is_none_or(|run| run.label != label) {
            *run = runs.len() as u32;
            runs.push(Run::empty(label));
        }
        // SAFETY: the caller's contract: a run holds only nodes that were named.
        unsafe { runs[*run as usize].push(nodes, node, islands[label as usize]) };
    }
}
