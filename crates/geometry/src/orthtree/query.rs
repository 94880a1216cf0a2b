//! Queries: what overlaps a region, overlapping pairs, cells.
//!
//! Order: cells in pre-order (a cell before its children, children by octant). The objects of a cell by fours, the last
//! four places of its list first; a list is in the order in which they came into the cell, but that the last one takes the
//! place of one that goes. Each object is reported once: one with several references at the first of them that the query
//! reaches.

use super::layout::HEIGHT_COUNT;
use super::lists::{Block, Part};
use super::region::Region;
use super::{Bounds, Cell, Layout, ObjectId, Orthtree, Strategy};
use alloc::vec::Vec;

/// An object that a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<const D: usize> {
    /// Which object.
    pub id: ObjectId,
    /// The number that was given with it.
    pub key: u64,
    /// Its box.
    pub bounds: Bounds<D>,
}

/// A cell, as [`Orthtree::cells`] shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellView<const D: usize, N> {
    /// The node, as the layout names it.
    pub node: N,
    /// The cell in integers.
    pub cell: Cell<D>,
    /// Its box, for drawing.
    pub bounds: Bounds<D>,
    /// Levels below the root.
    pub depth: u32,
    /// References in the cell itself.
    pub count: u32,
    /// Whether the node has no children.
    pub is_leaf: bool,
}

/// Relative; more than the rounding of an object's middle and of an edge in `f64`.
const ROUNDING: f64 = 1.0e-15;

/// The octants on the lower side along each axis, and on the upper side.
const LOWER: [u8; 3] = [0b0101_0101, 0b0011_0011, 0b0000_1111];
const UPPER: [u8; 3] = [0b1010_1010, 0b1100_1100, 0b1111_0000];

/// Cells of one height from the root's lower corner, both ends included.
#[derive(Clone, Copy)]
struct Range<const D: usize> {
    low: [u32; D],
    high: [u32; D],
}

impl<const D: usize> Range<D> {
    #[inline]
    fn above(&self, height: u32) -> Self {
        let shift = |place: u32| (u64::from(place) >> height) as u32;
        Self {
            low: self.low.map(shift),
            high: self.high.map(shift),
        }
    }
}

/// A walk over the cells that a region reaches.
struct Walk<'a, const D: usize, L: Layout<D>, S, R> {
    tree: &'a Orthtree<D, L, S>,
    region: &'a R,
    root: Cell<D>,
    /// By height, the cells that the region may find something in; none beyond the root's.
    ranges: [Range<D>; HEIGHT_COUNT],
    /// The finest cells of the region itself: what is in a cell between these ends overlaps a box.
    inner: Range<D>,
    /// More than the rounding of any edge of a cell to `f32`.
    slack: f64,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>, R: Region<D>> Walk<'_, D, L, S, R> {
    /// Whether the region may overlap an object of this cell or of one below it.
    #[inline]
    fn reaches(&self, cell: &Cell<D>) -> bool {
        let place = cell
            .offset_in(&self.root)
            .map(|offset| (u64::from(offset) >> cell.height) as u32);
        let range = &self.ranges[cell.height as usize];
        let mut all = true;
        for (axis, &at) in place.iter().enumerate() {
            all &= (range.low[axis] <= at) & (at <= range.high[axis]);
        }
        all && self.passes(place, cell.height)
    }

    /// As [`reaches`](Self::reaches), of a cell within the range of its height.
    #[inline]
    fn passes(&self, place: [u32; D], height: u32) -> bool {
        R::IS_BOX || self.region.overlaps(&self.outer_bounds(place, height))
    }

    /// A box that surely holds all objects of a cell and of those below it.
    #[inline]
    fn outer_bounds(&self, place: [u32; D], height: u32) -> Bounds<D> {
        let margin = self.tree.spills[height as usize] + self.slack;
        self.tree.lattice.bounds_around(place, height, margin)
    }

    /// Whether everything in a cell overlaps the region, a box.
    #[inline]
    fn is_inside(&self, place: [u32; D], height: u32) -> bool {
        let inner = self.inner.above(height);
        let mut all = R::IS_BOX;
        for (axis, &at) in place.iter().enumerate() {
            all &= (inner.low[axis] < at) & (at < inner.high[axis]);
        }
        all
    }

    /// The children of a cell that are in the range of their height, a bit for each.
    #[inline]
    fn children_in_range(&self, place: [u32; D], height: u32) -> u8 {
        let range = &self.ranges[height as usize - 1];
        let mut wanted = u8::MAX;
        for axis in 0..D {
            let (lower, upper) = (place[axis] << 1, place[axis] << 1 | 1);
            let (low, high) = (range.low[axis], range.high[axis]);
            let below = if (low <= lower) & (lower <= high) {
                LOWER[axis]
            } else {
                0
            };
            let above = if (low <= upper) & (upper <= high) {
                UPPER[axis]
            } else {
                0
            };
            wanted &= below | above;
        }
        wanted
    }

    fn visit(
        &self,
        node: L::Node,
        place: [u32; D],
        height: u32,
        report: &mut impl FnMut(&Block<D, L::Node>, usize),
    ) {
        let (slot, mask) = self.tree.layout.look(node);
        if slot.count() > 0 {
            let is_inside = self.is_inside(place, height);
            for part in self.tree.objects.lists.parts(&slot) {
                self.visit_part(&part, is_inside, place, height, report);
            }
        }
        if mask == 0 {
            return;
        }
        let mut wanted = mask & self.children_in_range(place, height);
        while wanted != 0 {
            let octant = wanted.trailing_zeros() as usize;
            wanted &= wanted - 1;
            let inner = core::array::from_fn(|axis| place[axis] << 1 | (octant >> axis & 1) as u32);
            if self.passes(inner, height - 1) {
                let child = self.tree.layout.known_child(node, octant);
                self.visit(child, inner, height - 1, report);
            }
        }
    }

    /// Reports what overlaps the region in a block: four boxes are tested at once, and only those found are looked at.
    #[inline]
    fn visit_part(
        &self,
        part: &Part<'_, D, L::Node>,
        is_inside: bool,
        place: [u32; D],
        height: u32,
        report: &mut impl FnMut(&Block<D, L::Node>, usize),
    ) {
        let mut found = (1_u32 << part.count) - 1;
        if !is_inside {
            found &= self.region.overlaps_four(&part.block.boxes);
        }
        while found != 0 {
            let lane = found.trailing_zeros() as usize;
            found &= found - 1;
            if !S::SHARED || self.is_first(part.block.references[lane], place, height) {
                report(part.block, lane);
            }
        }
    }

    /// Whether no reference of the same object stands before this one in pre-order in a cell that the walk reaches.
    /// A cell is reached if the test says so: those around it then are too, as the test is monotone.
    fn is_first(&self, reference: u32, place: [u32; D], height: u32) -> bool {
        let here = self.preorder(place.map(|c| (u64::from(c) << height) as u32));
        let objects = &self.tree.objects;
        objects.chain(objects.owner(reference).index()).all(|reference| {
            let node = objects.lists.node(objects.place_at(reference));
            let other = self.tree.layout.cell(node);
            self.preorder(other.offset_in(&self.root)) >= here || !self.reaches(&other)
        })
    }

    /// The place of a leaf's lower corner along the Morton curve, most significant bits first. Leaves do not overlap, so
    /// this is their pre-order.
    fn preorder(&self, offset: [u32; D]) -> u128 {
        let mut order = 0;
        for level in (0..u32::BITS).rev() {
            for axis in (0..D).rev() {
                order = order << 1 | u128::from(offset[axis] >> level & 1);
            }
        }
        order
    }
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// Calls `visit` for each object whose box overlaps a region: a [`Bounds`] (also a point), a
    /// [`Ball`](super::Ball), a [`Segment`](super::Segment) or a [`Convex`](super::Convex). The order is that of the module.
    ///
    /// ```
    /// use tombolo_geometry::orthtree::{Ball, Bounds, Linear, Orthtree, Settings, Smallest};
    /// let root = Bounds::new([0.0; 3], [1.0; 3]);
    /// let mut tree: Orthtree<3, Linear, Smallest> = Orthtree::new(root, Smallest, Settings::default()).unwrap();
    /// tree.insert(Bounds::point([0.25; 3]), 1).unwrap();
    /// tree.insert(Bounds::point([0.75; 3]), 2).unwrap();
    /// let mut keys = Vec::new();
    /// tree.query(&Ball { center: [0.2; 3], radius: 0.1 }, |hit| keys.push(hit.key));
    /// assert_eq!(keys, [1]);
    /// ```
    pub fn query(&self, region: &impl Region<D>, mut visit: impl FnMut(Hit<D>)) {
        if let Some(walk) = self.walk(region)
            && walk.reaches(&walk.root)
        {
            let height = walk.root.height;
            let mut report = |block: &Block<D, L::Node>, lane| visit(self.hit(block, lane));
            walk.visit(self.layout.root(), [0; D], height, &mut report);
        }
    }

    /// Calls `visit` for each cell that a region reaches, in pre-order: what a query would look at, or what to draw.
    pub fn cells(&self, region: &impl Region<D>, mut visit: impl FnMut(CellView<D, L::Node>)) {
        let Some(walk) = self.walk(region) else { return };
        let mut stack = alloc::vec![self.layout.root()];
        while let Some(node) = stack.pop() {
            let cell = self.layout.cell(node);
            if walk.reaches(&cell) {
                let children = (0..1 << D)
                    .rev()
                    .filter_map(|octant| self.layout.child(node, octant));
                let count = stack.len();
                stack.extend(children);
                visit(CellView {
                    node,
                    cell,
                    bounds: self.lattice.bounds(&cell),
                    depth: walk.root.height - cell.height,
                    count: self.layout.slot(node).count(),
                    is_leaf: stack.len() == count,
                });
            }
        }
    }

    /// Calls `visit` for all cells in pre-order.
    pub fn visit_all(&self, visit: impl FnMut(CellView<D, L::Node>)) {
        self.cells(&super::Convex(&[]), visit);
    }

    /// All pairs of objects whose boxes overlap, touching included, each once, the one of the lower place first; sorted.
    pub fn overlapping_pairs(&self) -> Vec<(ObjectId, ObjectId)> {
        let mut pairs = Vec::new();
        for id in self.ids() {
            let start = pairs.len();
            let bounds = self.objects.lists.bounds(self.objects.place_of(id.index()));
            self.query(&bounds, |hit| {
                if hit.id > id {
                    pairs.push((id, hit.id));
                }
            });
            pairs[start..].sort_unstable();
        }
        pairs
    }

    /// A walk for a region; `None` if that lies beside the root.
    fn walk<'a, R: Region<D>>(&'a self, region: &'a R) -> Option<Walk<'a, D, L, S, R>> {
        let root = self.lattice.root();
        let last = self.lattice.root_size() - 1;
        let all = Range {
            low: [0; D],
            high: [last as u32; D],
        };
        let bounds = region.bounds();
        let reached = |spill: f64| {
            let Some(bounds) = &bounds else {
                return Some(all);
            };
            let mut reached = all;
            for axis in 0..D {
                let (min, max) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
                let low = self.lattice.locate(min - spill - min.abs() * ROUNDING, axis);
                let high = self.lattice.locate(max + spill + max.abs() * ROUNDING, axis);
                if low > last || high < 0 || min.is_nan() || max.is_nan() {
                    return None;
                }
                reached.low[axis] = low.clamp(0, last) as u32;
                reached.high[axis] = high.clamp(0, last) as u32;
            }
            Some(reached)
        };
        // What reaches out of the largest cells reaches furthest.
        let mut widest = reached(self.spills[root.height as usize])?;
        let mut walk = Walk {
            tree: self,
            region,
            root,
            ranges: [all; HEIGHT_COUNT],
            // Beside the root nothing is wholly inside.
            inner: reached(0.0).unwrap_or(Range {
                low: [0; D],
                high: [0; D],
            }),
            slack: self.lattice.slack(),
        };
        let mut spill = self.spills[root.height as usize];
        for height in (0..=root.height).rev() {
            let next = self.spills[height as usize];
            if next < spill {
                spill = next;
                // A region that what is so low cannot reach any more: the walk ends a little later, at the boxes.
                widest = reached(spill).unwrap_or(widest);
            }
            walk.ranges[height as usize] = widest.above(height);
        }
        Some(walk)
    }

    #[inline]
    pub(super) fn hit(&self, block: &Block<D, L::Node>, lane: usize) -> Hit<D> {
        Hit {
            id: self.objects.owner(block.references[lane]),
            key: block.keys[lane],
            bounds: block.boxes.get(lane),
        }
    }
}
