//! The oracle of the island tests: a set of nodes and edges, and islands found from scratch each time, with the rules
//! of sleep and waking applied in the plainest way. Also the random operations that drive both.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use tombolo_physics::island::{IslandAlgorithm, IslandError, Islands, WorkBudget};
use tombolo_threads::{Executor, Inline};

/// xorshift64*, good enough to pick operations and the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((u128::from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)) * u128::from(end)) >> 64) as u32
    }
}

/// One call, with indices as they come: many of them are bad input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Add(u32),
    Remove(u32),
    RemoveWithEdges(u32),
    Link(u32, u32, u32),
    Unlink(u32),
    Sleep(u32),
    Wake(u32),
    SplitIslands(u32),
    SplitNow(u32),
}

impl Operation {
    pub(crate) fn random(random: &mut Random, nodes: u32, edges: u32) -> Self {
        let node = random.below(nodes);
        match random.below(100) {
            0..10 => Self::Add(node),
            10..12 => Self::Remove(node),
            12..14 => Self::RemoveWithEdges(node),
            14..50 => {
                // Mostly neighbors, as in a pile.
                let other = if random.below(8) == 0 {
                    random.below(nodes)
                } else {
                    node + 1 + random.below(4)
                };
                Self::Link(random.below(edges), node, other)
            }
            50..84 => Self::Unlink(random.below(edges)),
            84..88 => Self::Sleep(node),
            88..92 => Self::Wake(node),
            92..99 => Self::SplitIslands(random.below(200)),
            _ => Self::SplitNow(node),
        }
    }
}

/// What the islands must amount to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oracle {
    pub(crate) nodes: BTreeSet<u32>,
    pub(crate) edges: BTreeMap<u32, [u32; 2]>,
}

impl Oracle {
    /// For each node the smallest node that it is connected to: flood fill from each in turn.
    pub(crate) fn labels(&self) -> BTreeMap<u32, u32> {
        let mut neighbors: BTreeMap<u32, Vec<u32>> = self.nodes.iter().map(|&node| (node, vec![])).collect();
        for &[a, b] in self.edges.values() {
            neighbors.get_mut(&a).unwrap().push(b);
            neighbors.get_mut(&b).unwrap().push(a);
        }
        let mut labels = BTreeMap::new();
        for &seed in &self.nodes {
            let mut stack = vec![seed];
            while let Some(node) = stack.pop() {
                if let Entry::Vacant(label) = labels.entry(node) {
                    label.insert(seed);
                    stack.extend(&neighbors[&node]);
                }
            }
        }
        labels
    }

    /// Applies an operation and, in two of three cases, updates the islands as a step would. `place` of a node among
    /// those awake is its order by index here; any other would do.
    pub(crate) fn step(&mut self, operation: Operation, islands: &mut Islands, executor: &dyn Executor) {
        self.apply(operation, islands);
        if !matches!(operation, Operation::Link(edge, ..) if edge % 3 == 0) {
            Self::update(islands, executor);
        }
    }

    /// Finds the islands anew, where the algorithm does that.
    pub(crate) fn update(islands: &mut Islands, executor: &dyn Executor) {
        let awake: BTreeSet<u32> = islands
            .awake_islands()
            .iter()
            .flat_map(|&island| islands.nodes(island))
            .collect();
        islands
            .update(executor, &awake.into_iter().collect::<Vec<_>>())
            .unwrap();
    }

    pub(crate) fn apply(&mut self, operation: Operation, islands: &mut Islands) {
        let before = islands.awake_islands().to_vec();
        match operation {
            Operation::Add(node) => {
                let expected = self.nodes.insert(node);
                assert_eq!(islands.add_node(node).is_ok(), expected, "{operation:?}");
            }
            Operation::Remove(node) => {
                let edge_count = self.edges.values().filter(|ends| ends.contains(&node)).count() as u32;
                let expected = match (self.nodes.contains(&node), edge_count) {
                    (false, _) => Err(IslandError::NoNode(node)),
                    (true, 0) => Ok(()),
                    (true, edge_count) => Err(IslandError::NodeHasEdges { node, edge_count }),
                };
                assert_eq!(islands.remove_node(node), expected, "{operation:?}");
                if expected.is_ok() {
                    self.nodes.remove(&node);
                }
            }
            Operation::RemoveWithEdges(node) => {
                let edges: Vec<u32> = self
                    .edges
                    .iter()
                    .filter(|(_, ends)| ends.contains(&node))
                    .map(|(&edge, _)| edge)
                    .collect();
                for edge in edges {
                    self.apply(Operation::Unlink(edge), islands);
                }
                self.apply(Operation::Remove(node), islands);
            }
            Operation::Link(edge, a, b) => self.link(edge, a, b, islands),
            Operation::Unlink(edge) => {
                let expected = self.edges.remove(&edge).is_some();
                assert_eq!(islands.unlink(edge).is_ok(), expected, "{operation:?}");
            }
            Operation::Sleep(node) => self.sleep(node, islands),
            Operation::Wake(node) => {
                if let Some(island) = islands.island_of(node) {
                    islands.wake(island).unwrap();
                    assert!(!islands.is_asleep(island));
                }
            }
            Operation::SplitIslands(units) => {
                let done = islands.split_islands(WorkBudget { units }, &before);
                let unsplit = before
                    .iter()
                    .filter(|&&island| islands.needs_split(island))
                    .count();
                assert_eq!(done.unsplit as usize, unsplit);
            }
            Operation::SplitNow(node) => {
                if let Some(island) = islands.island_of(node) {
                    islands.split_now(island).unwrap();
                    assert!(!islands.needs_split(island));
                }
            }
        }
    }

    fn link(&mut self, edge: u32, a: u32, b: u32, islands: &mut Islands) {
        let known = self.nodes.contains(&a) && self.nodes.contains(&b);
        let expected = known && a != b && !self.edges.contains_key(&edge);
        let asleep = |islands: &Islands, node| islands.is_asleep(islands.island_of(node).unwrap());
        if expected && asleep(islands, a) != asleep(islands, b) {
            // The rule for the caller: wake the sleeping island, all of it, then link.
            let Err(IslandError::Asleep { island }) = islands.link(edge, a, b) else {
                panic!("linked an awake node to a sleeping one");
            };
            islands.wake(island).unwrap();
        }
        let linked = islands.link(edge, a, b);
        assert_eq!(linked.is_ok(), expected, "{edge} {a} {b} {linked:?}");
        if let Ok(linked) = linked {
            self.edges.insert(edge, [a, b]);
            assert_eq!(islands.island_of(a), Some(linked.island));
            let together = islands.island_of(b) == Some(linked.island);
            assert!(
                together || islands.needs_split(linked.island),
                "neither merged nor waiting"
            );
            assert!(linked.absorbed.is_none_or(|gone| islands.node_count(gone) == 0));
        }
    }

    fn sleep(&mut self, node: u32, islands: &mut Islands) {
        let Some(island) = islands.island_of(node) else {
            return;
        };
        if islands.needs_split(island) {
            assert_eq!(islands.sleep(island), Err(IslandError::NeedsSplit(island)));
            islands.split_now(island).unwrap();
        }
        let island = islands.island_of(node).unwrap();
        islands.sleep(island).unwrap();
        assert!(islands.is_asleep(island));
    }

    /// Compares the islands with the truth: never finer, and exact where they say so.
    pub(crate) fn check(&self, islands: &Islands) {
        islands.validate().unwrap();
        let labels = self.labels();
        assert_eq!(islands.total_nodes() as usize, self.nodes.len());
        assert_eq!(islands.total_edges() as usize, self.edges.len());
        for (&edge, &ends) in &self.edges {
            assert_eq!(islands.edge_nodes(edge), Some(ends));
        }
        let mut seen = BTreeSet::new();
        for island in islands.islands() {
            let members: BTreeSet<u32> = islands.nodes(island).collect();
            assert_eq!(members.len(), islands.node_count(island) as usize);
            let parts: BTreeSet<u32> = members.iter().map(|node| labels[node]).collect();
            assert!(
                islands.needs_split(island) || parts.len() == 1,
                "island {island} says it is connected"
            );
            assert!(
                !islands.is_asleep(island) || members.iter().all(|&n| islands.island_of(n) == Some(island))
            );
            for part in &parts {
                let whole = labels.iter().filter(|(_, label)| *label == part);
                let waits = islands.needs_split(island) && islands.algorithm() != IslandAlgorithm::Persistent;
                for (node, _) in whole {
                    let inside = waits || members.contains(node);
                    assert!(inside, "island {island} is finer than the graph at node {node}");
                }
            }
            let edges: Vec<u32> = islands.edges(island).collect();
            assert_eq!(edges.len(), islands.edge_count(island) as usize);
            for edge in edges {
                assert!(
                    members.contains(&self.edges[&edge][0]),
                    "edge {edge} is listed by island {island}"
                );
            }
            seen.extend(members);
        }
        assert_eq!(seen, self.nodes);
    }

    /// After everything was split the partition is the true one.
    pub(crate) fn check_split(&self, islands: &mut Islands) {
        Self::update(islands, &Inline);
        let all: Vec<u32> = islands.islands().collect();
        islands.split_islands(WorkBudget::UNLIMITED, &all);
        for island in all {
            islands.split_now(island).unwrap();
        }
        self.check(islands);
        let all_split = islands.islands().all(|island| !islands.needs_split(island));
        assert!(all_split, "an island is unsplit after all were split");
    }
}
