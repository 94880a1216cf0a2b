//! Random numbers as NumPy draws them, so that a seed gives the terrain that it gives in Gymnasium: [`Generator`] is
//! `numpy.random.Generator(PCG64(SeedSequence(seed)))`, of which it has the calls that the environments make.
//!
//! Sources: O'Neill, "PCG: a family of simple fast space-efficient statistically good algorithms for random number
//! generation" (2014), for the generator; NumPy's documentation and NEP 19 for how a seed becomes its state; Lemire,
//! "Fast random integer generation in an interval" (2019), for whole numbers.

use crate::EnvironmentError;
use crate::bytes::{Reader, Writer};

/// The number of words of the pool that a seed is mixed into.
const POOL: usize = 4;
/// The multiplier of the generator's steps.
const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

/// A generator with the state that NumPy's would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    state: u128,
    increment: u128,
    /// The upper half of a number whose lower half was drawn by [`Generator::next_u32`].
    half: Option<u32>,
}

impl Generator {
    /// The generator of `numpy.random.default_rng(seed)`.
    pub fn new(seed: u128) -> Self {
        let words = state_words(seed);
        let wide = |high: usize| {
            let word = |place: usize| u128::from(words[place]);
            let long = |place: usize| word(place) | word(place + 1) << 32;
            long(high) << 64 | long(high + 2)
        };
        let increment = wide(4) << 1 | 1;
        let step = |state: u128| state.wrapping_mul(MULTIPLIER).wrapping_add(increment);
        Self {
            state: step(step(0).wrapping_add(wide(0))),
            increment,
            half: None,
        }
    }

    /// The generator with the state of a PCG64: the fields `state` and `inc` of its `state`, and `uinteger`, if it
    /// `has_uint32`. `None` for an increment that is even, which no generator has.
    pub fn from_state(state: u128, increment: u128, half: Option<u32>) -> Option<Self> {
        (increment & 1 == 1).then_some(Self {
            state,
            increment,
            half,
        })
    }

    /// What [`Generator::from_state`] makes the same generator of.
    pub fn state(&self) -> (u128, u128, Option<u32>) {
        (self.state, self.increment, self.half)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// The next 32 bits: first the lower half of a number of 64, then its upper half.
    pub fn next_u32(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        let both = self.next_u64();
        self.half = Some((both >> 32) as u32);
        both as u32
    }

    /// A number from `low` up to but not including `high`: `uniform(low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0);
        low + (high - low) * unit
    }

    /// An integer from `low` up to but not including `high`: `integers(low, high)`. A range of one number draws nothing.
    ///
    /// # Panics
    ///
    /// If the range is empty or has more than 2³² - 1 numbers.
    pub fn integers(&mut self, low: i64, high: i64) -> i64 {
        let count = u32::try_from(high - low).expect("fewer than 2³² numbers");
        assert!(count > 0, "an empty range");
        if count == 1 {
            return low;
        }
        let threshold = count.wrapping_neg() % count;
        loop {
            let product = u64::from(self.next_u32()) * u64::from(count);
            if product as u32 >= threshold {
                return low + (product >> 32) as i64;
            }
        }
    }

    /// Writes the state.
    pub(crate) fn save(&self, writer: &mut Writer) {
        writer.u128(self.state);
        writer.u128(self.increment);
        writer.u64(self.half.map_or(u64::MAX, u64::from));
    }

    /// Reads the output of [`Generator::save`].
    pub(crate) fn restore(reader: &mut Reader<'_>) -> Result<Self, EnvironmentError> {
        let (state, increment, half) = (reader.u128()?, reader.u128()?, reader.u64()?);
        let half = match half {
            u64::MAX => None,
            half => Some(u32::try_from(half).map_err(|_| EnvironmentError::Damaged)?),
        };
        Self::from_state(state, increment, half).ok_or(EnvironmentError::Damaged)
    }
}

/// The sixteen half-words from which NumPy's `SeedSequence` seeds a PCG64; only the first eight pairs are used.
fn state_words(seed: u128) -> [u32; 8] {
    const INIT: u32 = 0x8b51_f9dd;
    const MULTIPLY: u32 = 0x58f3_8ded;
    let pool = mixed_pool(seed);
    let mut constant = INIT;
    core::array::from_fn(|place| {
        let mut word = pool[place % POOL] ^ constant;
        constant = constant.wrapping_mul(MULTIPLY);
        word = word.wrapping_mul(constant);
        word ^ word >> 16
    })
}

/// The seed's words, each mixed into all of the pool. Words above the seed's highest count as zero, so seeds of up to 128
/// bits need no more than the pool.
fn mixed_pool(seed: u128) -> [u32; POOL] {
    let mut hash = Hash {
        constant: 0x43b0_d7e5,
    };
    let mut pool: [u32; POOL] = core::array::from_fn(|place| hash.of((seed >> (32 * place)) as u32));
    for source in 0..POOL {
        for target in (0..POOL).filter(|&target| target != source) {
            let mixed = 0xca01_f9dd_u32
                .wrapping_mul(pool[target])
                .wrapping_sub(0x4973_f715_u32.wrapping_mul(hash.of(pool[source])));
            pool[target] = mixed ^ mixed >> 16;
        }
    }
    pool
}

/// A hash whose constant changes with each word.
struct Hash {
    constant: u32,
}

impl Hash {
    fn of(&mut self, word: u32) -> u32 {
        let word = word ^ self.constant;
        self.constant = self.constant.wrapping_mul(0x931e_8875);
        let word = word.wrapping_mul(self.constant);
        word ^ word >> 16
    }
}
