//! `Mix`: the hash of a prototype's child. Deterministic, no seed.
//!
//! A hash only gives the place to look at: every table compares whole keys, so a bad hash costs time and never an
//! answer.

use super::entry::ComponentEntry;

/// An odd number with its bits spread: 2⁶⁴ divided by the golden ratio (Knuth, The Art of Computer Programming, 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of the child that `base` has for `entry`.
///
/// A parameter of the index so that tests can force every key to collide.
pub trait Mix {
    /// Hashes `base` and `entry`; any function of the two is correct.
    fn mix(base: u64, entry: ComponentEntry) -> u64;

    /// The hash of an entry by itself.
    #[inline]
    fn mix_entry(entry: ComponentEntry) -> u32 {
        Self::mix(0, entry) as u32
    }
}

/// The default hash: multiply and fold, twice.
#[derive(Clone, Copy, Debug)]
pub enum FoldMix {}

impl Mix for FoldMix {
    #[inline]
    fn mix(base: u64, entry: ComponentEntry) -> u64 {
        let entry = u64::from(entry.name.to_bits()) << 16 | u64::from(entry.manager.0);
        fold(base ^ fold(entry))
    }

    /// A name is a hash already; this only propagates its high bits to the low ones. A name is used with few managers.
    #[inline]
    fn mix_entry(entry: ComponentEntry) -> u32 {
        let product = entry.name.to_bits().wrapping_mul(GOLDEN as u32);
        product ^ product >> 16
    }
}

/// Adds the high half of the product to the low half: every bit of the word affects every bit of the result.
#[inline]
const fn fold(word: u64) -> u64 {
    let product = (word ^ 0x5851_f42d_4c95_7f2d) as u128 * GOLDEN as u128;
    (product >> 64) as u64 ^ product as u64
}
