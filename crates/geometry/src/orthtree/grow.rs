//! Growing the root towards an outlier, and shrinking it again. No object, id or cell below the root changes.

use super::{Lattice, Layout, Orthtree, OrthtreeError, Reach, Strategy};

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// Doubles the root until the result of `reach` fits.
    ///
    /// Each doubling makes the old root a child of the new one, the upper one along an axis if an object reaches below
    /// the root there, else the lower one. The number of doublings is found before anything is changed.
    pub(super) fn grow_to(&mut self, reach: impl Fn(&Lattice<D>) -> Reach<D>) -> Result<(), OrthtreeError> {
        self.check_growth(&reach)?;
        self.grow_as_checked(reach);
        Ok(())
    }

    /// Like [`grow_to`](Self::grow_to), after [`check_growth`](Self::check_growth) has succeeded.
    pub(super) fn grow_as_checked(&mut self, reach: impl Fn(&Lattice<D>) -> Reach<D>) {
        loop {
            let wanted = reach(&self.lattice);
            if wanted.outside(self.lattice.root().height).is_none() {
                return;
            }
            self.grow_root(wanted.octant_of_old_root());
        }
    }

    /// Checks whether the root may grow that far.
    pub(super) fn check_growth(&self, reach: impl Fn(&Lattice<D>) -> Reach<D>) -> Result<(), OrthtreeError> {
        self.grow_lattice(&mut self.lattice.clone(), reach)
    }

    /// Grows a copy of the lattice until `reach`, of a valid box, fits.
    pub(super) fn grow_lattice(
        &self,
        lattice: &mut Lattice<D>,
        reach: impl Fn(&Lattice<D>) -> Reach<D>,
    ) -> Result<(), OrthtreeError> {
        let height_max = self.settings.depth_max.saturating_add(self.settings.growth_max);
        loop {
            let wanted = reach(lattice);
            let height = lattice.root().height;
            let Some(axis) = wanted.outside(height) else {
                return Ok(());
            };
            if height >= height_max {
                return Err(OrthtreeError::OutOfReach {
                    axis,
                    growth_left: height_max.saturating_sub(self.lattice.root().height),
                });
            }
            L::check_height(height + 1)?;
            lattice.grow(wanted.octant_of_old_root());
        }
    }

    /// Makes a new root above the root; its height was checked.
    fn grow_root(&mut self, octant: usize) {
        self.epoch += 1;
        let old = self.layout.root();
        self.lattice.grow(octant);
        let node = self.layout.grow(self.lattice.root(), octant);
        if node != old {
            self.rename_list(node);
        }
        let root = self.layout.root();
        debug_assert_eq!(
            self.layout.cell(root),
            self.lattice.root(),
            "nodes and lattice agree"
        );
        let opens_at_once = self.opens_at_once();
        self.layout.object_list_mut(root).set_open(!opens_at_once);
        // The old root is released if it is empty; with a capacity, its few objects move up.
        self.rebalance(node);
    }

    /// Stores the node's name in its list.
    fn rename_list(&mut self, node: L::Node) {
        let slot = *self.layout.object_list(node);
        self.objects.lists.rename(&slot, node);
    }

    /// Makes the root smaller while all objects are in one of its children, but not smaller than the first root.
    /// Returns the number of levels removed.
    ///
    /// The tree never shrinks by itself, so a root does not grow and shrink alternately: call this once in a while.
    /// Objects that belong to the root itself prevent it.
    pub fn shrink_root(&mut self) -> u32 {
        let mut count = 0;
        while self.lattice.root().height > self.settings.depth_max && !self.is_empty() {
            let root = self.layout.root();
            if !self.opens_at_once() && !self.layout.object_list(root).is_open() {
                self.open(root);
            }
            let Some(octant) = self.only_child() else {
                break;
            };
            self.epoch += 1;
            self.lattice.shrink(octant);
            self.layout.shrink(octant);
            debug_assert_eq!(self.layout.cell(self.layout.root()), self.lattice.root());
            self.rename_list(self.layout.root());
            count += 1;
        }
        let root = self.layout.root();
        self.rebalance(root);
        count
    }

    /// The root's only child with objects, if all objects are in one.
    fn only_child(&self) -> Option<usize> {
        let root = self.layout.root();
        if self.layout.object_list(root).count() > 0 {
            return None;
        }
        let is_used = |octant: &usize| {
            self.layout
                .child(root, *octant)
                .is_some_and(|child| !self.is_bare(child))
        };
        let mut used = (0..1 << D).filter(is_used);
        let first = used.next();
        first.filter(|_| used.next().is_none())
    }

    /// Whether a node and its descendants have no objects. Visits descendants only in layouts that keep nodes without
    /// objects.
    fn is_bare(&self, node: L::Node) -> bool {
        let below = |octant| {
            self.layout
                .child(node, octant)
                .is_none_or(|child| self.is_bare(child))
        };
        self.layout.object_list(node).count() == 0 && (0..1 << D).all(below)
    }
}
