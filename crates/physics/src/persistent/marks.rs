//! [`Marks`]: the pages of an array that may have changed since they were last compared.

use alloc::vec::Vec;

/// The size of a page in bytes.
///
/// A quarter of it would keep half as many bytes for a hundred scattered bodies, and make all tables four times as
/// long; four times as much would keep their whole arrays. Figures: `docs/performance/rewind.md`.
pub(crate) const PAGE_BYTES: usize = 1024;

/// A bit for each page of an array. Code that returns an element for writing must set its page's bit.
///
/// Marking is off until a frame of the world is taken; until then it costs a branch. While it is off, each page counts
/// as changed. A newly created array starts like that.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// Those that are missing are zero; there are none after [`Marks::begin`].
    words: Vec<u64>,
    on: bool,
    /// Whether every page is marked, whatever the words contain.
    all: bool,
}

impl Marks {
    /// Starts marking, with no page marked. Of an array in which nothing is marked then, nobody reads the words: a look at all
    /// arrays of a state, most of which a step leaves alone, is as many lines of memory less.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.words.clear();
        (self.on, self.all) = (true, false);
    }

    /// Stops marking.
    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }

    /// Whether changes are marked.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// Marks `count` elements of type `T` from the one at `first`.
    #[inline(always)]
    pub(crate) fn mark<T>(&mut self, first: usize, count: usize) {
        if self.on && count > 0 {
            self.mark_bytes(first * size_of::<T>(), count * size_of::<T>());
        }
    }

    /// Marks the element of type `T` at an index.
    ///
    /// Inlined: with the size of the element known, and one page if it divides that of a page, it is ten instructions, a
    /// third of those of a call.
    #[inline(always)]
    pub(crate) fn mark_one<T>(&mut self, index: usize) {
        if !self.on {
            return;
        }
        let start = index * size_of::<T>();
        let (first, last) = (start / PAGE_BYTES, Self::last_page::<T>(start));
        match self.words.get_mut(last / 64) {
            Some(word) => *word |= 1 << (last % 64),
            None => return self.mark_pages(first, last),
        }
        if first != last {
            self.words[first / 64] |= 1 << (first % 64);
        }
    }

    /// The last page of an element that begins at this byte.
    #[inline(always)]
    const fn last_page<T>(start: usize) -> usize {
        const {
            assert!(
                0 < size_of::<T>() && size_of::<T>() <= PAGE_BYTES,
                "an element is in two pages at most"
            )
        };
        if PAGE_BYTES.is_multiple_of(size_of::<T>()) {
            start / PAGE_BYTES
        } else {
            (start + size_of::<T>() - 1) / PAGE_BYTES
        }
    }

    /// Marks the elements of type `T` at these indices of an array of `count`, if changes are marked.
    ///
    /// The bits of a word are collected in a register: elements that are listed one after another are mostly in one word of
    /// pages, and setting its bits in memory one by one makes each wait for the one before.
    #[inline]
    pub(crate) fn mark_each<T>(&mut self, count: usize, indices: impl IntoIterator<Item = u32>) {
        if !self.on || count == 0 {
            return;
        }
        let words = (count * size_of::<T>()).div_ceil(64 * PAGE_BYTES);
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
        let (mut place, mut bits) = (0, 0_u64);
        for index in indices {
            let start = index as usize * size_of::<T>();
            let (first, last) = (start / PAGE_BYTES, Self::last_page::<T>(start));
            if first / 64 != place {
                self.words[place] |= bits;
                (place, bits) = (first / 64, 0);
            }
            bits |= 1 << (first % 64);
            if last / 64 == place {
                bits |= 1 << (last % 64);
            } else {
                self.words[last / 64] |= 1 << (last % 64);
            }
        }
        self.words[place] |= bits;
    }

    /// Marks every page.
    #[inline]
    pub(crate) fn mark_all(&mut self) {
        self.all = true;
    }

    /// Marks the pages that contain any of these bytes.
    fn mark_bytes(&mut self, start: usize, length: usize) {
        self.mark_pages(start / PAGE_BYTES, (start + length - 1) / PAGE_BYTES);
    }

    /// Marks the pages from `first` to `last`.
    #[inline(never)]
    fn mark_pages(&mut self, first: usize, last: usize) {
        if self.words.len() <= last / 64 {
            self.words.resize(last / 64 + 1, 0);
        }
        let (low, high) = (u64::MAX << (first % 64), u64::MAX >> (63 - last % 64));
        if first / 64 == last / 64 {
            self.words[first / 64] |= low & high;
            return;
        }
        self.words[first / 64] |= low;
        self.words[first / 64 + 1..last / 64].fill(u64::MAX);
        self.words[last / 64] |= high;
    }

    /// Whether a page is marked.
    pub(crate) fn has(&self, page: usize) -> bool {
        let word = self.words.get(page / 64).copied().unwrap_or(0);
        self.all || word >> (page % 64) & 1 != 0
    }

    /// A bit for each of `count` pages, set if it is marked. The first page is a multiple of `count`, and that a power of
    /// two up to 64.
    #[inline]
    pub(crate) fn bits(&self, first: usize, count: usize) -> u64 {
        debug_assert!(count.is_power_of_two() && count <= 64 && first.is_multiple_of(count));
        let word = match self.words.get(first / 64) {
            _ if self.all => u64::MAX,
            Some(word) => *word >> (first % 64),
            None => 0,
        };
        word & (u64::MAX >> (64 - count))
    }

    /// Whether no page is marked.
    pub(crate) fn is_empty(&self) -> bool {
        !self.all && self.words.iter().all(|word| *word == 0)
    }

    /// The marked pages below `below`, in ascending order.
    pub(crate) fn pages(&self, below: usize) -> impl Iterator<Item = usize> {
        let all = 0..if self.all { below } else { 0 };
        let words = if self.all { &[][..] } else { &self.words };
        let words = words.iter().enumerate().filter(|(_, word)| **word != 0);
        all.chain(words.flat_map(move |(place, word)| {
            let pages = set_bits(*word).map(move |bit| 64 * place + bit);
            pages.filter(move |page| *page < below)
        }))
    }
}

/// The places of the bits that are set in a word, in ascending order.
#[inline]
pub(crate) fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::{Marks, PAGE_BYTES};
    use alloc::vec::Vec;

    #[test]
    fn each_element_marks_the_pages_that_it_touches() {
        let mut marks = Marks::default();
        marks.mark_each::<[u8; 300]>(2_000, [7]);
        assert!(marks.pages(1_000).count() == 0, "off, nothing is marked");
        marks.begin();
        marks.mark_each::<[u8; 300]>(2_000, [0, 3, 1_999]);
        assert_eq!(marks.pages(1_000).collect::<Vec<_>>(), [0, 1, 585]);
    }

    /// Elements in any order, some in two pages of two words, and one of no list: as if each were marked by itself.
    #[test]
    fn many_elements_mark_what_each_of_them_marks() {
        let lists: [&[u32]; 6] = [
            &[],
            &[0],
            &[218, 218],
            &[219, 218, 217, 437, 436, 0],
            &[600, 601, 602, 3, 2, 1, 218, 600],
            &[999, 0, 999],
        ];
        for list in lists {
            let [mut one, mut many] = [Marks::default(), Marks::default()];
            [&mut one, &mut many].into_iter().for_each(Marks::begin);
            many.mark_each::<[u8; 300]>(1_000, list.iter().copied());
            list.iter()
                .for_each(|index| one.mark_one::<[u8; 300]>(*index as usize));
            assert!(many.pages(400).eq(one.pages(400)), "{list:?}");
        }
        let mut marks = Marks::default();
        marks.begin();
        marks.mark_each::<[u8; 300]>(0, []);
        assert!(marks.is_empty());
    }

    /// Checks ranges that begin and end in, at and across pages and words, against a bit for each page.
    #[test]
    fn ranges_mark_the_pages_that_they_touch() {
        let edges = [0, 1, 1023, 1024, 1025, 65_535, 65_536, 65_537, 131_072, 200_000];
        for start in edges {
            for length in edges {
                let mut marks = Marks::default();
                marks.mark::<u8>(start, length);
                assert_eq!(marks.pages(300).count(), 0, "off, nothing is marked");
                marks.begin();
                marks.mark::<u8>(start, length);
                let touched: Vec<usize> = (0..400)
                    .filter(|page| page * PAGE_BYTES < start + length && (page + 1) * PAGE_BYTES > start)
                    .filter(|_| length > 0)
                    .collect();
                assert_eq!(marks.pages(400).collect::<Vec<_>>(), touched, "{start} {length}");
                assert!(touched.iter().all(|page| marks.has(*page)));
                for first in (0..400).step_by(16) {
                    let bits = (0..16).filter(|bit| touched.contains(&(first + bit)));
                    let bits = bits.fold(0, |bits, bit| bits | 1 << bit);
                    assert_eq!(
                        marks.bits(first, 16),
                        bits,
                        "{start} {length}: pages from {first}"
                    );
                }
                marks.begin();
                assert!(marks.is_empty() && marks.pages(400).count() == 0, "begun anew");
                marks.mark_all();
                assert!(marks.pages(7).eq(0..7) && marks.has(9_999) && !marks.is_empty());
                assert_eq!(marks.bits(9_984, 16), 0xFFFF);
            }
        }
    }
}
