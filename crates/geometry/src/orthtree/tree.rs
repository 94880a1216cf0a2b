//! [`Orthtree`]: settings, insertion, removal, and the upkeep of nodes. Written once over layouts and strategies.
//!
//! # Which node holds an object
//!
//! A strategy gives each object its cells. With capacity 0 a node is made for each of them, with all nodes above it. With
//! a capacity a node is *open* when its objects are more than that: it passes on what belongs to cells below it. A node
//! that is not open has no children (but for layouts that keep them always). It closes again when the objects in and
//! below it are `collapse_count` or less; set to the capacity, the nodes depend on the boxes alone and not on history.

use super::batch::Scratch;
use super::layout::HEIGHT_COUNT;
use super::objects::Objects;
use super::{Bounds, Cell, Lattice, Layout, ObjectId, OrthtreeError, Reach, Strategy};
use alloc::vec::Vec;

/// How a tree divides and grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Levels below the first root. The finest cells have its size divided by 2^`depth_max`.
    pub depth_max: u32,
    /// A node passes objects on to its children when it has more than this. 0: at once.
    pub capacity: u32,
    /// Children are taken back into their parent when all have this many objects or fewer. At most `capacity` (more is
    /// cut off there); less means fewer changes to and fro when objects come and go.
    pub collapse_count: u32,
    /// By how many levels the root may grow beyond the first one.
    pub growth_max: u32,
}

impl Default for Settings {
    /// 10 levels, no capacity, no growth.
    fn default() -> Self {
        Self {
            depth_max: 10,
            capacity: 0,
            collapse_count: 0,
            growth_max: 0,
        }
    }
}

/// A quadtree (`D` = 2) or octree (`D` = 3) over boxes and points, with nodes kept by layout `L` and objects assigned by
/// strategy `S`.
///
/// ```
/// use tombolo_geometry::orthtree::{Bounds, Linear, Loose, Orthtree, Settings};
///
/// let root = Bounds::new([0.0, 0.0], [64.0, 64.0]);
/// let settings = Settings { growth_max: 4, ..Settings::default() };
/// let mut tree: Orthtree<2, Linear, Loose> = Orthtree::new(root, Loose::default(), settings).unwrap();
/// let ship = tree.insert(Bounds::around([10.0, 10.0], 1.0), 7).unwrap();
/// tree.update(ship, Bounds::around([200.0, 10.0], 1.0)).unwrap(); // The root grows.
///
/// let mut found = Vec::new();
/// tree.query(&Bounds::new([190.0, 0.0], [210.0, 20.0]), |hit| found.push(hit.key));
/// assert_eq!(found, [7]);
/// ```
///
/// Other dimensions do not compile:
///
/// ```compile_fail
/// use tombolo_geometry::orthtree::{Linear, Loose, Orthtree};
/// fn none(_: Orthtree<4, Linear, Loose>) {}
/// ```
#[derive(Clone, Debug)]
pub struct Orthtree<const D: usize, L: Layout<D>, S> {
    pub(super) layout: L,
    pub(super) strategy: S,
    pub(super) lattice: Lattice<D>,
    pub(super) settings: Settings,
    pub(super) objects: Objects<D, L::Node>,
    pub(super) epoch: u64,
    /// How far objects reach out of cells of each height and below, at most; what was ever so far while the tree was not
    /// empty. Decides which cells a query looks at, never what it finds.
    pub(super) spills: [f64; HEIGHT_COUNT],
    /// How many nodes of each height hold objects.
    holding: [u32; HEIGHT_COUNT],
    /// A bit for each height of which some do.
    pub(super) populated: u32,
    pub(super) scratch: Scratch,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// An empty tree over `root`, a box of any proportions; cells have the same.
    ///
    /// # Errors
    ///
    /// A root without finite, positive extent, more levels than the layout or `f32` allow, a strategy out of range.
    pub fn new(root: Bounds<D>, strategy: S, settings: Settings) -> Result<Self, OrthtreeError> {
        strategy.check()?;
        L::check_height(settings.depth_max)?;
        let lattice = Lattice::new(&root, settings.depth_max)?;
        let settings = Settings {
            collapse_count: settings.collapse_count.min(settings.capacity),
            ..settings
        };
        Ok(Self::empty(L::new(lattice.root())?, strategy, lattice, settings))
    }

    /// A tree without objects; all of it was checked.
    pub(super) fn empty(layout: L, strategy: S, lattice: Lattice<D>, settings: Settings) -> Self {
        Self {
            layout,
            strategy,
            lattice,
            settings,
            objects: Objects::new(S::SHARED),
            epoch: 0,
            spills: [0.0; HEIGHT_COUNT],
            holding: [0; HEIGHT_COUNT],
            populated: 0,
            scratch: Scratch::default(),
        }
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The box of the present root.
    pub fn root_bounds(&self) -> Bounds<D> {
        self.lattice.bounds(&self.lattice.root())
    }

    /// Where cells lie.
    pub fn lattice(&self) -> &Lattice<D> {
        &self.lattice
    }

    /// The nodes.
    pub fn layout(&self) -> &L {
        &self.layout
    }

    /// Counts the changes of nodes and of lists: equal before and after a call that only wrote boxes.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Bytes of memory held for nodes and objects.
    pub fn bytes(&self) -> usize {
        self.layout.bytes() + self.objects.bytes()
    }

    /// Whether the id names an object of this tree.
    pub fn contains(&self, id: ObjectId) -> bool {
        self.objects.get(id).is_ok()
    }

    /// The box of an object.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::StaleId`].
    pub fn bounds(&self, id: ObjectId) -> Result<Bounds<D>, OrthtreeError> {
        self.objects.get(id)?;
        Ok(self.objects.lists.bounds(self.objects.place_of(id.index())))
    }

    /// The number that was given with an object.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::StaleId`].
    pub fn key(&self, id: ObjectId) -> Result<u64, OrthtreeError> {
        self.objects.get(id)?;
        Ok(self.objects.lists.key(self.objects.place_of(id.index())))
    }

    /// All objects, in the order of their places.
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + '_ {
        (0..self.objects.objects.len() as u32).filter_map(|index| self.objects.id_at(index))
    }

    /// Adds an object with a number of the caller's. A point is a box without extent. The root grows if it must and may.
    ///
    /// Costs O(1) look-ups and the making of nodes with a linear layout, O(depth) with others.
    ///
    /// # Errors
    ///
    /// An invalid box, one out of reach, or no room.
    pub fn insert(&mut self, bounds: Bounds<D>, key: u64) -> Result<ObjectId, OrthtreeError> {
        self.objects.check_room(1)?;
        let reach = self.reach(&bounds)?;
        let id = self.objects.add();
        self.place(id, key, &bounds, &reach, self.layout.root());
        Ok(id)
    }

    /// Removes an object and gives back its number. Nodes that are left empty go.
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

    /// Notes how far an object of a height reaches out of its cell: half its size, if its middle is on the border.
    #[inline]
    pub(super) fn note_spill(&mut self, bounds: &Bounds<D>, height: u32) {
        // More than the rounding of the object's middle.
        const HALF: f64 = 0.500_000_1;
        if !S::LOOSE {
            return;
        }
        let mut size = 0.0_f64;
        for axis in 0..D {
            size = size.max(f64::from(bounds.max[axis]) - f64::from(bounds.min[axis]));
        }
        self.raise_spills(size * HALF, height);
    }

    #[inline]
    fn raise_spills(&mut self, spill: f64, height: u32) {
        if spill > self.spills[height as usize] {
            for noted in &mut self.spills[height as usize..] {
                *noted = noted.max(spill);
            }
        }
    }

    /// Whether there is room for one more object.
    pub(super) fn check_room(&self) -> Result<(), OrthtreeError> {
        self.objects.check_room(1)
    }

    /// Adds an object to a cell of the root that the caller has chosen, whatever the strategy says. Of a loose strategy, in
    /// a tree without capacity; the box is valid, and there is room.
    pub(super) fn insert_in_cell(&mut self, cell: &Cell<D>, bounds: &Bounds<D>, key: u64) -> ObjectId {
        self.note_overhang(cell, bounds);
        let id = self.objects.add();
        let node = self.holder(cell, self.layout.root());
        self.refer(id, key, bounds, node);
        id
    }

    /// Gives an object of [`insert_in_cell`](Self::insert_in_cell) another box in its cell; it exists.
    pub(super) fn write_in_cell(&mut self, id: ObjectId, bounds: &Bounds<D>) {
        let node = self.objects.lists.node(self.objects.place_of(id.index()));
        self.note_overhang(&self.layout.cell(node), bounds);
        self.objects.write_bounds(id.index(), bounds);
    }

    /// Notes how far a box stands out of a cell that it was put in; at least the rounding with which cells are found.
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

    /// Removes all objects and nodes but the root, which keeps its size. Ids become stale.
    pub fn clear(&mut self) {
        let ids: Vec<ObjectId> = self.ids().collect();
        for id in ids {
            self.displace(id);
            self.objects.forget(id);
        }
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

    /// Whether a node passes objects on.
    #[inline]
    fn is_open(&self, node: L::Node) -> bool {
        self.opens_at_once() || self.layout.slot(node).is_open()
    }

    /// Whether nodes hold no objects that belong further down, so that it need not be noted which are open.
    #[inline]
    pub(super) fn opens_at_once(&self) -> bool {
        !S::SHARED && self.settings.capacity == 0
    }

    /// Makes the references of an object that has none, looking for its cell from a node on.
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

    /// Puts an object into a node's list, in a new reference.
    #[inline]
    fn refer(&mut self, id: ObjectId, key: u64, bounds: &Bounds<D>, node: L::Node) {
        self.append(id, key, bounds, node);
        self.open_if_full(node);
    }

    /// As [`refer`](Self::refer), and the node stays as it is.
    #[inline]
    pub(super) fn append(&mut self, id: ObjectId, key: u64, bounds: &Bounds<D>, node: L::Node) {
        self.epoch += 1;
        let slot = self.layout.slot_mut(node);
        self.objects.refer(id, key, bounds, node, slot);
        if slot.count() == 1 {
            self.note_first(node);
        }
    }

    /// Notes that a node, which held nothing, holds an object.
    fn note_first(&mut self, node: L::Node) {
        let height = self.layout.height(node);
        self.holding[height as usize] += 1;
        self.populated |= 1 << height;
    }

    /// Notes that a node holds nothing any more.
    fn note_last(&mut self, node: L::Node) {
        let height = self.layout.height(node);
        self.holding[height as usize] -= 1;
        if self.holding[height as usize] == 0 {
            self.populated &= !(1 << height);
        }
    }

    /// The cells of an object, from its box.
    #[inline]
    pub(super) fn reach_of(&self, index: u32) -> Reach<D> {
        let bounds = self.objects.lists.bounds(self.objects.place_of(index));
        self.strategy.reach(&self.lattice, &bounds)
    }

    /// The node that shall hold an object of this cell; nodes are made where they are missing.
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

    /// Puts a reference that is in no list into a node's.
    #[inline]
    pub(super) fn enlist(&mut self, reference: u32, key: u64, bounds: &Bounds<D>, node: L::Node) {
        self.epoch += 1;
        let slot = self.layout.slot_mut(node);
        self.objects.enlist(reference, key, bounds, node, slot);
        if slot.count() == 1 {
            self.note_first(node);
        }
    }

    /// Takes a reference out of its node's list and gives what it had there. The node is not settled.
    #[inline]
    pub(super) fn delist(&mut self, reference: u32) -> (L::Node, Bounds<D>, u64) {
        self.epoch += 1;
        let place = self.objects.place_at(reference);
        let lists = &self.objects.lists;
        let (node, bounds, key) = (lists.node(place), lists.bounds(place), lists.key(place));
        let slot = self.layout.slot_mut(node);
        self.objects.delist(reference, slot);
        if slot.count() == 0 {
            self.note_last(node);
        }
        (node, bounds, key)
    }

    /// Removes all references of an object, which has some, and gives its number; nodes left empty go. The object stays,
    /// in no cell.
    pub(super) fn displace(&mut self, id: ObjectId) -> u64 {
        if !S::SHARED {
            let (node, _, key) = self.delist(id.index());
            self.objects.unchain(id.index());
            self.settle(node);
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
        self.settle_cells(&cells);
        number
    }

    /// Settles the nodes of some cells. A node may go when an earlier one is settled, so they are looked up.
    pub(super) fn settle_cells(&mut self, cells: &[Cell<D>]) {
        for cell in cells {
            let node = self.layout.find(self.layout.root(), cell);
            self.settle(node);
        }
    }

    /// How many of some objects would be passed on if the node that holds them were open. One that covers the whole cell
    /// would be in every child, so that passing it on gains nothing.
    fn divisible_count(&self, cell: &Cell<D>, objects: impl Iterator<Item = ObjectId>) -> u32 {
        if !S::SHARED {
            return objects.count() as u32;
        }
        let root = self.lattice.root();
        let is_divisible = |id: &ObjectId| !self.reach_of(id.index()).covers(cell, &root);
        objects.filter(is_divisible).count() as u32
    }

    /// Opens a node whose list has grown over the capacity, and its children if they are too full in turn.
    #[inline]
    pub(super) fn open_if_full(&mut self, node: L::Node) {
        if !self.opens_at_once() {
            self.open_if_fuller(node);
        }
    }

    fn open_if_fuller(&mut self, node: L::Node) {
        let slot = *self.layout.slot(node);
        let cell = self.layout.cell(node);
        if slot.count() <= self.settings.capacity || slot.is_open() || cell.height == 0 {
            return;
        }
        let references = self.references_of(node);
        let owners = references.iter().map(|&reference| self.objects.owner(reference));
        let divisible = self.divisible_count(&cell, owners);
        if divisible > self.settings.capacity {
            self.open(node);
        }
    }

    /// Opens a node: what belongs to cells below goes there.
    pub(super) fn open(&mut self, node: L::Node) {
        self.layout.slot_mut(node).set_open(true);
        let cell = self.layout.cell(node);
        for reference in self.references_of(node) {
            let id = self.objects.owner(reference);
            let reach = self.reach_of(id.index());
            if S::SHARED {
                let (_, bounds, key) = self.delist(reference);
                self.objects.unchain(reference);
                self.place_shared(id, key, &bounds, &reach, node);
                continue;
            }
            let target = reach.target(&self.lattice.root());
            if target.height < cell.height {
                let (_, bounds, key) = self.delist(reference);
                let child = self.holder(&target, node);
                self.enlist(reference, key, &bounds, child);
                self.open_if_full(child);
            }
        }
    }

    /// The references of a node's list, in its order.
    fn references_of(&self, node: L::Node) -> Vec<u32> {
        self.objects.lists.references(self.layout.slot(node))
    }

    /// Puts nodes in order after a reference has left `node`: closes what may be closed, releases what is empty, from
    /// here upwards as far as anything changes.
    pub(super) fn settle(&mut self, mut node: L::Node) {
        loop {
            let counts = !self.opens_at_once();
            if counts && self.layout.slot(node).is_open() && !self.close(node) {
                return;
            }
            let Some(parent) = self.layout.parent(node) else {
                return;
            };
            let is_empty = self.layout.slot(node).count() == 0 && !self.is_open_above_children(node);
            let is_gone = is_empty && self.layout.release(node);
            self.epoch += u64::from(is_gone);
            if !is_gone && !counts {
                return;
            }
            node = parent;
        }
    }

    /// Whether a node has children that may hold something.
    fn is_open_above_children(&self, node: L::Node) -> bool {
        !L::ALWAYS_COMPLETE && self.layout.child_mask(node) != 0
    }

    /// Takes the objects of a node's children back into it, if none of these is open and all together are few enough.
    fn close(&mut self, node: L::Node) -> bool {
        let children: Vec<L::Node> = (0..1 << D)
            .filter_map(|octant| self.layout.child(node, octant))
            .collect();
        if children.iter().any(|&child| self.layout.slot(child).is_open()) {
            return false;
        }
        let lists = core::iter::once(node).chain(children.iter().copied());
        let mut objects: Vec<ObjectId> = Vec::new();
        for list in lists {
            let references = self.references_of(list);
            objects.extend(references.iter().map(|&reference| self.objects.owner(reference)));
            if !S::SHARED && objects.len() > self.settings.collapse_count as usize {
                return false;
            }
        }
        objects.sort_unstable();
        objects.dedup();
        let cell = self.layout.cell(node);
        if self.divisible_count(&cell, objects.iter().copied()) > self.settings.collapse_count {
            return false;
        }
        self.layout.slot_mut(node).set_open(false);
        for child in children {
            self.absorb(node, child);
        }
        for octant in 0..1 << D {
            if let Some(child) = self.layout.child(node, octant) {
                self.layout.release(child);
            }
        }
        true
    }

    /// Moves the references of a child to its parent, one for each object.
    fn absorb(&mut self, node: L::Node, child: L::Node) {
        for reference in self.references_of(child) {
            let id = self.objects.owner(reference);
            let (_, bounds, key) = self.delist(reference);
            let node_of = |other| self.objects.lists.node(self.objects.place_at(other));
            let is_other_here = |other| other != reference && node_of(other) == node;
            if S::SHARED && self.objects.chain(id.index()).any(is_other_here) {
                self.objects.unchain(reference);
            } else {
                self.enlist(reference, key, &bounds, node);
            }
        }
    }
}
