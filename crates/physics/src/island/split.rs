//! Splitting islands: after edges were removed, an island is divided into its connected parts.
//!
//! Each island has a spanning tree of its edges, which shows whether it may have come apart. An edge outside the tree
//! is removed without work (its two nodes stay connected through the tree); in a pile of boxes that is six removals in
//! ten or more. An edge of the tree leaves a *gap* in its place: a record that the tree led from one node to the other.
//! Edges and gaps together always span the island and hold no cycle, so an island without gaps is connected, and an
//! island with gaps may not be.
//!
//! [`split_island`] removes the oldest gap, which cuts the tree in two, and walks both parts from the two sides of the
//! gap, over tree edges and over the other gaps, a node of each in turn. The walk ends in one of two cases: an edge
//! outside the tree leads from one part to the other, and replaces the gap; or one part, about the smaller one, is
//! walked to its end and has no such edge: it becomes an island of its own. Because the tree has no cycle, two nodes
//! that were reached from different sides are in different parts, and the first edge between them is a valid
//! replacement: in a pile there is usually one nearby. Walking from both ends in lockstep is the known method to bound
//! the cost by the smaller part (Even and Shiloach, "An On-Line Edge-Deletion Problem", 1981); a tree with replacement
//! edges is the bottom level of Holm, de Lichtenberg and Thorup's structure (2001), whose further levels do not pay at
//! the sizes of a game.
//!
//! Where there are many gaps, or a walk gets long, one pass over the island ([`sweep`]) is cheaper. An island with so
//! many gaps that it will be swept anyway *gives its tree up* ([`is_tree_abandoned`]): removed edges are only counted
//! then, until the sweep builds a new tree. So tumbling and exploding islands, which do not sleep, do not pay for a tree.
//!
//! Splitting reads and writes only the `Islands` value and starts no thread, so it may run concurrently with the
//! solver.
//!
//! The reasons are in `docs/decisions.md#persistent-islands-keep-a-spanning-tree-with-gaps`.

use alloc::vec::Vec;

use super::ablation::AblationSwitches;
use super::graph::{End, GAPS, Graph, REAL, TREE};
use super::list::NONE;
use super::record::{Island, IslandRecords};
use crate::prefetch::prefetch;
use crate::zeros::fit_zeros;

/// If two walks together visited more nodes than this, they are replaced by a sweep of the whole island, if it has
/// other gaps. With one gap a sweep finds no more than the walk would, and a walk visits each node once where a sweep
/// does so twice.
const WALK_NODES_MAX: usize = 1024;

/// An island is swept immediately if it has more than one gap per this many nodes.
const NODES_PER_GAP_MIN: u32 = 8;

/// The number of gaps that are kept whatever the size of the island.
const GAPS_KEPT: u32 = 4;

/// The number of nodes by which a sweep prefetches ahead; half as many for their first edges.
const PREFETCH_AHEAD: usize = 8;

/// Scratch memory of a search. Its contents are not used after the call: it may be dropped at any time.
#[derive(Clone, Debug, Default)]
pub(super) struct SplitScratch {
    /// Per node: `round * 2 + side` of the walk that saw it last.
    marks: Vec<u32>,
    /// The number of walks, so that marks need not be cleared.
    round: u32,
    /// The nodes that each walk has seen, in order; a prefix of them is expanded.
    seen: [Vec<u32>; 2],
    /// The edge by which each node of `seen[0]` was found, or [`NONE`], in a sweep.
    found_by: Vec<u32>,
    /// The start of each component in `seen[0]`, in a sweep.
    starts: Vec<u32>,
    /// Islands that are still to be searched in this call.
    pending: Vec<u32>,
}

impl SplitScratch {
    /// Reserves memory for `node_count` nodes, so that no search allocates.
    fn fit(&mut self, node_count: usize) {
        if self.marks.len() < node_count {
            fit_zeros(&mut self.marks, node_count);
            let room = self.marks.len() + 1;
            for list in self
                .seen
                .iter_mut()
                .chain([&mut self.found_by, &mut self.starts, &mut self.pending])
            {
                *list = Vec::new();
                list.reserve_exact(room);
            }
        }
    }

    /// Starts a search with fresh marks: returns the mark of side 0; that of side 1 is one more.
    fn begin(&mut self) -> u32 {
        self.round += 1;
        if self.round == u32::MAX / 2 {
            self.marks.fill(0);
            self.round = 1;
        }
        self.seen.iter_mut().for_each(Vec::clear);
        self.round * 2
    }

    fn see(&mut self, side: usize, mark: u32, node: u32) {
        self.marks[node as usize] = mark;
        self.seen[side].push(node);
    }
}

/// The result of two walks in lockstep.
enum WalkResult {
    /// This edge leads from one part to the other.
    Replacement { edge: u32 },
    /// The part on this side was walked to its end, and no edge leads out of it.
    Apart { side: usize },
    /// The walks visited too many nodes.
    TooLong,
}

/// The data that [`split_island`] may change.
pub(super) struct Splitter<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) records: &'a mut IslandRecords,
    pub(super) scratch: &'a mut SplitScratch,
    switches: AblationSwitches,
    /// Nodes and ends of edges visited, and nodes moved.
    pub(super) units: u64,
    /// The number of islands that were created.
    pub(super) new_islands: u32,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(
        graph: &'a mut Graph,
        records: &'a mut IslandRecords,
        scratch: &'a mut SplitScratch,
        switches: AblationSwitches,
    ) -> Self {
        Self {
            graph,
            records,
            scratch,
            switches,
            units: 0,
            new_islands: 0,
        }
    }
}

/// Splits `island` and its parts until all are known to be connected or `units_max` is reached; a walk or a sweep that
/// was begun is finished. Each walk removes a gap, so that the remaining work decreases each time.
pub(super) fn split_island(splitter: &mut Splitter<'_>, island: u32, units_max: u64) {
    splitter.scratch.fit(splitter.graph.nodes.len());
    splitter.scratch.pending.clear();
    splitter.scratch.pending.push(island);
    while let Some(island) = splitter.scratch.pending.pop() {
        loop {
            let record = &splitter.records.islands[island as usize];
            if record.is_connected() {
                break;
            }
            if splitter.units >= units_max {
                return;
            }
            let has_many = has_many_gaps(record);
            let AblationSwitches {
                walk, sweep: sweeps, ..
            } = splitter.switches;
            if (sweeps && has_many) || !walk || !record.has_tree() {
                sweep(splitter, island);
            } else {
                fill_oldest_gap(splitter, island);
            }
        }
    }
}

fn has_many_gaps(island: &Island) -> bool {
    island.gaps.count > island.members.count / NODES_PER_GAP_MIN
}

/// Whether an island that just got a gap would be swept by its next search, so that its tree is not worth maintaining.
pub(super) fn is_tree_abandoned(island: &Island, switches: AblationSwitches) -> bool {
    switches.sweep && island.gaps.count > GAPS_KEPT && has_many_gaps(island)
}

/// Removes the oldest gap of an island: by an edge in its place, or by splitting the island there.
fn fill_oldest_gap(splitter: &mut Splitter<'_>, island: u32) {
    let gap = splitter.records.islands[island as usize].gaps.head;
    let sides = splitter.records.remove_gap(splitter.graph, island, gap).nodes;
    let other_gaps = splitter.records.islands[island as usize].gaps.count;
    let nodes_max = if other_gaps == 0 || !splitter.switches.sweep {
        usize::MAX
    } else {
        WALK_NODES_MAX
    };
    match walk(splitter, sides, nodes_max) {
        WalkResult::Replacement { edge } => splitter.graph.set_tree(edge),
        WalkResult::Apart { side } => {
            let nodes = &splitter.scratch.seen[side];
            debug_assert!(
                (nodes.len() as u32) < splitter.records.islands[island as usize].members.count,
                "a part is not the whole"
            );
            splitter.units += nodes.len() as u64;
            let new = splitter.records.move_out(splitter.graph, island, nodes);
            splitter.scratch.pending.push(new);
            splitter.new_islands += 1;
        }
        WalkResult::TooLong => sweep(splitter, island),
    }
}

/// Walks both parts of a tree that was cut between two nodes, alternating node by node.
fn walk(splitter: &mut Splitter<'_>, sides: [u32; 2], nodes_max: usize) -> WalkResult {
    let Splitter {
        graph,
        scratch,
        units,
        ..
    } = splitter;
    let mark = scratch.begin();
    let marks = [mark, mark + 1];
    for side in 0..2 {
        scratch.see(side, marks[side], sides[side]);
    }
    // Whether a walk met an edge outside the tree that led to a node which neither walk had seen.
    let mut has_leads = [false; 2];
    let mut expanded = 0;
    loop {
        for side in 0..2 {
            let Some(&node) = scratch.seen[side].get(expanded) else {
                if !has_leads[side] {
                    return WalkResult::Apart { side };
                }
                return leaving_edge(graph, scratch, side, marks[side], units);
            };
            *units += 1;
            for End {
                edge, other, is_tree, ..
            } in graph.ends(REAL, node)
            {
                *units += 1;
                let seen = scratch.marks[other as usize];
                if seen == marks[1 - side] {
                    return WalkResult::Replacement { edge };
                }
                if seen != marks[side] {
                    if is_tree {
                        scratch.see(side, marks[side], other);
                    } else {
                        has_leads[side] = true;
                    }
                }
            }
            for End { other, .. } in graph.ends(GAPS, node) {
                if scratch.marks[other as usize] != marks[side] {
                    scratch.see(side, marks[side], other);
                }
            }
        }
        expanded += 1;
        if scratch.seen[0].len() + scratch.seen[1].len() > nodes_max {
            return WalkResult::TooLong;
        }
    }
}

/// The first edge that leads out of a part that was walked to its end.
fn leaving_edge(
    graph: &Graph,
    scratch: &SplitScratch,
    side: usize,
    mark: u32,
    units: &mut u64,
) -> WalkResult {
    for &node in &scratch.seen[side] {
        for End { edge, other, .. } in graph.ends(REAL, node) {
            *units += 1;
            if scratch.marks[other as usize] != mark {
                return WalkResult::Replacement { edge };
            }
        }
    }
    WalkResult::Apart { side }
}

/// Divides a whole island into its connected components by breadth-first search and builds new spanning trees. The
/// largest component, at a tie the first, keeps the island; the others become new islands in the order of their first
/// nodes. Cost: O(nodes and edges of the island).
pub(super) fn sweep(splitter: &mut Splitter<'_>, island: u32) {
    let Splitter {
        graph,
        records,
        scratch,
        units,
        new_islands,
        ..
    } = splitter;
    span(graph, records, scratch, island, units);
    let bounds = |component: &[u32]| component[0] as usize..component[1] as usize;
    let largest = scratch
        .starts
        .windows(2)
        .map(|component| bounds(component).len())
        .max()
        .unwrap_or(0);
    let mut kept = false;
    for component in scratch.starts.windows(2).map(bounds) {
        if !kept && component.len() == largest {
            kept = true;
            continue;
        }
        *units += component.len() as u64;
        records.move_out(graph, island, &scratch.seen[0][component]);
        *new_islands += 1;
    }
}

/// Builds a new spanning tree for an island that gave its tree up, without splitting it: components are connected by
/// gaps. For an island that is about to become a small part of one that has a tree. Cost: O(nodes and edges of the
/// island).
pub(super) fn rebuild_tree(
    graph: &mut Graph,
    records: &mut IslandRecords,
    scratch: &mut SplitScratch,
    island: u32,
) {
    span(graph, records, scratch, island, &mut 0);
    for component in 2..scratch.starts.len() {
        let firsts = [component - 2, component - 1].map(|at| scratch.seen[0][scratch.starts[at] as usize]);
        records.add_gap(graph, island, firsts);
    }
}

/// Searches an island breadth first from each member in order, and replaces its spanning tree by the edges by which
/// nodes were found: such trees are shallow, so that later walks over them stay short. Stores the nodes of each
/// component, in the order found, in `scratch.seen[0]`, divided by `scratch.starts`.
fn span(
    graph: &mut Graph,
    records: &mut IslandRecords,
    scratch: &mut SplitScratch,
    island: u32,
    units: &mut u64,
) {
    scratch.fit(graph.nodes.len());
    records.clear_gaps(graph, island);
    let record = &mut records.islands[island as usize];
    record.lost_count = 0;
    let mark = scratch.begin();
    scratch.starts.clear();
    scratch.found_by.clear();
    let mut expanded = 0;
    let mut member = record.members.head;
    while member != NONE {
        if scratch.marks[member as usize] != mark {
            scratch.starts.push(expanded as u32);
            scratch.see(0, mark, member);
            scratch.found_by.push(NONE);
            graph.nodes[member as usize].tree_count = 0;
        }
        while let Some(&node) = scratch.seen[0].get(expanded) {
            let found_by = scratch.found_by[expanded];
            prefetch_ahead(graph, &scratch.seen[0][expanded..]);
            expanded += 1;
            *units += 1;
            let mut key = graph.nodes[node as usize].first_end[REAL];
            while key != NONE {
                *units += 1;
                let (edge, side) = (key >> 1, (key & 1) as usize);
                let record = &mut graph.edges[REAL][edge as usize];
                let other = record.nodes[1 - side];
                key = record.next[side];
                if scratch.marks[other as usize] != mark {
                    scratch.see(0, mark, other);
                    scratch.found_by.push(edge);
                    record.flags |= TREE;
                    graph.nodes[other as usize].tree_count = 1;
                    graph.nodes[node as usize].tree_count += 1;
                } else if edge != found_by && record.is_tree() {
                    record.flags &= !TREE;
                }
            }
        }
        member = graph.nodes[member as usize].links.next;
    }
    scratch.starts.push(expanded as u32);
}

/// Prefetches a node that a search will visit soon, and the first edge of one that it visits sooner.
fn prefetch_ahead(graph: &Graph, seen: &[u32]) {
    if let Some(&node) = seen.get(PREFETCH_AHEAD) {
        prefetch(&graph.nodes[node as usize]);
    }
    if let Some(&node) = seen.get(PREFETCH_AHEAD / 2) {
        let first = graph.nodes[node as usize].first_end[REAL];
        if let Some(edge) = graph.edges[REAL].get((first >> 1) as usize) {
            prefetch(edge);
        }
    }
}
