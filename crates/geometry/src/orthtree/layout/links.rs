//! The links of the layouts with links: an array of children, the same in a table for inner nodes only, a block of
//! children, first child and next sibling.

use super::arena::{Arena, ArenaNode, Linked, Links, ParentLink, Unlinked};
use super::orthants::{Dimension, Orthants};
use super::store::{Layout, NONE};
use alloc::vec::Vec;

/// Four or eight links in each node; children are made one by one.
pub type Standard<const D: usize, P = Linked> = Arena<D, P, Children<<Dimension<D> as Orthants>::Children>>;

/// Like [`Standard`], with the links of inner nodes in a table of their own: a leaf has one number instead.
pub type StandardApart<const D: usize, P = Linked> = Arena<D, P, ApartLinks>;

/// One link to a block of four or eight children, made and released together.
pub type Block<const D: usize, P = Linked> = Arena<D, P, BlockLinks>;

/// Links to the first child and the next sibling; children are made one by one, and found one after another.
pub type Sibling<const D: usize, P = Linked> = Arena<D, P, SiblingLinks>;

fn present(place: u32) -> Option<u32> {
    (place != NONE).then_some(place)
}

/// The links of [`Standard`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Children<A>(A);

impl<const D: usize> Links<D> for Children<<Dimension<D> as Orthants>::Children>
where
    Dimension<D>: Orthants,
{
    const STRIDE: usize = 1;
    const LEAF: Self = Self(<Dimension<D> as Orthants>::NO_CHILDREN);
    type SideTable = ();

    #[inline]
    fn child<P: ParentLink>(arena: &Arena<D, P, Self>, node: u32, octant: usize) -> Option<u32> {
        present(arena.nodes[node as usize].links.0.as_ref()[octant])
    }

    fn attach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, octant: usize, first: u32) {
        arena.nodes[node as usize].links.0.as_mut()[octant] = first;
    }

    fn detach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, octant: usize) {
        arena.nodes[node as usize].links.0.as_mut()[octant] = NONE;
    }

    fn take_children(&mut self, from: Self) {
        *self = from;
    }
}

/// The link of [`StandardApart`]: the row of the table of inner nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct ApartLinks(u32);

/// The table of inner nodes of [`StandardApart`].
#[derive(Clone, Debug)]
pub struct InnerNodes<A> {
    children_table: Vec<A>,
    free: Vec<u32>,
}

impl<A> Default for InnerNodes<A> {
    fn default() -> Self {
        Self {
            children_table: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<const D: usize> Links<D> for ApartLinks
where
    Dimension<D>: Orthants,
{
    const STRIDE: usize = 1;
    const LEAF: Self = Self(NONE);
    type SideTable = InnerNodes<<Dimension<D> as Orthants>::Children>;

    #[inline]
    fn child<P: ParentLink>(arena: &Arena<D, P, Self>, node: u32, octant: usize) -> Option<u32> {
        let row = present(arena.nodes[node as usize].links.0)?;
        present(arena.side.children_table[row as usize].as_ref()[octant])
    }

    fn attach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, octant: usize, first: u32) {
        let link = &mut arena.nodes[node as usize].links.0;
        if *link == NONE {
            *link = arena.side.free.pop().unwrap_or_else(|| {
                arena
                    .side
                    .children_table
                    .push(<Dimension<D> as Orthants>::NO_CHILDREN);
                arena.side.children_table.len() as u32 - 1
            });
        }
        arena.side.children_table[*link as usize].as_mut()[octant] = first;
    }

    fn detach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, octant: usize) {
        let link = &mut arena.nodes[node as usize].links.0;
        let row = &mut arena.side.children_table[*link as usize];
        row.as_mut()[octant] = NONE;
        if *row == <Dimension<D> as Orthants>::NO_CHILDREN {
            arena.side.free.push(*link);
            *link = NONE;
        }
    }

    fn take_children(&mut self, from: Self) {
        *self = from;
    }

    fn side_bytes(side: &Self::SideTable) -> usize {
        side.children_table.capacity() * size_of::<<Dimension<D> as Orthants>::Children>()
            + side.free.capacity() * size_of::<u32>()
    }
}

/// The link of [`Block`]: the first of the children.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct BlockLinks(u32);

impl<const D: usize> Links<D> for BlockLinks
where
    Dimension<D>: Orthants,
{
    const STRIDE: usize = 1 << D;
    const LEAF: Self = Self(NONE);
    type SideTable = ();

    #[inline]
    fn child<P: ParentLink>(arena: &Arena<D, P, Self>, node: u32, octant: usize) -> Option<u32> {
        present(arena.nodes[node as usize].links.0).map(|first| first + octant as u32)
    }

    fn attach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, _octant: usize, first: u32) {
        arena.nodes[node as usize].links.0 = first;
    }

    fn detach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, _octant: usize) {
        arena.nodes[node as usize].links.0 = NONE;
    }

    fn take_children(&mut self, from: Self) {
        *self = from;
    }
}

/// The links of [`Sibling`]. Siblings are in the order of their octants.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct SiblingLinks {
    next_sibling: u32,
    first_child: u32,
}

/// The node that holds the link to a child: its parent, or the sibling before it.
enum Holder {
    Parent,
    Sibling(u32),
}

/// The first child from this octant on, and the node that links to it.
fn seek<const D: usize, P: ParentLink>(
    arena: &Arena<D, P, SiblingLinks>,
    node: u32,
    octant: usize,
) -> (Holder, u32)
where
    Dimension<D>: Orthants,
{
    let parent = &arena.nodes[node as usize];
    let cell = Layout::cell(arena, node);
    let mut holder = Holder::Parent;
    let mut place = parent.links.first_child;
    while place != NONE && cell.octant_of(&Layout::cell(arena, place)) < octant {
        holder = Holder::Sibling(place);
        place = arena.nodes[place as usize].links.next_sibling;
    }
    (holder, place)
}

/// Sets the link of a holder.
fn redirect<const D: usize, P: ParentLink>(
    arena: &mut Arena<D, P, SiblingLinks>,
    node: u32,
    holder: Holder,
    place: u32,
) where
    Dimension<D>: Orthants,
{
    match holder {
        Holder::Parent => arena.nodes[node as usize].links.first_child = place,
        Holder::Sibling(sibling) => arena.nodes[sibling as usize].links.next_sibling = place,
    }
}

impl<const D: usize> Links<D> for SiblingLinks
where
    Dimension<D>: Orthants,
{
    const STRIDE: usize = 1;
    const LEAF: Self = Self {
        next_sibling: NONE,
        first_child: NONE,
    };
    type SideTable = ();

    fn child<P: ParentLink>(arena: &Arena<D, P, Self>, node: u32, octant: usize) -> Option<u32> {
        let (_, place) = seek(arena, node, octant);
        let cell = Layout::cell(arena, node);
        present(place).filter(|&place| cell.octant_of(&Layout::cell(arena, place)) == octant)
    }

    fn attach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, octant: usize, first: u32) {
        let (holder, next) = seek(arena, node, octant);
        arena.nodes[first as usize].links.next_sibling = next;
        redirect(arena, node, holder, first);
    }

    fn detach<P: ParentLink>(arena: &mut Arena<D, P, Self>, node: u32, octant: usize) {
        let (holder, place) = seek(arena, node, octant);
        let next = arena.nodes[place as usize].links.next_sibling;
        redirect(arena, node, holder, next);
    }

    fn take_children(&mut self, from: Self) {
        self.first_child = from.first_child;
    }
}

// The sizes of the article's octree nodes are 104 bytes (standard), 105 and 41 (apart), 49 (block), 56 (siblings), with
// pointers of 8 bytes and the box as two vectors; its flags would be rounded up to 112, 48 and 56 by alignment.
const _: () = {
    type Octant = [u32; 8];
    assert!(size_of::<ArenaNode<3, Linked, Children<Octant>>>() == 60);
    assert!(size_of::<ArenaNode<3, Linked, ApartLinks>>() == 32 && size_of::<Octant>() == 32);
    assert!(size_of::<ArenaNode<3, Linked, BlockLinks>>() == 32);
    assert!(size_of::<ArenaNode<3, Linked, SiblingLinks>>() == 36);
    assert!(size_of::<ArenaNode<3, Unlinked, Children<Octant>>>() == 56);
    assert!(size_of::<ArenaNode<3, Unlinked, ApartLinks>>() == 28);
    assert!(size_of::<ArenaNode<3, Unlinked, BlockLinks>>() == 28);
    assert!(size_of::<ArenaNode<3, Unlinked, SiblingLinks>>() == 32);
    assert!(size_of::<ArenaNode<2, Linked, Children<[u32; 4]>>>() == 40);
    assert!(size_of::<ArenaNode<2, Linked, ApartLinks>>() == 28);
    assert!(size_of::<ArenaNode<2, Linked, BlockLinks>>() == 28);
    assert!(size_of::<ArenaNode<2, Linked, SiblingLinks>>() == 32);
};
