//! Parallel union-find whose result does not depend on the workers: islands are rebuilt in each step.
//!
//! In Jolt all workers join sets in one array by compare-and-swap (Rouwe, "Architecting Jolt Physics", GDC 2022). Erin
//! Catto abandoned that in 2023 because the order of constraints in an island was that in which the swaps happened, and
//! sorting cost too much. Here the result does not depend on an order of arrival, and no two workers write to one
//! array; sharing one costs more than all other work where two cores exchange every other cache line
//! (`docs/performance/islands.md`):
//!
//! 1. The edges are divided into a few *shares*. One worker joins each share in a forest of its own.
//! 2. Forests are merged two by two: each node of the second forest is joined, in the first, to its parent in the
//!    second.
//! 3. Two nodes end in one set exactly if edges of any shares connect them: a property of the graph. The root of a
//!    set is its smallest node, so that even the labels do not depend on the number of shares.
//! 4. Labels are converted to islands by a counting sort (`rebuild.rs`), in the order of places.
//!
//! A share belongs to one worker and the executor's barrier is between the passes, so there are no races, no atomic
//! operations but the executor's, and no unsafe code.
//!
//! The reasons are in `docs/decisions.md#labels-of-the-parallel-union-find-are-the-smallest-body`.

use alloc::vec::Vec;
use tombolo_threads::{Executor, parallel_chunks};

use super::rebuild::{PackedEdge, Places};

/// The greatest number of forests. More cost more to merge than they save, on any number of cores: a merge joins every
/// node once more, and worlds have one to three edges per node (`docs/performance/islands.md`).
const SHARES_MAX: usize = 4;

/// The number of nodes and edges together below which one worker is as fast as two.
const DIVIDED_MIN: usize = 16_384;

/// Whether dividing this many nodes and edges among workers pays. The result is the same; so debug builds, in which
/// tests run, divide the small graphs of tests too.
pub(super) fn is_worth_dividing(executor: &dyn Executor, nodes_and_edges: usize) -> bool {
    cfg!(debug_assertions) || (nodes_and_edges >= DIVIDED_MIN && executor.worker_count() > 1)
}

/// Scratch memory of the search: a forest for each share.
#[derive(Clone, Debug, Default)]
pub(super) struct ParallelUnionFind {
    forests: Vec<Forest>,
}

impl ParallelUnionFind {
    /// Labels each place with the place of the smallest node that it is connected to.
    pub(super) fn label(
        &mut self,
        executor: &dyn Executor,
        edges: &[PackedEdge],
        awake: &[u32],
        places: &mut Places,
    ) {
        let shares = executor.worker_count().clamp(2, SHARES_MAX);
        if self.forests.len() < shares {
            self.forests.resize_with(shares, Forest::default);
        }
        let (node_count, forests) = (places.of_node.len(), &mut self.forests[..shares]);
        parallel_chunks(executor, forests, 1, &|_worker, share, forest| {
            forest[0].plant(node_count, awake);
            for edge in &edges[edges.len() * share / shares..edges.len() * (share + 1) / shares] {
                forest[0].unite(edge.nodes);
            }
        });
        let mut distance = 1;
        while distance < shares {
            parallel_chunks(executor, forests, distance * 2, &|_worker, _first, group| {
                if let [into, rest @ ..] = group
                    && let Some(from) = rest.get(distance - 1)
                {
                    into.merge(from, awake);
                }
            });
            distance *= 2;
        }
        for (label, &node) in places.labels.iter_mut().zip(awake) {
            *label = places.of_node[forests[0].find(node) as usize];
        }
    }
}

/// Disjoint sets of nodes as trees.
#[derive(Clone, Debug, Default)]
struct Forest {
    /// For each awake node a smaller one of its set, or itself in a root. Entries of other nodes are old.
    parents: Vec<u32>,
}

impl Forest {
    /// Makes each of these nodes, all below `node_count`, a set of its own.
    fn plant(&mut self, node_count: usize, nodes: &[u32]) {
        if self.parents.len() < node_count {
            self.parents.resize(node_count, 0);
        }
        for &node in nodes {
            self.parents[node as usize] = node;
        }
    }

    /// Joins the sets of two nodes, walking up from both at once and splicing the paths (Rem's algorithm, in Dijkstra,
    /// "A Discipline of Programming", 1976; the fastest of those that Patwary, Blair and Manne compare in "Experiments
    /// on Union-Find Algorithms for the Disjoint-Set Data Structure", 2010).
    fn unite(&mut self, [mut a, mut b]: [u32; 2]) {
        loop {
            let (mut above_a, mut above_b) = (self.parents[a as usize], self.parents[b as usize]);
            if above_a == above_b {
                return;
            }
            if above_a < above_b {
                (a, b) = (b, a);
                (above_a, above_b) = (above_b, above_a);
            }
            self.parents[a as usize] = above_b;
            if above_a == a {
                return;
            }
            a = above_a;
        }
    }

    /// Joins all nodes that `other` joins.
    fn merge(&mut self, other: &Self, nodes: &[u32]) {
        for &node in nodes {
            self.unite([node, other.parents[node as usize]]);
        }
    }

    /// The smallest node of a node's set. Halves the path.
    fn find(&mut self, mut node: u32) -> u32 {
        loop {
            let parent = self.parents[node as usize];
            if parent == node {
                return node;
            }
            let above = self.parents[parent as usize];
            self.parents[node as usize] = above;
            node = above;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Forest;

    /// The roots are the smallest nodes for every division of the edges into shares and every order of merging forests.
    #[test]
    fn is_8_every_division_gives_the_smallest_label() {
        const NODES: [u32; 7] = [0, 1, 2, 3, 4, 5, 6];
        const EDGES: [[u32; 2]; 6] = [[6, 4], [3, 2], [5, 1], [2, 5], [4, 6], [3, 5]];
        for division in 0..1 << EDGES.len() {
            let mut forests = [Forest::default(), Forest::default()];
            forests
                .iter_mut()
                .for_each(|forest| forest.plant(NODES.len(), &NODES));
            for (at, &edge) in EDGES.iter().enumerate() {
                forests[division >> at & 1].unite(edge);
            }
            let [mut first, second] = forests;
            first.merge(&second, &NODES);
            assert_eq!(NODES.map(|node| first.find(node)), [0, 1, 1, 1, 4, 1, 4]);
        }
    }

    /// Runs a whole update, all its passes by four workers, under schedules that shuttle picks.
    #[test]
    #[cfg(shuttle)]
    fn is_8_islands_of_four_workers_are_those_of_one() {
        use crate::island::{IslandAlgorithm, Islands};
        use tombolo_threads::{Executor, Inline, Pool};

        fn found(algorithm: IslandAlgorithm, executor: &dyn Executor) -> Vec<Vec<u32>> {
            let mut islands = Islands::new(algorithm);
            (0..22).for_each(|node| {
                islands.add_node(node).unwrap();
            });
            for edge in 0..16 {
                let (a, b) = (edge * 5 % 22, (edge * 7 + 3) % 22);
                if a != b {
                    islands.link(edge, a, b).unwrap();
                }
            }
            let awake: Vec<u32> = (0..22).rev().collect();
            islands.update(executor, &awake).unwrap();
            islands.validate().unwrap();
            let order = islands.awake_islands().iter();
            order.map(|&island| islands.nodes(island).collect()).collect()
        }
        let expected = found(IslandAlgorithm::UnionFind, &Inline);
        assert!(expected.len() > 2 && expected.iter().any(|nodes| nodes.len() > 8));
        shuttle::check_random(
            move || {
                let pool = Pool::with_thread_for_each(4).unwrap();
                assert_eq!(found(IslandAlgorithm::ParallelUnionFind, &pool), expected);
            },
            500,
        );
    }
}
