//! Parallel union-find whose result does not depend on the race: islands are found anew in each step, by all workers.
//!
//! Workers take blocks of edges and join sets by compare-and-swap, as Jorrit Rouwe showed for Jolt ("Architecting Jolt
//! Physics", GDC 2022). Erin Catto gave the method up in 2023 because the order of constraints in an island was that in
//! which the swaps happened, and sorting cost too much. Here the order never enters the result:
//!
//! 1. A root is only ever joined to a root with a *smaller* place. So along parents places fall, there is no cycle, and
//!    the root of a set is its smallest place, whichever swaps came first.
//! 2. Two places end in one set exactly if edges join them: each edge retries until its two roots are one, and sets are
//!    never taken apart. So after all edges the label of a place is *the smallest place that it is connected to*: a
//!    property of the graph, not of the run.
//! 3. Labels become islands by the pass over places in `rebuild.rs`, a counting sort: no comparison, no order of arrival.
//!
//! Why relaxed loads and stores suffice: each entry holds a place of the same set that is no larger than its index, at
//! all times, and no other memory is published through it. A worker that reads an old value finds an old ancestor,
//! which is still an ancestor; only the swap decides, and it succeeds on the newest value alone. A shortening store may
//! overwrite a newer, smaller parent with an older one: that is an ancestor too, and the entry is not a root's, so no
//! link is lost. The executor's barrier orders the phases.

use alloc::vec::Vec;

#[cfg(not(loom))]
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
#[cfg(loom)]
use loom::sync::atomic::{AtomicU32, Ordering::Relaxed};
use tombolo_threads::{Executor, parallel_chunks, parallel_for};

use super::rebuild::{PackedEdge, Places};

/// Edges that a worker takes at a time: some ten microseconds of work.
const EDGES_PER_BLOCK: usize = 1024;

/// Places that a worker takes at a time.
const PLACES_PER_BLOCK: usize = 2048;

/// Memory of the search.
#[derive(Debug, Default)]
pub(super) struct ParallelUnionFind {
    /// For each place one in its set that is smaller, or itself.
    parents: Vec<AtomicU32>,
}

impl Clone for ParallelUnionFind {
    /// There is nothing to keep between two calls.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl ParallelUnionFind {
    /// Labels each place with the smallest place it is connected to.
    pub(super) fn label(&mut self, executor: &dyn Executor, edges: &[PackedEdge], places: &mut Places) {
        let count = places.labels.len();
        self.parents.truncate(count);
        for (place, parent) in self.parents.iter_mut().enumerate() {
            *parent = AtomicU32::new(place as u32);
        }
        self.parents
            .extend((self.parents.len() as u32..count as u32).map(AtomicU32::new));

        let (parents, of_node) = (&self.parents[..], &places.of_node[..]);
        parallel_for(executor, edges.len(), EDGES_PER_BLOCK, &|_worker, range| {
            for edge in &edges[range] {
                let [a, b] = edge.nodes.map(|node| of_node[node as usize]);
                unite(parents, a, b);
            }
        });
        parallel_chunks(
            executor,
            &mut places.labels,
            PLACES_PER_BLOCK,
            &|_worker, first, labels| {
                for (offset, label) in labels.iter_mut().enumerate() {
                    *label = find(parents, (first + offset) as u32);
                }
            },
        );
    }
}

/// Joins the sets of two places.
fn unite(parents: &[AtomicU32], mut a: u32, mut b: u32) {
    loop {
        (a, b) = (find(parents, a), find(parents, b));
        if a == b {
            return;
        }
        let (small, large) = (a.min(b), a.max(b));
        // Fails if another worker joined `large` to something meanwhile, or at random; its new root is found again.
        if parents[large as usize]
            .compare_exchange_weak(large, small, Relaxed, Relaxed)
            .is_ok()
        {
            return;
        }
    }
}

/// The root of a place's set at some moment during the call. Halves the path on its way.
fn find(parents: &[AtomicU32], mut place: u32) -> u32 {
    loop {
        let parent = parents[place as usize].load(Relaxed);
        if parent == place {
            return place;
        }
        let above = parents[parent as usize].load(Relaxed);
        if above != parent {
            parents[place as usize].store(above, Relaxed);
        }
        place = above;
    }
}

#[cfg(test)]
mod tests {
    use super::{find, unite};

    #[cfg(loom)]
    use loom::{sync::Arc, sync::atomic::AtomicU32, thread};
    #[cfg(not(loom))]
    use std::{sync::Arc, sync::atomic::AtomicU32, thread};

    fn model(test: impl Fn() + Send + Sync + 'static) {
        #[cfg(loom)]
        loom::model(test);
        #[cfg(not(loom))]
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
}
