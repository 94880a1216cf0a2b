//! [`Layout`]: a store of nodes, and [`ObjectList`], which each of them keeps.

use crate::orthtree::{Cell, OrthtreeError};
use core::fmt::Debug;

/// Heights go from 0 to this, exclusive.
pub(in crate::orthtree) const HEIGHT_COUNT: usize = 32;

/// No entry, no node.
pub(in crate::orthtree) const NONE: u32 = u32::MAX;

/// What a node keeps for the tree above: the list of its objects. 8 bytes. Empty by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct ObjectList {
    /// The block with the list's last members; of no meaning while the list is empty.
    pub(in crate::orthtree) first: u32,
    /// The length of the list; the highest bit is set while the node passes its objects on to its children.
    word: u32,
}

impl ObjectList {
    const OPEN: u32 = 1 << 31;

    /// A node without objects.
    pub const EMPTY: Self = Self { first: 0, word: 0 };

    /// How many references the node's list has.
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

    #[inline]
    pub(in crate::orthtree) fn count_up(&mut self) {
        self.word += 1;
    }

    #[inline]
    pub(in crate::orthtree) fn count_down(&mut self) {
        self.word -= 1;
    }
}

/// A store of nodes: child, parent, make, release, and a new root. It knows cells but no objects, no boxes and no policy.
///
/// A node stays valid until it is released or the root changes; when the root changes only the node that becomes or stops
/// being the root gets a new name.
pub trait Layout<const D: usize>: Clone + Debug + Send + Sync {
    /// How a node is named: 4 or 8 bytes.
    type Node: Copy + Eq + Debug + Send + Sync + 'static;

    /// Whether all nodes down to the finest exist at all times.
    const ALWAYS_COMPLETE: bool = false;

    /// Whether a node is found by its cell without coming down to it, so that a query may look for it at once.
    const DIRECT: bool = false;

    /// A store with one node, the root.
    ///
    /// # Errors
    ///
    /// In the same cases as [`check_height`](Self::check_height).
    fn new(root: Cell<D>) -> Result<Self, OrthtreeError>;

    /// Whether a root of this height is possible.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::TooDeep`] or [`OrthtreeError::TooMuchMemory`]; nothing is allocated.
    fn check_height(height: u32) -> Result<(), OrthtreeError>;

    /// The root.
    fn root(&self) -> Self::Node;

    /// Where a node lies.
    fn cell(&self, node: Self::Node) -> Cell<D>;

    /// The height of a node's cell.
    #[inline]
    fn height(&self, node: Self::Node) -> u32 {
        self.cell(node).height
    }

    /// What the tree keeps in a node.
    fn object_list(&self, node: Self::Node) -> &ObjectList;

    /// What the tree keeps in a node, for change.
    fn object_list_mut(&mut self, node: Self::Node) -> &mut ObjectList;

    /// A child, if it was made.
    fn child(&self, node: Self::Node, octant: usize) -> Option<Self::Node>;

    /// The node above; `None` for the root.
    fn parent(&self, node: Self::Node) -> Option<Self::Node>;

    /// Makes a child, with its siblings where they are kept together; gives the one there is if it exists. The node must
    /// not be a finest one.
    fn make(&mut self, node: Self::Node, octant: usize) -> Self::Node;

    /// Takes an empty node without children away, if it is not the root. Siblings that are kept together go together,
    /// when all are empty. Tells whether it is gone.
    fn release(&mut self, node: Self::Node) -> bool;

    /// Puts a root above the root, of which the old one becomes child `octant`, and gives the old root's new name. `root`
    /// is the new root's cell, its height checked.
    fn grow(&mut self, root: Cell<D>, octant: usize) -> Self::Node;

    /// Makes child `octant` of the root, which exists, the root. The old root and its other children are empty and
    /// without children.
    fn shrink(&mut self, octant: usize);

    /// Bytes of memory held.
    fn bytes(&self) -> usize;

    /// Which children exist, a bit for each.
    #[inline]
    fn child_mask(&self, node: Self::Node) -> u8 {
        let mut mask = 0;
        for octant in 0..1 << D {
            mask |= u8::from(self.child(node, octant).is_some()) << octant;
        }
        mask
    }

    /// What the tree keeps in a node, and which children exist.
    #[inline]
    fn look(&self, node: Self::Node) -> (ObjectList, u8) {
        (*self.object_list(node), self.child_mask(node))
    }

    /// The node of a cell that lies in the root, if there is one, and what the tree keeps in it.
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

    /// The smallest node around a cell that lies in the root, looking from another node on: up, then down.
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
