//! The peers of the islands: the two textbook algorithms that find all islands in every step, and the union-find of
//! several workers that share one array, on the most compact data there is. They get the awake nodes numbered without
//! gaps and the edges between them packed, ready made and untimed; they return the nodes sorted by island. No
//! maintenance, no sleep, no joints: a baseline that flatters them.

use std::sync::atomic::{AtomicU32, Ordering};

use tombolo_threads::{Executor, parallel_chunks, parallel_for};

/// The nodes sorted by island, and the first place of each island.
#[derive(Default)]
pub(super) struct Sorted {
    pub(super) starts: Vec<u32>,
    pub(super) nodes: Vec<u32>,
    /// The island of each root.
    islands: Vec<u32>,
}

impl Sorted {
    /// Sorts by counting; `labels` are nodes, equal for two nodes exactly if they are connected.
    fn sort(&mut self, labels: &[u32]) {
        self.islands.clear();
        self.islands.resize(labels.len(), u32::MAX);
        self.starts.clear();
        self.starts.push(0);
        for &label in labels {
            let island = &mut self.islands[label as usize];
            if *island == u32::MAX {
                *island = self.starts.len() as u32 - 1;
                self.starts.push(0);
            }
            // Counted one place late, so that the running sum below gives the first places.
            self.starts[*island as usize + 1] += 1;
        }
        for island in 1..self.starts.len() {
            self.starts[island] += self.starts[island - 1];
        }
        self.nodes.resize(labels.len(), 0);
        for (node, &label) in labels.iter().enumerate().rev() {
            let end = &mut self.starts[self.islands[label as usize] as usize + 1];
            *end -= 1;
            self.nodes[*end as usize] = node as u32;
        }
        // The loop moved each end to its island's first place: the array is one place late.
        self.starts.remove(0);
        self.starts.push(labels.len() as u32);
    }

    /// The number of islands.
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Union by size with path halving over packed edges.
#[derive(Default)]
pub(super) struct CompactUnionFind {
    /// The parent, or minus the size in a root.
    parents: Vec<i32>,
    labels: Vec<u32>,
    pub(super) sorted: Sorted,
}

impl CompactUnionFind {
    pub(super) fn find_islands(&mut self, node_count: usize, edges: &[[u32; 2]]) {
        self.parents.clear();
        self.parents.resize(node_count, -1);
        for &[a, b] in edges {
            let (mut a, mut b) = (self.root(a), self.root(b));
            if a != b {
                if self.parents[a as usize] > self.parents[b as usize] {
                    (a, b) = (b, a);
                }
                self.parents[a as usize] += self.parents[b as usize];
                self.parents[b as usize] = a as i32;
            }
        }
        self.labels.clear();
        for node in 0..node_count as u32 {
            let root = self.root(node);
            self.labels.push(root);
        }
        self.sorted.sort(&self.labels);
    }

    fn root(&mut self, mut node: u32) -> u32 {
        loop {
            let parent = self.parents[node as usize];
            if parent < 0 {
                return node;
            }
            let above = self.parents[parent as usize];
            if above < 0 {
                return parent as u32;
            }
            self.parents[node as usize] = above;
            node = above as u32;
        }
    }
}

/// Union-find by all workers in one array, by compare-and-swap, as in Jolt (Rouwe, "Architecting Jolt Physics", GDC
/// 2022): the root of the greater number is linked to the other, and paths are halved on the way (Anderson and Woll,
/// "Wait-Free Parallel Algorithms for the Union-Find Problem", 1991). A set's label is its smallest node, whatever the
/// order of the workers. They do everything but the sorting.
#[derive(Default)]
pub(super) struct SwapUnionFind {
    parents: Vec<AtomicU32>,
    labels: Vec<u32>,
    pub(super) sorted: Sorted,
}

impl SwapUnionFind {
    /// The number of nodes or edges in one task.
    const CHUNK: usize = 1024;

    pub(super) fn find_islands(&mut self, executor: &dyn Executor, node_count: usize, edges: &[[u32; 2]]) {
        self.parents.resize_with(node_count, AtomicU32::default);
        self.parents.truncate(node_count);
        for (node, parent) in self.parents.iter_mut().enumerate() {
            *parent.get_mut() = node as u32;
        }
        let parents = &self.parents[..];
        parallel_for(executor, edges.len(), Self::CHUNK, &|_worker, range| {
            for &[a, b] in &edges[range] {
                join(parents, a, b);
            }
        });
        self.labels.resize(node_count, 0);
        parallel_chunks(
            executor,
            &mut self.labels,
            Self::CHUNK,
            &|_worker, first, labels| {
                for (node, label) in (first as u32..).zip(labels) {
                    *label = root(parents, node);
                }
            },
        );
        self.sorted.sort(&self.labels);
    }
}

/// The smallest node of a set that no other worker joins to another one meanwhile. No order is needed between accesses:
/// a node is only ever linked to a smaller one of its set.
fn root(parents: &[AtomicU32], mut node: u32) -> u32 {
    loop {
        let parent = parents[node as usize].load(Ordering::Relaxed);
        let above = parents[parent as usize].load(Ordering::Relaxed);
        if parent == above {
            return parent;
        }
        // If another worker was faster, it has linked the node to a node no higher.
        let _ =
            parents[node as usize].compare_exchange_weak(parent, above, Ordering::Relaxed, Ordering::Relaxed);
        node = above;
    }
}

fn join(parents: &[AtomicU32], a: u32, b: u32) {
    loop {
        let (a, b) = (root(parents, a), root(parents, b));
        let (low, high) = (a.min(b), a.max(b));
        let hang =
            || parents[high as usize].compare_exchange(high, low, Ordering::Relaxed, Ordering::Relaxed);
        if low == high || hang().is_ok() {
            return;
        }
    }
}

/// Depth-first search over neighbors in compressed rows, which it builds from the packed edges first.
#[derive(Default)]
pub(super) struct CompactDepthFirst {
    row_ends: Vec<u32>,
    neighbors: Vec<u32>,
    stack: Vec<u32>,
    seen: Vec<bool>,
    pub(super) starts: Vec<u32>,
    pub(super) nodes: Vec<u32>,
}

impl CompactDepthFirst {
    pub(super) fn find_islands(&mut self, node_count: usize, edges: &[[u32; 2]]) {
        self.build_rows(node_count, edges);
        self.seen.clear();
        self.seen.resize(node_count, false);
        self.starts.clear();
        self.nodes.clear();
        for seed in 0..node_count as u32 {
            if std::mem::replace(&mut self.seen[seed as usize], true) {
                continue;
            }
            self.starts.push(self.nodes.len() as u32);
            self.stack.push(seed);
            while let Some(node) = self.stack.pop() {
                self.nodes.push(node);
                let row = self.row_ends[node as usize] as usize..self.row_ends[node as usize + 1] as usize;
                for &other in &self.neighbors[row] {
                    if !std::mem::replace(&mut self.seen[other as usize], true) {
                        self.stack.push(other);
                    }
                }
            }
        }
    }

    /// Counting sort of both ends of all edges by node.
    fn build_rows(&mut self, node_count: usize, edges: &[[u32; 2]]) {
        self.row_ends.clear();
        self.row_ends.resize(node_count + 1, 0);
        for &node in edges.iter().flatten() {
            self.row_ends[node as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut self.row_ends {
            sum += *end;
            *end = sum;
        }
        self.neighbors.resize(edges.len() * 2, 0);
        for &[a, b] in edges {
            for (node, other) in [(a, b), (b, a)] {
                let place = &mut self.row_ends[node as usize];
                *place -= 1;
                self.neighbors[*place as usize] = other;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tombolo_threads::Pool;

    #[test]
    fn all_workers_in_one_array_find_the_islands_of_one() {
        let pool = Pool::with_thread_for_each(4).unwrap();
        let (mut shared, mut alone) = (SwapUnionFind::default(), CompactUnionFind::default());
        let mut state = 1_u64;
        for round in 0..200_usize {
            let node_count = 10 + round * 50;
            let mut node = || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                ((state >> 33) % node_count as u64) as u32
            };
            let edges: Vec<[u32; 2]> = (0..node_count * 9 / 10).map(|_| [node(), node()]).collect();
            shared.find_islands(&pool, node_count, &edges);
            alone.find_islands(node_count, &edges);
            assert_eq!(shared.sorted.starts, alone.sorted.starts);
            assert_eq!(shared.sorted.nodes, alone.sorted.nodes);
            let smallest = (0..node_count as u32).all(|node| shared.labels[node as usize] <= node);
            assert!(smallest, "a label is a smallest node");
        }
    }

    #[test]
    fn both_find_the_same_islands() {
        let edges = [[4, 1], [1, 2], [5, 3]];
        let mut union_find = CompactUnionFind::default();
        union_find.find_islands(7, &edges);
        assert_eq!(union_find.sorted.nodes, [0, 1, 2, 4, 3, 5, 6]);
        assert_eq!(union_find.sorted.starts, [0, 1, 4, 6, 7]);
        assert_eq!(union_find.sorted.count(), 4);
        let mut depth_first = CompactDepthFirst::default();
        depth_first.find_islands(7, &edges);
        assert_eq!(depth_first.starts, [0, 1, 4, 6]);
        assert_eq!(depth_first.nodes[1..4].iter().sum::<u32>(), 7);
    }
}
