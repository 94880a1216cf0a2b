//! [`WordHasher`]: the hasher of the designs' maps, on whose iteration order no result depends.

use core::hash::Hasher;

/// An odd multiplier with spread bits: 2⁶⁴ divided by the golden ratio (Knuth, The Art of Computer Programming, 6.4).
pub(super) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hasher for keys of one word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        // The high half of the product is added to the low half: every bit of the word reaches every bit of the result.
        let product = (self.0 ^ word ^ 0x5851_f42d_4c95_7f2d) as u128 * GOLDEN as u128;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
