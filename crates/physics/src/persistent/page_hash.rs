//! The hash of a state, by pages: of the bytes of each page, then of the pages of each chunk, of the chunks of each array,
//! and of the arrays. So the hash of a state whose parts have known hashes costs what has changed.
//!
//! It depends on the contents of the arrays only, not on how they came about. Why: `docs/decisions.md#one-hash-by-pages`.

use super::hash::Hash64;
use super::marks::PAGE_BYTES;

/// The number of pages in a chunk: an image that differs in one page has as many pointers of its own.
pub(super) const CHUNK_PAGES: usize = 16;

/// The bytes that a step of [`hash_of_page`] reads: a word for each of its chains.
const BLOCK_BYTES: usize = 32;

/// The hash of a page that consists of these bytes and zeros after them, so that the last page of an array has one hash
/// whether or not the zeros are stored.
///
/// Four independent chains of multiplications, as a single one waits for each of its own results.
pub(super) fn hash_of_page(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
    let mut last = [0; BLOCK_BYTES];
    last[..rest.len()].copy_from_slice(rest);
    let is_zero = |block: &[u8; BLOCK_BYTES]| *block == [0; BLOCK_BYTES];
    let blocks = match is_zero(&last) {
        true => {
            &blocks[..blocks
                .iter()
                .rposition(|block| !is_zero(block))
                .map_or(0, |end| end + 1)]
        }
        false => blocks,
    };
    let mut chains = [const { Hash64::new() }; BLOCK_BYTES / 8];
    let mut add = |block: &[u8; BLOCK_BYTES]| {
        for (chain, word) in chains.iter_mut().zip(block.as_chunks::<8>().0) {
            chain.fold(u64::from_le_bytes(*word));
        }
    };
    blocks.iter().for_each(&mut add);
    if !is_zero(&last) {
        add(&last);
    }
    combined(chains.map(|chain| chain.finish()))
}

/// The hash of some hashes in their order.
pub(super) fn combined(hashes: impl IntoIterator<Item = u64>) -> u64 {
    let mut all = Hash64::new();
    hashes.into_iter().for_each(|hash| all.fold(hash));
    all.finish()
}

/// The hash of an array's bytes.
pub(super) fn hash_of_array(bytes: &[u8]) -> u64 {
    let of_chunk = |chunk: &[u8]| combined(chunk.chunks(PAGE_BYTES).map(hash_of_page));
    combined(bytes.chunks(CHUNK_PAGES * PAGE_BYTES).map(of_chunk))
}

/// The hash of a state while its arrays are visited. An array is known by its group and its place there. Empty ones count
/// for nothing, so that a plain array that is added leaves the hashes of worlds that do not use it as they were.
pub(super) struct StateHash {
    all: Hash64,
    group: &'static str,
    place: u64,
}

impl StateHash {
    pub(super) fn new() -> Self {
        Self {
            all: Hash64::new(),
            group: "",
            place: 0,
        }
    }

    /// Adds the next array, of a length in bytes, with its hash.
    pub(super) fn add(&mut self, group: &'static str, length: usize, hash: impl FnOnce() -> u64) {
        self.place = if group == self.group { self.place + 1 } else { 0 };
        self.group = group;
        if length > 0 {
            self.all.write(group.as_bytes());
            [self.place, length as u64, hash()]
                .into_iter()
                .for_each(|word| self.all.fold(word));
        }
    }

    pub(super) fn finish(&self) -> u64 {
        self.all.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE_BYTES, StateHash, hash_of_array, hash_of_page};
    use alloc::collections::BTreeSet;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn zeros_after_a_page_do_not_count_and_all_else_does() {
        let mut seen = BTreeSet::new();
        for length in 0..=PAGE_BYTES {
            let mut page = vec![0; PAGE_BYTES];
            page[..length].fill(7);
            let hash = hash_of_page(&page);
            for stored in [length, length.next_multiple_of(8), PAGE_BYTES] {
                assert_eq!(hash_of_page(&page[..stored]), hash, "{stored} of {length}");
            }
            assert!(seen.insert(hash), "{length}");
        }
    }

    /// Each bit, each exchange of two words, and each length.
    #[test]
    fn the_hash_of_an_array_depends_on_every_bit_and_their_order() {
        let bytes: Vec<u8> = (0..40_000_u32).map(|place| (place / 8 * 7) as u8).collect();
        let mut seen = BTreeSet::from([hash_of_array(&bytes)]);
        for place in (0..bytes.len()).step_by(97) {
            let mut other = bytes.clone();
            other[place] ^= 1 << (place % 8);
            assert!(seen.insert(hash_of_array(&other)), "a bit of byte {place}");
            let (one, two) = (place / 8 * 8, (place / 8 * 8 + 1_032) % 40_000);
            let mut other = bytes.clone();
            for byte in 0..8 {
                other.swap(one + byte, two + byte);
            }
            assert_eq!(
                seen.insert(hash_of_array(&other)),
                other != bytes,
                "words at {one} and {two}"
            );
            assert!(seen.insert(hash_of_array(&bytes[..place])), "{place} bytes");
        }
    }

    #[test]
    fn arrays_are_told_apart_by_group_place_and_length() {
        let hash = |arrays: &[(&'static str, &[u8])]| {
            let mut all = StateHash::new();
            for (group, bytes) in arrays {
                all.add(group, bytes.len(), || hash_of_array(bytes));
            }
            all.finish()
        };
        let some: &[u8] = &[1, 2];
        let whole = hash(&[("a", some), ("b", &[])]);
        assert_eq!(whole, hash(&[("a", some)]), "a group that was not there before");
        assert_eq!(
            whole,
            hash(&[("a", some), ("a", &[])]),
            "an array that was not there before"
        );
        let others = [
            hash(&[("b", some)]),
            hash(&[("a", &[]), ("a", some)]),
            hash(&[("a", &[1]), ("a", &[2])]),
            hash(&[("a", &[1, 2, 0])]),
            hash(&[]),
        ];
        let distinct: BTreeSet<u64> = others.into_iter().chain([whole]).collect();
        assert_eq!(distinct.len(), 6);
    }
}
