//! Checks of every invariant of a tree's files, over the whole tree: restored trees must pass them, and tests call them
//! after each change.

use super::layout::{HEIGHT_COUNT, NONE};
use super::{Cell, Layout, Orthtree, Reach, Strategy};
use alloc::vec::Vec;

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// Checks the whole structure: nodes, lists, objects, and that each object is in the cells that its box belongs to.
    /// O(n · depth). The tree of [`Polygons`](super::Polygons), which chooses the cells of its boxes itself, does not
    /// pass.
    ///
    /// # Errors
    ///
    /// A description of the first invariant that does not hold.
    pub fn validate(&self) -> Result<(), &'static str> {
        if self.layout.cell(self.layout.root()) != self.lattice.root() {
            return Err("the root's node and the lattice disagree");
        }
        let mut nodes = Vec::new();
        self.visit_all(|view| nodes.push(view.node));
        let mut holding = [0; HEIGHT_COUNT];
        let mut found = alloc::vec![0_u32; self.objects.objects.len()];
        for node in nodes {
            self.validate_node(node, &mut found)?;
            let is_held = self.layout.object_list(node).count() > 0;
            holding[self.layout.height(node) as usize] += u32::from(is_held);
        }
        let populated =
            (0..HEIGHT_COUNT).fold(0, |bits, height| bits | u32::from(holding[height] > 0) << height);
        if (holding, populated) != (self.holding, self.populated) {
            return Err("the heights that hold objects are others");
        }
        if self.spills.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err("objects reach out of smaller cells further than out of these and smaller ones");
        }
        if self.is_empty() && self.spills != [0.0; HEIGHT_COUNT] {
            return Err("objects that are not there reach out of their cells");
        }
        self.validate_objects(&found)
    }

    /// Checks a node's place, its list, and that its members belong there. Counts the references of each object.
    fn validate_node(&self, node: L::Node, found: &mut [u32]) -> Result<(), &'static str> {
        let slot = *self.layout.object_list(node);
        let cell = self.layout.cell(node);
        let counts = !self.opens_at_once();
        if slot.is_open() && (!counts || cell.height == 0) {
            return Err("a node passes objects on that cannot");
        }
        if counts && (slot.count() > 0 || slot.is_open()) {
            let mut above = self.layout.parent(node);
            while let Some(parent) = above {
                if !self.layout.object_list(parent).is_open() {
                    return Err("a node is in use below one that passes nothing on");
                }
                above = self.layout.parent(parent);
            }
        }
        let mut owners = Vec::new();
        for reference in self.objects.lists.references(&slot) {
            let owner = self.objects.owner(reference).index();
            let place = self.objects.place_at(reference);
            if self.objects.lists.node(place) != node || self.objects.lists.reference(place) != reference {
                return Err("a list and its references disagree");
            }
            if !self.belongs(owner, place, &cell, slot.is_open()) {
                return Err("an object is in a cell that is not its own");
            }
            found[owner as usize] += 1;
            owners.push(owner);
        }
        owners.sort_unstable();
        if owners.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("an object is twice in a cell");
        }
        Ok(())
    }

    /// Whether a box of an object may be in a cell's list, and queries will look for it there.
    fn belongs(&self, owner: u32, place: u32, cell: &Cell<D>, is_open: bool) -> bool {
        let root = self.lattice.root();
        let bounds = self.objects.lists.bounds(place);
        let first = self.objects.place_of(owner);
        if bounds != self.objects.lists.bounds(first)
            || self.objects.lists.key(place) != self.objects.lists.key(first)
            || bounds.check().is_err()
        {
            return false;
        }
        let reach = self.strategy.reach(&self.lattice, &bounds);
        if reach.outside(root.height).is_some() {
            return false;
        }
        if S::SHARED {
            return !is_open && reach.touches(cell, &root);
        }
        let target = reach.target(&root);
        let is_noted = !S::LOOSE || self.spills[target.height as usize] >= Self::spill_of(&bounds);
        let is_home = if is_open || self.opens_at_once() {
            *cell == target
        } else {
            cell.covers(&target)
        };
        is_noted && is_home
    }

    /// Checks places, free places, and that objects in several cells are in all that they touch.
    fn validate_objects(&self, found: &[u32]) -> Result<(), &'static str> {
        let mut is_free = alloc::vec![false; found.len()];
        for &place in &self.objects.free_objects {
            match is_free.get_mut(place as usize) {
                Some(known) if !*known => *known = true,
                _ => return Err("a free place is none, or free twice"),
            }
        }
        let mut count = 0;
        for (index, object) in self.objects.objects.iter().enumerate() {
            let is_live = object.first != NONE;
            count += usize::from(is_live);
            if is_live && is_free[index] {
                return Err("a free place is in use");
            }
            let wanted = match (is_live, S::SHARED) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => {
                    let reach = self.reach_of(index as u32);
                    let mut left = found[index];
                    if !self.touches_so_many(self.layout.root(), &reach, &mut left) || left > 0 {
                        return Err("an object is not in all cells that it touches");
                    }
                    self.objects
                        .chain(index as u32)
                        .take(found[index] as usize + 1)
                        .count() as u32
                }
            };
            if found[index] != wanted {
                return Err("an object and its lists disagree");
            }
        }
        if count == self.objects.count {
            Ok(())
        } else {
            Err("the number of objects is another")
        }
    }

    /// Subtracts the cells below a node that a box touches from `left`; false if there are more, or one that does not
    /// exist.
    fn touches_so_many(&self, node: L::Node, reach: &Reach<D>, left: &mut u32) -> bool {
        if !self.is_open(node) {
            let has_capacity = *left > 0;
            *left -= u32::from(has_capacity);
            return has_capacity;
        }
        let cell = self.layout.cell(node);
        (0..1 << D).all(|octant| {
            !reach.touches(&cell.child(octant), &self.lattice.root())
                || self
                    .layout
                    .child(node, octant)
                    .is_some_and(|child| self.touches_so_many(child, reach, left))
        })
    }
}
