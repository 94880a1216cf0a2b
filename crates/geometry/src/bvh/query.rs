//! Queries: items that overlap a box, that are near one, or that a ray or a moving box may hit. Items are reported by
//! their boxes; the exact test is the caller's.

use super::lanes::{Compare, Entries, Slabs, Walk, dispatch};
use super::node::{LANES, Node, bits};
use super::stack::Stack;
use super::tree::{LEVEL_COUNT_MAX, Tree};
use crate::math::sqrt;
use crate::{Aabb, Vec2};

/// The answer of a visitor: whether a query continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Continue.
    Continue,
    /// End the query.
    Stop,
}

/// A box, or with half size zero a ray, that moves along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxCast {
    /// The center of the box at the start, in meters.
    pub start: Vec2,
    /// The whole displacement, in meters; may be zero.
    pub translation: Vec2,
    /// Half the size of the box, not negative; zero for a ray.
    pub half_size: Vec2,
    /// The fraction of the displacement to search, 1 for all of it.
    pub fraction_max: f32,
}

impl Tree {
    /// Calls `visit(item)` for the items whose box shares a point with `area`; touching edges count. Branches without a
    /// category of `categories` are left out, but items are not filtered one by one. The order follows the tree's state.
    ///
    /// Cost: O(log n + found).
    pub fn query_box(&self, area: Aabb, categories: u64, visit: impl FnMut(u32) -> Visit) {
        if self.is_empty() {
            return;
        }
        dispatch(InBox {
            tree: self,
            area,
            categories,
            visit,
        });
    }

    /// Calls `visit(item)` for the items whose box the moving box meets, nearer nodes first. `visit` returns the
    /// fraction of the displacement that still matters: 0 to stop, its hit's fraction to search for nearer ones only,
    /// the present one to continue. Categories as in [`query_box`](Self::query_box).
    ///
    /// Cost: O(log n + found) for a short displacement.
    pub fn cast(&self, cast: &BoxCast, categories: u64, visit: impl FnMut(u32, f32) -> f32) {
        if self.is_empty() {
            return;
        }
        dispatch(OnPath {
            tree: self,
            slabs: Slabs::new(cast.start, cast.translation, cast.half_size),
            fraction_max: cast.fraction_max,
            categories,
            visit,
        });
    }

    /// Calls `visit(item, distance_max)` for the items whose box may be within `distance_max` meters of `area`, nearer
    /// nodes first. `visit` returns the distance that still matters: its own item's to search for nearer ones only, the
    /// present one to continue, less than zero to stop. Categories as in [`query_box`](Self::query_box).
    ///
    /// Cost: O(log n + found) for a short distance.
    pub fn query_near(
        &self,
        area: Aabb,
        distance_max: f32,
        categories: u64,
        mut visit: impl FnMut(u32, f32) -> f32,
    ) {
        if self.is_empty() {
            return;
        }
        let mut distance_max = distance_max;
        let mut stack = Stack::of_root(self);
        let mut next = stack.pop();
        while let Some(waiting) = next {
            let node = &self.nodes[self.place(waiting.level as usize, waiting.index as usize)];
            if waiting.entry > distance_max || node.categories & categories == 0 {
                next = stack.pop();
                continue;
            }
            let near = gaps(node, area, distance_max);
            if waiting.level > 0 {
                next = stack.nearest_of(&near, waiting);
                continue;
            }
            next = stack.pop();
            for lane in bits(near.lanes) {
                if near.entries[lane] <= distance_max {
                    let item = self.items[waiting.index as usize * LANES + lane];
                    distance_max = visit(item, distance_max);
                    if distance_max < 0.0 {
                        return;
                    }
                }
            }
        }
    }
}

/// The search of [`Tree::query_box`], of a tree that is not empty.
struct InBox<'a, V> {
    tree: &'a Tree,
    area: Aabb,
    categories: u64,
    visit: V,
}

impl<V: FnMut(u32) -> Visit> Walk for InBox<'_, V> {
    #[inline(always)]
    fn run<C: Compare>(mut self) {
        let tree = self.tree;
        let root = tree.level_count() - 1;
        // For each level the node that is open there, and its lanes that are still to be visited. Unlike a stack of all
        // pending nodes, it is cheap to clear.
        let mut open = [(0, 0); LEVEL_COUNT_MAX];
        let (mut level, mut index) = (root, 0);
        loop {
            let node = &tree.nodes[tree.place(level, index)];
            let mut lanes = C::overlap_mask(node, self.area);
            if node.categories & self.categories == 0 {
                lanes = 0;
            }
            if level == 0 {
                for lane in bits(lanes) {
                    if (self.visit)(tree.items[index * LANES + lane]) == Visit::Stop {
                        return;
                    }
                }
                lanes = 0;
            }
            while lanes == 0 {
                level += 1;
                if level > root {
                    return;
                }
                (index, lanes) = open[level];
            }
            let last = lanes.ilog2();
            open[level] = (index, lanes ^ 1 << last);
            (level, index) = (level - 1, index * LANES + last as usize);
        }
    }
}

/// The search of [`Tree::cast`], of a tree that is not empty.
struct OnPath<'a, V> {
    tree: &'a Tree,
    slabs: Slabs,
    fraction_max: f32,
    categories: u64,
    visit: V,
}

impl<V: FnMut(u32, f32) -> f32> Walk for OnPath<'_, V> {
    #[inline(always)]
    fn run<C: Compare>(mut self) {
        let tree = self.tree;
        let mut fraction_max = self.fraction_max;
        let mut stack = Stack::of_root(tree);
        let mut next = stack.pop();
        while let Some(waiting) = next {
            let node = &tree.nodes[tree.place(waiting.level as usize, waiting.index as usize)];
            if waiting.entry > fraction_max || node.categories & self.categories == 0 {
                next = stack.pop();
                continue;
            }
            let entered = C::entries(&self.slabs, node, fraction_max);
            if waiting.level > 0 {
                next = stack.nearest_of(&entered, waiting);
                continue;
            }
            next = stack.pop();
            for lane in bits(entered.lanes) {
                if entered.entries[lane] <= fraction_max {
                    let item = tree.items[waiting.index as usize * LANES + lane];
                    fraction_max = (self.visit)(item, fraction_max);
                    if fraction_max <= 0.0 {
                        return;
                    }
                }
            }
        }
    }
}

/// The lanes whose boxes may be within `distance_max` of `area`, each with a lower bound of its distance in meters.
#[inline]
pub(super) fn gaps(node: &Node, area: Aabb, distance_max: f32) -> Entries {
    let (mut lanes, mut entries) = (0, [f32::INFINITY; LANES]);
    for (lane, entry) in entries.iter_mut().enumerate() {
        // The greater of the two gaps is never more than the distance, whatever rounding does to a square root.
        let x = (node.min_x[lane] - area.max.x).max(area.min.x - node.max_x[lane]);
        let y = (node.min_y[lane] - area.max.y).max(area.min.y - node.max_y[lane]);
        let (x, y) = (x.max(0.0), y.max(0.0));
        let diagonal = 0.999_999 * sqrt(x * x + y * y);
        // Very far away the square is not finite, and the greater gap alone is the bound.
        let least = x
            .max(y)
            .max(if diagonal < f32::INFINITY { diagonal } else { 0.0 });
        if least <= distance_max && least < f32::INFINITY {
            *entry = least;
            lanes |= 1 << lane;
        }
    }
    Entries { lanes, entries }
}
