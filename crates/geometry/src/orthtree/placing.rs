//! Inserting and removing objects: the node of an object, its entry in that node's list, and the counts that follow.
//!
//! A strategy gives each object its cells. With capacity 0 a node is made for each of them, with all nodes above it;
//! with a capacity `dividing.rs` decides how far down. A list changes in `append`, `enlist` and `delist` alone, which
//! count the change and record which heights hold objects; after `delist` the caller rebalances the node (`rebalance`).

use super::layout::HEIGHT_COUNT;
use super::{Bounds, Cell, Layout, ObjectId, Orthtree, OrthtreeError, Reach, Strategy};
use alloc::vec::Vec;

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// Adds an object with the caller's key. A point is a box without extent. The root grows if it must and may.
    ///
    /// Costs O(1) look-ups and the making of nodes with a linear layout, O(depth) with others.
    ///
    /// # Errors
    ///
    /// An invalid box, one out of reach, or no room.
    pub fn insert(&mut self, bounds: Bounds<D>, key: u64) -> Result<ObjectId, OrthtreeError> {
        self.objects.check_capacity(1)?;
        let reach = self.reach(&bounds)?;
        let id = self.objects.add();
        self.place(id, key, &bounds, &reach, self.layout.root());
        Ok(id)
    }

    /// Removes an object and returns its key. Nodes that become empty are released.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::StaleId`].
    pub fn remove(&mut self, id: ObjectId) -> Result<u64, OrthtreeError> {
        self.objects.get(id)?;
        let key = self.displace(id);
        self.objects.forget(id);
        if self.is_empty() {
            self.spills = [0.0; HEIGHT_COUNT];
        }
        Ok(key)
    }

    /// Removes all objects and nodes but the root, which keeps its size. Ids become stale. Costs the objects, the nodes, and
    /// the depth for each node that has objects.
    pub fn clear(&mut self) {
        self.release_all();
        self.objects.clear();
        self.spills = [0.0; HEIGHT_COUNT];
        debug_assert!(self.is_empty() && self.populated == 0, "nothing is left");
    }

    /// The cells of a box, after the root has grown as far as they need.
    pub(super) fn reach(&mut self, bounds: &Bounds<D>) -> Result<Reach<D>, OrthtreeError> {
        bounds.check()?;
        let reach = self.strategy.reach(&self.lattice, bounds);
        if reach.outside(self.lattice.root().height).is_none() {
            return Ok(reach);
        }
        let strategy = self.strategy.clone();
        self.grow_to(|lattice| strategy.reach(lattice, bounds))?;
        Ok(self.strategy.reach(&self.lattice, bounds))
    }

    /// The cells of an object, from its box.
    #[inline]
    pub(super) fn reach_of(&self, index: u32) -> Reach<D> {
        let bounds = self.objects.lists.bounds(self.objects.place_of(index));
        self.strategy.reach(&self.lattice, &bounds)
    }

    /// Makes the references of an object that has none, searching for its cell from a node on.
    #[inline]
    pub(super) fn place(
        &mut self,
        id: ObjectId,
        key: u64,
        bounds: &Bounds<D>,
        reach: &Reach<D>,
        from: L::Node,
    ) {
        if S::SHARED {
            self.place_shared(id, key, bounds, reach, self.layout.root());
        } else {
            let cell = reach.target(&self.lattice.root());
            self.note_spill(bounds, cell.height);
            let node = self.holder(&cell, from);
            self.refer(id, key, bounds, node);
        }
    }

    /// The node that will hold an object of this cell; missing nodes are made.
    pub(super) fn holder(&mut self, target: &Cell<D>, from: L::Node) -> L::Node {
        let mut node = if L::ALWAYS_COMPLETE && !self.opens_at_once() {
            self.layout.root()
        } else {
            self.layout.find(from, target)
        };
        if self.layout.height(node) == target.height {
            return node;
        }
        let mut cell = self.layout.cell(node);
        while cell.height > target.height && self.is_open(node) {
            let octant = cell.octant_of(target);
            node = self.layout.make(node, octant);
            cell = cell.child(octant);
        }
        node
    }

    pub(super) fn place_shared(
        &mut self,
        id: ObjectId,
        key: u64,
        bounds: &Bounds<D>,
        reach: &Reach<D>,
        node: L::Node,
    ) {
        if !self.is_open(node) {
            self.refer(id, key, bounds, node);
            return;
        }
        let cell = self.layout.cell(node);
        for octant in 0..1 << D {
            if reach.touches(&cell.child(octant), &self.lattice.root()) {
                let child = self.layout.make(node, octant);
                self.place_shared(id, key, bounds, reach, child);
            }
        }
    }

    /// Removes all references of an object, which has some, and returns its key; nodes that become empty are released.
    /// The object stays, in no cell.
    pub(super) fn displace(&mut self, id: ObjectId) -> u64 {
        if !S::SHARED {
            let (node, _, key) = self.delist(id.index());
            self.objects.unchain(id.index());
            self.rebalance(node);
            return key;
        }
        let mut cells = Vec::new();
        let mut number = 0;
        let references: Vec<u32> = self.objects.chain(id.index()).collect();
        for reference in references {
            let (node, _, key) = self.delist(reference);
            self.objects.unchain(reference);
            cells.push(self.layout.cell(node));
            number = key;
        }
        self.rebalance_cells(&cells);
        number
    }

    /// Whether there is room for one more object.
    pub(super) fn check_capacity(&self) -> Result<(), OrthtreeError> {
        self.objects.check_capacity(1)
    }

    /// Adds an object to a cell of the root that the caller has chosen, independent of the strategy. For a loose
    /// strategy, in a tree without capacity; the box is valid, and there is room.
    pub(super) fn insert_in_cell(&mut self, cell: &Cell<D>, bounds: &Bounds<D>, key: u64) -> ObjectId {
        self.note_overhang(cell, bounds);
        let id = self.objects.add();
        let node = self.holder(cell, self.layout.root());
        self.refer(id, key, bounds, node);
        id
    }

    /// Sets the box of an object of [`insert_in_cell`](Self::insert_in_cell) within its cell; it exists.
    pub(super) fn write_in_cell(&mut self, id: ObjectId, bounds: &Bounds<D>) {
        let node = self.objects.lists.node(self.objects.place_of(id.index()));
        self.note_overhang(&self.layout.cell(node), bounds);
        self.objects.write_bounds(id.index(), bounds);
    }

    /// Records how far an object of a height reaches out of its cell: half its size, if its center is on the border.
    #[inline]
    pub(super) fn note_spill(&mut self, bounds: &Bounds<D>, height: u32) {
        if S::LOOSE {
            self.raise_spills(Self::spill_of(bounds), height);
        }
    }

    /// The most by which a box may reach out of the cell of its center.
    #[inline]
    pub(super) fn spill_of(bounds: &Bounds<D>) -> f64 {
        // A half and more than the rounding of the object's center.
        const HALF: f64 = 0.500_000_1;
        let mut size = 0.0_f64;
        for axis in 0..D {
            size = size.max(f64::from(bounds.max[axis]) - f64::from(bounds.min[axis]));
        }
        size * HALF
    }

    /// Records how far a box reaches out of the cell that it was put in; at least the rounding with which cells are
    /// found.
    fn note_overhang(&mut self, cell: &Cell<D>, bounds: &Bounds<D>) {
        let corner = self.lattice.root_corner();
        let offset = cell.offset_in(&self.lattice.root());
        let mut overhang = 0.0_f64;
        for axis in 0..D {
            let first = corner[axis] + i64::from(offset[axis]);
            let low = self.lattice.plane(axis, first);
            let high = self.lattice.plane(axis, first + (1 << cell.height));
            let below = low - f64::from(bounds.min[axis]);
            let above = f64::from(bounds.max[axis]) - high;
            overhang = overhang.max(below).max(above);
        }
        self.raise_spills(overhang + self.lattice.slack(), cell.height);
    }

    #[inline]
    fn raise_spills(&mut self, spill: f64, height: u32) {
        if spill > self.spills[height as usize] {
            for noted in &mut self.spills[height as usize..] {
                *noted = noted.max(spill);
            }
        }
    }

    /// Puts an object into a node's list, with a new reference.
    #[inline]
    fn refer(&mut self, id: ObjectId, key: u64, bounds: &Bounds<D>, node: L::Node) {
        self.append(id, key, bounds, node);
        self.open_if_full(node);
    }

    /// Like [`refer`](Self::refer), without a change to the node.
    #[inline]
    pub(super) fn append(&mut self, id: ObjectId, key: u64, bounds: &Bounds<D>, node: L::Node) {
        self.epoch += 1;
        let slot = self.layout.object_list_mut(node);
        self.objects.refer(id, key, bounds, node, slot);
        debug_assert!(slot.count() > 0, "the list has what was put in");
        if slot.count() == 1 {
            self.note_first(node);
        }
    }

    /// Puts a reference that is in no list into a node's list.
    #[inline]
    pub(super) fn enlist(&mut self, reference: u32, key: u64, bounds: &Bounds<D>, node: L::Node) {
        self.epoch += 1;
        let slot = self.layout.object_list_mut(node);
        self.objects.enlist(reference, key, bounds, node, slot);
        if slot.count() == 1 {
            self.note_first(node);
        }
    }

    /// Removes a reference from its node's list and returns its member there. The node is not rebalanced.
    #[inline]
    pub(super) fn delist(&mut self, reference: u32) -> (L::Node, Bounds<D>, u64) {
        self.epoch += 1;
        let place = self.objects.place_at(reference);
        let lists = &self.objects.lists;
        let (node, bounds, key) = (lists.node(place), lists.bounds(place), lists.key(place));
        let slot = self.layout.object_list_mut(node);
        debug_assert!(slot.count() > 0, "the node's list has the reference");
        debug_assert_eq!(lists.reference(place), reference, "the place leads back");
        self.objects.delist(reference, slot);
        if slot.count() == 0 {
            self.note_last(node);
        }
        (node, bounds, key)
    }

    /// Records that a node, which was empty, holds an object.
    fn note_first(&mut self, node: L::Node) {
        let height = self.layout.height(node);
        debug_assert!(height <= self.lattice.root().height, "the node lies in the root");
        self.holding[height as usize] += 1;
        self.populated |= 1 << height;
    }

    /// Records that a node is empty again.
    fn note_last(&mut self, node: L::Node) {
        let height = self.layout.height(node);
        debug_assert!(self.holding[height as usize] > 0, "the node was counted");
        self.holding[height as usize] -= 1;
        if self.holding[height as usize] == 0 {
            self.populated &= !(1 << height);
        }
    }
}
