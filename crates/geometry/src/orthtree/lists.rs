//! The memory of the cells' lists: blocks of four objects with all data that a query needs, chained for each cell.
//!
//! A list is a sequence that grows at its end; a removed member is replaced by the last one. Its head is the block with
//! the last members, all blocks behind that are full. So nothing is copied when a list grows, and a block is two cache
//! lines in the plane: one with four boxes, one with the rest. Blocks are in chunks that never move, allocated when
//! they are needed; freed blocks are used again, last freed first.
//!
//! The reasons are in `docs/decisions.md#objects-of-a-cell-lie-in-blocks-of-four`.

use super::bounds::{Bounds, Bounds4, LANES};
use super::layout::{NONE, ObjectList};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// A block: four places of one list.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Block<const D: usize, N> {
    pub(super) boxes: Bounds4<D>,
    /// The callers' keys.
    pub(super) keys: [u64; LANES],
    /// The references of the members.
    pub(super) references: [u32; LANES],
    /// The node whose list it is.
    node: N,
    /// The block before this one in the list.
    next: u32,
}

/// The number of blocks allocated together: 16 KiB in the plane.
const CHUNK: usize = 128;

#[derive(Clone, Debug)]
#[repr(align(128))]
struct Chunk<const D: usize, N>([Block<D, N>; CHUNK]);

/// All lists. A place is the number of a block times four, plus the position in the block.
#[derive(Clone, Debug)]
pub(super) struct Lists<const D: usize, N> {
    chunks: Vec<Box<Chunk<D, N>>>,
    /// The number of blocks that were ever in use.
    block_count: u32,
    /// Freed blocks, last freed first; has room for all.
    free: Vec<u32>,
}

/// A block of a list, its number, and the number of its members.
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

/// The position of a place in its block.
#[inline]
pub(super) fn lane_of(place: u32) -> usize {
    place as usize % LANES
}

#[inline]
fn block_at(place: u32) -> u32 {
    place / LANES as u32
}

impl<const D: usize, N: Copy> Lists<D, N> {
    /// The most blocks, except for those that the last insertion adds; their places fit 32 bits.
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

    /// The node whose list holds a place.
    #[inline]
    pub(super) fn node(&self, place: u32) -> N {
        self.block_of(place).node
    }

    /// The box at a place.
    #[inline]
    pub(super) fn bounds(&self, place: u32) -> Bounds<D> {
        self.block_of(place).boxes.get(lane_of(place))
    }

    /// The caller's key at a place.
    #[inline]
    pub(super) fn key(&self, place: u32) -> u64 {
        self.block_of(place).keys[lane_of(place)]
    }

    /// The reference of a place.
    #[inline]
    pub(super) fn reference(&self, place: u32) -> u32 {
        self.block_of(place).references[lane_of(place)]
    }

    /// The next block of a list; meaningless for the last.
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

    /// Appends a member to a node's list and returns its place.
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

    /// Removes the member at a place from its list. Returns the reference of the member that takes its place, if there
    /// is one.
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

    /// Sorts the free blocks, so that blocks taken one after the other are adjacent.
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

    /// Removes everything, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.block_count = 0;
        self.free.clear();
    }

    /// Removes everything, and returns the old lists.
    pub(super) fn take_all(&mut self) -> Self {
        core::mem::replace(self, Self::new())
    }

    /// Copies a block of a list from other lists; the next block of that list must be copied next. No block may have
    /// been freed before.
    pub(super) fn copy_block(&mut self, block: &Block<D, N>) -> u32 {
        debug_assert!(self.free.is_empty(), "blocks are made in order");
        let index = self.new_block(block.node);
        *self.block_mut(index) = Block {
            next: index + 1,
            ..*block
        };
        index
    }

    /// Stores another node's name in the list.
    pub(super) fn rename(&mut self, slot: &ObjectList, node: N) {
        let mut index = slot.first;
        for _ in 0..slot.count().div_ceil(LANES as u32) {
            let block = self.block_mut(index);
            block.node = node;
            index = block.next;
        }
    }

    /// The blocks of a list, the last members first.
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
        self.chunks.len() * size_of::<Chunk<D, N>>()
            + self.chunks.capacity() * size_of::<Box<Chunk<D, N>>>()
            + self.free.capacity() * size_of::<u32>()
    }
}

// On x86-32 a `u64` is aligned to 4 bytes, and a block ends 4 bytes earlier.
const _: () = {
    assert!(size_of::<Block<2, u64>>().next_multiple_of(8) == 128 && size_of::<Block<2, u32>>() <= 128);
    assert!(size_of::<Block<3, u64>>().next_multiple_of(8) == 160);
};
