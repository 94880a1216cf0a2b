//! Queries: objects that overlap a region, overlapping pairs, cells. The traversal of a region is in `walk.rs`.
//!
//! Order: cells in pre-order (a cell before its children, children by octant). The objects of a cell by fours, the last
//! four places of its list first; a list is in the order of insertion into the cell, except that the last member takes
//! the place of a removed one. Each object is reported once: one with several references at the first of them that the
//! query reaches.

use super::lists::lane_of;
use super::region::Region;
use super::{Bounds, Cell, Layout, ObjectId, Orthtree, Strategy};
use alloc::vec::Vec;

/// An object that a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<const D: usize> {
    /// The object's id.
    pub id: ObjectId,
    /// The key that was given with it.
    pub key: u64,
    /// Its box.
    pub bounds: Bounds<D>,
}

/// A cell and its node, from [`Orthtree::cells`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellView<const D: usize, N> {
    /// The node, by the layout's name for it.
    pub node: N,
    /// The cell in integers.
    pub cell: Cell<D>,
    /// Its box, for drawing.
    pub bounds: Bounds<D>,
    /// Number of levels below the root.
    pub depth: u32,
    /// Number of references in the cell itself.
    pub count: u32,
    /// Whether the node has no children.
    pub is_leaf: bool,
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
        if let Some(walk) = self.walk(region) {
            walk.run(|place| visit(self.hit(place)));
        }
    }

    /// Calls `visit` for each cell that a region reaches, in pre-order: the cells that a query would visit, for
    /// drawing.
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
                    count: self.layout.object_list(node).count(),
                    is_leaf: stack.len() == count,
                });
            }
        }
    }

    /// Calls `visit` for all cells in pre-order.
    pub fn visit_all(&self, visit: impl FnMut(CellView<D, L::Node>)) {
        self.cells(&super::Convex::new(&[]), visit);
    }

    /// All pairs of objects whose boxes overlap, touching included, each once, the one of the lower id first; sorted.
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

    #[inline]
    pub(super) fn hit(&self, place: u32) -> Hit<D> {
        let (block, lane) = (self.objects.lists.block_of(place), lane_of(place));
        Hit {
            id: self.objects.owner(block.references[lane]),
            key: block.keys[lane],
            bounds: block.boxes.get(lane),
        }
    }
}
