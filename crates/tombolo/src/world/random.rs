//! The world's random numbers: a generator whose whole state is one number, which is saved with the world.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator with a seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The whole state.
    pub const fn state(self) -> u64 {
        self.state
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number in [0, 1), in steps that single precision represents exactly.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / 16_777_216.0
    }

    /// A number in [-1, 1).
    pub fn both_ways(&mut self) -> f32 {
        2.0 * self.unit() - 1.0
    }
}
