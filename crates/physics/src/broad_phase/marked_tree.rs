//! [`MarkedTree`]: a tree that marks the pages of its nodes, boxes and items that change.

use crate::persistent::Marks;
use alloc::borrow::Cow;
use core::ops::{Deref, DerefMut};
use tombolo_geometry::Aabb;
use tombolo_geometry::bvh::{InvalidBox, LANES, Node, NodeFilter, Tree};

/// A [`Tree`] as a part of the state. Calls and commits mark what they write, and any other mutable borrow marks all. What
/// a refit writes is known from the tree itself until the next commit, so a step marks it once.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarkedTree {
    tree: Tree,
    marks: TreeMarks,
}

/// The marks of the arrays of a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeMarks {
    pub(crate) nodes: Marks,
    pub(crate) previous: Marks,
    pub(crate) items: Marks,
}

impl MarkedTree {
    /// The marks of its arrays, with the nodes that were changed since the last commit.
    pub(crate) fn marks(&self) -> Cow<'_, TreeMarks> {
        if !self.marks.nodes.is_on() || !self.tree.has_changed() {
            return Cow::Borrowed(&self.marks);
        }
        let mut marks = self.marks.clone();
        marks.mark_changed(&self.tree, false);
        Cow::Owned(marks)
    }

    /// The tree and its marks, for a refit, and for code that starts marking.
    pub(crate) fn unmarked_mut(&mut self) -> (&mut Tree, &mut TreeMarks) {
        (&mut self.tree, &mut self.marks)
    }

    /// The tree and its complete marks, for code that overwrites it.
    pub(crate) fn overwritten_mut(&mut self) -> (&mut Tree, &mut TreeMarks) {
        self.marks.mark_changed(&self.tree, false);
        (&mut self.tree, &mut self.marks)
    }

    /// See [`Tree::insert`].
    pub(super) fn insert(&mut self, item: u32, value: Aabb, filter: NodeFilter) -> Result<u32, InvalidBox> {
        let node_count = self.tree.nodes.len();
        let slot = self.tree.insert(item, value, filter)?;
        if self.tree.nodes.len() != node_count {
            self.mark_all();
        }
        self.mark_path(slot);
        self.marks.items.mark_one::<u32>(slot as usize);
        Ok(slot)
    }

    /// See [`Tree::remove`].
    pub(super) fn remove(&mut self, slot: u32) {
        self.tree.remove(slot);
        self.mark_path(slot);
        self.marks.previous.mark_one::<Node>(slot as usize / LANES);
        self.marks.items.mark_one::<u32>(slot as usize);
    }

    /// See [`Tree::set_box`].
    pub(super) fn set_box(&mut self, slot: u32, value: Aabb) -> Result<(), InvalidBox> {
        self.tree.set_box(slot, value)?;
        self.mark_path(slot);
        Ok(())
    }

    /// See [`Tree::recheck`].
    pub(super) fn recheck(&mut self, slot: u32, filter: NodeFilter) {
        self.tree.recheck(slot, filter);
        self.mark_path(slot);
    }

    /// The tree for a commit, which the caller makes, and whose writes are marked here.
    pub(super) fn for_commit(&mut self) -> &mut Tree {
        self.marks.mark_changed(&self.tree, true);
        &mut self.tree
    }

    /// Marks a leaf and the nodes above it.
    fn mark_path(&mut self, slot: u32) {
        if self.marks.nodes.is_on() {
            let counts = &self.tree.counts[0];
            let starts = counts.level_starts.iter().take(counts.levels as usize);
            let mut index = slot as usize / LANES;
            for start in starts {
                self.marks.nodes.mark_one::<Node>(*start as usize + index);
                index /= LANES;
            }
        }
    }

    fn mark_all(&mut self) {
        let TreeMarks {
            nodes,
            previous,
            items,
        } = &mut self.marks;
        [nodes, previous, items].into_iter().for_each(Marks::mark_all);
    }
}

impl TreeMarks {
    /// Marks the nodes that have changed since the last commit: all that refits have written since, and a commit will write.
    /// With leaves also their kept boxes, which a commit writes.
    fn mark_changed(&mut self, tree: &Tree, with_kept: bool) {
        if self.nodes.is_on()
            && let Some(top) = tree.level_count().checked_sub(1)
        {
            self.mark_below(tree, top, 0, with_kept);
        }
    }

    /// Marks a node that has changed, and those below it.
    fn mark_below(&mut self, tree: &Tree, level: usize, index: usize, with_kept: bool) {
        if level == 0 {
            return self.mark_leaf(tree, index, with_kept);
        }
        let place = tree.counts[0].level_starts[level] as usize + index;
        let node = &tree.nodes[place];
        if !node.is_active() {
            return;
        }
        self.nodes.mark_one::<Node>(place);
        let mut lanes = node.changed;
        while lanes != 0 {
            let below = index * LANES + lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            // Most nodes are leaves: a call for each would cost as much as its marks.
            if level == 1 {
                self.mark_leaf(tree, below, with_kept);
            } else {
                self.mark_below(tree, level - 1, below, with_kept);
            }
        }
    }

    /// Marks a leaf that has changed.
    #[inline(always)]
    fn mark_leaf(&mut self, tree: &Tree, index: usize, with_kept: bool) {
        let place = tree.counts[0].level_starts[0] as usize + index;
        if tree.nodes[place].is_active() {
            self.nodes.mark_one::<Node>(place);
            if with_kept {
                self.previous.mark_one::<Node>(index);
            }
        }
    }
}

impl PartialEq for MarkedTree {
    fn eq(&self, other: &Self) -> bool {
        self.tree == other.tree
    }
}

impl Deref for MarkedTree {
    type Target = Tree;
    #[inline]
    fn deref(&self) -> &Tree {
        &self.tree
    }
}

impl DerefMut for MarkedTree {
    #[inline]
    fn deref_mut(&mut self) -> &mut Tree {
        self.mark_all();
        &mut self.tree
    }
}

#[cfg(test)]
mod tests {
    use super::{MarkedTree, TreeMarks};
    use crate::persistent::{Marks, PAGE_BYTES};
    use alloc::vec::Vec;
    use glam::Vec2;
    use tombolo_geometry::Aabb;
    use tombolo_geometry::bvh::NodeFilter;

    /// Numbers below a count, in an order without a pattern.
    struct Random(u64);

    impl Random {
        fn below(&mut self, count: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % count
        }

        /// A square of a meter.
        fn square(&mut self) -> Aabb {
            let min = Vec2::new(self.below(400) as f32, self.below(400) as f32);
            Aabb {
                min,
                max: min + Vec2::ONE,
            }
        }
    }

    /// The bytes of the three marked arrays: nodes, kept boxes and items.
    fn arrays(tree: &MarkedTree) -> [Vec<u8>; 3] {
        [
            bytemuck::cast_slice(&tree.nodes).to_vec(),
            bytemuck::cast_slice(&tree.previous).to_vec(),
            bytemuck::cast_slice(&tree.items).to_vec(),
        ]
    }

    /// The bytes of a page, the last of which may be shorter; none beyond the end.
    fn page_of(bytes: &[u8], page: usize) -> &[u8] {
        let of = |page: usize| bytes.len().min(page * PAGE_BYTES);
        &bytes[of(page)..of(page + 1)]
    }

    /// The marks of the three arrays.
    fn marks(tree: &MarkedTree) -> [Marks; 3] {
        let TreeMarks {
            nodes,
            previous,
            items,
        } = tree.marks().into_owned();
        [nodes, previous, items]
    }

    fn begin(tree: &mut MarkedTree) {
        let (_, marks) = tree.unmarked_mut();
        [&mut marks.nodes, &mut marks.previous, &mut marks.items]
            .into_iter()
            .for_each(Marks::begin);
    }

    /// Makes a random call, and names it.
    fn call(tree: &mut MarkedTree, slots: &mut Vec<u32>, random: &mut Random) -> &'static str {
        let place = random.below(slots.len());
        let (slot, value) = (slots[place], random.square());
        match random.below(8) {
            0 => {
                slots.push(tree.insert(9_999, value, NodeFilter::ALL).unwrap());
                "insert"
            }
            1 => {
                tree.remove(slots.swap_remove(place));
                "remove"
            }
            2 | 3 => {
                tree.set_box(slot, value).unwrap();
                "set_box"
            }
            4 => {
                tree.recheck(slot, NodeFilter::ALL);
                "recheck"
            }
            5 | 6 => {
                tree.for_commit().commit();
                "commit"
            }
            _ => {
                // As a refit does: what it writes is known from the tree.
                let (tree, _) = tree.unmarked_mut();
                tree.set_box(slot, value).unwrap();
                "refit"
            }
        }
    }

    /// Random calls on a tree of many pages, each beside the bytes from before.
    #[test]
    fn every_page_that_a_call_changes_is_marked() {
        let mut random = Random(7);
        let mut tree = MarkedTree::default();
        let mut slots: Vec<u32> = Vec::new();
        for item in 0..1_500 {
            slots.push(tree.insert(item, random.square(), NodeFilter::ALL).unwrap());
        }
        tree.for_commit().commit();
        let mut counts = [[0; 2]; 3];
        for round in 0..1_500 {
            if round % 3 == 0 {
                begin(&mut tree);
            }
            let (before, earlier) = (arrays(&tree), marks(&tree));
            let call = call(&mut tree, &mut slots, &mut random);
            let (after, now) = (arrays(&tree), marks(&tree));
            for array in 0..3 {
                let (pages, len) = (after[array].len().div_ceil(PAGE_BYTES), after[array].len());
                // What was cut off at the end is in no page any more.
                let kept = &before[array][..before[array].len().min(len)];
                for page in 0..pages {
                    let is_same = page_of(kept, page) == page_of(&after[array], page);
                    assert!(
                        is_same || now[array].has(page),
                        "{call}: array {array}, page {page}"
                    );
                    assert!(
                        now[array].has(page) || !earlier[array].has(page),
                        "{call}: it was marked"
                    );
                }
                counts[array][0] += now[array].pages(pages).count();
                counts[array][1] += pages;
            }
        }
        for [marked, pages] in counts {
            assert!(2 * marked < pages, "most stay unmarked: {marked} of {pages}");
        }
    }

    #[test]
    fn any_other_mutable_borrow_marks_all() {
        let mut tree = MarkedTree::default();
        tree.insert(0, Random(1).square(), NodeFilter::ALL).unwrap();
        begin(&mut tree);
        tree.items[0] = 5;
        assert!(marks(&tree).iter().all(|marks| marks.has(9_999)));
    }
}
