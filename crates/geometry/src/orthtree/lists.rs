//! The memory of the cells' lists: blocks of four objects with all that a query wants of them, chained cell by cell.
//!
//! A list is a sequence that grows at its end; a member that goes is replaced by the last one. Its head is the block with
//! the last members, all blocks behind that are full. So nothing is copied when a list grows, and a block is two lines of a
//! cache in the plane: one with four boxes, one with whose they are. Blocks lie in chunks that never move, made when they
//! are needed; blocks that were left are used again, last left first.
//!
//! Why: `docs/decisions.md#objects-of-a-cell-lie-in-blocks-of-four`.

use super::bounds::{Bounds, Bounds4, LANES};
use super::layout::{NONE, ObjectList};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Four places of one list.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Block<const D: usize, N> {
    pub(super) boxes: Bounds4<D>,
    /// The callers' numbers.
    pub(super) keys: [u64; LANES],
    /// The references that lead here.
    pub(super) references: [u32; LANES],
    /// Whose list.
    node: N,
    /// The block before this one in the list.
    next: u32,
}

/// Blocks that are made together: 16 KiB in the plane.
const CHUNK: usize = 128;

#[derive(Clone, Debug)]
#[repr(align(128))]
struct Chunk<const D: usize, N>([Block<D, N>; CHUNK]);

/// All lists. A place is the number of a block times four, and the place in that.
#[derive(Clone, Debug)]
pub(super) struct Lists<const D: usize, N> {
    chunks: Vec<Box<Chunk<D, N>>>,
    /// Blocks that were ever in use.
    block_count: u32,
    /// Those that were left, last left first; has room for all.
    free: Vec<u32>,
}

/// A block of a list, its number, and how many members it has.
pub(super) struct BlockView<'a, const D: usize, N> {
    pub(super) block: &'a Block<D, N>,
    pub(super) index: u32,
    pub(super) count: u32,
}

impl<const D: usize, N: Copy> Block<D, N> {
    #[inline]
    fn write(&mut self, lane: usize, bounds: &Bounds<D>, key: u64, reference: u32) {
        self.boxes.set(lane, bounds);
        self.keys[lane] = key;
        self.references[lane] = reference;
    }
}

/// The place of a member of a block.
#[inline]
pub(super) fn place_in(index: u32, lane: usize) -> u32 {
    index * LANES as u32 + lane as u32
}

/// Which member of its block is at a place.
#[inline]
pub(super) fn lane_of(place: u32) -> usize {
    place as usize % LANES
}

#[inline]
fn block_at(place: u32) -> u32 {
    place / LANES as u32
}

impl<const D: usize, N: Copy> Lists<D, N> {
    /// So many blocks at most, but for what the last insertion adds; their places fit 32 bits.
    const BLOCK_COUNT_MAX: u32 = 1 << 29;

    pub(super) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            block_count: 0,
            free: Vec::new(),
        }
    }

    /// Whether there is no room for more members.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.block_count > Self::BLOCK_COUNT_MAX
    }

    /// A block by its number.
    #[inline]
    pub(super) fn block(&self, index: u32) -> &Block<D, N> {
        &self.chunks[index as usize / CHUNK].0[index as usize % CHUNK]
    }

    #[inline]
    fn block_mut(&mut self, index: u32) -> &mut Block<D, N> {
        &mut self.chunks[index as usize / CHUNK].0[index as usize % CHUNK]
    }

    /// The block of a place.
    #[inline]
    pub(super) fn block_of(&self, place: u32) -> &Block<D, N> {
        self.block(block_at(place))
    }

    /// Whose list a place is in.
    #[inline]
    pub(super) fn node(&self, place: u32) -> N {
        self.block_of(place).node
    }

    /// The box at a place.
    #[inline]
    pub(super) fn bounds(&self, place: u32) -> Bounds<D> {
        self.block_of(place).boxes.get(lane_of(place))
    }

    /// The caller's number at a place.
    #[inline]
    pub(super) fn key(&self, place: u32) -> u64 {
        self.block_of(place).keys[lane_of(place)]
    }

    /// The reference that leads to a place.
    #[inline]
    pub(super) fn reference(&self, place: u32) -> u32 {
        self.block_of(place).references[lane_of(place)]
    }

    /// The block behind one in its list; of no meaning behind the last.
    #[inline]
    pub(super) fn next(&self, index: u32) -> u32 {
        self.block(index).next
    }

    /// Writes the box at a place.
    #[inline]
    pub(super) fn write(&mut self, place: u32, bounds: &Bounds<D>) {
        let block = self.block_mut(block_at(place));
        block.boxes.set(lane_of(place), bounds);
    }

    /// Puts a member at the end of a node's list and gives its place.
    #[inline]
    pub(super) fn push(
        &mut self,
        slot: &mut ObjectList,
        node: N,
        bounds: &Bounds<D>,
        key: u64,
        reference: u32,
    ) -> u32 {
        let lane = slot.count() as usize % LANES;
        if lane == 0 {
            let next = slot.first;
            slot.first = self.new_block(node);
            self.block_mut(slot.first).next = next;
        }
        slot.count_up();
        self.block_mut(slot.first).write(lane, bounds, key, reference);
        place_in(slot.first, lane)
    }

    /// Takes the member at a place out of its list. Gives the reference of the one that stands there now, if there is one.
    #[inline]
    pub(super) fn take(&mut self, slot: &mut ObjectList, place: u32) -> Option<u32> {
        let head = slot.first;
        debug_assert!(slot.count() > 0, "the list has a member");
        debug_assert!(block_at(place) < self.block_count, "the place is one of a block");
        slot.count_down();
        let lane = slot.count() as usize % LANES;
        let block = self.block_mut(head);
        let (bounds, key, reference) = (block.boxes.get(lane), block.keys[lane], block.references[lane]);
        if lane == 0 {
            slot.first = block.next;
            self.free.push(head);
        }
        if place == place_in(head, lane) {
            return None;
        }
        let block = self.block_mut(block_at(place));
        block.write(lane_of(place), &bounds, key, reference);
        Some(reference)
    }

    #[inline]
    fn new_block(&mut self, node: N) -> u32 {
        if let Some(index) = self.free.pop() {
            self.block_mut(index).node = node;
            return index;
        }
        let index = self.block_count;
        if index as usize == self.chunks.len() * CHUNK {
            self.add_chunk(node);
        }
        self.block_count += 1;
        self.block_mut(index).node = node;
        index
    }

    #[cold]
    fn add_chunk(&mut self, node: N) {
        let blank = Block {
            boxes: Bounds4::ZERO,
            keys: [0; LANES],
            references: [0; LANES],
            node,
            next: NONE,
        };
        self.chunks.push(Box::new(Chunk([blank; CHUNK])));
        self.free.reserve(self.chunks.len() * CHUNK - self.free.len());
    }

    /// Puts the free blocks in order, so that those which are taken one after the other lie one behind the other.
    pub(super) fn sort_free(&mut self) {
        let mut is_free = alloc::vec![0_u64; (self.block_count as usize).div_ceil(64)];
        for &index in &self.free {
            is_free[index as usize / 64] |= 1 << (index % 64);
        }
        self.free.clear();
        for (word, &bits) in is_free.iter().enumerate().rev() {
            let mut bits = bits;
            while bits != 0 {
                let bit = bits.ilog2();
                bits ^= 1 << bit;
                self.free.push(word as u32 * 64 + bit);
            }
        }
    }

    /// Leaves nothing, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.block_count = 0;
        self.free.clear();
    }

    /// Leaves nothing, and gives what there was.
    pub(super) fn take_all(&mut self) -> Self {
        core::mem::replace(self, Self::new())
    }

    /// Copies a block of a list from elsewhere; the one behind it shall be copied next. Nothing may have been taken out.
    pub(super) fn copy_block(&mut self, block: &Block<D, N>) -> u32 {
        debug_assert!(self.free.is_empty(), "blocks are made in order");
        let index = self.new_block(block.node);
        *self.block_mut(index) = Block {
            next: index + 1,
            ..*block
        };
        index
    }

    /// The list goes by another node's name.
    pub(super) fn rename(&mut self, slot: &ObjectList, node: N) {
        let mut index = slot.first;
        for _ in 0..slot.count().div_ceil(LANES as u32) {
            let block = self.block_mut(index);
            block.node = node;
            index = block.next;
        }
    }

    /// A list block by block, the last members first.
    #[inline]
    pub(super) fn block_views(&self, slot: &ObjectList) -> impl Iterator<Item = BlockView<'_, D, N>> {
        let mut index = slot.first;
        let mut left = slot.count();
        core::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let count = (left - 1) % LANES as u32 + 1;
            left -= count;
            let block = self.block(index);
            let part = BlockView { block, index, count };
            index = block.next;
            Some(part)
        })
    }

    /// The references of a list's members, from the first to the last.
    pub(super) fn references(&self, slot: &ObjectList) -> Vec<u32> {
        let mut references: Vec<u32> = self
            .block_views(slot)
            .flat_map(|part| part.block.references[..part.count as usize].iter().rev())
            .copied()
            .collect();
        references.reverse();
        references
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.chunks.len() * size_of::<Chunk<D, N>>() + self.chunks.capacity() * size_of::<Box<Chunk<D, N>>>()
    }
}

// On x86-32 a `u64` is aligned to 4 bytes, and a block ends 4 bytes earlier.
const _: () = {
    assert!(size_of::<Block<2, u64>>().next_multiple_of(8) == 128 && size_of::<Block<2, u32>>() <= 128);
    assert!(size_of::<Block<3, u64>>().next_multiple_of(8) == 160);
};
