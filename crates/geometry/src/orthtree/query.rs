//! Queries: what overlaps a region, the nearest objects, overlapping pairs, cells.
//!
//! Order: cells in pre-order (a cell before its children, children by octant), the objects of a cell in the order in which
//! they came into it, but that the last one takes the place of one that goes. Each object is reported once: one with several references at the first of them that the query reaches.

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

/// A walk over the cells that a region reaches.
struct Walk<'a, const D: usize, L: Layout<D>, S, R> {
    tree: &'a Orthtree<D, L, S>,
    region: &'a R,
    root: Cell<D>,
    /// The region's range of finest cells from the root's lower corner.
    low: [i64; D],
    high: [i64; D],
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>, R: Region<D>> Walk<'_, D, L, S, R> {
    /// Whether the region may overlap an object of this cell or of one below it.
    #[inline]
    fn reaches(&self, cell: &Cell<D>) -> bool {
        let margin = self.tree.strategy.margin(cell.height);
        let offset = cell.offset_in(&self.root);
        let mut all = true;
        for (axis, &first) in offset.iter().enumerate() {
            let first = i64::from(first);
            let end = first + (1_i64 << cell.height);
            all &= (self.low[axis] < end + margin) & (self.high[axis] >= first - margin);
        }
        all && (R::IS_BOX || self.region.overlaps(&self.tree.outer_bounds(cell)))
    }

    fn visit(&self, node: L::Node, cell: &Cell<D>, report: &mut impl FnMut(usize)) {
        let (slot, mask) = self.tree.layout.look(node);
        let range = Lists::<D>::range(&slot);
        let first = range.start;
        for (offset, bounds) in self.tree.objects.lists.boxes[range].iter().enumerate() {
            let place = first + offset;
            if self.region.overlaps(bounds) && (!S::SHARED || self.is_first(place, cell)) {
                report(place);
            }
        }
        if cell.height == 0 {
            return;
        }
        for octant in 0..1 << D {
            if mask >> octant & 1 == 1 {
                let inner = cell.child(octant);
                if self.reaches(&inner) {
                    self.visit(self.tree.layout.known_child(node, octant), &inner, report);
                }
            }
        }
    }

    /// Whether no reference of the same object stands before this one in pre-order in a cell that the walk reaches.
    /// A cell is reached if the test says so: those around it then are too, as the test is monotone.
    fn is_first(&self, place: usize, cell: &Cell<D>) -> bool {
        let here = self.preorder(cell);
        let owner = self.tree.objects.owner(&self.tree.objects.lists.tags[place]);
        let object = &self.tree.objects.objects[owner.index() as usize];
        self.tree.objects.chain(object.first).all(|reference| {
            let other = self.tree.layout.cell(reference.node);
            self.preorder(&other) >= here || !self.reaches(&other)
        })
    }

    /// The place of a leaf's lower corner along the Morton curve, most significant bits first. Leaves do not overlap, so
    /// this is their pre-order.
    fn preorder(&self, cell: &Cell<D>) -> u128 {
        let offset = cell.offset_in(&self.root);
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
            walk.visit(self.layout.root(), &walk.root, &mut |place| {
                visit(self.hit(place))
            });
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
        let bounds = region.bounds();
        let end = |axis: usize, edge: fn(&Bounds<D>, usize) -> f32, all: i64| match &bounds {
            Some(bounds) => self.lattice.locate(f64::from(edge(bounds, axis)), axis),
            None => all,
        };
        Walk {
            tree: self,
            region,
            root: self.lattice.root(),
            low: core::array::from_fn(|axis| end(axis, |bounds, axis| bounds.min[axis], i64::MIN)),
            high: core::array::from_fn(|axis| end(axis, |bounds, axis| bounds.max[axis], i64::MAX)),
        }
    }

    /// A box that surely holds all objects of a cell and of those below it: the loose cell, grown by more than any
    /// rounding.
    #[inline]
    fn outer_bounds(&self, cell: &Cell<D>) -> Bounds<D> {
        let bounds = self
            .lattice
            .bounds_grown(cell, self.strategy.margin(cell.height) as f64 + 0.01);
        Bounds {
            min: bounds.min.map(f32::next_down),
            max: bounds.max.map(f32::next_up),
        }
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
