//! What `rebuild.rs` does before and after the labels are found, by all workers: naming the places, and making islands of
//! labels. Only the parallel union-find uses it; the islands, their order and that of their nodes are those of
//! `rebuild.rs`, bit by bit.
//!
//! A counting sort in three passes over blocks of places, each block by one worker:
//!
//! 1. A label is the smallest place of its island. So a block knows all of the islands that begin in it, and strings
//!    together, in order, the nodes that it holds of each. Of an island that began in an earlier block it strings runs.
//! 2. One thread makes the islands, in the order of their labels, and hangs the runs behind them, in the order of blocks.
//!    That is a few writes for each island and each run, not for each node.
//! 3. Each node is told its island.
#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use tombolo_threads::{ClaimedSlice, Executor, parallel_chunks, parallel_for};

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

    /// Hangs a node behind the run.
    ///
    /// # Safety
    ///
    /// Nobody else touches the node, nor those of the run.
    unsafe fn push(&mut self, nodes: &ClaimedSlice<'_, Node>, node: u32) {
        // SAFETY: the caller's contract.
        let record = unsafe { nodes.get_mut(node as usize) };
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

/// How many foreign islands a block remembers, by the last bits of their labels. One that is forgotten gets another run.
const REMEMBERED: usize = 64;

/// What a block of places strings together.
#[derive(Clone, Debug, Default)]
struct Block {
    /// For each place of the block the run of the island with that label, or an empty one.
    own: Vec<Run>,
    /// Runs of islands that began in an earlier block.
    foreign: Vec<Run>,
}

/// Memory of a rebuild. Nothing here outlives a call.
#[derive(Clone, Debug, Default)]
pub(super) struct ParallelRebuild {
    blocks: Vec<Block>,
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
        let block_count = awake.len().div_ceil(PLACES_PER_BLOCK);
        if self.blocks.len() < block_count {
            self.blocks.resize_with(block_count, Block::default);
        }
        let blocks = &mut self.blocks[..block_count];
        let nodes = ClaimedSlice::new(&mut graph.nodes);
        parallel_chunks(executor, blocks, 1, &|_worker, index, block| {
            let first = index * PLACES_PER_BLOCK;
            let end = awake.len().min(first + PLACES_PER_BLOCK);
            // SAFETY: `awake` names each node once and in one block only, and each block is one worker's.
            unsafe { block[0].string(first, &awake[first..end], &labels[first..end], &nodes) };
        });

        super::rebuild::end_awake_islands(records);
        self.islands.resize(self.islands.len().max(awake.len()), NONE);
        for block in blocks.iter() {
            for run in block.own.iter().filter(|run| run.nodes.count > 0) {
                let island = records.create();
                let record = &mut records.islands[island as usize];
                (record.members, record.edge_count) = (run.nodes, run.end_count);
                self.islands[run.label as usize] = island;
            }
            for run in &block.foreign {
                let record = &mut records.islands[self.islands[run.label as usize] as usize];
                record.members.append(&mut graph.nodes, run.nodes);
                record.edge_count += run.end_count;
            }
        }
        for &island in &records.awake {
            // Each edge has both its ends in one island.
            records.islands[island as usize].edge_count /= 2;
        }

        let (islands, nodes) = (&self.islands, ClaimedSlice::new(&mut graph.nodes));
        parallel_for(executor, awake.len(), PLACES_PER_BLOCK, &|_worker, range| {
            for place in range {
                // SAFETY: `awake` names each node once, and each place is visited once.
                let node = unsafe { nodes.get_mut(awake[place] as usize) };
                node.island = islands[labels[place] as usize];
            }
        });
    }
}

impl Block {
    /// Strings the nodes of this block together, by island and in order. The block begins at the place `first`.
    ///
    /// # Safety
    ///
    /// `awake` names no node twice, and nobody else touches the nodes it names.
    unsafe fn string(&mut self, first: usize, awake: &[u32], labels: &[u32], nodes: &ClaimedSlice<'_, Node>) {
        let first = first as u32;
        self.own.clear();
        self.own
            .extend((first..first + awake.len() as u32).map(Run::empty));
        self.foreign.clear();
        let mut remembered = [NONE; REMEMBERED];
        for (&node, &label) in awake.iter().zip(labels) {
            let run = match label.checked_sub(first) {
                Some(own) => &mut self.own[own as usize],
                None => {
                    let run = &mut remembered[label as usize % REMEMBERED];
                    let is_open = self
                        .foreign
                        .get(*run as usize)
                        .is_some_and(|run| run.label == label);
                    if !is_open {
                        *run = self.foreign.len() as u32;
                        self.foreign.push(Run::empty(label));
                    }
                    &mut self.foreign[*run as usize]
                }
            };
            // SAFETY: the caller's contract: a run holds nodes of this block only.
            unsafe { run.push(nodes, node) };
        }
    }
}
