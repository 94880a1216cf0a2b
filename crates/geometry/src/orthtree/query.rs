//! Queries: what overlaps a region, the nearest objects, overlapping pairs, cells.
//!
//! Order: cells in pre-order (a cell before its children, children by octant), the objects of a cell in the order in which
//! they came into it, but that the last one takes the place of one that goes. Each object is reported once: one with several references at the first of them that the query reaches.

use super::layout::{HEIGHT_COUNT, Slot};
use super::lists::Lists;
use super::region::Region;
use super::{Bounds, Cell, Layout, ObjectId, Orthtree, OrthtreeError, Strategy};
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

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

/// The cells of one height that a region may find something in, from the root's lower corner.
#[derive(Clone, Copy)]
struct Range<const D: usize> {
    low: [u32; D],
    high: [u32; D],
    /// The same without what objects reach out of their cells: whatever is in a cell between these ends overlaps a box.
    inner_low: [u32; D],
    inner_high: [u32; D],
    /// How far objects reach out of cells of this height and below.
    spill: f64,
}

/// A walk over the cells that a region reaches.
struct Walk<'a, const D: usize, L: Layout<D>, S, R> {
    tree: &'a Orthtree<D, L, S>,
    region: &'a R,
    root: Cell<D>,
    /// By height; none beyond the root's.
    ranges: [Range<D>; HEIGHT_COUNT],
    is_empty: bool,
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
        self.reaches_place(place, cell.height)
    }

    /// As [`reaches`](Self::reaches), of the cell at a place among those of its height.
    #[inline]
    fn reaches_place(&self, place: [u32; D], height: u32) -> bool {
        let range = &self.ranges[height as usize];
        let mut all = !self.is_empty;
        for (axis, &at) in place.iter().enumerate() {
            all &= (range.low[axis] <= at) & (at <= range.high[axis]);
        }
        all && (R::IS_BOX || self.region.overlaps(&self.outer_bounds(place, height)))
    }

    /// A box that surely holds all objects of a cell and of those below it.
    #[inline]
    fn outer_bounds(&self, place: [u32; D], height: u32) -> Bounds<D> {
        let margin = self.ranges[height as usize].spill + self.slack;
        self.tree.lattice.bounds_around(place, height, margin)
    }

    /// Whether everything in a cell and below it overlaps the region, a box.
    #[inline]
    fn is_inside(&self, place: [u32; D], height: u32) -> bool {
        let range = &self.ranges[height as usize];
        let mut all = R::IS_BOX;
        for (axis, &at) in place.iter().enumerate() {
            all &= (range.inner_low[axis] < at) & (at < range.inner_high[axis]);
        }
        all
    }

    fn visit(&self, node: L::Node, place: [u32; D], height: u32, report: &mut impl FnMut(usize)) {
        let (slot, mask) = self.tree.layout.look(node);
        let is_inside = self.is_inside(place, height);
        if slot.count() > 0 {
            self.visit_list(&slot, place, height, is_inside, report);
        }
        if mask == 0 || height == 0 {
            return;
        }
        for octant in 0..1 << D {
            if mask >> octant & 1 == 1 {
                let inner = core::array::from_fn(|axis| place[axis] << 1 | (octant >> axis & 1) as u32);
                if self.reaches_place(inner, height - 1) {
                    let child = self.tree.layout.known_child(node, octant);
                    self.visit(child, inner, height - 1, report);
                }
            }
        }
    }

    /// Reports what overlaps the region in a cell's list. The places found are put down first and reported after, so that
    /// no branch depends on a box.
    #[inline]
    fn visit_list(
        &self,
        slot: &Slot,
        place: [u32; D],
        height: u32,
        is_inside: bool,
        report: &mut impl FnMut(usize),
    ) {
        const CHUNK: usize = 32;
        let range = Lists::<D>::range(slot);
        if is_inside && !S::SHARED {
            range.for_each(report);
            return;
        }
        let mut start = range.start;
        let mut found = [0_u8; CHUNK];
        for chunk in self.tree.objects.lists.boxes[range].chunks(CHUNK) {
            let mut count = 0;
            for (offset, bounds) in chunk.iter().enumerate() {
                found[count] = offset as u8;
                count += usize::from(self.region.overlaps(bounds));
            }
            for &offset in &found[..count] {
                let at = start + usize::from(offset);
                if !S::SHARED || self.is_first(at, place, height) {
                    report(at);
                }
            }
            start += chunk.len();
        }
    }

    /// Whether no reference of the same object stands before this one in pre-order in a cell that the walk reaches.
    /// A cell is reached if the test says so: those around it then are too, as the test is monotone.
    fn is_first(&self, at: usize, place: [u32; D], height: u32) -> bool {
        let here = self.preorder(place.map(|c| (u64::from(c) << height) as u32));
        let owner = self.tree.objects.owner(&self.tree.objects.lists.tags[at]);
        let object = &self.tree.objects.objects[owner.index() as usize];
        self.tree.objects.chain(object.first).all(|reference| {
            let other = self.tree.layout.cell(reference.node);
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
        let walk = self.walk(region);
        if walk.reaches(&walk.root) {
            let height = walk.root.height;
            walk.visit(self.layout.root(), [0; D], height, &mut |at| visit(self.hit(at)));
        }
    }

    /// Calls `visit` for each cell that a region reaches, in pre-order: what a query would look at, or what to draw.
    pub fn cells(&self, region: &impl Region<D>, mut visit: impl FnMut(CellView<D, L::Node>)) {
        let walk = self.walk(region);
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

    /// The `count` objects whose boxes are nearest to a point, nearest first, equally near ones by their places; with the
    /// square of the distance, 0 if the box holds the point.
    ///
    /// Best first: cells and objects wait in one queue by distance (G. Hjaltason, H. Samet, *Distance Browsing in Spatial
    /// Databases*, 1999).
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::InvalidBox`] if the point is not finite.
    pub fn nearest(&self, point: [f32; D], count: usize) -> Result<Vec<(Hit<D>, f64)>, OrthtreeError> {
        Bounds::point(point).check()?;
        let mut found: Vec<(Hit<D>, f64)> = Vec::new();
        let mut queue = BinaryHeap::new();
        queue.push(Candidate {
            distance_squared: 0.0,
            what: Found::Node(self.layout.root()),
        });
        while let Some(Candidate {
            distance_squared,
            what,
        }) = queue.pop()
        {
            if found.len() == count {
                break;
            }
            match what {
                Found::Object(id, place) => {
                    // A later cell may hold another reference of an object that has been found.
                    if !S::SHARED || found.iter().all(|(hit, _)| hit.id != id) {
                        found.push((self.hit(place), distance_squared));
                    }
                }
                Found::Node(node) => self.expand(node, &point, &mut queue),
            }
        }
        Ok(found)
    }

    fn expand(&self, node: L::Node, point: &[f32; D], queue: &mut BinaryHeap<Candidate<L::Node>>) {
        for place in Lists::<D>::range(self.layout.slot(node)) {
            queue.push(Candidate {
                distance_squared: self.objects.lists.boxes[place].distance_squared(point),
                what: Found::Object(self.objects.owner(&self.objects.lists.tags[place]), place),
            });
        }
        for octant in 0..1 << D {
            if let Some(child) = self.layout.child(node, octant) {
                let bounds = self.outer_bounds(&self.layout.cell(child));
                queue.push(Candidate {
                    distance_squared: bounds.distance_squared(point),
                    what: Found::Node(child),
                });
            }
        }
    }

    /// All pairs of objects whose boxes overlap, touching included, each once, the one of the lower place first; sorted.
    pub fn overlapping_pairs(&self) -> Vec<(ObjectId, ObjectId)> {
        let mut pairs = Vec::new();
        for id in self.ids() {
            let start = pairs.len();
            let object = &self.objects.objects[id.index() as usize];
            let bounds = self.objects.lists.boxes[self.objects.place_of(object)];
            self.query(&bounds, |hit| {
                if hit.id > id {
                    pairs.push((id, hit.id));
                }
            });
            pairs[start..].sort_unstable();
        }
        pairs
    }

    fn walk<'a, R: Region<D>>(&'a self, region: &'a R) -> Walk<'a, D, L, S, R> {
        let root = self.lattice.root();
        let last = self.lattice.root_size() - 1;
        let mut finest = Range {
            low: [0; D],
            high: [last as u32; D],
            inner_low: [0; D],
            inner_high: [0; D],
            spill: f64::NEG_INFINITY,
        };
        let mut walk = Walk {
            tree: self,
            region,
            root,
            ranges: [finest; HEIGHT_COUNT],
            is_empty: false,
            slack: self.lattice.slack(),
        };
        let bounds = region.bounds();
        let ends = |axis, spill: f64| {
            let bounds = bounds.as_ref()?;
            let (min, max) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
            let low = self.lattice.locate(min - spill - min.abs() * ROUNDING, axis);
            let high = self.lattice.locate(max + spill + max.abs() * ROUNDING, axis);
            let is_empty = low > last || high < 0 || min.is_nan() || max.is_nan();
            Some((low.clamp(0, last) as u32, high.clamp(0, last) as u32, is_empty))
        };
        for axis in 0..D {
            if let Some((low, high, _)) = ends(axis, 0.0) {
                (finest.inner_low[axis], finest.inner_high[axis]) = (low, high);
            }
        }
        for height in 0..=root.height {
            let spill = self.spills[height as usize];
            if spill > finest.spill {
                finest.spill = spill;
                walk.is_empty = false;
                for axis in 0..D {
                    if let Some((low, high, is_empty)) = ends(axis, spill) {
                        (finest.low[axis], finest.high[axis]) = (low, high);
                        walk.is_empty |= is_empty;
                    }
                }
            }
            let shift = |place: u32| (u64::from(place) >> height) as u32;
            walk.ranges[height as usize] = Range {
                low: finest.low.map(shift),
                high: finest.high.map(shift),
                inner_low: finest.inner_low.map(shift),
                inner_high: finest.inner_high.map(shift),
                spill: finest.spill,
            };
        }
        walk
    }

    /// As a walk's, of a cell.
    fn outer_bounds(&self, cell: &Cell<D>) -> Bounds<D> {
        let place = cell
            .offset_in(&self.lattice.root())
            .map(|offset| (u64::from(offset) >> cell.height) as u32);
        let margin = self.spills[cell.height as usize] + self.lattice.slack();
        self.lattice.bounds_around(place, cell.height, margin)
    }

    #[inline]
    pub(super) fn hit(&self, place: usize) -> Hit<D> {
        let tag = &self.objects.lists.tags[place];
        Hit {
            id: self.objects.owner(tag),
            key: tag.key,
            bounds: self.objects.lists.boxes[place],
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Found<N> {
    Node(N),
    Object(ObjectId, usize),
}

/// What waits in the queue of [`Orthtree::nearest`]. The greatest is next: the nearest; of equally near ones cells before
/// objects, which may hold such that come first, and objects by place.
#[derive(Clone, Copy, Debug)]
struct Candidate<N> {
    distance_squared: f64,
    what: Found<N>,
}

impl<N> Candidate<N> {
    fn rank(&self) -> Option<ObjectId> {
        match self.what {
            Found::Node(_) => None,
            Found::Object(id, _) => Some(id),
        }
    }
}

impl<N> Ord for Candidate<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        let distance = other.distance_squared.total_cmp(&self.distance_squared);
        distance.then_with(|| other.rank().cmp(&self.rank()))
    }
}

impl<N> PartialOrd for Candidate<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<N> PartialEq for Candidate<N> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<N> Eq for Candidate<N> {}
