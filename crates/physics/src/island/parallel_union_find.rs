//! Parallel union-find whose result does not depend on the race: islands are found anew in each step, by all workers.
//!
//! Workers take blocks of edges and join sets by compare-and-swap, as Jorrit Rouwe showed for Jolt ("Architecting Jolt
//! Physics", GDC 2022). Erin Catto gave the method up in 2023 because the order of constraints in an island was that in
//! which the swaps happened, and sorting cost too much. Here the order never enters the result:
//!
//! 1. A root is only ever joined to a *smaller* place of another set. So along parents places fall, there is no cycle, and
//!    the root of a set is its smallest place, whichever swaps came first.
//! 2. Two places end in one set exactly if edges join them: each edge retries until a swap of its own joined them
//!    or both were seen to name one place, and sets are never taken apart. So after all edges the label of a place is *the smallest place that it is connected to*: a
//!    property of the graph, not of the run.
//! 3. Labels become islands by a counting sort, in `parallel_rebuild.rs`: no comparison, no order of arrival.
//!
//! Why relaxed loads and stores suffice: each entry holds a place of the same set that is no larger than its index, at
//! all times, and no other memory is published through it. A worker that reads an old value finds an old ancestor,
//! which is still an ancestor; only the swap decides, and it succeeds on the newest value alone. A shortening store may
//! overwrite a newer, smaller parent with an older one: that is an ancestor too, and the entry is not a root's, so no
//! link is lost. The executor's barrier orders the phases.

#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::sync::atomic::AtomicBool;

#[cfg(not(any(loom, shuttle)))]
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
#[cfg(loom)]
use loom::sync::atomic::{AtomicU32, Ordering::Relaxed};
#[cfg(shuttle)]
use shuttle::sync::atomic::{AtomicU32, Ordering::Relaxed};
use tombolo_threads::{ClaimedSlice, Executor, run_stages};

use super::graph::Graph;
use super::parallel_rebuild::{Naming, ParallelRebuild};
use super::rebuild::PackedEdge;
use super::record::Records;

/// The atomic that all workers write to.
pub(super) type Atomic = AtomicU32;

/// Edges that a worker takes at a time: some ten microseconds of work.
const EDGES_PER_BLOCK: usize = if cfg!(shuttle) { 3 } else { 1024 };

/// Places that a worker takes at a time. Under shuttle so few that its small graphs have many blocks.
pub(super) const PLACES_PER_BLOCK: usize = if cfg!(shuttle) { 4 } else { 1024 };

/// Nodes and edges together below which one worker is as fast as two: barriers and what the cores must fetch from each
/// other cost what dividing saves. The result is the same; so with debug assertions, as in tests of small graphs, all is
/// divided.
const DIVIDED_MIN: usize = 16_384;

/// Whether it pays to divide so many nodes and edges.
pub(super) fn pays(executor: &dyn Executor, nodes_and_edges: usize) -> bool {
    cfg!(debug_assertions) || (nodes_and_edges >= DIVIDED_MIN && executor.worker_count() > 1)
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(super) struct ParallelUnionFind {
    /// For each awake node its place.
    of_node: Vec<Atomic>,
    /// For each place one in its set that is smaller, or itself.
    parents: Vec<Atomic>,
    /// For each place its label.
    labels: Vec<u32>,
    rebuild: ParallelRebuild,
}

impl Clone for ParallelUnionFind {
    /// There is nothing to keep between two calls.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl ParallelUnionFind {
    /// Finds the awake islands anew; false, with nothing changed, if `awake` does not name each awake node once.
    pub(super) fn update(
        &mut self,
        executor: &dyn Executor,
        graph: &mut Graph,
        records: &mut Records,
        edges: &[PackedEdge],
        awake: &[u32],
    ) -> bool {
        let count = awake.len();
        fit(&mut self.of_node, graph.nodes.len());
        fit(&mut self.parents, count);
        self.labels.resize(count, 0);
        let naming = Naming {
            graph,
            records,
            awake,
            of_node: &self.of_node,
        };
        let parents = &self.parents[..count];
        let labels = ClaimedSlice::new(&mut self.labels);
        // One run with a barrier between the stages: starting a run costs as much as a stage of a thousand nodes.
        let blocks = count.div_ceil(PLACES_PER_BLOCK) as u32;
        let stages = [blocks, edges.len().div_ceil(EDGES_PER_BLOCK) as u32, blocks];
        let is_whole = AtomicBool::new(naming.counts_all());
        run_stages(executor, &stages, &|_worker, stage, block| {
            if !is_whole.load(Relaxed) {
                return;
            }
            let first = block * PLACES_PER_BLOCK;
            let places = first..count.min(first + PLACES_PER_BLOCK);
            match stage {
                0 => {
                    for place in places.clone() {
                        parents[place].store(place as u32, Relaxed);
                    }
                    if !naming.name(places) {
                        is_whole.store(false, Relaxed);
                    }
                }
                1 => {
                    let first = block * EDGES_PER_BLOCK;
                    for edge in &edges[first..edges.len().min(first + EDGES_PER_BLOCK)] {
                        let [a, b] = edge.nodes.map(|node| self.of_node[node as usize].load(Relaxed));
                        unite(parents, a, b);
                    }
                }
                // Only here is it known that no node was named twice: until now that could do no harm.
                _ => {
                    for place in places.clone() {
                        // SAFETY: each block is run once, and each place is in one block.
                        unsafe { *labels.get_mut(place) = find(parents, place as u32) };
                    }
                    if !naming.kept(places) {
                        is_whole.store(false, Relaxed);
                    }
                }
            }
        });
        if !is_whole.into_inner() {
            return false;
        }
        self.rebuild
            .label_islands(executor, graph, records, awake, &self.labels);
        true
    }
}

/// Makes room for `count` entries.
fn fit(entries: &mut Vec<Atomic>, count: usize) {
    if entries.len() < count {
        entries.resize_with(count, || Atomic::new(0));
    }
}

/// Joins the sets of two places, going up from both at once: two places that name one parent are in one set, and neither
/// way to the root need be walked (Rem's algorithm, as in Patwary, Blair and Manne, "Experiments on Union-Find
/// Algorithms for the Disjoint-Set Data Structure", 2010; with swaps in Dhulipala, Hong and Shun, "ConnectIt", 2020).
fn unite(parents: &[Atomic], mut a: u32, mut b: u32) {
    loop {
        let mut above_a = parents[a as usize].load(Relaxed);
        let mut above_b = parents[b as usize].load(Relaxed);
        if above_a == above_b {
            return;
        }
        if above_a < above_b {
            (a, b) = (b, a);
            (above_a, above_b) = (above_b, above_a);
        }
        if above_a != a {
            a = halve(parents, a, above_a);
        } else if parents[a as usize]
            // Fails if another worker joined `a` to something meanwhile, or at random; then it is looked at again.
            .compare_exchange_weak(a, above_b, Relaxed, Relaxed)
            .is_ok()
        {
            return;
        }
    }
}

/// Makes a place name its parent's parent, which it returns.
fn halve(parents: &[Atomic], place: u32, parent: u32) -> u32 {
    let above = parents[parent as usize].load(Relaxed);
    if above != parent {
        parents[place as usize].store(above, Relaxed);
    }
    above
}

/// The root of a place's set at some moment during the call. Halves the path on its way.
fn find(parents: &[Atomic], mut place: u32) -> u32 {
    loop {
        let parent = parents[place as usize].load(Relaxed);
        if parent == place {
            return place;
        }
        place = halve(parents, place, parent);
    }
}

#[cfg(test)]
mod tests {
    use super::{find, unite};

    #[cfg(loom)]
    use loom::{sync::Arc, sync::atomic::AtomicU32, thread};
    #[cfg(shuttle)]
    use shuttle::{sync::Arc, sync::atomic::AtomicU32, thread};
    #[cfg(not(any(loom, shuttle)))]
    use std::{sync::Arc, sync::atomic::AtomicU32, thread};

    fn model(test: impl Fn() + Send + Sync + 'static) {
        #[cfg(loom)]
        loom::model(test);
        #[cfg(shuttle)]
        shuttle::check_random(test, 2_000);
        #[cfg(not(any(loom, shuttle)))]
        (0..200).for_each(|_| test());
    }

    /// Two workers join the same three places in different orders; every interleaving gives the smallest labels.
    #[test]
    fn is_8_every_interleaving_gives_the_smallest_label() {
        model(|| {
            let parents: Arc<Vec<AtomicU32>> = Arc::new((0..4).map(AtomicU32::new).collect());
            let theirs = Arc::clone(&parents);
            let other = thread::spawn(move || {
                unite(&theirs, 3, 2);
                unite(&theirs, 1, 3);
            });
            unite(&parents, 2, 1);
            other.join().unwrap();
            let labels: Vec<u32> = (0..4).map(|place| find(&parents, place)).collect();
            assert_eq!(labels, [0, 1, 1, 1]);
        });
    }

    /// Five workers join a chain, each link by another worker than its neighbours and some links by two: loom cannot try
    /// all of these, so there is one schedule here, or as many as shuttle picks.
    #[test]
    #[cfg(not(loom))]
    fn is_8_five_workers_give_the_smallest_labels() {
        const PLACES: u32 = 24;
        const WORKERS: u32 = 5;
        model(|| {
            let parents: Arc<Vec<AtomicU32>> = Arc::new((0..PLACES).map(AtomicU32::new).collect());
            let workers: Vec<_> = (0..WORKERS)
                .map(|worker| {
                    let parents = Arc::clone(&parents);
                    thread::spawn(move || {
                        // From the far end for some, so that they meet; the chain is cut before place 13.
                        let links =
                            (1..PLACES).filter(|&b| b != 13 && (b % WORKERS == worker || b % 7 == worker));
                        let mut links: Vec<u32> = links.collect();
                        if worker % 2 == 0 {
                            links.reverse();
                        }
                        links.into_iter().for_each(|b| unite(&parents, b, b - 1));
                    })
                })
                .collect();
            workers.into_iter().for_each(|worker| worker.join().unwrap());
            for place in 0..PLACES {
                assert_eq!(find(&parents, place), if place < 13 { 0 } else { 13 });
            }
        });
    }

    /// The whole of an update, all its passes by four workers, under schedules that shuttle picks.
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
