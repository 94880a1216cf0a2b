//! [`TileTable`]: a hash table of tiles by place.

use alloc::vec::Vec;

/// Numbers of tiles by their places. Open addressing with linear probing, at most half full; removal leaves no
/// tombstone. The order of the table does not affect results.
#[derive(Clone, Debug)]
pub(super) struct TileTable {
    /// A power of two of entries.
    entries: Vec<Entry>,
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    place: [i32; 2],
    /// [`FREE`](TileTable::FREE) while the entry is.
    number: u32,
}

impl TileTable {
    const FREE: u32 = u32::MAX;
    const CAPACITY_MIN: usize = 16;

    pub(super) fn new() -> Self {
        Self {
            entries: Self::blank(Self::CAPACITY_MIN),
            count: 0,
        }
    }

    fn blank(capacity: usize) -> Vec<Entry> {
        let entry = Entry {
            place: [0; 2],
            number: Self::FREE,
        };
        alloc::vec![entry; capacity]
    }

    /// The entry at which the search for a place starts: the upper bits of a product (D. Knuth, *The Art of Computer
    /// Programming* 3, 6.4, multiplication by the golden ratio).
    #[inline]
    fn home(&self, [x, y]: [i32; 2]) -> usize {
        let word = u64::from(x as u32) << 32 | u64::from(y as u32);
        let mixed = (word ^ word >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - self.entries.len().trailing_zeros())) as usize
    }

    /// The entry of a place, or the free one for it.
    #[inline]
    fn entry(&self, place: [i32; 2]) -> usize {
        let wrap = self.entries.len() - 1;
        let mut at = self.home(place);
        while self.entries[at].number != Self::FREE && self.entries[at].place != place {
            at = (at + 1) & wrap;
        }
        at
    }

    /// The tile at a place, if there is one.
    #[inline]
    pub(super) fn get(&self, place: [i32; 2]) -> Option<u32> {
        let number = self.entries[self.entry(place)].number;
        (number != Self::FREE).then_some(number)
    }

    /// Inserts a tile at a place that has none.
    pub(super) fn put(&mut self, place: [i32; 2], number: u32) {
        if (self.count + 1) * 2 > self.entries.len() {
            let old = core::mem::take(&mut self.entries);
            self.entries = Self::blank(2 * old.len());
            for entry in old.into_iter().filter(|entry| entry.number != Self::FREE) {
                let at = self.entry(entry.place);
                self.entries[at] = entry;
            }
        }
        let at = self.entry(place);
        debug_assert!(self.entries[at].number == Self::FREE, "no tile is here");
        self.entries[at] = Entry { place, number };
        self.count += 1;
    }

    /// Removes the tile at a place, which has one. Later entries that may be nearer to their home move up.
    pub(super) fn take(&mut self, place: [i32; 2]) {
        let wrap = self.entries.len() - 1;
        let mut gap = self.entry(place);
        let mut at = gap;
        loop {
            at = (at + 1) & wrap;
            let found = self.entries[at];
            if found.number == Self::FREE {
                break;
            }
            let home = self.home(found.place);
            if at.wrapping_sub(home) & wrap >= at.wrapping_sub(gap) & wrap {
                self.entries[gap] = found;
                gap = at;
            }
        }
        self.entries[gap].number = Self::FREE;
        self.count -= 1;
    }

    /// The number of tiles.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }
}
