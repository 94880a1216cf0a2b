//! New pairs: dynamic shapes against dynamic, static and kinematic ones, split into tasks that any worker may take.
//!
//! Workers append the pairs they find to lists of their own. The assignment of tasks to workers changes these lists and
//! nothing else: joined and sorted by shape they are always the same. A large tree is committed by all workers too, each leaf by one.
#![allow(unsafe_code)]

use super::{BroadPhase, Pair, Proxy, TreeKind, WorkerPairs};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};
use tombolo_geometry::bvh::{PairTask, PairWalk, Tree};
use tombolo_threads::{ClaimedSlice, Executor, PerWorker, parallel_for};

/// The number of tasks that a large walk is split into, at least: enough for many workers to share evenly, few enough
/// that making the list costs nothing noticeable.
const TASK_COUNT_MIN: usize = 128;

/// The number of tasks that a worker claims at once: about ten microseconds of work where much moves; waking other
/// workers for less does not pay. Tests use a smaller number, so that their small worlds are divided too.
const BLOCK_SIZE: usize = if cfg!(test) { 2 } else { 32 };

/// The number of changed leaves that a worker commits at once: some microseconds of copying.
const LEAVES_PER_BLOCK: usize = if cfg!(test) { 2 } else { 256 };

impl BroadPhase {
    /// Finds the pairs that are new since the last call and appends them to `out`, sorted by shape.
    ///
    /// A pair is a candidate if the fat boxes overlap and did not at the last call, or if they did and one of the
    /// proxies was [touched](Self::touch). If their filters let them collide, `should_collide(shape_a, shape_b,
    /// did_overlap)` decides (rules, joints, custom filters, contacts that exist already). It is called by any worker,
    /// once for a pair, with the lower shape first, and must be a function of its arguments.
    ///
    /// Rebuilds trees that have become stale. Does not allocate while counts stay at or below earlier maxima and the
    /// number of workers stays the same.
    pub fn find_pairs(
        &mut self,
        executor: &dyn Executor,
        should_collide: &(dyn Fn(u32, u32, bool) -> bool + Sync),
        out: &mut Vec<Pair>,
    ) {
        self.pack_stale_trees();
        let mut found = self.take_lists(executor.worker_count());
        let mut tasks = core::mem::take(&mut self.scratch.tasks);
        let proxies = &*self.proxies;
        tasks.clear();
        let walks = self.walks();
        let ends = walks.map(|walk| {
            walk.split(TASK_COUNT_MIN, &mut tasks);
            tasks.len()
        });
        parallel_for(executor, tasks.len(), BLOCK_SIZE, &|worker, range| {
            // SAFETY: a run gives each worker index to one thread at a time, and no run is started within.
            let found = unsafe { found.get_mut(worker) };
            for index in range {
                let walk = ends.partition_point(|&end| end <= index);
                search(&walks[walk], tasks[index], proxies, found, should_collide);
            }
        });
        self.scratch.tasks = tasks;
        self.sort_into(&mut found, out);
        self.scratch.found = Some(found);
        for tree in self.trees.iter_mut().filter(|tree| tree.has_changed()) {
            commit(tree.for_commit(), executor, &mut self.scratch.leaves);
        }
    }

    /// Whether any proxy was added, changed or touched since the last call of [`find_pairs`](Self::find_pairs); if not,
    /// that would find nothing. O(1).
    pub fn has_changed(&self) -> bool {
        self.trees.iter().any(|tree| tree.has_changed())
    }

    /// Dynamic shapes against all others: shapes of which neither is dynamic are no pair.
    fn walks(&self) -> [PairWalk<'_>; 3] {
        let tree = |kind: TreeKind| -> &Tree { &self.trees[kind as usize] };
        [
            PairWalk::within(tree(TreeKind::Dynamic)),
            PairWalk::between(tree(TreeKind::Dynamic), tree(TreeKind::Kinematic)),
            PairWalk::between(tree(TreeKind::Dynamic), tree(TreeKind::Static)),
        ]
    }

    /// Rebuilds the trees that are stale.
    fn pack_stale_trees(&mut self) {
        for tree in &mut self.trees {
            // A tree that did not change has not become worse.
            if tree.has_changed() && tree.is_stale() {
                let proxies = core::cell::RefCell::new(&mut self.proxies);
                tree.rebuild(
                    &mut self.scratch.build,
                    |item| proxies.borrow()[item as usize].node_filter(),
                    |item, slot| proxies.borrow_mut()[item as usize].slot = slot,
                );
            }
        }
    }

    /// Takes the workers' lists out of the scratch memory. Each has capacity for as many pairs as all of them together
    /// ever found, so that no list has to grow, whichever worker takes the tasks.
    fn take_lists(&mut self, worker_count: usize) -> PerWorker<WorkerPairs> {
        let kept = self.scratch.found.take();
        let mut lists = match kept {
            Some(lists) if lists.worker_count() == worker_count => lists,
            _ => PerWorker::new(worker_count, || WorkerPairs {
                stack: Vec::with_capacity(1024),
                keys: Vec::new(),
            }),
        };
        for list in lists.iter_mut() {
            list.keys.clear();
            list.keys.reserve(self.scratch.keys.capacity());
        }
        lists
    }

    fn sort_into(&mut self, found: &mut PerWorker<WorkerPairs>, out: &mut Vec<Pair>) {
        let keys = &mut self.scratch.keys;
        keys.clear();
        for list in found.iter_mut() {
            keys.extend_from_slice(&list.keys);
        }
        keys.sort_unstable();
        out.extend(keys.iter().map(|&key| Pair {
            shape_a: (key >> 32) as u32,
            shape_b: key as u32,
        }));
    }
}

/// Declares the pairs of a tree's present boxes known, on all workers: each leaf is written by the one that has its block.
fn commit(tree: &mut Tree, executor: &dyn Executor, leaves: &mut Vec<u32>) {
    let capacity = tree.counts[0].leaf_capacity as usize;
    if capacity <= LEAVES_PER_BLOCK {
        return tree.commit();
    }
    leaves.clear();
    // Never more than this, so that a step in which more leaves change than before does not allocate.
    leaves.reserve(capacity);
    tree.list_leaves_to_commit(leaves);
    let ends = [&tree.nodes, &tree.previous].map(Vec::len);
    assert!(
        leaves.iter().all(|&leaf| (leaf as usize) < ends[0].min(ends[1])),
        "a tree has a node and kept boxes for each leaf"
    );
    let moved = AtomicU32::new(0);
    let (nodes, previous) = (
        ClaimedSlice::new(&mut tree.nodes),
        ClaimedSlice::new(&mut tree.previous),
    );
    parallel_for(executor, leaves.len(), LEAVES_PER_BLOCK, &|_worker, range| {
        let mut count = 0;
        for &leaf in &leaves[range] {
            // SAFETY: the list has each leaf once, each of its places is visited once, and all are in range as asserted
            // above. Leaves are the first nodes.
            let (node, previous) = unsafe { (nodes.get_mut(leaf as usize), previous.get_mut(leaf as usize)) };
            count += u32::from(node.commit(previous));
        }
        moved.fetch_add(count, Ordering::Relaxed);
    });
    tree.add_changed_leaves(moved.into_inner());
}

/// Does one task of a walk and appends the pairs that are new and wanted.
fn search(
    walk: &PairWalk<'_>,
    task: PairTask,
    proxies: &[Proxy],
    found: &mut WorkerPairs,
    should_collide: &(dyn Fn(u32, u32, bool) -> bool + Sync),
) {
    let WorkerPairs { stack, keys } = found;
    walk.run(task, stack, |item_a, item_b, did_overlap| {
        let (a, b) = (&proxies[item_a as usize], &proxies[item_b as usize]);
        if !a.passes_filter(b) {
            return;
        }
        let (low, high) = if a.shape < b.shape {
            (a.shape, b.shape)
        } else {
            (b.shape, a.shape)
        };
        if should_collide(low, high, did_overlap) {
            keys.push(u64::from(low) << 32 | u64::from(high));
        }
    });
}
