//! [`Linear`]: a layout without links, a hash table of nodes by locational code.
//!
//! The code is that of the cell in a root as large as the word allows, wrapped around (`cell.rs` has the reason why
//! that works for every position of the real root). So no code changes when the root grows or shrinks.

use super::{Layout, ObjectList};
use crate::orthtree::code::{Code, CodeWord};
use crate::orthtree::{Cell, OrthtreeError};
use alloc::vec::Vec;

/// Nodes by locational code in words of type `W`, `u32` or `u64`; with `MASK` a byte a node records which children
/// exist, which saves look-ups of those that do not. 12, 13, 16 or 17 bytes a place, of which at most half are taken.
/// A code and its list are adjacent, as a search for the one is followed by a read of the other.
///
/// A look-up goes straight to a level, so finding a cell takes a few probes at any depth. Open addressing with linear
/// probing; the order of the table does not affect results.
#[derive(Clone, Debug)]
pub struct Linear<W = u64, const MASK: bool = true> {
    root_corner: [u32; 3],
    root_height: u32,
    root_code: W,
    /// The bits of the root's corner along all axes.
    corner_bits: u32,
    /// A power of two of entries.
    entries: Vec<TableEntry<W>>,
    /// Empty without `MASK`.
    masks: Vec<u8>,
    count: usize,
}

/// An entry of the table.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct TableEntry<W> {
    /// 0 while the entry is free.
    key: W,
    slot: ObjectList,
}

impl<W: CodeWord, const MASK: bool> Linear<W, MASK> {
    /// Bytes of one place of the table.
    pub const NODE_BYTES: usize = size_of::<TableEntry<W>>() + if MASK { 1 } else { 0 };

    const CAPACITY_MIN: usize = 16;
    const GROUP_BITS: u32 = 2;
    const GROUP: usize = 1 << Self::GROUP_BITS;

    /// The place where the search for a code starts: that of its group by the upper bits of a product that depends on
    /// all bits (D. Knuth, *The Art of Computer Programming* 3, 6.4, multiplication by the golden ratio), and within it
    /// in the order of the codes. So four siblings of a quadtree, or half of an octree's, share a cache line, and a
    /// search that finds one has loaded the others.
    #[inline]
    fn home(&self, key: W) -> usize {
        let key = key.to_bits();
        let product = (key >> Self::GROUP_BITS).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = self.entries.len().trailing_zeros() - Self::GROUP_BITS;
        (product >> (64 - bits)) as usize * Self::GROUP + key as usize % Self::GROUP
    }

    #[inline]
    fn place(&self, key: W) -> Option<usize> {
        let wrap = self.entries.len() - 1;
        let mut place = self.home(key);
        loop {
            let found = self.entries[place].key;
            if found == key {
                return Some(place);
            }
            if found == W::default() {
                return None;
            }
            place = (place + 1) & wrap;
        }
    }

    #[inline]
    fn known(&self, key: W) -> usize {
        self.place(key).expect("the node exists")
    }

    /// Inserts a new code with its list and its mask.
    fn put(&mut self, key: W, slot: ObjectList, mask: u8) {
        if (self.count + 1) * 2 > self.entries.len() {
            self.resize(self.entries.len() * 2);
        }
        let wrap = self.entries.len() - 1;
        let mut place = self.home(key);
        while self.entries[place].key != W::default() {
            place = (place + 1) & wrap;
        }
        self.entries[place] = TableEntry { key, slot };
        if MASK {
            self.masks[place] = mask;
        }
        self.count += 1;
    }

    fn resize(&mut self, room: usize) {
        let entries = core::mem::replace(&mut self.entries, alloc::vec![TableEntry::default(); room]);
        let masks = core::mem::replace(&mut self.masks, alloc::vec![0; if MASK { room } else { 0 }]);
        self.count = 0;
        for (place, entry) in entries.into_iter().enumerate() {
            if entry.key != W::default() {
                self.put(entry.key, entry.slot, if MASK { masks[place] } else { 0 });
            }
        }
    }

    /// Removes a code and closes the gap: later entries that may be nearer to their home move up.
    fn take(&mut self, key: W) {
        let wrap = self.entries.len() - 1;
        let mut gap = self.known(key);
        let mut place = gap;
        loop {
            place = (place + 1) & wrap;
            let found = self.entries[place];
            if found.key == W::default() {
                break;
            }
            let home = self.home(found.key);
            if place.wrapping_sub(home) & wrap >= place.wrapping_sub(gap) & wrap {
                self.entries[gap] = found;
                if MASK {
                    self.masks[gap] = self.masks[place];
                }
                gap = place;
            }
        }
        self.entries[gap] = TableEntry::default();
        self.count -= 1;
    }

    fn root_cell<const D: usize>(&self) -> Cell<D> {
        Cell {
            corner: core::array::from_fn(|axis| self.root_corner[axis]),
            height: self.root_height,
        }
    }

    fn set_root<const D: usize>(&mut self, root: Cell<D>)
    where
        super::Dimension<D>: super::Orthants,
    {
        self.root_corner[..D].copy_from_slice(&root.corner);
        self.root_height = root.height;
        self.root_code = encode(&root);
        self.corner_bits = root.corner.iter().fold(0, |bits, corner| bits | corner);
    }

    /// Whether below this height a code's parent is the code without its last group: there the root's corner is on the
    /// grid of the level above.
    #[inline]
    fn is_aligned(&self, height: u32) -> bool {
        u64::from(self.corner_bits) >> height & 1 == 0
    }

    fn code_of_parent<const D: usize>(&self, node: W) -> W
    where
        super::Dimension<D>: super::Orthants,
    {
        let cell: Cell<D> = self.decode(node);
        if self.is_aligned(cell.height) {
            return W::from_bits(node.to_bits() >> D);
        }
        encode(&cell.ancestor(cell.height + 1, &self.root_cell()))
    }

    /// The cell of a code: of all cells on the torus with this code, the one in the root.
    #[inline]
    fn decode<const D: usize>(&self, node: W) -> Cell<D>
    where
        super::Dimension<D>: super::Orthants,
    {
        let depth_max = Code::<D, W>::DEPTH_MAX;
        let depth = node.to_bits().ilog2() / D as u32;
        let height = depth_max - depth;
        let coordinates: [u32; D] =
            super::super::code::deinterleave(node.to_bits() & !(1 << (D as u32 * depth)));
        let torus = ((1_u64 << depth_max) - 1) as u32;
        let below = ((1_u64 << height) - 1) as u32;
        Cell {
            corner: core::array::from_fn(|axis| {
                let root = self.root_corner[axis];
                let corner = ((u64::from(coordinates[axis]) << height) as u32).wrapping_add(root & below);
                root.wrapping_add(corner.wrapping_sub(root) & torus)
            }),
            height,
        }
    }
}

/// The code of a cell on the torus.
#[inline]
fn encode<const D: usize, W: CodeWord>(cell: &Cell<D>) -> W
where
    super::Dimension<D>: super::Orthants,
{
    let depth = Code::<D, W>::DEPTH_MAX - cell.height;
    let level = ((1_u64 << depth) - 1) as u32;
    Code::<D, W>::of(
        cell.corner
            .map(|corner| (u64::from(corner) >> cell.height) as u32 & level),
        depth,
    )
    .bits()
}

impl<const D: usize, W: CodeWord, const MASK: bool> Layout<D> for Linear<W, MASK>
where
    super::Dimension<D>: super::Orthants,
{
    type Node = W;

    const DIRECT: bool = true;

    fn new(root: Cell<D>) -> Result<Self, OrthtreeError> {
        <Self as Layout<D>>::check_height(root.height)?;
        let mut layout = Self {
            root_corner: [0; 3],
            root_height: 0,
            root_code: W::default(),
            corner_bits: 0,
            entries: Vec::new(),
            masks: Vec::new(),
            count: 0,
        };
        layout.resize(Self::CAPACITY_MIN);
        layout.set_root(root);
        layout.put(layout.root_code, ObjectList::EMPTY, 0);
        Ok(layout)
    }

    fn check_height(height: u32) -> Result<(), OrthtreeError> {
        let depth_max = Code::<D, W>::DEPTH_MAX;
        if height > depth_max {
            return Err(OrthtreeError::TooDeep {
                depth: height,
                depth_max,
            });
        }
        Ok(())
    }

    #[inline]
    fn root(&self) -> W {
        self.root_code
    }

    #[inline]
    fn cell(&self, node: W) -> Cell<D> {
        self.decode(node)
    }

    #[inline]
    fn height(&self, node: W) -> u32 {
        Code::<D, W>::DEPTH_MAX - node.to_bits().ilog2() / D as u32
    }

    #[inline]
    fn object_list(&self, node: W) -> &ObjectList {
        &self.entries[self.known(node)].slot
    }

    #[inline]
    fn object_list_mut(&mut self, node: W) -> &mut ObjectList {
        let place = self.known(node);
        &mut self.entries[place].slot
    }

    #[inline]
    fn child(&self, node: W, octant: usize) -> Option<W> {
        if MASK && self.masks[self.known(node)] >> octant & 1 == 0 {
            return None;
        }
        let child = self.code_of_child::<D>(node, octant)?;
        (MASK || self.place(child).is_some()).then_some(child)
    }

    #[inline]
    fn child_mask(&self, node: W) -> u8 {
        if MASK {
            return self.masks[self.known(node)];
        }
        let mut mask = 0;
        for octant in 0..1 << D {
            mask |= u8::from(Layout::<D>::child(self, node, octant).is_some()) << octant;
        }
        mask
    }

    #[inline]
    fn look(&self, node: W) -> (ObjectList, u8) {
        let place = self.known(node);
        let mask = if MASK {
            self.masks[place]
        } else {
            Layout::<D>::child_mask(self, node)
        };
        (self.entries[place].slot, mask)
    }

    #[inline]
    fn look_at(&self, cell: &Cell<D>) -> Option<(W, ObjectList)> {
        let code = encode(cell);
        Some((code, self.entries[self.place(code)?].slot))
    }

    #[inline]
    fn known_child(&self, node: W, octant: usize) -> W {
        self.code_of_child::<D>(node, octant)
            .expect("the finest cells have no children")
    }

    fn parent(&self, node: W) -> Option<W> {
        (node != self.root_code).then(|| self.code_of_parent::<D>(node))
    }

    fn make(&mut self, node: W, octant: usize) -> W {
        let child = self.code_of_child::<D>(node, octant).expect("not a finest cell");
        let exists = if MASK {
            let place = self.known(node);
            let mask = self.masks[place];
            self.masks[place] |= 1 << octant;
            mask >> octant & 1 == 1
        } else {
            self.place(child).is_some()
        };
        if !exists {
            self.put(child, ObjectList::EMPTY, 0);
        }
        child
    }

    fn release(&mut self, node: W) -> bool {
        let Some(parent) = Layout::<D>::parent(self, node) else {
            return false;
        };
        self.take(node);
        if MASK {
            let octant = self.decode::<D>(parent).octant_of(&self.decode(node));
            let place = self.known(parent);
            self.masks[place] &= !(1 << octant);
        }
        true
    }

    fn grow(&mut self, root: Cell<D>, octant: usize) -> W {
        let old = self.root_code;
        self.set_root(root);
        self.put(self.root_code, ObjectList::EMPTY, 1 << octant);
        old
    }

    fn shrink(&mut self, octant: usize) {
        let old = self.root_code;
        let heir = Layout::<D>::child(self, old, octant).expect("the root has this child");
        for other in 0..1 << D {
            if let Some(child) = Layout::<D>::child(self, old, other).filter(|&child| child != heir) {
                Layout::<D>::release(self, child);
            }
        }
        let root = self.decode::<D>(heir);
        self.take(old);
        self.set_root(root);
    }

    fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<TableEntry<W>>() + self.masks.capacity()
    }

    /// A node's ancestors all exist, so the levels from the root down to the smallest node are a range, whose end is
    /// found by bisection, after the two likeliest places.
    #[inline]
    fn find(&self, _from: W, cell: &Cell<D>) -> W {
        let code = encode(cell);
        if self.place(code).is_some() {
            return code;
        }
        self.find_above(cell)
    }
}

impl<W: CodeWord, const MASK: bool> Linear<W, MASK> {
    /// The smallest node around a cell that has none.
    fn find_above<const D: usize>(&self, cell: &Cell<D>) -> W
    where
        super::Dimension<D>: super::Orthants,
    {
        let root = self.root_cell::<D>();
        let mut missing = cell.height;
        let mut present = root.height;
        let mut middle = cell.height + 1;
        while present - missing > 1 {
            match self.place(encode(&cell.ancestor(middle, &root))) {
                Some(_) => present = middle,
                None => missing = middle,
            }
            middle = missing + (present - missing) / 2;
        }
        encode(&cell.ancestor(present, &root))
    }

    /// The code of a child, whether it exists or not; `None` below the finest cells.
    #[inline]
    fn code_of_child<const D: usize>(&self, node: W, octant: usize) -> Option<W>
    where
        super::Dimension<D>: super::Orthants,
    {
        let depth = node.to_bits().ilog2() / D as u32;
        let height = Code::<D, W>::DEPTH_MAX - depth;
        if height == 0 {
            return None;
        }
        if self.is_aligned(height - 1) {
            return Some(W::from_bits((node.to_bits() << D) | octant as u64));
        }
        Some(encode(&self.decode::<D>(node).child(octant)))
    }
}

const _: () = {
    assert!(Linear::<u32, true>::NODE_BYTES == 13 && Linear::<u32, false>::NODE_BYTES == 12);
    assert!(Linear::<u64, true>::NODE_BYTES == 17 && Linear::<u64, false>::NODE_BYTES == 16);
};
