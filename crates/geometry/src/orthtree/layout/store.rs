//! [`Layout`]: a store of nodes, and [`ObjectList`], the list of objects in each node.

use crate::orthtree::{Cell, OrthtreeError};
use core::fmt::Debug;

/// The number of heights: they go from 0 to this, exclusive.
pub(in crate::orthtree) const HEIGHT_COUNT: usize = 32;

/// The index of no entry and no node.
pub(in crate::orthtree) const NONE: u32 = u32::MAX;

/// The data of the tree in a node: the list of its objects. 8 bytes. Empty by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct ObjectList {
    /// The block with the list's last members; meaningless while the list is empty.
    pub(in crate::orthtree) first: u32,
    /// The length of the list; the highest bit is set while the node passes its objects on to its children.
    word: u32,
}

impl ObjectList {
    const OPEN: u32 = 1 << 31;

    /// A node without objects.
    pub const EMPTY: Self = Self { first: 0, word: 0 };

    /// The number of references in the node's list.
    #[inline]
    pub fn count(&self) -> u32 {
        self.word & !Self::OPEN
    }

    /// Whether the node passes objects on to its children.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.word & Self::OPEN != 0
    }

    pub(in crate::orthtree) fn set_open(&mut self, open: bool) {
        self.word = self.word & !Self::OPEN | if open { Self::OPEN } else { 0 };
    }

    /// Removes all members; the node stays open if it is.
    pub(in crate::orthtree) fn empty(&mut self) {
        self.word &= Self::OPEN;
    }

    #[inline]
    pub(in crate::orthtree) fn count_up(&mut self) {
        self.word += 1;
    }

    #[inline]
    pub(in crate::orthtree) fn count_down(&mut self) {
        self.word -= 1;
    }
}

/// A store of nodes: child, parent, make, release, and a new root. It has cells but no objects, no boxes and no policy.
///
/// A node's name stays valid until the node is released or the root changes; when the root changes only the node that
/// becomes or stops being the root gets a new name.
pub trait Layout<const D: usize>: Clone + Debug + Send + Sync {
    /// The name of a node: 4 or 8 bytes.
    type Node: Copy + Eq + Debug + Send + Sync + 'static;

    /// Whether all nodes down to the finest exist at all times.
    const ALWAYS_COMPLETE: bool = false;

    /// Whether a node is found by its cell without a descent from the root, so that a query may look it up at once.
    const DIRECT: bool = false;

    /// A store with only a root.
    ///
    /// # Errors
    ///
    /// In the same cases as [`check_height`](Self::check_height).
    fn new(root: Cell<D>) -> Result<Self, OrthtreeError>;

    /// Checks whether a root of this height is possible.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::TooDeep`] or [`OrthtreeError::TooMuchMemory`]; nothing is allocated.
    fn check_height(height: u32) -> Result<(), OrthtreeError>;

    /// The root.
    fn root(&self) -> Self::Node;

    /// The cell of a node.
    fn cell(&self, node: Self::Node) -> Cell<D>;

    /// The height of a node's cell.
    #[inline]
    fn height(&self, node: Self::Node) -> u32 {
        self.cell(node).height
    }

    /// The object list of a node.
    fn object_list(&self, node: Self::Node) -> &ObjectList;

    /// The object list of a node, for change.
    fn object_list_mut(&mut self, node: Self::Node) -> &mut ObjectList;

    /// A child, if it exists.
    fn child(&self, node: Self::Node, octant: usize) -> Option<Self::Node>;

    /// The node above; `None` for the root.
    fn parent(&self, node: Self::Node) -> Option<Self::Node>;

    /// Makes a child, with its siblings where they are kept together; returns the existing one if there is one. The
    /// node must not be a finest one.
    fn make(&mut self, node: Self::Node, octant: usize) -> Self::Node;

    /// Removes an empty node without children, if it is not the root. Siblings that are kept together are removed
    /// together, when all are empty. Returns whether the node was removed.
    fn release(&mut self, node: Self::Node) -> bool;

    /// Makes a new root above the root, of which the old one becomes child `octant`, and returns the old root's new
    /// name. `root` is the new root's cell, its height checked.
    fn grow(&mut self, root: Cell<D>, octant: usize) -> Self::Node;

    /// Makes child `octant` of the root, which exists, the root. The old root and its other children are empty and
    /// without children.
    fn shrink(&mut self, octant: usize);

    /// Bytes of memory held.
    fn bytes(&self) -> usize;

    /// The existing children, a bit for each.
    #[inline]
    fn child_mask(&self, node: Self::Node) -> u8 {
        let mut mask = 0;
        for octant in 0..1 << D {
            mask |= u8::from(self.child(node, octant).is_some()) << octant;
        }
        mask
    }

    /// The object list of a node, and a mask of its existing children.
    #[inline]
    fn look(&self, node: Self::Node) -> (ObjectList, u8) {
        (*self.object_list(node), self.child_mask(node))
    }

    /// The node of a cell in the root, if there is one, and its object list.
    #[inline]
    fn look_at(&self, cell: &Cell<D>) -> Option<(Self::Node, ObjectList)> {
        let node = self.find(self.root(), cell);
        (self.height(node) == cell.height).then(|| (node, *self.object_list(node)))
    }

    /// A child that is known to exist.
    #[inline]
    fn known_child(&self, node: Self::Node, octant: usize) -> Self::Node {
        self.child(node, octant).expect("the caller knows that it exists")
    }

    /// The smallest node around a cell in the root, searched from another node: up, then down.
    fn find(&self, from: Self::Node, cell: &Cell<D>) -> Self::Node {
        climb_and_descend(self, from, cell)
    }
}

/// [`Layout::find`] by links.
pub(super) fn climb_and_descend<const D: usize, L: Layout<D>>(
    layout: &L,
    from: L::Node,
    cell: &Cell<D>,
) -> L::Node {
    let mut node = from;
    while !layout.cell(node).covers(cell) {
        node = layout.parent(node).expect("the root covers every cell");
    }
    let mut here = layout.cell(node);
    while here.height > cell.height {
        let octant = here.octant_of(cell);
        let Some(child) = layout.child(node, octant) else {
            break;
        };
        node = child;
        here = here.child(octant);
    }
    node
}

const _: () = assert!(size_of::<ObjectList>() == 8);
