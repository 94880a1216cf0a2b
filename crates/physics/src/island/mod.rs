//! Islands: the sets of bodies that are connected by contacts and joints, directly or through others.
//!
//! This folder has only the indices of nodes and edges: no bodies, contacts or time. Physics adds and removes nodes and
//! edges; the islands determine which nodes wake and sleep together.
//!
//! | file | contents |
//! | --- | --- |
//! | `mod.rs` | [`Islands`]: all changes by callers |
//! | `query.rs` | reading |
//! | `link_many.rs`, `new_edge.rs` | adding many edges at once |
//! | `graph.rs` | nodes and their edges |
//! | `record.rs`, `list.rs` | records of islands, moving nodes between them; their lists |
//! | `split.rs` | splitting an island that came apart |
//! | `split_budget.rs` | the choice of the islands that are split in a step, under a budget |
//! | `depth_first.rs`, `union_find.rs`, `parallel_union_find.rs` | the algorithms that rebuild islands in each step |
//! | `rebuild.rs` | making islands from their labels |
//! | `ablation.rs` | switches with which a bench turns techniques off |
//! | `validate.rs` | invariants |
//!
//! `docs/islands.md` explains the algorithms and helps to choose.

mod ablation;
mod depth_first;
mod error;
mod graph;
mod link_many;
mod list;
mod new_edge;
mod parallel_union_find;
mod query;
mod rebuild;
mod record;
mod split;
mod split_budget;
mod union_find;
mod validate;

#[doc(hidden)]
pub use ablation::AblationSwitches;
pub use error::{CorruptIslands, IslandError};
pub use new_edge::NewEdge;

use depth_first::DepthFirst;
use graph::{Edge, GAPS, Graph, INDEX_MAX, IslandNode, REAL, TREE};
use list::{List, NONE};
use new_edge::LinkScratch;
use parallel_union_find::ParallelUnionFind;
use rebuild::{PackedEdges, Places};
use record::{IslandRecords, edges_of};
use split::SplitScratch;
use tombolo_geometry::plain_data;
use tombolo_threads::Executor;
use union_find::UnionFind;

/// The algorithm that finds islands. All give the same islands once split; the cost differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IslandAlgorithm {
    /// Islands persist from step to step; a new edge merges two islands at once, removed edges are examined later.
    #[default]
    Persistent,
    /// All awake islands are found anew in each step by walking along edges.
    DepthFirst,
    /// All awake islands are found anew in each step from the list of edges.
    UnionFind,
    /// Like `UnionFind`, by several workers, with a result that does not depend on the assignment of work to workers.
    ParallelUnionFind,
}

impl IslandAlgorithm {
    /// All algorithms.
    pub const ALL: [Self; 4] = [
        Self::Persistent,
        Self::DepthFirst,
        Self::UnionFind,
        Self::ParallelUnionFind,
    ];

    /// The algorithm's name on a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Persistent => "persistent",
            Self::DepthFirst => "dfs",
            Self::UnionFind => "union-find",
            Self::ParallelUnionFind => "parallel-union-find",
        }
    }

    /// Whether the algorithm reads the packed edges of `rebuild.rs`.
    const fn packs_edges(self) -> bool {
        matches!(self, Self::UnionFind | Self::ParallelUnionFind)
    }
}

/// The limit of the work of one call of [`Islands::split_islands`].
///
/// A unit is one node or one end of an edge that is visited, or one node that is moved: about 2 to 10 nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkBudget {
    /// The units of work.
    pub units: u32,
}

impl WorkBudget {
    /// No limit: islands are exact after each call.
    pub const UNLIMITED: Self = Self { units: u32::MAX };
}

impl Default for WorkBudget {
    /// 20,000 units: about a tenth of a millisecond.
    fn default() -> Self {
        Self { units: 20_000 }
    }
}

/// The work that a call of [`Islands::split_islands`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkDone {
    /// Units of work; more than the budget if a search that was begun exceeded it. The next calls do less to
    /// compensate.
    pub units: u64,
    /// Islands that were made by splitting.
    pub new_islands: u32,
    /// Candidates that were not known to be connected and still are not.
    pub unsplit: u32,
}

/// The result of [`Islands::link`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The island that both nodes are in now.
    pub island: u32,
    /// The island that was merged into it, whose index is free now, if there were two.
    pub absorbed: Option<u32>,
}

plain_data! {
    /// State that later calls depend on and that is in none of the arrays.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct Head {
        /// Units of work above the budget that later calls must still compensate.
        pub(crate) debt: u64,
        /// The number of nodes.
        pub(crate) node_count: u32,
        /// The number of edges.
        pub(crate) edge_count: u32,
        /// 1 if awake islands changed since [`Islands::update`], under an algorithm that finds them there; else 0.
        pub(crate) stale: u32,
        /// The least index of the island that [`Islands::split_islands_in_turn`] begins with.
        pub(crate) turn: u32,
    }
}

/// An undirected graph of nodes and edges, and the islands that they form.
///
/// A node is a body that can move, an edge is a touching contact or a joint between two of them; static and kinematic
/// bodies are never nodes, so that two piles on one floor are two islands. Indices of nodes and edges are the caller's,
/// below 2³⁰, and memory grows with the largest.
///
/// An island is awake or asleep as a whole. The rules, which are the same for every algorithm:
///
/// - a new node is awake and an island of its own;
/// - an edge between two awake or two sleeping islands merges them, and the result is awake or asleep as before. If
///   just one end sleeps, [`link`](Self::link) refuses: the caller wakes all [`nodes`](Self::nodes) of that island with
///   [`wake`](Self::wake) first. No edge ever leads from a sleeping island to another island, so waking one island
///   wakes all connected nodes, in the same step;
/// - a removed edge may leave an island that is coarser than the graph: [`needs_split`](Self::needs_split) reports it,
///   [`split_islands`](Self::split_islands) and [`split_now`](Self::split_now) resolve it, and such an island may not
///   sleep. An island is never finer than the graph.
///
/// The same calls in the same order give the same islands, indices and orders, on every machine.
///
/// ```
/// use tombolo_physics::island::{IslandAlgorithm, Islands, WorkBudget};
///
/// let mut islands = Islands::new(IslandAlgorithm::Persistent);
/// for body in 0..4 {
///     islands.add_node(body)?;
/// }
/// islands.link(10, 0, 1)?;
/// islands.link(11, 1, 2)?;
/// islands.link(12, 2, 3)?;
/// let island = islands.island_of(2).unwrap();
/// assert_eq!(islands.nodes(island).collect::<Vec<_>>(), [0, 1, 2, 3]);
///
/// islands.unlink(11)?;
/// assert!(islands.needs_split(island));
/// islands.split_islands(WorkBudget::default(), &[island]);
/// assert_ne!(islands.island_of(2), islands.island_of(0));
/// # Ok::<(), tombolo_physics::island::IslandError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Islands {
    algorithm: IslandAlgorithm,
    switches: AblationSwitches,
    pub(crate) head: Head,
    pub(crate) graph: Graph,
    pub(crate) records: IslandRecords,
    pub(crate) packed: PackedEdges,
    scratch: SplitScratch,
    link_scratch: LinkScratch,
    places: Places,
    depth_first: DepthFirst,
    union_find: UnionFind,
    parallel_union_find: ParallelUnionFind,
}

impl Default for Islands {
    fn default() -> Self {
        Self::new(IslandAlgorithm::default())
    }
}

impl Islands {
    /// An empty graph.
    pub fn new(algorithm: IslandAlgorithm) -> Self {
        Self {
            algorithm,
            switches: AblationSwitches::ALL,
            head: Head {
                debt: 0,
                node_count: 0,
                edge_count: 0,
                stale: 0,
                turn: 0,
            },
            graph: Graph::default(),
            records: IslandRecords::new(),
            packed: PackedEdges::default(),
            scratch: SplitScratch::default(),
            link_scratch: LinkScratch::default(),
            places: Places::default(),
            depth_first: DepthFirst::default(),
            union_find: UnionFind::default(),
            parallel_union_find: ParallelUnionFind::default(),
        }
    }

    /// Switches techniques of the persistent algorithm off, for a bench to measure their worth; only while there are no
    /// nodes.
    #[doc(hidden)]
    pub fn set_ablation(&mut self, switches: AblationSwitches) {
        debug_assert_eq!(self.head.node_count, 0, "trees depend on the switches");
        self.switches = switches;
    }

    /// The algorithm in use.
    pub fn algorithm(&self) -> IslandAlgorithm {
        self.algorithm
    }

    /// Switches to another algorithm; the caller replaces all arrays too.
    pub(crate) fn set_algorithm(&mut self, algorithm: IslandAlgorithm) {
        self.algorithm = algorithm;
    }

    /// Adds a node as an awake island of its own and returns the island's index. O(1).
    ///
    /// # Errors
    ///
    /// [`IslandError::NodeExists`], [`IslandError::IndexTooLarge`].
    pub fn add_node(&mut self, node: u32) -> Result<u32, IslandError> {
        if node >= INDEX_MAX {
            return Err(IslandError::IndexTooLarge(node));
        }
        if self.graph.node(node).is_some() {
            return Err(IslandError::NodeExists(node));
        }
        let island = self.records.create_with(List::of(node));
        self.graph.insert_node(node, island);
        self.head.node_count += 1;
        self.debug_validate();
        Ok(island)
    }

    /// Removes a node that has no edges, and its island if it was the last member. O(edges that the node lost since its
    /// island was last searched).
    ///
    /// # Errors
    ///
    /// [`IslandError::NoNode`], [`IslandError::NodeHasEdges`].
    pub fn remove_node(&mut self, node: u32) -> Result<(), IslandError> {
        let record = self.graph.node(node).ok_or(IslandError::NoNode(node))?;
        let (island, edge_count) = (record.island, record.end_count[REAL]);
        if edge_count > 0 {
            return Err(IslandError::NodeHasEdges { node, edge_count });
        }
        self.bridge_gaps(island, node);
        self.records.remove_member(&mut self.graph, island, node);
        if self.records.get(island).is_none() {
            self.records.destroy(island);
        }
        self.graph.nodes[node as usize] = IslandNode::EMPTY;
        self.head.node_count -= 1;
        self.debug_validate();
        Ok(())
    }

    /// Removes a node that has only gaps from the spanning tree: the nodes at the other ends of its gaps are connected
    /// by new gaps instead.
    fn bridge_gaps(&mut self, island: u32, node: u32) {
        let mut beyond = NONE;
        while let Some(end) = self.graph.ends(GAPS, node).next() {
            self.records.remove_gap(&mut self.graph, island, end.edge);
            if beyond != NONE {
                self.records.add_gap(&mut self.graph, island, [beyond, end.other]);
            }
            beyond = end.other;
        }
    }

    /// Makes records for all edges with indices below `end`, so that linking one of them later does not make thousands at
    /// once: a caller whose edges may wait long for their first link calls it as often as it issues an index. O(1) for
    /// each new record.
    pub(crate) fn make_room_for_edges(&mut self, end: u32) {
        if let Some(last) = end.min(INDEX_MAX).checked_sub(1) {
            self.graph.edges[REAL].grow_to(last as usize, Edge::EMPTY);
        }
    }

    /// Adds an edge and merges the islands of its nodes at once. O(1) inside an island, else O(nodes of the smaller
    /// island), and its edges if it gave its tree up; the larger island keeps its index, at a tie the island of `a`.
    /// Several edges may join the same two nodes.
    ///
    /// # Errors
    ///
    /// [`IslandError::Asleep`] if one end sleeps and the other does not; [`IslandError::EdgeExists`],
    /// [`IslandError::NoNode`], [`IslandError::SelfLink`], [`IslandError::IndexTooLarge`].
    pub fn link(&mut self, edge: u32, a: u32, b: u32) -> Result<Linked, IslandError> {
        let [island_a, island_b] = self.check_new(edge, [a, b])?;
        self.check_both_awake_or_asleep(island_a, island_b)?;
        let linked = if self.keeps_tree() || self.is_asleep(island_a) {
            self.join(edge, [a, b], [island_a, island_b])
        } else {
            self.note(edge, [a, b], [island_a, island_b])
        };
        self.head.edge_count += 1;
        self.debug_validate();
        Ok(linked)
    }

    /// Checks a new edge, and returns the islands of its nodes.
    #[inline]
    fn check_new(&self, edge: u32, [a, b]: [u32; 2]) -> Result<[u32; 2], IslandError> {
        if edge >= INDEX_MAX {
            return Err(IslandError::IndexTooLarge(edge));
        }
        let island_a = self.graph.node(a).ok_or(IslandError::NoNode(a))?.island;
        let island_b = self.graph.node(b).ok_or(IslandError::NoNode(b))?.island;
        if a == b {
            return Err(IslandError::SelfLink(a));
        }
        if self.graph.edge(edge).is_some() {
            return Err(IslandError::EdgeExists(edge));
        }
        Ok([island_a, island_b])
    }

    /// Returns an error if one of two islands sleeps and the other does not.
    #[inline]
    fn check_both_awake_or_asleep(&self, a: u32, b: u32) -> Result<(), IslandError> {
        match (self.is_asleep(a), self.is_asleep(b)) {
            (true, false) => Err(IslandError::Asleep { island: a }),
            (false, true) => Err(IslandError::Asleep { island: b }),
            _ => Ok(()),
        }
    }

    /// Adds a checked edge, to the spanning tree if it joins two islands.
    fn join(&mut self, edge: u32, nodes: [u32; 2], islands: [u32; 2]) -> Linked {
        let (island, absorbed, flags) = if islands[0] == islands[1] {
            (islands[0], None, 0)
        } else {
            self.rebuild_tree_of_smaller(islands);
            let (kept, gone) = self.records.merge(&mut self.graph, islands[0], islands[1]);
            (kept, Some(gone), if self.keeps_tree() { TREE } else { 0 })
        };
        self.graph.insert_edge(REAL, edge, nodes, flags);
        self.records.islands[island as usize].edge_count += 1;
        Linked { island, absorbed }
    }

    /// If the smaller of two islands gave its tree up and the larger has one, builds a tree for the smaller one, so
    /// that the larger need not be swept because of it.
    fn rebuild_tree_of_smaller(&mut self, islands: [u32; 2]) {
        let [a, b] = islands.map(|island| self.records.islands[island as usize]);
        let (large, small, index) = if a.members.count >= b.members.count {
            (a, b, islands[1])
        } else {
            (b, a, islands[0])
        };
        if self.keeps_tree() && !small.has_tree() && large.has_tree() {
            split::rebuild_tree(&mut self.graph, &mut self.records, &mut self.scratch, index);
        }
    }

    /// Adds a checked edge between awake nodes, under an algorithm that finds islands in [`update`](Self::update).
    fn note(&mut self, edge: u32, nodes: [u32; 2], islands: [u32; 2]) -> Linked {
        self.graph.insert_edge(REAL, edge, nodes, 0);
        if self.algorithm.packs_edges() {
            self.packed.insert(edge, nodes);
        }
        // Counted in the island of its first node, so that the edge can be removed again before the islands are found.
        self.records.islands[islands[0] as usize].edge_count += 1;
        self.head.stale |= u32::from(islands[0] != islands[1]);
        Linked {
            island: islands[0],
            absorbed: None,
        }
    }

    /// Finds the awake islands anew, under the algorithms that do so in each step; does nothing under
    /// [`Persistent`](IslandAlgorithm::Persistent). To be called once a step, after all edges of the step were linked
    /// and unlinked and before membership in islands matters.
    ///
    /// `awake` lists each awake node once. Islands are created in the order of their first nodes there, and list their
    /// nodes in that order; both are the same for each of these algorithms and any number of workers.
    ///
    /// Cost: O(awake nodes and their edges).
    ///
    /// # Errors
    ///
    /// [`IslandError::NoNode`], [`IslandError::NotAwakeOnce`], [`IslandError::AwakeMissing`].
    pub fn update(&mut self, executor: &dyn Executor, awake: &[u32]) -> Result<(), IslandError> {
        if self.keeps_tree() {
            return Ok(());
        }
        self.places.assign(&self.graph, &self.records, awake)?;
        let (edges, places) = (&self.packed.edges, &mut self.places);
        match self.algorithm {
            IslandAlgorithm::DepthFirst => self.depth_first.label(&self.graph, awake, places),
            IslandAlgorithm::ParallelUnionFind
                if parallel_union_find::is_worth_dividing(executor, awake.len() + edges.len()) =>
            {
                self.parallel_union_find.label(executor, edges, awake, places);
            }
            _ => self.union_find.label(edges, places),
        }
        rebuild::label_islands(&mut self.graph, &mut self.records, places, awake);
        self.head.stale = 0;
        self.debug_validate();
        Ok(())
    }

    /// Whether each island has a spanning tree, and new edges merge islands at once.
    fn keeps_tree(&self) -> bool {
        self.algorithm == IslandAlgorithm::Persistent
    }

    /// Removes an edge. A node that lost its last edge becomes an island of its own at once; otherwise the island stays
    /// one until it is searched, and if the edge was not in the spanning tree, it is still connected. O(1), plus the
    /// gaps of a node that leaves.
    ///
    /// # Errors
    ///
    /// [`IslandError::NoEdge`].
    pub fn unlink(&mut self, edge: u32) -> Result<(), IslandError> {
        if self.graph.edge(edge).is_none() {
            return Err(IslandError::NoEdge(edge));
        }
        let removed = self.graph.remove_edge(REAL, edge);
        let island = self.graph.nodes[removed.nodes[0] as usize].island;
        self.records.islands[island as usize].edge_count -= 1;
        if !self.keeps_tree() {
            let lost_count = &mut self.records.islands[island as usize].lost_count;
            *lost_count = lost_count.saturating_add(1);
            self.packed.remove(edge);
        } else {
            self.note_removed_tree_edge(island, &removed);
            self.release_lone_nodes(island, removed.nodes);
        }
        self.head.edge_count -= 1;
        self.debug_validate();
        Ok(())
    }

    /// Records in an island's spanning tree that an edge was removed: as a gap if the edge was in the tree, unless a
    /// node of it hangs on nothing else and leaves the island now.
    fn note_removed_tree_edge(&mut self, island: u32, removed: &Edge) {
        let record = &mut self.records.islands[island as usize];
        if !record.has_tree() {
            // An island that never rests may lose more edges than the counter can hold.
            record.lost_count = record.lost_count.saturating_add(1);
        } else if !removed.is_tree() {
            record.lost_count += u32::from(!self.switches.filter);
        } else if !removed.nodes.iter().any(|&node| self.hangs_on_nothing(node)) {
            self.records.add_gap(&mut self.graph, island, removed.nodes);
            self.give_up_tree(island);
        }
    }

    /// Makes those of two nodes that have no edge left islands of their own, which they certainly are: bodies that fly
    /// apart cost no search, in the steps in which it happens.
    fn release_lone_nodes(&mut self, island: u32, nodes: [u32; 2]) {
        for node in nodes {
            if self.is_released(node) && self.records.islands[island as usize].members.count > 1 {
                self.bridge_gaps(island, node);
                self.records.move_out(&mut self.graph, island, &[node]);
            }
        }
    }

    /// Whether a node that leaves its island has no gaps either.
    fn hangs_on_nothing(&self, node: u32) -> bool {
        self.is_released(node) && self.graph.end_count(GAPS, node) == 0
    }

    /// Whether a node has no edges, and so leaves its island; never if that is switched off.
    fn is_released(&self, node: u32) -> bool {
        self.switches.leave && self.graph.end_count(REAL, node) == 0
    }

    /// Gives up the tree of an island if it has too many gaps to be worth maintaining.
    fn give_up_tree(&mut self, island: u32) {
        let record = &mut self.records.islands[island as usize];
        if split::is_tree_abandoned(record, self.switches) {
            record.lost_count = record.gaps.count;
            self.records.clear_gaps(&mut self.graph, island);
        }
    }

    /// Puts an island to sleep. O(1); under the union-finds O(edges of the island).
    ///
    /// # Errors
    ///
    /// [`IslandError::NeedsSplit`] if it may be several islands; [`IslandError::NoIsland`]. Putting a sleeping island
    /// to sleep is no error.
    pub fn sleep(&mut self, island: u32) -> Result<(), IslandError> {
        self.records.get(island).ok_or(IslandError::NoIsland(island))?;
        if self.needs_split(island) {
            return Err(IslandError::NeedsSplit(island));
        }
        self.records.leave_awake(island);
        if self.algorithm.packs_edges() {
            for edge in edges_of(&self.graph, &self.records, island) {
                self.packed.remove(edge);
            }
        }
        self.debug_validate();
        Ok(())
    }

    /// Wakes an island: all its [`nodes`](Self::nodes) are awake from now on. O(1); under the union-finds
    /// O(edges of the island).
    ///
    /// # Errors
    ///
    /// [`IslandError::NoIsland`]. Waking an awake island is no error and changes nothing.
    pub fn wake(&mut self, island: u32) -> Result<(), IslandError> {
        let record = self.records.get(island).ok_or(IslandError::NoIsland(island))?;
        if record.is_asleep() {
            self.records.enter_awake(island);
            if self.algorithm.packs_edges() {
                for edge in edges_of(&self.graph, &self.records, island) {
                    self.packed
                        .insert(edge, self.graph.edges[REAL][edge as usize].nodes);
                }
            }
        }
        self.debug_validate();
        Ok(())
    }

    /// Prefetches the memory that linking or unlinking an edge between two nodes reads first. It affects nothing but
    /// time.
    pub(crate) fn prefetch_edge(&self, edge: u32, nodes: [u32; 2]) {
        use crate::prefetch::prefetch;
        if let Some(edge) = self.graph.edges[REAL].get(edge as usize) {
            prefetch(edge);
        }
        for node in nodes {
            if let Some(node) = self.graph.nodes.get(node as usize) {
                prefetch(node);
            }
        }
    }

    /// With the feature `validate`: checks all invariants after a change.
    #[inline]
    fn debug_validate(&self) {
        #[cfg(feature = "validate")]
        if let Err(error) = self.validate() {
            panic!("{error}");
        }
    }
}
