//! The queries of `query.rs` as iterators, which their callers may stop, chain and hold. They visit the same items in the
//! same order.
//!
//! The forms with closures do not use them: what is open in a node is kept in registers there, and in memory here, which
//! costs 30% more instructions for rays and 20% to 40% for boxes (callgrind, queries among 4,000 items).

use super::lanes::{Entries, Slabs};
use super::node::{LANES, Node};
use super::query::{BoxCast, gaps};
use super::stack::{Stack, Waiting};
use super::tree::{LEVEL_COUNT_MAX, Tree};
use crate::Aabb;

impl Tree {
    /// The items that [`query_box`](Self::query_box) visits, in the same order, one after the other as they are asked
    /// for. Allocates nothing: what is still to be visited is a node of each level, at most eleven.
    pub fn iter_box(&self, area: Aabb, categories: u64) -> BoxItems<'_> {
        let mut items = BoxItems {
            tree: self,
            area,
            categories,
            open: [(0, 0); LEVEL_COUNT_MAX],
            levels: if self.is_empty() { 0 } else { self.level_count() },
        };
        if let Some(root) = items.levels.checked_sub(1) {
            items.open(root, 0);
        }
        items
    }

    /// The items that [`cast`](Self::cast) visits if the whole displacement matters to its end, in the same order, one
    /// after the other as they are asked for. Allocates nothing: the nodes still to be visited are on a stack of its own,
    /// at most 88.
    pub fn iter_cast(&self, cast: &BoxCast, categories: u64) -> impl Iterator<Item = u32> + use<'_> {
        let slabs = Slabs::new(cast.start, cast.translation, cast.half_size);
        let fraction_max = cast.fraction_max;
        OrderedItems::new(self, categories, move |node: &Node| {
            slabs.entries(node, fraction_max)
        })
    }

    /// The items that [`query_near`](Self::query_near) visits if the whole distance matters to its end, in the same
    /// order, one after the other as they are asked for. Allocates nothing, like [`iter_cast`](Self::iter_cast).
    pub fn iter_near(
        &self,
        area: Aabb,
        distance_max: f32,
        categories: u64,
    ) -> impl Iterator<Item = u32> + use<'_> {
        OrderedItems::new(self, categories, move |node: &Node| {
            gaps(node, area, distance_max)
        })
    }
}

/// The items of a tree in an area: [`Tree::iter_box`].
#[derive(Clone, Debug)]
pub struct BoxItems<'t> {
    tree: &'t Tree,
    area: Aabb,
    categories: u64,
    /// For each level the node that is open there, and its lanes that are still to be visited.
    open: [(usize, u32); LEVEL_COUNT_MAX],
    levels: usize,
}

impl BoxItems<'_> {
    #[inline]
    fn open(&mut self, level: usize, index: usize) {
        let node = &self.tree.nodes[self.tree.place(level, index)];
        let is_wanted = node.categories & self.categories != 0;
        self.open[level] = (index, if is_wanted { node.overlaps(self.area) } else { 0 });
    }
}

impl Iterator for BoxItems<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let mut level = 0;
        while level < self.levels {
            let (index, lanes) = self.open[level];
            if lanes == 0 {
                level += 1;
            } else if level == 0 {
                self.open[0].1 = lanes & (lanes - 1);
                return Some(self.tree.items[index * LANES + lanes.trailing_zeros() as usize]);
            } else {
                let last = lanes.ilog2();
                self.open[level].1 = lanes ^ 1 << last;
                level -= 1;
                self.open(level, index * LANES + last as usize);
            }
        }
        None
    }
}

/// The items of a tree that a search enters, nearer nodes first. `entries` gives the lanes of a node that it enters.
struct OrderedItems<'t, F> {
    tree: &'t Tree,
    categories: u64,
    entries: F,
    stack: Stack,
    /// The node to open next.
    next: Option<Waiting>,
    /// The leaf that is open, and its lanes that are still to be visited.
    leaf: usize,
    lanes: u32,
}

impl<'t, F: Fn(&Node) -> Entries> OrderedItems<'t, F> {
    #[inline]
    fn new(tree: &'t Tree, categories: u64, entries: F) -> Self {
        let mut stack = Stack::of_root(tree);
        Self {
            tree,
            categories,
            entries,
            next: stack.pop(),
            stack,
            leaf: 0,
            lanes: 0,
        }
    }
}

impl<F: Fn(&Node) -> Entries> Iterator for OrderedItems<'_, F> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.lanes == 0 {
            let waiting = self.next?;
            let node = &self.tree.nodes[self.tree.place(waiting.level as usize, waiting.index as usize)];
            if node.categories & self.categories == 0 {
                self.next = self.stack.pop();
                continue;
            }
            let entered = (self.entries)(node);
            if waiting.level > 0 {
                self.next = self.stack.nearest_of(&entered, waiting);
            } else {
                self.next = self.stack.pop();
                (self.leaf, self.lanes) = (waiting.index as usize, entered.lanes);
            }
        }
        let lane = self.lanes.trailing_zeros() as usize;
        self.lanes &= self.lanes - 1;
        Some(self.tree.items[self.leaf * LANES + lane])
    }
}
