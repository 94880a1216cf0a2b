//! The memory of the cells' lists: the boxes of a cell lie side by side, so that a query reads them in one go.
//!
//! A list has a room for 4, 8, 16, … members, moves to a larger one when that is full and to a smaller one when it is a
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
    /// So many places at most, but for what the last insertion adds; a count of them fits a slot.
    const PLACES_MAX: usize = 1 << 25;
    const SIZE_MIN: u32 = 2;

    pub(super) fn new() -> Self {
        Self {
            boxes: Vec::new(),
            tags: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Whether there is no room for more members.
    pub(super) fn is_full(&self) -> bool {
        self.boxes.len() > Self::PLACES_MAX
    }

    pub(super) fn reserve(&mut self, count: usize) {
        self.boxes.reserve(count);
        self.tags.reserve(count);
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
        if slot.size() == 0 {
            let first = self.room(Self::SIZE_MIN);
            slot.set_room(first, Self::SIZE_MIN);
        } else if count == 1 << slot.size() {
            self.move_to(slot, slot.size() + 1);
            moved = Moved::All;
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
        let size = slot.size();
        if count == 0 {
            self.leave(slot.first, size);
            slot.set_room(0, 0);
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

    /// Gives a list room for so many more members; it moves if it must.
    pub(super) fn make_room(&mut self, slot: &mut Slot, additional: usize) -> Moved {
        let count = slot.count() as usize + additional;
        let size = count.next_power_of_two().trailing_zeros().max(Self::SIZE_MIN);
        if slot.size() == 0 {
            let first = self.room(size);
            slot.set_room(first, size);
        } else if size > slot.size() {
            self.move_to(slot, size);
            return Moved::All;
        }
        Moved::None
    }

    fn move_to(&mut self, slot: &mut Slot, size: u32) {
        let old = Self::range(slot);
        let first = self.room(size);
        self.boxes.copy_within(old.clone(), first as usize);
        self.tags.copy_within(old.clone(), first as usize);
        self.leave(old.start as u32, slot.size());
        slot.set_room(first, size);
    }

    fn leave(&mut self, first: u32, size: u32) {
        self.free[size as usize].push(first);
    }

    /// An empty room of a size.
    #[inline]
    fn room(&mut self, size: u32) -> u32 {
        if let Some(first) = self.free.get_mut(size as usize).and_then(Vec::pop) {
            return first;
        }
        self.new_room(size)
    }

    fn new_room(&mut self, size: u32) -> u32 {
        if self.free.len() <= size as usize {
            self.free.resize(size as usize + 1, Vec::new());
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
        first as u32
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        let free: usize = self.free.iter().map(Vec::capacity).sum();
        self.boxes.capacity() * size_of::<Bounds<D>>()
            + self.tags.capacity() * size_of::<Tag>()
            + free * size_of::<u32>()
    }
}

const _: () = assert!(size_of::<Tag>() == 16);
