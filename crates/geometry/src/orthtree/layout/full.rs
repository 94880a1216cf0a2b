//! [`Full`]: a layout with every node down to the finest, in one array without links.
//!
//! Level by level, each level in Morton order: the children of node `i` are `2^D·i + 1` to `2^D·i + 2^D`, its parent is
//! `(i − 1) / 2^D`. The interface names a node by its cell rather than by its place, as all places change when the root
//! does.

use super::{Dimension, Layout, ObjectList, Orthants};
use crate::orthtree::code::interleave;
use crate::orthtree::{Cell, OrthtreeError};
use alloc::vec::Vec;

/// The most bytes that a full tree may take for its nodes: 1 GiB.
pub const FULL_BYTES_MAX: u64 = 1 << 30;

/// The number of nodes of a full tree of `D` dimensions and this depth: (2^(D·(depth + 1)) − 1) / (2^D − 1). `None` if
/// that is more than a `u64` holds.
///
/// ```
/// use tombolo_geometry::orthtree::full_tree_node_count;
/// assert_eq!(full_tree_node_count::<3>(10), Some(1_227_133_513));
/// ```
pub const fn full_tree_node_count<const D: usize>(depth: u32) -> Option<u64> {
    // The powers are greater than their quotient.
    if depth >= u64::BITS || D as u32 * (depth + 1) >= u128::BITS {
        return None;
    }
    let bits = D as u32 * (depth + 1);
    let count = ((1_u128 << bits) - 1) / ((1 << D) - 1);
    if count > u64::MAX as u128 {
        return None;
    }
    Some(count as u64)
}

/// The bytes of the nodes of a full tree, 8 a node: 9.14 GiB for an octree of depth 10. `None` if that is more than a
/// `u64` holds.
pub const fn full_tree_bytes<const D: usize>(depth: u32) -> Option<u64> {
    match full_tree_node_count::<D>(depth) {
        Some(count) => count.checked_mul(size_of::<ObjectList>() as u64),
        None => None,
    }
}

/// All nodes in one array: the least memory a node and the most nodes. For objects that are spread everywhere.
///
/// Growing and shrinking copy the array; growing needs memory for all nodes of the new root and is refused above
/// [`FULL_BYTES_MAX`].
#[derive(Clone, Debug)]
pub struct Full<const D: usize> {
    root: Cell<D>,
    slots: Vec<ObjectList>,
}

impl<const D: usize> Full<D> {
    #[inline]
    fn place(&self, cell: &Cell<D>) -> usize {
        let depth = self.root.height - cell.height;
        let coordinates = cell
            .offset_in(&self.root)
            .map(|offset| (u64::from(offset) >> cell.height) as u32);
        let above = ((1_usize << (D as u32 * depth)) - 1) / ((1 << D) - 1);
        above + interleave(coordinates) as usize
    }

    /// Makes an array for this root, with the contents of the cells that lie in both roots.
    fn rebuild(&mut self, root: Cell<D>) {
        let old = self.clone();
        self.root = root;
        let count = full_tree_node_count::<D>(root.height).expect("the height was checked");
        self.slots = alloc::vec![ObjectList::EMPTY; count as usize];
        let mut stack = alloc::vec![if old.root.height < root.height {
            old.root
        } else {
            root
        }];
        while let Some(cell) = stack.pop() {
            let place = self.place(&cell);
            self.slots[place] = old.slots[old.place(&cell)];
            if cell.height > 0 {
                stack.extend((0..1 << D).map(|octant| cell.child(octant)));
            }
        }
    }
}

impl<const D: usize> Layout<D> for Full<D>
where
    Dimension<D>: Orthants,
{
    type Node = Cell<D>;

    const ALWAYS_COMPLETE: bool = true;
    const DIRECT: bool = true;

    fn new(root: Cell<D>) -> Result<Self, OrthtreeError> {
        Self::check_height(root.height)?;
        let count = full_tree_node_count::<D>(root.height).expect("the height was checked");
        let slots = alloc::vec![ObjectList::EMPTY; count as usize];
        Ok(Self { root, slots })
    }

    fn check_height(height: u32) -> Result<(), OrthtreeError> {
        let bytes = full_tree_bytes::<D>(height).unwrap_or(u64::MAX);
        if bytes > FULL_BYTES_MAX {
            return Err(OrthtreeError::TooMuchMemory {
                bytes,
                bytes_max: FULL_BYTES_MAX,
            });
        }
        Ok(())
    }

    #[inline]
    fn root(&self) -> Cell<D> {
        self.root
    }

    #[inline]
    fn cell(&self, node: Cell<D>) -> Cell<D> {
        node
    }

    #[inline]
    fn object_list(&self, node: Cell<D>) -> &ObjectList {
        &self.slots[self.place(&node)]
    }

    #[inline]
    fn object_list_mut(&mut self, node: Cell<D>) -> &mut ObjectList {
        let place = self.place(&node);
        &mut self.slots[place]
    }

    #[inline]
    fn child(&self, node: Cell<D>, octant: usize) -> Option<Cell<D>> {
        (node.height > 0).then(|| node.child(octant))
    }

    fn parent(&self, node: Cell<D>) -> Option<Cell<D>> {
        (node.height < self.root.height).then(|| node.ancestor(node.height + 1, &self.root))
    }

    fn make(&mut self, node: Cell<D>, octant: usize) -> Cell<D> {
        node.child(octant)
    }

    fn release(&mut self, _node: Cell<D>) -> bool {
        false
    }

    fn grow(&mut self, root: Cell<D>, _octant: usize) -> Cell<D> {
        let old = self.root;
        self.rebuild(root);
        old
    }

    fn shrink(&mut self, octant: usize) {
        self.rebuild(self.root.child(octant));
    }

    fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<ObjectList>()
    }

    fn find(&self, _from: Cell<D>, cell: &Cell<D>) -> Cell<D> {
        *cell
    }
}

const _: () = assert!(matches!(full_tree_bytes::<3>(10), Some(9_817_068_104)));
