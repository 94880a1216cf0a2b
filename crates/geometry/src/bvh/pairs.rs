//! [`PairWalk`]: traverses two trees, or a tree and itself, together to find the pairs of items that overlap now and
//! did not at the last commit.
//!
//! A walk goes down two nodes at once and enters a pair of children only if their boxes overlap, something changed
//! below one of them, and their filters can meet. So items that did not move cost nothing, neighbors that both moved
//! are visited once, and the upper levels are visited once for all items below, not once for each. Where only one child
//! of one node has a change below it, the walk goes down to the change first: from there on it is guided by the boxes
//! of the changed items, and not by those of whole nodes, which may reach far in a tree that was not rebuilt for a
//! while. The idea of walking trees against each other is from T. Brinkhoff, H.-P. Kriegel, B. Seeger, *Efficient
//! Processing of Spatial Joins Using R-trees* (SIGMOD 1993).

use super::lanes::{self, Baseline, Compare};
use super::node::{LANES, Node, bits};
use super::tree::Tree;
use crate::Aabb;
use alloc::vec::Vec;

/// Two nodes whose items are to be tested against each other: a part of a walk, which any worker may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairTask {
    node_a: u32,
    node_b: u32,
    level_a: u16,
    level_b: u16,
}

/// A walk of one tree against another, or against itself.
#[derive(Clone, Copy, Debug)]
pub struct PairWalk<'a> {
    a: &'a Tree,
    b: &'a Tree,
    same: bool,
}

impl<'a> PairWalk<'a> {
    /// A walk over pairs of an item of `a` with an item of `b`.
    pub fn between(a: &'a Tree, b: &'a Tree) -> Self {
        Self { a, b, same: false }
    }

    /// A walk over pairs of two items of one tree.
    pub fn within(tree: &'a Tree) -> Self {
        Self {
            a: tree,
            b: tree,
            same: true,
        }
    }

    /// Splits the walk into tasks that can be done in any order, by any worker; appends them to `tasks`. At least
    /// `count_min` of them if the walk is large enough; the list depends on the trees alone.
    pub fn split(&self, count_min: usize, tasks: &mut Vec<PairTask>) {
        if self.a.is_empty() || self.b.is_empty() {
            return;
        }
        let mut first = tasks.len();
        tasks.push(PairTask {
            node_a: 0,
            node_b: 0,
            level_a: self.a.level_count() as u16 - 1,
            level_b: self.b.level_count() as u16 - 1,
        });
        // Level by level: replace all tasks by their parts.
        while tasks.len() - first < count_min && !tasks[first..].iter().all(|task| task.is_leaves()) {
            let end = tasks.len();
            for index in first..end {
                let task = tasks[index];
                if task.is_leaves() {
                    tasks.push(task);
                } else {
                    self.expand::<Baseline>(task, tasks);
                }
            }
            tasks.copy_within(end.., first);
            tasks.truncate(first + tasks.len() - end);
            first = first.min(tasks.len());
        }
    }

    /// Runs one task: calls `report(item_a, item_b, recheck)` for each pair of items that overlap and that either did
    /// not overlap at the last commit or, then with `recheck`, of which one is to be rechecked.
    ///
    /// `stack` is scratch memory; its contents are overwritten.
    pub fn run(&self, task: PairTask, stack: &mut Vec<PairTask>, mut report: impl FnMut(u32, u32, bool)) {
        stack.clear();
        stack.push(task);
        lanes::dispatch(Run {
            walk: self,
            stack,
            report: &mut report,
        });
    }

    /// Appends the pairs of children of a pair of nodes that have to be visited. Where the levels differ only the
    /// higher node is opened, except for a node that has the only change.
    #[inline(always)]
    fn expand<C: Compare>(&self, task: PairTask, out: &mut Vec<PairTask>) {
        let PairTask {
            node_a,
            node_b,
            level_a,
            level_b,
        } = task;
        let a = &self.a.nodes[self.a.place(level_a as usize, node_a as usize)];
        let b = &self.b.nodes[self.b.place(level_b as usize, node_b as usize)];
        if !a.may_meet(b) {
            return;
        }
        if let Some(lane) = only_change(a, level_a, b) {
            if C::overlap_mask(b, a.lane(lane)) != 0 {
                out.push(PairTask {
                    node_a: child(node_a, lane),
                    level_a: level_a - 1,
                    ..task
                });
            }
        } else if let Some(lane) = only_change(b, level_b, a) {
            if C::overlap_mask(a, b.lane(lane)) != 0 {
                out.push(PairTask {
                    node_b: child(node_b, lane),
                    level_b: level_b - 1,
                    ..task
                });
            }
        } else if level_a > level_b {
            let bounds_b = self.b.bounds_of(level_b as usize, node_b as usize);
            for lane in half_open_lanes::<C>(a, b, bounds_b, level_b) {
                out.push(PairTask {
                    node_a: child(node_a, lane),
                    level_a: level_a - 1,
                    ..task
                });
            }
        } else if level_b > level_a {
            let bounds_a = self.a.bounds_of(level_a as usize, node_a as usize);
            for lane in half_open_lanes::<C>(b, a, bounds_a, level_a) {
                out.push(PairTask {
                    node_b: child(node_b, lane),
                    level_b: level_b - 1,
                    ..task
                });
            }
        } else {
            let one_node = self.same && node_a == node_b;
            let bounds_b = self.b.bounds_of(level_b as usize, node_b as usize);
            for lane_a in bits(C::overlap_mask(a, bounds_b)) {
                let from = if one_node { u32::MAX << lane_a } else { u32::MAX };
                for lane_b in
                    bits(C::overlap_mask(b, a.lane(lane_a)) & partners(a.changed, b.changed, lane_a) & from)
                {
                    out.push(PairTask {
                        node_a: child(node_a, lane_a),
                        node_b: child(node_b, lane_b),
                        level_a: level_a - 1,
                        level_b: level_b - 1,
                    });
                }
            }
        }
    }

    /// Reports the pairs of two leaves, or of a leaf with itself.
    #[inline(always)]
    fn leaves<C: Compare>(&self, leaf_a: usize, leaf_b: usize, report: &mut impl FnMut(u32, u32, bool)) {
        let (a, b) = (&self.a.nodes[leaf_a], &self.b.nodes[leaf_b]);
        let (previous_a, previous_b) = (&self.a.previous[leaf_a], &self.b.previous[leaf_b]);
        let one_node = self.same && leaf_a == leaf_b;
        let marks_a = if b.is_active() {
            u32::MAX
        } else {
            a.changed | a.recheck
        };
        for lane_a in bits(C::overlap_mask(a, self.b.bounds_of(0, leaf_b)) & marks_a) {
            let after = if one_node {
                u32::MAX << lane_a << 1
            } else {
                u32::MAX
            };
            let changed = partners(a.changed, b.changed, lane_a);
            let recheck = partners(a.recheck, b.recheck, lane_a);
            // Both tests are always made: whether the first finds something is a coin toss, and a branch that is often
            // mispredicted costs more than the second test. A lane that is left at the end is rare.
            let before = C::overlap_mask(previous_b, previous_a.lane(lane_a));
            let now = C::overlap_mask(b, a.lane(lane_a)) & after;
            for lane_b in bits(now & (changed & !before | recheck)) {
                let item_a = self.a.items[leaf_a * LANES + lane_a];
                let item_b = self.b.items[leaf_b * LANES + lane_b];
                report(item_a, item_b, before >> lane_b & 1 != 0);
            }
        }
    }
}

/// A task in progress.
struct Run<'w, 'a, R> {
    walk: &'w PairWalk<'a>,
    /// The pairs of nodes still to be visited.
    stack: &'w mut Vec<PairTask>,
    report: &'w mut R,
}

impl<R: FnMut(u32, u32, bool)> lanes::Walk for Run<'_, '_, R> {
    #[inline(always)]
    fn run<C: Compare>(self) {
        let Self { walk, stack, report } = self;
        while let Some(task) = stack.pop() {
            if task.is_leaves() {
                walk.leaves::<C>(task.node_a as usize, task.node_b as usize, report);
            } else {
                walk.expand::<C>(task, stack);
            }
        }
    }
}

impl PairTask {
    #[inline]
    fn is_leaves(self) -> bool {
        self.level_a | self.level_b == 0
    }
}

#[inline]
fn child(node: u32, lane: usize) -> u32 {
    node * LANES as u32 + lane as u32
}

/// The lanes of the other node that have to be tested against `lane_a`: all if it changed, else those that did.
#[inline]
fn partners(marks_a: u32, marks_b: u32, lane_a: usize) -> u32 {
    if marks_a >> lane_a & 1 != 0 { 255 } else { marks_b }
}

/// The lane of a node above the leaves below which all changes of it and of `other` are, if there is such a lane.
#[inline]
fn only_change(node: &Node, level: u16, other: &Node) -> Option<usize> {
    let is_only = level > 0 && node.changed.is_power_of_two() && !other.is_active();
    is_only.then(|| node.changed.trailing_zeros() as usize)
}

/// The lanes of a higher node that overlap some lane of a lower one, at `level`, with a change on either side.
#[inline(always)]
fn half_open_lanes<'n, C: Compare>(
    higher: &'n Node,
    lower: &'n Node,
    lower_bounds: Aabb,
    level: u16,
) -> impl Iterator<Item = usize> + use<'n, C> {
    // Only a leaf's own marks are exact for its lanes.
    let active = if level == 0 {
        lower.changed | lower.recheck
    } else if lower.is_active() {
        255
    } else {
        0
    };
    let eligible = if active != 0 { 255 } else { higher.changed };
    bits(C::overlap_mask(higher, lower_bounds) & eligible).filter(move |&lane| {
        let partners = if higher.changed >> lane & 1 != 0 {
            255
        } else {
            active
        };
        C::overlap_mask(lower, higher.lane(lane)) & partners != 0
    })
}
