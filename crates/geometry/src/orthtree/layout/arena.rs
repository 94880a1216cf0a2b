//! [`Arena`]: the common part of all layouts with links: records in one array, named by their place; free places; the
//! root in place 0.
//!
//! Because the root keeps its place, growing moves one record: the old root's, to the place of its new child node.

use super::store::{HEIGHT_COUNT, Layout, NONE, ObjectList, climb_and_descend};
use crate::orthtree::{Cell, OrthtreeError};
use alloc::vec::Vec;
use core::fmt::Debug;

/// Whether nodes store their parent: [`Linked`] or [`Unlinked`].
pub trait ParentLink: Copy + Debug + Send + Sync + 'static {
    /// Whether there is a link.
    const LINKED: bool;
    /// The link to this place.
    fn to(place: u32) -> Self;
    /// The place, if the link stores it.
    fn place(self) -> u32;
}

/// A link to the parent: 4 bytes a node.
#[derive(Clone, Copy, Debug)]
pub struct Linked(u32);

/// No link: parents are found from the root down, which costs a move up O(depth).
#[derive(Clone, Copy, Debug)]
pub struct Unlinked;

impl ParentLink for Linked {
    const LINKED: bool = true;
    #[inline]
    fn to(place: u32) -> Self {
        Self(place)
    }
    #[inline]
    fn place(self) -> u32 {
        self.0
    }
}

impl ParentLink for Unlinked {
    const LINKED: bool = false;
    #[inline]
    fn to(_: u32) -> Self {
        Self
    }
    #[inline]
    fn place(self) -> u32 {
        NONE
    }
}

/// The links from a node of an [`Arena`] to its children.
pub trait Links<const D: usize>: Copy + Debug + Send + Sync + 'static {
    /// The number of nodes that are made at once: 1, or 2^D adjacent siblings.
    const STRIDE: usize;
    /// The links of a node without children.
    const LEAF: Self;
    /// The data that is kept outside the nodes.
    type SideTable: Clone + Debug + Default + Send + Sync;

    /// The place of a child.
    fn child<P: ParentLink>(arena: &Arena<D, P, Self>, node: u32, octant: usize) -> Option<u32>;
    /// Links the nodes made at `first` under `node`; a single one as child `octant`.
    fn attach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, octant: usize, first: u32);
    /// The inverse of [`attach`](Self::attach).
    fn detach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, octant: usize);
    /// Takes the links to children, and no others, from another node.
    fn take_children(&mut self, from: Self);
    /// Drops the links to children, and no others.
    fn forget_children(&mut self) {
        self.take_children(Self::LEAF);
    }
    /// Bytes of memory held outside the nodes.
    fn side_bytes(_side: &Self::SideTable) -> usize {
        0
    }
}

/// One node: its list, its cell, and its links.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct ArenaNode<const D: usize, P, K> {
    slot: ObjectList,
    cell: Cell<D>,
    parent: P,
    pub(super) links: K,
}

/// A layout with links of kind `K` to children and `P` to parents. Use it by its names [`Standard`](super::Standard),
/// [`StandardApart`](super::StandardApart), [`Block`](super::Block) and [`Sibling`](super::Sibling).
#[derive(Clone, Debug)]
pub struct Arena<const D: usize, P, K: Links<D>> {
    /// Place 0 is the root. With blocks, places 1 + n·2^D to (n + 1)·2^D are siblings.
    pub(super) nodes: Vec<ArenaNode<D, P, K>>,
    /// The data that the links keep outside the nodes.
    pub(super) side: K::SideTable,
    /// First places of free records, last freed used first.
    free: Vec<u32>,
}

impl<const D: usize, P: ParentLink, K: Links<D>> Arena<D, P, K> {
    /// Bytes of one node, without the data of inner nodes that is kept apart.
    pub const NODE_BYTES: usize = size_of::<ArenaNode<D, P, K>>();

    /// Allocates the places of as many nodes as are made together.
    fn allocate(&mut self) -> u32 {
        if let Some(first) = self.free.pop() {
            return first;
        }
        let first = self.nodes.len() as u32;
        let blank = self.nodes[0];
        self.nodes.resize(self.nodes.len() + K::STRIDE, blank);
        first
    }

    fn blank(&self, cell: Cell<D>, parent: u32) -> ArenaNode<D, P, K> {
        ArenaNode {
            slot: ObjectList::EMPTY,
            cell,
            parent: P::to(parent),
            links: K::LEAF,
        }
    }

    /// Moves the contents of another node into this one, and updates the children's links.
    fn take_over(&mut self, node: u32, from: &ArenaNode<D, P, K>) {
        let target = &mut self.nodes[node as usize];
        target.slot = from.slot;
        target.links.take_children(from.links);
        for octant in 0..1 << D {
            if let Some(child) = self.child(node, octant) {
                self.nodes[child as usize].parent = P::to(node);
            }
        }
    }
}

impl<const D: usize, P: ParentLink, K: Links<D>> Layout<D> for Arena<D, P, K> {
    type Node = u32;

    fn new(root: Cell<D>) -> Result<Self, OrthtreeError> {
        Self::check_height(root.height)?;
        let mut arena = Self {
            nodes: Vec::new(),
            side: K::SideTable::default(),
            free: Vec::new(),
        };
        arena.nodes.push(arena.blank(root, NONE));
        Ok(arena)
    }

    fn check_height(height: u32) -> Result<(), OrthtreeError> {
        // Corners are counted modulo 2³², and a root's size must be below that.
        const HEIGHT_MAX: u32 = HEIGHT_COUNT as u32 - 1;
        if height > HEIGHT_MAX {
            return Err(OrthtreeError::TooDeep {
                depth: height,
                depth_max: HEIGHT_MAX,
            });
        }
        Ok(())
    }

    #[inline]
    fn root(&self) -> u32 {
        0
    }

    #[inline]
    fn cell(&self, node: u32) -> Cell<D> {
        self.nodes[node as usize].cell
    }

    #[inline]
    fn object_list(&self, node: u32) -> &ObjectList {
        &self.nodes[node as usize].slot
    }

    #[inline]
    fn object_list_mut(&mut self, node: u32) -> &mut ObjectList {
        &mut self.nodes[node as usize].slot
    }

    #[inline]
    fn child(&self, node: u32, octant: usize) -> Option<u32> {
        K::child(self, node, octant)
    }

    fn parent(&self, node: u32) -> Option<u32> {
        if node == 0 {
            return None;
        }
        if P::LINKED {
            return Some(self.nodes[node as usize].parent.place());
        }
        let cell = self.cell(node);
        let above = cell.ancestor(cell.height + 1, &self.cell(0));
        Some(Layout::find(self, 0, &above))
    }

    fn make(&mut self, node: u32, octant: usize) -> u32 {
        if let Some(child) = self.child(node, octant) {
            return child;
        }
        let first = self.allocate();
        let cell = self.cell(node);
        for place in 0..K::STRIDE {
            let octant = if K::STRIDE == 1 { octant } else { place };
            self.nodes[first as usize + place] = self.blank(cell.child(octant), node);
        }
        K::attach(self, node, octant, first);
        self.child(node, octant).expect("was just attached")
    }

    fn release(&mut self, node: u32) -> bool {
        let Some(parent) = self.parent(node) else {
            return false;
        };
        let octant = self.cell(parent).octant_of(&self.cell(node));
        let first = if K::STRIDE == 1 {
            node
        } else {
            node - octant as u32
        };
        let empty = (first..first + K::STRIDE as u32)
            .all(|place| self.object_list(place).count() == 0 && self.child_mask(place) == 0);
        if empty {
            K::detach(self, parent, octant);
            self.free.push(first);
        }
        empty
    }

    fn grow(&mut self, root: Cell<D>, octant: usize) -> u32 {
        let above = self.blank(root, NONE);
        let old = core::mem::replace(&mut self.nodes[0], above);
        let child = self.make(0, octant);
        self.take_over(child, &old);
        child
    }

    fn shrink(&mut self, octant: usize) {
        let child = self.child(0, octant).expect("the root has this child");
        // Emptied for a moment, so that it is released like its siblings.
        let heir = self.nodes[child as usize];
        self.nodes[child as usize].slot = ObjectList::EMPTY;
        self.nodes[child as usize].links.forget_children();
        for octant in 0..1 << D {
            if let Some(other) = self.child(0, octant) {
                self.release(other);
            }
        }
        self.nodes[0] = self.blank(heir.cell, NONE);
        self.take_over(0, &heir);
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * Self::NODE_BYTES
            + self.free.capacity() * size_of::<u32>()
            + K::side_bytes(&self.side)
    }

    fn find(&self, from: u32, cell: &Cell<D>) -> u32 {
        // Without links each step up would start from the root, so the search does.
        climb_and_descend(self, if P::LINKED { from } else { 0 }, cell)
    }
}
