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

    /// See [`Tree::commit`].
    pub(super) fn commit(&mut self) {
        self.marks.mark_changed(&self.tree, true);
        self.tree.commit();
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

    fn mark_below(&mut self, tree: &Tree, level: usize, index: usize, with_kept: bool) {
        let place = tree.counts[0].level_starts[level] as usize + index;
        let node = &tree.nodes[place];
        if !node.is_active() {
            return;
        }
        self.nodes.mark_one::<Node>(place);
        if level == 0 {
            if with_kept {
                self.previous.mark_one::<Node>(index);
            }
            return;
        }
        let mut lanes = node.changed;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            self.mark_below(tree, level - 1, index * LANES + lane, with_kept);
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
