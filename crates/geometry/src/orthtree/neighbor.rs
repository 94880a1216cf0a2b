//! Neighbors of a cell across its sides, edges and corners, of every size.
//!
//! The neighboring cell of the same size is found by adding to integers; the layout then gives the smallest node around
//! it, and smaller ones are found by a descent on the near side only: O(depth) and the number of neighbors. (H. Samet,
//! *Neighbor Finding in Images Represented by Octrees*, CVGIP 46, 1989, climbs to the common ancestor instead and needs
//! a case for sides, edges and corners each; for corners a mirrored descent alone, without these cases, is wrong.)

use super::lists::place_in;
use super::{Cell, Hit, Layout, Orthtree, Strategy};

/// The definition of a neighbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighborMode {
    /// The smallest node that covers the neighboring cell of the same size; or, if that is of the same size and has
    /// children, the leaves below it that touch this cell. Always a node where the root has room; but a large node that
    /// covers the cell across a corner may lie beside this one, and the relation is not symmetric.
    Covering,
    /// The leaves whose border with this cell has exactly the dimension of the direction: a stretch for a side in 2D, an
    /// area in 3D, a stretch for an edge in 3D, one point for a corner; in the corner's direction. Symmetric among leaves.
    Contact,
}

/// The smallest node around the parent of some neighboring cells; with its children if it is that parent.
#[derive(Clone, Copy)]
struct Around<const D: usize, N> {
    node: N,
    cell: Cell<D>,
    mask: u8,
}

/// The side of its parent on which a cell is along an axis.
#[inline]
fn side_of(octant: usize, axis: usize) -> i32 {
    if octant >> axis & 1 == 1 { 1 } else { -1 }
}

/// The octants of a cell that face one of the same size from which this direction leads to it: on the near side along the
/// axes of the direction, on both sides along the others. A bit for each.
#[inline]
fn facing<const D: usize>(direction: [i32; D]) -> u8 {
    /// The octants on the lower side along each axis.
    const LOWER: [u8; 3] = [0b0101_0101, 0b0011_0011, 0b0000_1111];
    let mut octants = u8::MAX;
    for (step, lower) in direction.into_iter().zip(LOWER) {
        octants &= match step.signum() {
            1 => lower,
            -1 => !lower,
            _ => u8::MAX,
        };
    }
    octants
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// Calls `visit` for the neighbors of a node in one direction, -1, 0 or 1 along each axis, in pre-order. None lies
    /// outside the root, and none in the direction of all zeros. Parts of space without nodes have no neighbors in
    /// contact mode.
    ///
    /// `node` is one that [`cells`](Self::cells) or [`node_at`](Self::node_at) returned since the tree last changed;
    /// inner nodes have neighbors too.
    ///
    /// ```
    /// use tombolo_geometry::orthtree::{Block, Bounds, NeighborMode, Orthtree, Settings, Smallest};
    /// let settings = Settings { depth_max: 3, ..Settings::default() };
    /// let root = Bounds::new([0.0; 2], [8.0; 2]);
    /// let mut tree: Orthtree<2, Block<2>, Smallest> = Orthtree::new(root, Smallest, settings).unwrap();
    /// tree.insert(Bounds::point([0.5, 0.5]), 0).unwrap();
    /// // To the right of the smallest cell is one of the same size, then one twice as large.
    /// let here = tree.node_at([0.5, 0.5]).unwrap();
    /// let mut sizes = Vec::new();
    /// let mut node = here;
    /// for _ in 0..3 {
    ///     let mut next = node;
    ///     tree.neighbors(node, [1, 0], NeighborMode::Covering, |found| next = found);
    ///     node = next;
    ///     sizes.push(1 << tree.cell_of(node).height);
    /// }
    /// assert_eq!(sizes, [1, 2, 4]);
    /// ```
    pub fn neighbors(
        &self,
        node: L::Node,
        direction: [i32; D],
        mode: NeighborMode,
        mut visit: impl FnMut(L::Node),
    ) {
        let here = self.layout.cell(node);
        let Some(beside) = self.cell_beside(&here, direction) else {
            return;
        };
        let found = self.layout.find(node, &beside);
        let cell = self.layout.cell(found);
        if cell.height > here.height {
            self.visit_larger(found, &cell, &here, direction, mode, &mut visit);
        } else {
            self.descend(found, cell.height, facing(direction), &mut visit);
        }
    }

    /// [`neighbors`](Self::neighbors) for all 8 or 26 directions, in the order of the directions as numbers with x as
    /// the lowest digit, -1 first. In contact mode no node is visited twice; in covering mode a large one may be.
    ///
    /// The neighboring cells are children of the cell's parent and of the 3 or 7 cells beside that, so these are looked
    /// up, and not each cell by itself.
    pub fn all_neighbors(&self, node: L::Node, mode: NeighborMode, mut visit: impl FnMut([i32; D], L::Node)) {
        let here = self.layout.cell(node);
        let root = self.lattice.root();
        if here.height >= root.height {
            return;
        }
        let above = here.ancestor(here.height + 1, &root);
        let octant = above.octant_of(&here);
        let mut around = [None; 8];
        for (beside, found) in around.iter_mut().enumerate().take(1 << D) {
            *found = self.parent_beside(node, &above, octant, beside);
        }
        for number in 0..3_usize.pow(D as u32) {
            let mut rest = number;
            let (mut beside, mut mirrored) = (0, octant);
            let direction: [i32; D] = core::array::from_fn(|axis| {
                let step = (rest % 3) as i32 - 1;
                rest /= 3;
                beside |= usize::from(step == side_of(octant, axis)) << axis;
                mirrored ^= usize::from(step != 0) << axis;
                step
            });
            let Some(parent) = &around[beside] else { continue };
            if direction == [0; D] {
                continue;
            }
            let mut visit = |found| visit(direction, found);
            if parent.mask >> mirrored & 1 == 1 {
                let found = self.layout.known_child(parent.node, mirrored);
                self.descend(found, here.height, facing(direction), &mut visit);
            } else {
                self.visit_larger(parent.node, &parent.cell, &here, direction, mode, &mut visit);
            }
        }
    }

    /// The smallest node around the parent of neighboring cells: the one beside the parent along the axes whose bits
    /// are set in `beside`, on the side of the parent on which the cell is.
    fn parent_beside(
        &self,
        node: L::Node,
        above: &Cell<D>,
        octant: usize,
        beside: usize,
    ) -> Option<Around<D, L::Node>> {
        let step = |axis| {
            if beside >> axis & 1 == 1 {
                side_of(octant, axis)
            } else {
                0
            }
        };
        let direction: [i32; D] = core::array::from_fn(step);
        let wanted = if beside == 0 {
            *above
        } else {
            self.cell_beside(above, direction)?
        };
        let found = self.layout.find(node, &wanted);
        let is_wanted = self.layout.height(found) == above.height;
        Some(Around {
            node: found,
            cell: if is_wanted {
                wanted
            } else {
                self.layout.cell(found)
            },
            mask: if is_wanted {
                self.layout.child_mask(found)
            } else {
                0
            },
        })
    }

    /// Visits a node larger than the cell that it is a neighbor of, if it counts.
    fn visit_larger(
        &self,
        found: L::Node,
        cell: &Cell<D>,
        here: &Cell<D>,
        direction: [i32; D],
        mode: NeighborMode,
        visit: &mut impl FnMut(L::Node),
    ) {
        let counts = match mode {
            NeighborMode::Covering => true,
            NeighborMode::Contact => self.meets(cell, here, direction) && self.layout.child_mask(found) == 0,
        };
        if counts {
            visit(found);
        }
    }

    /// The smallest node around a point; `None` outside the root or if a coordinate is NaN.
    pub fn node_at(&self, point: [f32; D]) -> Option<L::Node> {
        if point.iter().any(|c| !c.is_finite()) {
            return None;
        }
        let root = self.lattice.root();
        let mut corner = root.corner;
        for axis in 0..D {
            let place = self.lattice.locate(f64::from(point[axis]), axis);
            if !(0..self.lattice.root_size()).contains(&place) {
                return None;
            }
            corner[axis] = corner[axis].wrapping_add(place as u32);
        }
        Some(self.layout.find(self.layout.root(), &Cell { corner, height: 0 }))
    }

    /// The objects that a node holds itself, in the order of queries.
    pub fn objects_of(&self, node: L::Node) -> impl Iterator<Item = Hit<D>> + '_ {
        let parts = self.objects.lists.block_views(self.layout.object_list(node));
        parts.flat_map(move |part| {
            (0..part.count as usize).map(move |lane| self.hit(place_in(part.index, lane)))
        })
    }

    /// The cell of a node.
    pub fn cell_of(&self, node: L::Node) -> Cell<D> {
        self.layout.cell(node)
    }

    /// The cell of the same size in a direction, if it is in the root and not the cell itself.
    fn cell_beside(&self, cell: &Cell<D>, direction: [i32; D]) -> Option<Cell<D>> {
        if direction == [0; D] {
            return None;
        }
        let offset = cell.offset_in(&self.lattice.root());
        let mut beside = *cell;
        for axis in 0..D {
            let step = i64::from(direction[axis].signum()) << cell.height;
            if !(0..self.lattice.root_size()).contains(&(i64::from(offset[axis]) + step)) {
                return None;
            }
            beside.corner[axis] = cell.corner[axis].wrapping_add(step as u32);
        }
        Some(beside)
    }

    /// Visits the leaves in and below a node of this height that have octants of `facing` on the way there: below a
    /// neighboring cell of the same size those that touch the cell.
    fn descend(&self, node: L::Node, height: u32, facing: u8, visit: &mut impl FnMut(L::Node)) {
        if self.is_leaf(node, height) {
            visit(node);
            return;
        }
        let mut octants = self.layout.child_mask(node) & facing;
        while octants != 0 {
            let child = self.layout.known_child(node, octants.trailing_zeros() as usize);
            self.descend(child, height - 1, facing, visit);
            octants &= octants - 1;
        }
    }

    /// Whether a node has no children. With a capacity the list tells for most nodes, which lies where a layout finds the
    /// node, and its mask elsewhere.
    #[inline]
    fn is_leaf(&self, node: L::Node, height: u32) -> bool {
        height == 0 || !L::ALWAYS_COMPLETE && !self.is_open(node) || self.layout.child_mask(node) == 0
    }

    /// Whether a cell's border meets that of `here` as [`NeighborMode::Contact`] asks: end to end along the axes of the
    /// direction, with a common stretch along the others.
    fn meets(&self, cell: &Cell<D>, here: &Cell<D>, direction: [i32; D]) -> bool {
        let root = self.lattice.root();
        let (offset, origin) = (cell.offset_in(&root), here.offset_in(&root));
        (0..D).all(|axis| {
            let (low, start) = (i64::from(offset[axis]), i64::from(origin[axis]));
            let (high, end) = (low + (1 << cell.height), start + (1 << here.height));
            match direction[axis].signum() {
                1 => low == end,
                -1 => high == start,
                _ => low < end && start < high,
            }
        })
    }
}
