//! Refit: updates the fat boxes of many proxies, and the trees above them, at once and in parallel. The step's stage
//! `refit` uses it.
//!
//! The stage that moves bodies writes a proxy's new fat box into [`BroadPhase::boxes_mut`], each proxy by the one
//! worker that has its body, and puts the proxy into its worker's bit set. [`BroadPhase::refit`] gets the union of all
//! workers' sets and updates the trees, level by level.

use super::{BroadPhase, TreeKind};
use core::sync::atomic::{AtomicUsize, Ordering};
use tombolo_geometry::Aabb;
use tombolo_geometry::bvh::{LANES, Node, Tree};
use tombolo_handles::BitSet;
use tombolo_threads::{Executor, parallel_chunks, parallel_for};

/// The number of leaves that a worker claims at once: about ten microseconds of work. Smaller levels wake no other
/// worker. Tests use a smaller number, so that their small worlds are divided too.
const LEAVES_PER_BLOCK: usize = if cfg!(test) { 2 } else { 128 };

/// The number of nodes above the leaves that a worker claims at once: each is recomputed from eight children.
const NODES_PER_BLOCK: usize = if cfg!(test) { 2 } else { 32 };

/// The number of words of 64 marks that a worker counts at once.
const WORDS_PER_BLOCK: usize = if cfg!(test) { 1 } else { 32 };

/// If fewer than one in this many proxies of a tree moved, the tree is refitted path by path, otherwise all of it.
const PASS_FRACTION: usize = 32;

impl BroadPhase {
    /// The fat boxes by proxy, for the stage that moves bodies to write. Each box written must be valid and its proxy
    /// be in the set of the next [`refit`](Self::refit), or the trees would keep the old box.
    pub fn boxes_mut(&mut self) -> &mut [Aabb] {
        self.boxes.unmarked_mut()
    }

    /// Copies the boxes of the proxies in the set into the trees. Destroyed proxies in the set are ignored. Does not
    /// allocate while no more proxies move than ever before.
    ///
    /// Cost: O(moved · log n), or one pass over a tree of which many moved, shared by the workers.
    pub fn refit(&mut self, executor: &dyn Executor, moved: &BitSet) {
        let counts = self.count_by_tree(executor, moved);
        // The boxes were written by several threads, which set no marks of changed pages. 64 boxes are a page.
        for &(place, _) in &self.scratch.words {
            self.boxes.mark_range(64 * place..64 * (place + 1));
        }
        for kind in [TreeKind::Static, TreeKind::Kinematic, TreeKind::Dynamic] {
            let count = counts[kind as usize];
            if count == 0 {
                continue;
            }
            if count * PASS_FRACTION < self.trees[kind as usize].len() {
                self.refit_paths(kind, moved);
            } else {
                let (tree, _) = self.trees[kind as usize].unmarked_mut();
                refit_tree(tree, executor, &self.boxes, moved);
            }
        }
    }

    /// The number of proxies in the set, for each tree.
    fn count_by_tree(&mut self, executor: &dyn Executor, moved: &BitSet) -> [usize; 3] {
        let counts = [0; 3].map(AtomicUsize::new);
        let (proxies, words) = (&self.proxies, &mut self.scratch.words);
        words.clear();
        words.extend(moved.occupied_words());
        let words = &*words;
        parallel_for(executor, words.len(), WORDS_PER_BLOCK, &|_worker, range| {
            let mut found = [0; 3];
            for &(place, word) in &words[range] {
                let marked = (0..64).filter(|bit| word >> bit & 1 != 0);
                for proxy in marked.filter_map(|bit| proxies.get(64 * place + bit)) {
                    found[proxy.tree as usize] += 1;
                }
            }
            for (count, found) in counts.iter().zip(found) {
                count.fetch_add(found, Ordering::Relaxed);
            }
        });
        counts.map(AtomicUsize::into_inner)
    }

    fn refit_paths(&mut self, kind: TreeKind, moved: &BitSet) {
        for index in moved {
            let Some(proxy) = self.proxies.get(index) else {
                return;
            };
            if proxy.tree == kind as u32 && proxy.slot != super::FREE {
                let (tree, _) = self.trees[kind as usize].unmarked_mut();
                let fitted = tree.set_box(proxy.slot, self.boxes[index]);
                debug_assert!(fitted.is_ok(), "proxy {index}: {fitted:?}");
            }
        }
    }
}

/// One pass over the leaves, then one over each level above. Workers take blocks of nodes; a node is computed from the
/// level below alone, so the result does not depend on the worker.
fn refit_tree(tree: &mut Tree, executor: &dyn Executor, boxes: &[Aabb], moved: &BitSet) {
    for level in 0..tree.level_count() {
        let (nodes, below, items) = tree.levels_mut(level);
        let block_size = if level == 0 {
            LEAVES_PER_BLOCK
        } else {
            NODES_PER_BLOCK
        };
        parallel_chunks(
            executor,
            nodes,
            block_size,
            &|_worker, first, chunk: &mut [Node]| {
                for (index, node) in (first..).zip(chunk) {
                    let start = index * LANES;
                    if level == 0 {
                        for (lane, &item) in items[start..start + LANES].iter().enumerate() {
                            if moved.test(item as usize) {
                                node.change_lane(lane, boxes[item as usize]);
                            }
                        }
                        continue;
                    }
                    let children = &below[start..below.len().min(start + LANES)];
                    if children.iter().any(Node::is_active) {
                        node.gather(children);
                    }
                }
            },
        );
    }
}
