//! `BitSet`: a set of indices, one bit each, in words of 64. Parallel stages each mark in a set of their own; a serial
//! pass unites the sets and walks the marks in index order, so that the order does not depend on which worker marked
//! what.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;

/// A set of indices from 0 to its length, one bit each.
///
/// A second level has a bit for each word of 64 that may have a member. So clearing a set, uniting sets and walking the
/// members cost one step for each 4,096 indices between the lowest member and the highest, one for each word with a
/// member, and one for each member: capacity outside that range costs nothing. After the bit arrays of Box2D's contact
/// stage (Catto, "Simulation Islands", 2023).
///
/// ```
/// use tombolo_handles::BitSet;
/// let mut began = BitSet::with_len(100);
/// began.set(70);
/// let mut other_worker = BitSet::with_len(100);
/// other_worker.set(3);
/// began.union_with(&other_worker);
/// assert!(began.iter().eq([3, 70]));
/// ```
#[derive(Clone, Default)]
pub struct BitSet {
    // Bits at and above `len` are zero.
    words: Vec<u64>,
    // Bit `i % 64` of entry `i / 64` is set if word `i` has a member; it may stay set when the word has lost its last.
    occupied: Vec<u64>,
    // The entries of `occupied` that may not be zero.
    groups: Range<usize>,
    len: usize,
}

const WORD_BITS: usize = u64::BITS as usize;

impl BitSet {
    /// A set of length 0. Allocates nothing.
    pub const fn new() -> Self {
        Self {
            words: Vec::new(),
            occupied: Vec::new(),
            groups: 0..0,
            len: 0,
        }
    }

    /// An empty set for the indices below `len`.
    pub fn with_len(len: usize) -> Self {
        let mut set = Self::new();
        set.grow(len);
        set
    }

    /// The number of indices that the set can hold. ([`BitSet::count`] is the number of members.)
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no index is in the set.
    pub fn is_empty(&self) -> bool {
        self.occupied_words().next().is_none()
    }

    /// The number of members.
    pub fn count(&self) -> usize {
        self.occupied_words()
            .map(|(_, word)| word.count_ones() as usize)
            .sum()
    }

    /// Raises the length to at least `len`; members stay. New indices are not in the set. Never shrinks.
    pub fn grow(&mut self, len: usize) {
        if len > self.len {
            self.resize(len);
        }
    }

    /// Removes every member. Keeps length and memory.
    #[inline]
    pub fn clear(&mut self) {
        for group in core::mem::take(&mut self.groups) {
            for bit in bits(core::mem::take(&mut self.occupied[group])) {
                self.words[WORD_BITS * group + bit] = 0;
            }
        }
    }

    /// Empties the set and sets its length to exactly `len`. Keeps memory, unless it needs more: then it takes new memory
    /// that is zero, of which no page is touched before an index on it is inserted, and copies nothing.
    #[inline]
    pub fn reset(&mut self, len: usize) {
        self.clear();
        if len != self.len {
            self.fit_empty(len);
        }
    }

    /// Changes the length of a set without members.
    fn fit_empty(&mut self, len: usize) {
        let (words, room) = (len.div_ceil(WORD_BITS), self.words.capacity());
        if words > room {
            self.words = Vec::new();
            self.words = alloc::vec![0; words.max(2 * room)];
        }
        self.resize(len);
    }

    /// Changes the length. The caller makes sure that no member is at or above the new one.
    fn resize(&mut self, len: usize) {
        let word_count = len.div_ceil(WORD_BITS);
        self.words.resize(word_count, 0);
        self.occupied.resize(word_count.div_ceil(WORD_BITS), 0);
        self.len = len;
    }

    /// Inserts an index; returns whether it is new.
    ///
    /// # Panics
    ///
    /// If the index is not below [`BitSet::len`].
    #[inline]
    pub fn set(&mut self, index: usize) -> bool {
        self.check(index);
        let (word, bit) = (index / WORD_BITS, 1 << (index % WORD_BITS));
        let members = self.words[word];
        self.words[word] = members | bit;
        // A word that has a member is marked as occupied.
        if members == 0 {
            self.occupy(word);
        }
        members & bit == 0
    }

    /// Marks a word as possibly not zero in `occupied`.
    fn occupy(&mut self, word: usize) {
        let group = word / WORD_BITS;
        self.occupied[group] |= 1 << (word % WORD_BITS);
        self.widen(group..group + 1);
    }

    /// Extends `self.groups` so that it includes these entries of `occupied`.
    fn widen(&mut self, groups: Range<usize>) {
        self.groups = if self.groups.is_empty() {
            groups
        } else {
            self.groups.start.min(groups.start)..self.groups.end.max(groups.end)
        };
    }

    /// Removes an index; returns whether it was a member.
    ///
    /// # Panics
    ///
    /// If the index is not below [`BitSet::len`].
    pub fn unset(&mut self, index: usize) -> bool {
        self.check(index);
        let (word, bit) = (index / WORD_BITS, 1 << (index % WORD_BITS));
        let was_in = self.words[word] & bit != 0;
        self.words[word] &= !bit;
        was_in
    }

    /// Whether an index is in the set. False for indices at or above [`BitSet::len`].
    pub fn test(&self, index: usize) -> bool {
        let word = self.words.get(index / WORD_BITS).copied().unwrap_or(0);
        word >> (index % WORD_BITS) & 1 != 0
    }

    /// Inserts all members of the other set; grows to its length if that is greater.
    pub fn union_with(&mut self, other: &Self) {
        self.grow(other.len);
        for (place, word) in other.occupied_words() {
            self.words[place] |= word;
        }
        for group in other.groups.clone() {
            self.occupied[group] |= other.occupied[group];
        }
        if !other.groups.is_empty() {
            self.widen(other.groups.clone());
        }
    }

    /// The members in ascending order.
    pub fn iter(&self) -> Members<'_> {
        Members {
            word: 0,
            base: 0,
            rest: self.occupied_words(),
        }
    }

    /// The words that have members, with their places among all [`words`](Self::words), in ascending order. Costs one
    /// step for each and one for each 4,096 indices.
    pub fn occupied_words(&self) -> OccupiedWords<'_> {
        OccupiedWords {
            words: &self.words,
            group: 0,
            base: WORD_BITS * self.groups.start,
            rest: self.occupied[self.groups.clone()].iter(),
        }
    }

    /// The words, lowest index first: bit `i % 64` of word `i / 64` is index `i`. For saving and hashing.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A set from its length and its words, or `None` if there are too many words or too few, or bits beyond the length.
    pub fn from_words(len: usize, words: Vec<u64>) -> Option<Self> {
        let beyond = match (words.last(), len % WORD_BITS) {
            (Some(last), used @ 1..) => last >> used,
            _ => 0,
        };
        if words.len() != len.div_ceil(WORD_BITS) || beyond != 0 {
            return None;
        }
        let groups = words.chunks(WORD_BITS).map(|group| {
            let has_members = group.iter().enumerate();
            has_members.fold(0, |bits, (i, &word)| bits | u64::from(word != 0) << i)
        });
        let occupied: Vec<u64> = groups.collect();
        Some(Self {
            words,
            groups: 0..occupied.len(),
            occupied,
            len,
        })
    }

    #[inline]
    fn check(&self, index: usize) {
        assert!(
            index < self.len,
            "index {index} is not below the bit set's length {}",
            self.len
        );
    }
}

impl PartialEq for BitSet {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.occupied_words().eq(other.occupied_words())
    }
}

impl Eq for BitSet {}

impl fmt::Debug for BitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The places of the bits of a word that are set, lowest first.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            bit
        })
    })
}

/// The words of a [`BitSet`] that have members, from [`BitSet::occupied_words`].
#[derive(Clone)]
pub struct OccupiedWords<'a> {
    words: &'a [u64],
    // The remaining bits of the current group of 64 words, the first of which has the place `base - 64`.
    group: u64,
    base: usize,
    rest: core::slice::Iter<'a, u64>,
}

impl Iterator for OccupiedWords<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<(usize, u64)> {
        loop {
            while self.group == 0 {
                self.group = *self.rest.next()?;
                self.base += WORD_BITS;
            }
            let bit = self.group.trailing_zeros() as usize;
            self.group &= self.group - 1;
            let place = self.base - WORD_BITS + bit;
            if self.words[place] != 0 {
                return Some((place, self.words[place]));
            }
        }
    }
}

impl FusedIterator for OccupiedWords<'_> {}

/// The members of a [`BitSet`] in ascending order.
#[derive(Clone)]
pub struct Members<'a> {
    // The remaining bits of the current word, whose lowest bit is index `base`.
    word: u64,
    base: usize,
    rest: OccupiedWords<'a>,
}

impl Iterator for Members<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.word == 0 {
            let (place, word) = self.rest.next()?;
            (self.base, self.word) = (WORD_BITS * place, word);
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.base + bit)
    }
}

impl FusedIterator for Members<'_> {}

impl<'a> IntoIterator for &'a BitSet {
    type Item = usize;
    type IntoIter = Members<'a>;
    fn into_iter(self) -> Members<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_bit_set_is_a_set(
            len in prop_oneof![0..300_usize, 0..10_000_usize],
            operations in prop::collection::vec((any::<bool>(), prop_oneof![0..300_usize, 0..10_000_usize]), 0..200),
            more in 0..5_000_usize,
        ) {
            let (mut set, mut expected) = (BitSet::with_len(len), BTreeSet::new());
            for (put, index) in operations.into_iter().filter(|&(_, index)| index < len) {
                if put {
                    prop_assert_eq!(set.set(index), expected.insert(index));
                } else {
                    prop_assert_eq!(set.unset(index), expected.remove(&index));
                }
            }
            set.grow(len + more);
            prop_assert!(set.iter().eq(expected.iter().copied()));
            prop_assert_eq!((set.count(), set.is_empty()), (expected.len(), expected.is_empty()));
            prop_assert!((0..20_000).all(|index| set.test(index) == expected.contains(&index)));
            let words = set.words().iter().copied().enumerate();
            prop_assert!(set.occupied_words().eq(words.filter(|&(_, word)| word != 0)));
            let mut anew = BitSet::with_len(set.len());
            for &index in &expected {
                anew.set(index);
            }
            prop_assert_eq!(&anew, &set);
            prop_assert_eq!(BitSet::from_words(set.len(), set.words().to_vec()), Some(set.clone()));
            set.clear();
            prop_assert!(set.is_empty() && set.len() == len + more);
        }

        #[test]
        fn a_union_has_the_members_of_both(
            a in prop::collection::btree_set(0..9_000_usize, 0..50),
            b in prop::collection::btree_set(0..10_000_usize, 0..50),
        ) {
            let filled = |members: &BTreeSet<usize>, len| {
                let mut set = BitSet::with_len(len);
                for &index in members {
                    set.set(index);
                }
                set
            };
            let (mut union, other) = (filled(&a, 9_000), filled(&b, 10_000));
            union.union_with(&other);
            prop_assert!(union.iter().eq(a.union(&b).copied()));
            let mut longer = other;
            longer.union_with(&filled(&a, 9_000));
            prop_assert_eq!(longer, union);
        }
    }

    #[test]
    fn words_that_do_not_fit_the_length_are_refused() {
        assert!(BitSet::from_words(64, alloc::vec![u64::MAX]).is_some());
        assert!(BitSet::from_words(63, alloc::vec![u64::MAX]).is_none());
        assert!(BitSet::from_words(65, alloc::vec![0]).is_none());
        assert!(BitSet::from_words(0, alloc::vec![0]).is_none());
    }

    #[test]
    #[should_panic(expected = "index 5 is not below the bit set's length 5")]
    fn an_index_at_the_length_is_refused() {
        BitSet::with_len(5).set(5);
    }

    #[test]
    fn a_reset_set_has_the_new_length_and_no_member() {
        let mut set = BitSet::with_len(10_000);
        for len in [70, 9_000, 0, 4_096, 4_097, 64, 20_000, 100, 60_001] {
            for index in 0..set.len() {
                set.set(index);
            }
            set.reset(len);
            assert_eq!(
                (set.len(), set.count(), set.words().len()),
                (len, 0, len.div_ceil(64))
            );
            assert!(set.words().iter().all(|&word| word == 0));
        }
    }
}
