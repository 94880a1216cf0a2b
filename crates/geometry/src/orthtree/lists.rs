//! The memory of the cells' lists: the boxes of a cell lie side by side, so that a query reads them in one go.
//!
//! A list has a room for 2, 4, 8, … members, moves to a larger one when that is full and to a smaller one when it is a
//! quarter full. Rooms that were left are used again, last left first. A member that goes is replaced by the last one.

use super::Bounds;
use super::layout::Slot;
use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::ops::Range;

/// What stands beside a box in a list: whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    /// The caller's number.
    pub(super) key: u64,
    /// The object's generation.
    pub(super) generation: NonZeroU32,
    /// The reference that leads here.
    pub(super) reference: u32,
}

/// All lists. Places are shared by `boxes` and `tags`.
#[derive(Clone, Debug)]
pub(super) struct Lists<const D: usize> {
    pub(super) boxes: Vec<Bounds<D>>,
    pub(super) tags: Vec<Tag>,
    /// For every second place, where rooms begin: the size of the room as a power of two.
    sizes: Vec<u8>,
    /// Rooms that were left, by size.
    free: Vec<Vec<u32>>,
}

/// A list is somewhere else now: its members' references have to be told.
#[must_use]
pub(super) enum Moved {
    /// All of them.
    All,
    /// The one at this place.
    One(u32),
    /// None.
    None,
}

impl<const D: usize> Lists<D> {
    /// No more places than this are made before [`is_full`](Self::is_full), so that the next move of a list has room.
    const PLACES_MAX: usize = 1 << 30;
    const SIZE_MIN: u8 = 1;

    pub(super) fn new() -> Self {
        Self {
            boxes: Vec::new(),
            tags: Vec::new(),
            sizes: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Whether there is no room for more members.
    pub(super) fn is_full(&self) -> bool {
        self.boxes.len() > Self::PLACES_MAX
    }

    /// The places of a list.
    #[inline]
    pub(super) fn range(slot: &Slot) -> Range<usize> {
        slot.first as usize..slot.first as usize + slot.count() as usize
    }

    /// Puts a member at the end of a list and gives its place.
    #[inline]
    pub(super) fn push(&mut self, slot: &mut Slot, bounds: Bounds<D>, tag: Tag) -> (u32, Moved) {
        let count = slot.count();
        let mut moved = Moved::None;
        if count == 0 {
            slot.first = self.room(Self::SIZE_MIN);
        } else {
            let size = self.sizes[slot.first as usize / 2];
            if count == 1 << size {
                self.move_to(slot, size + 1);
                moved = Moved::All;
            }
        }
        let place = slot.first + count;
        self.boxes[place as usize] = bounds;
        self.tags[place as usize] = tag;
        slot.count_up();
        (place, moved)
    }

    /// Takes the member at a place out of its list.
    #[inline]
    pub(super) fn take(&mut self, slot: &mut Slot, place: u32) -> Moved {
        slot.count_down();
        let count = slot.count();
        let last = slot.first + count;
        self.boxes.swap(place as usize, last as usize);
        self.tags.swap(place as usize, last as usize);
        let size = self.sizes[slot.first as usize / 2];
        if count == 0 {
            self.leave(slot.first, size);
            slot.first = 0;
            return Moved::None;
        }
        if size > Self::SIZE_MIN && count <= 1 << (size - 2) {
            self.move_to(slot, size - 1);
            return Moved::All;
        }
        if place == last {
            Moved::None
        } else {
            Moved::One(place)
        }
    }

    fn move_to(&mut self, slot: &mut Slot, size: u8) {
        let old = Self::range(slot);
        let old_size = self.sizes[old.start / 2];
        let first = self.room(size);
        self.boxes.copy_within(old.clone(), first as usize);
        self.tags.copy_within(old.clone(), first as usize);
        self.leave(old.start as u32, old_size);
        slot.first = first;
    }

    fn leave(&mut self, first: u32, size: u8) {
        self.free[usize::from(size)].push(first);
    }

    /// An empty room of a size.
    #[inline]
    fn room(&mut self, size: u8) -> u32 {
        if let Some(first) = self.free.get_mut(usize::from(size)).and_then(Vec::pop) {
            return first;
        }
        self.new_room(size)
    }

    fn new_room(&mut self, size: u8) -> u32 {
        if self.free.len() <= usize::from(size) {
            self.free.resize(usize::from(size) + 1, Vec::new());
        }
        let first = self.boxes.len();
        let end = first + (1 << size);
        let nobody = Tag {
            key: 0,
            generation: NonZeroU32::MIN,
            reference: 0,
        };
        self.boxes.resize(end, Bounds::point([0.0; D]));
        self.tags.resize(end, nobody);
        self.sizes.resize(end / 2, 0);
        self.sizes[first / 2] = size;
        first as u32
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        let free: usize = self.free.iter().map(Vec::capacity).sum();
        self.boxes.capacity() * size_of::<Bounds<D>>()
            + self.tags.capacity() * size_of::<Tag>()
            + self.sizes.capacity()
            + free * size_of::<u32>()
    }
}

const _: () = assert!(size_of::<Tag>() == 16);
