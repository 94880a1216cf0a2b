//! The traversal of a query: the cells that a region reaches, and the members of their lists that overlap it. For
//! `query.rs` alone.

use super::bounds::LANES;
use super::layout::{HEIGHT_COUNT, ObjectList};
use super::lists::place_in;
use super::region::Region;
use super::{Bounds, Cell, Layout, Orthtree, Strategy};

/// A relative bound above the rounding of an object's center and of an edge in `f64`.
const ROUNDING: f64 = 1.0e-15;

/// The octants on the lower side along each axis, and on the upper side.
const LOWER: [u8; 3] = [0b0101_0101, 0b0011_0011, 0b0000_1111];
const UPPER: [u8; 3] = [0b1010_1010, 0b1100_1100, 0b1111_0000];

/// If at most this many cells are in range, they are looked up in a layout that can, without a descent.
const PROBE_COUNT_MAX: u64 = 64;

#[inline]
fn child_place<const D: usize>(place: [u32; D], octant: usize) -> [u32; D] {
    core::array::from_fn(|axis| place[axis] << 1 | (octant >> axis & 1) as u32)
}

/// Cells of one height from the root's lower corner, both ends included.
#[derive(Clone, Copy)]
struct HeightRange<const D: usize> {
    low: [u32; D],
    high: [u32; D],
}

impl<const D: usize> HeightRange<D> {
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
pub(super) struct Walk<'a, const D: usize, L: Layout<D>, S, R> {
    tree: &'a Orthtree<D, L, S>,
    region: &'a R,
    pub(super) root: Cell<D>,
    /// For each height the cells in which the region may find objects; none beyond the root's.
    ranges: [HeightRange<D>; HEIGHT_COUNT],
    /// The finest cells of the region itself: an object in a cell between these ends overlaps a box.
    inner: HeightRange<D>,
    /// A bound above the rounding of any edge of a cell to `f32`.
    slack: f64,
}

/// Lists found by the walk are collected here, then their blocks, and these are tested together: so few branches depend
/// on memory that is still being loaded, and the processor loads much at once.
struct Gathered {
    /// The list and whether all of it is sure to overlap.
    lists: [(ObjectList, bool); Self::LISTS],
    count: usize,
}

impl Gathered {
    const LISTS: usize = 32;
    const BLOCKS: usize = 32;
    const PLACES: usize = Self::BLOCKS * LANES;
}

/// Some blocks of the collected lists.
struct Blocks {
    blocks: [u32; Gathered::BLOCKS],
    /// For each block a mask of the places with members; in the upper half, a mask of those that need no test.
    members: [u8; Gathered::BLOCKS],
    count: usize,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>, R: Region<D>> Walk<'_, D, L, S, R> {
    /// Whether the region may overlap an object of this cell or of one below it.
    #[inline]
    pub(super) fn reaches(&self, cell: &Cell<D>) -> bool {
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

    /// Like [`reaches`](Self::reaches), for a cell within the range of its height.
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
        let mut wanted = u8::MAX >> (8 - (1 << D));
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

    /// Reports the places of all objects that overlap the region, in the order of queries.
    #[inline]
    pub(super) fn run(&self, mut report: impl FnMut(u32)) {
        if !self.reaches(&self.root) {
            return;
        }
        let mut gathered = Gathered {
            lists: [(ObjectList::EMPTY, false); Gathered::LISTS],
            count: 0,
        };
        let root = self.tree.layout.root();
        self.visit(root, [0; D], self.root.height, &mut gathered, &mut report);
        self.report_gathered(&mut gathered, &mut report);
    }

    /// Visits a node and its descendants.
    fn visit(
        &self,
        node: L::Node,
        place: [u32; D],
        height: u32,
        gathered: &mut Gathered,
        report: &mut impl FnMut(u32),
    ) {
        let (slot, mask) = self.tree.layout.look(node);
        self.gather(&slot, place, height, gathered, report);
        let below = self.tree.populated & !(u32::MAX << height);
        if mask == 0 || below == 0 {
            return;
        }
        let next = below.ilog2();
        let mut wanted = self.children_in_range(place, height);
        if L::DIRECT && self.count_below(place, height, next) <= PROBE_COUNT_MAX {
            return self.probe_children(wanted, place, height, next, gathered, report);
        }
        wanted &= mask;
        while wanted != 0 {
            let octant = wanted.trailing_zeros() as usize;
            wanted &= wanted - 1;
            let inner = child_place(place, octant);
            if self.passes(inner, height - 1) {
                let child = self.tree.layout.known_child(node, octant);
                self.visit(child, inner, height - 1, gathered, report);
            }
        }
    }

    /// Visits those cells of height `next` that are reached in some children of a cell of height `height`, without the
    /// nodes in between, which hold no objects.
    fn probe_children(
        &self,
        mut wanted: u8,
        place: [u32; D],
        height: u32,
        next: u32,
        gathered: &mut Gathered,
        report: &mut impl FnMut(u32),
    ) {
        while wanted != 0 {
            let octant = wanted.trailing_zeros() as usize;
            wanted &= wanted - 1;
            let inner = child_place(place, octant);
            if !self.passes(inner, height - 1) {
                continue;
            }
            if height - 1 > next {
                let wanted = self.children_in_range(inner, height - 1);
                self.probe_children(wanted, inner, height - 1, next, gathered, report);
            } else if let Some((node, slot)) = self.tree.layout.look_at(&self.cell(inner, next)) {
                if self.tree.populated & !(u32::MAX << next) == 0 {
                    self.gather(&slot, inner, next, gathered, report);
                } else {
                    self.visit(node, inner, next, gathered, report);
                }
            }
        }
    }

    /// The cell at a place among those of its height.
    #[inline]
    fn cell(&self, place: [u32; D], height: u32) -> Cell<D> {
        let corner =
            |axis: usize| self.root.corner[axis].wrapping_add((u64::from(place[axis]) << height) as u32);
        Cell {
            corner: core::array::from_fn(corner),
            height,
        }
    }

    /// The number of cells of a lower height that are in range in a cell.
    #[inline]
    fn count_below(&self, place: [u32; D], height: u32, below: u32) -> u64 {
        let range = &self.ranges[below as usize];
        let levels = height - below;
        let mut count = 1_u64;
        for (axis, &at) in place.iter().enumerate() {
            let first = u64::from(at) << levels;
            let last = first + (1 << levels) - 1;
            let low = first.max(u64::from(range.low[axis]));
            let high = last.min(u64::from(range.high[axis]));
            count = count.saturating_mul((high + 1).saturating_sub(low));
        }
        count
    }

    /// Collects a cell's list.
    #[inline]
    fn gather(
        &self,
        slot: &ObjectList,
        place: [u32; D],
        height: u32,
        gathered: &mut Gathered,
        report: &mut impl FnMut(u32),
    ) {
        if slot.count() == 0 {
            return;
        }
        if gathered.count == Gathered::LISTS {
            self.report_gathered(gathered, report);
        }
        gathered.lists[gathered.count] = (*slot, self.is_inside(place, height));
        gathered.count += 1;
    }

    /// Reports the objects that overlap the region, of all collected lists.
    fn report_gathered(&self, gathered: &mut Gathered, report: &mut impl FnMut(u32)) {
        let mut blocks = Blocks {
            blocks: [0; Gathered::BLOCKS],
            members: [0; Gathered::BLOCKS],
            count: 0,
        };
        let lists = &self.tree.objects.lists;
        for (slot, is_sure) in &gathered.lists[..gathered.count] {
            let mut left = slot.count();
            let mut index = slot.first;
            loop {
                if blocks.count == Gathered::BLOCKS {
                    self.report_blocks(&mut blocks, report);
                }
                let here = (left - 1) % LANES as u32 + 1;
                let members = (1_u8 << here) - 1;
                blocks.blocks[blocks.count] = index;
                blocks.members[blocks.count] = members | if *is_sure { members << LANES } else { 0 };
                blocks.count += 1;
                left -= here;
                if left == 0 {
                    break;
                }
                index = lists.next(index);
            }
        }
        gathered.count = 0;
        self.report_blocks(&mut blocks, report);
    }

    fn report_blocks(&self, blocks: &mut Blocks, report: &mut impl FnMut(u32)) {
        let mut found = [0_u32; Gathered::PLACES];
        let mut count = 0;
        let pairs = blocks.blocks.iter().zip(&blocks.members);
        for (&index, &members) in pairs.take(blocks.count) {
            let boxes = &self.tree.objects.lists.block(index).boxes;
            let hits = members & (self.region.overlaps_four(boxes) as u8 | members >> LANES);
            for lane in 0..LANES {
                found[count % Gathered::PLACES] = place_in(index, lane);
                count += usize::from(hits >> lane & 1);
            }
        }
        blocks.count = 0;
        for &place in &found[..count] {
            if !S::SHARED || self.is_first(place) {
                report(place);
            }
        }
    }

    /// Whether no reference of the same object precedes this one in pre-order in a cell that the walk reaches. A cell
    /// is reached if the test says so: those around it then are too, as the test is monotone.
    fn is_first(&self, place: u32) -> bool {
        let objects = &self.tree.objects;
        let cell_of = |place| self.tree.layout.cell(objects.lists.node(place));
        let here = self.preorder(cell_of(place).offset_in(&self.root));
        let owner = objects.owner(objects.lists.reference(place));
        objects.chain(owner.index()).all(|reference| {
            let other = cell_of(objects.place_at(reference));
            self.preorder(other.offset_in(&self.root)) >= here || !self.reaches(&other)
        })
    }

    /// The position of a leaf's lower corner along the Morton curve, most significant bits first. Leaves do not
    /// overlap, so this is their pre-order.
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
    /// A walk for a region; `None` if that lies beside the root.
    pub(super) fn walk<'a, R: Region<D>>(&'a self, region: &'a R) -> Option<Walk<'a, D, L, S, R>> {
        let root = self.lattice.root();
        let last = self.lattice.root_size() - 1;
        let all = HeightRange {
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
        // The largest cells have the objects that reach out furthest.
        let mut widest = reached(self.spills[root.height as usize])?;
        let mut walk = Walk {
            tree: self,
            region,
            root,
            ranges: [all; HEIGHT_COUNT],
            // Beside the root no cell is wholly inside.
            inner: reached(0.0).unwrap_or(HeightRange {
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
                // Objects so low cannot be reached by the region any more: the walk ends a little later, at the boxes.
                widest = reached(spill).unwrap_or(widest);
            }
            walk.ranges[height as usize] = widest.above(height);
        }
        Some(walk)
    }
}
