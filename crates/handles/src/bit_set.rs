//! `BitSet`: one bit an index, in words of 64. Parallel stages mark in a set of their own; a serial pass unites the
//! sets and walks the marks in index order, which makes the order independent of who marked what.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

/// A set of indices from 0 to its length, one bit each.
///
/// Walking the set costs one step per word of 64 and one per member, so a sparse set of a million indices takes
/// some 16 thousand steps. After the bit arrays of Box2D's contact stage (Catto, "Simulation Islands", 2023).
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
#[derive(Clone, Default, PartialEq, Eq)]
pub struct BitSet {
    // Bits at and above `len` are zero.
    words: Vec<u64>,
    len: usize,
}

const WORD_BITS: usize = u64::BITS as usize;

impl BitSet {
    /// A set for no index at all. Allocates nothing.
    pub const fn new() -> Self {
        Self {
            words: Vec::new(),
            len: 0,
        }
    }

    /// An empty set for the indices below `len`.
    pub fn with_len(len: usize) -> Self {
        let mut set = Self::new();
        set.grow(len);
        set
    }

    /// How many indices the set is for. (Not how many are in it: that is [`BitSet::count`].)
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no index is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// How many indices are in the set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Makes the set one for at least `len` indices; members stay. New indices are not in the set. Never shrinks.
    pub fn grow(&mut self, len: usize) {
        if len > self.len {
            self.words.resize(len.div_ceil(WORD_BITS), 0);
            self.len = len;
        }
    }

    /// Takes out every index. Keeps length and memory.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Makes the set an empty one for exactly `len` indices. Keeps memory.
    pub fn reset(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(WORD_BITS), 0);
        self.len = len;
    }

    /// Puts an index in; returns whether it is new.
    ///
    /// # Panics
    ///
    /// If the index is not below [`BitSet::len`].
    pub fn set(&mut self, index: usize) -> bool {
        self.check(index);
        let (word, bit) = (index / WORD_BITS, 1 << (index % WORD_BITS));
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Takes an index out; returns whether it was in.
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

    /// Whether an index is in the set. Indices that the set is not for are not.
    pub fn test(&self, index: usize) -> bool {
        let word = self.words.get(index / WORD_BITS).copied().unwrap_or(0);
        word >> (index % WORD_BITS) & 1 != 0
    }

    /// Puts all members of the other set in; grows to its length if that is greater.
    pub fn union_with(&mut self, other: &Self) {
        self.grow(other.len);
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// The members in ascending order.
    pub fn iter(&self) -> Members<'_> {
        Members {
            word: 0,
            base: 0,
            rest: self.words.iter(),
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
        (words.len() == len.div_ceil(WORD_BITS) && beyond == 0).then_some(Self { words, len })
    }

    fn check(&self, index: usize) {
        assert!(
            index < self.len,
            "index {index} is not below the bit set's length {}",
            self.len
        );
    }
}

impl fmt::Debug for BitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The members of a [`BitSet`] in ascending order.
#[derive(Clone)]
pub struct Members<'a> {
    // What is left of the current word, whose lowest bit is index `base - 64` (before the first word: nothing).
    word: u64,
    base: usize,
    rest: core::slice::Iter<'a, u64>,
}

impl Iterator for Members<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            self.word = *self.rest.next()?;
            self.base += WORD_BITS;
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.base - WORD_BITS + bit)
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
            len in 0..300_usize,
            operations in prop::collection::vec((any::<bool>(), 0..300_usize), 0..200),
            more in 0..100_usize,
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
            prop_assert!((0..400).all(|index| set.test(index) == expected.contains(&index)));
            prop_assert_eq!(BitSet::from_words(set.len(), set.words().to_vec()), Some(set.clone()));
            set.clear();
            prop_assert!(set.is_empty() && set.len() == len + more);
        }

        #[test]
        fn a_union_has_the_members_of_both(
            a in prop::collection::btree_set(0..200_usize, 0..50),
            b in prop::collection::btree_set(0..300_usize, 0..50),
        ) {
            let filled = |members: &BTreeSet<usize>, len| {
                let mut set = BitSet::with_len(len);
                for &index in members {
                    set.set(index);
                }
                set
            };
            let (mut union, other) = (filled(&a, 200), filled(&b, 300));
            union.union_with(&other);
            prop_assert!(union.iter().eq(a.union(&b).copied()));
            let mut longer = other;
            longer.union_with(&filled(&a, 200));
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
        let mut set = BitSet::with_len(100);
        set.set(99);
        set.reset(70);
        assert_eq!((set.len(), set.count()), (70, 0));
    }
}
