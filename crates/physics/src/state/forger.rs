//! [`Forger`]: seeded changes of single numbers, for the tests of forged saves; [`scaled`]: how many cases they try.

/// The numbers that indices, counts and flags are likely to be confused by.
const WORDS: [u32; 8] = [0, 1, 7, 8, u32::MAX, u32::MAX - 1, 1 << 31, f32::NAN.to_bits()];
const BYTES: [u8; 8] = [0, 1, 2, 4, 32, 127, 128, 255];

/// `usual` times the whole number in `TOMBOLO_TEST_SCALE`; `usual` if it is not set.
pub(crate) fn scaled(usual: usize) -> usize {
    let Ok(text) = std::env::var("TOMBOLO_TEST_SCALE") else {
        return usual;
    };
    let scale = text.parse::<usize>();
    usual * scale.expect("TOMBOLO_TEST_SCALE is a whole number")
}

/// A repeatable stream of changes.
pub(super) struct Forger {
    state: u64,
}

impl Forger {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number, from 0 to `count - 1`.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % count
    }

    /// Changes one word of an array that is not empty; now and then to the same.
    pub(super) fn change_word(&mut self, array: &mut [u32]) {
        let (at, other) = (self.below(array.len()), self.below(array.len()));
        array[at] = match self.below(6) {
            0 => WORDS[self.below(8)],
            1 => array[at].wrapping_add(1),
            2 => array[at].wrapping_sub(1),
            3 => array[at] ^ 1 << self.below(32),
            4 => array[at].rotate_left(8),
            _ => array[other],
        };
    }

    /// Changes one byte of an array that is not empty; now and then to the same.
    pub(super) fn change_byte(&mut self, array: &mut [u8]) {
        let (at, other) = (self.below(array.len()), self.below(array.len()));
        array[at] = match self.below(5) {
            0 => BYTES[self.below(8)],
            1 => array[at].wrapping_add(1),
            2 => array[at].wrapping_sub(1),
            3 => array[at] ^ 1 << self.below(8),
            _ => array[other],
        };
    }
}
