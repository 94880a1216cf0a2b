//! [`Hash64`]: the hash of saves, states and frames, used only by this folder and through [`hash_of_bytes`].

/// A 64-bit hash of bytes, the same on every machine. It detects accidents, not attacks.
///
/// Eight bytes at a time are folded in by exclusive or, multiplication and a rotation, as in the family of FNV and
/// wyhash.
pub(super) struct Hash64 {
    state: u64,
}

impl Hash64 {
    pub(super) const fn new() -> Self {
        Self {
            state: 0x9E37_79B9_7F4A_7C15,
        }
    }

    pub(super) fn fold(&mut self, word: u64) {
        self.state = (self.state ^ word)
            .wrapping_mul(0xA076_1D64_78BD_642F)
            .rotate_left(29);
    }

    /// Adds bytes; the division into calls affects the hash.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for &word in words {
            self.fold(u64::from_le_bytes(word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.fold(u64::from_le_bytes(last));
        self.fold(bytes.len() as u64);
    }

    pub(super) fn finish(&self) -> u64 {
        let mixed = (self.state ^ (self.state >> 32)).wrapping_mul(0xE703_7ED1_A0B4_28DB);
        mixed ^ (mixed >> 32)
    }
}

/// The hash of some bytes.
pub(crate) fn hash_of_bytes(bytes: &[u8]) -> u64 {
    let mut hash = Hash64::new();
    hash.write(bytes);
    hash.finish()
}
