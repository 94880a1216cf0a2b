//! Random numbers from a seed, and values that often break code, for the generators of all families.

use std::ops::Range;

/// A generator of random numbers (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). The same
/// seed gives the same numbers on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below the limit; 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit.max(1) as u64) as usize
    }

    /// A number of the range, which is not empty.
    pub(crate) fn within(&mut self, range: Range<usize>) -> usize {
        range.start + self.below(range.end - range.start)
    }

    /// True once in a number of times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// An element of the list, which is not empty.
    pub(crate) fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// A number from 0 to below 1, in steps of 2⁻²⁴.
    #[allow(dead_code, reason = "for families of shapes and worlds")]
    pub(crate) fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1_u32 << 24) as f32
    }

    /// A float at or between the limits.
    #[allow(dead_code, reason = "for families of shapes and worlds")]
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// An unusual float: zeros, denormals, limits, infinities, NaN, and any bits at all.
    #[allow(dead_code, reason = "for families of shapes and worlds")]
    pub(crate) fn odd_float(&mut self) -> f32 {
        const ODD: [f32; 14] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            1e-45,
            -1e-45,
            f32::EPSILON,
            f32::MAX,
            f32::MIN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            1e20,
        ];
        if self.one_in(4) {
            return f32::from_bits(self.bits() as u32);
        }
        self.pick(&ODD)
    }

    /// A number at which counters and lengths often fail: small ones, powers of two, maxima, and their neighbors.
    pub(crate) fn odd_number(&mut self) -> u64 {
        let near = self.below(3) as u64;
        match self.below(6) {
            0 => near,
            1 => u64::MAX - near,
            2 => u64::from(u32::MAX) - near,
            3 => (1_u64 << self.below(64)).wrapping_add(near).wrapping_sub(1),
            4 => self.bits(),
            _ => self.below(40) as u64,
        }
    }
}

/// A change of saved bytes: a bit, a byte, or an integer of 2, 4 or 8 bytes set, raised, lowered, or copied from
/// another position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forgery {
    place: u64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Flip(u8),
    Set(u8, u64),
    Add(u8, u64),
    CopyFrom(u8, u64),
}

impl Forgery {
    pub(crate) fn new(random: &mut Random) -> Self {
        let width = random.pick(&[1, 2, 4, 4, 8]);
        let kind = match random.below(4) {
            0 => Kind::Flip(random.below(8) as u8),
            1 => Kind::Set(width, random.odd_number()),
            2 => Kind::Add(width, random.pick(&[1, 2, 3, u64::MAX, u64::MAX - 1])),
            _ => Kind::CopyFrom(width, random.bits()),
        };
        Self {
            place: random.bits(),
            kind,
        }
    }

    /// Applies the change somewhere in the bytes, numbers at multiples of their width.
    pub(crate) fn apply(self, bytes: &mut [u8]) {
        if bytes.is_empty() {
            return;
        }
        let at = |place: u64, width: usize| (place % (bytes.len().div_ceil(width) as u64)) as usize * width;
        let field = |start: usize, width: usize| start..bytes.len().min(start + width);
        match self.kind {
            Kind::Flip(bit) => bytes[(self.place % bytes.len() as u64) as usize] ^= 1 << bit,
            Kind::Set(width, number) => {
                let field = field(at(self.place, width.into()), width.into());
                let length = field.len();
                bytes[field].copy_from_slice(&number.to_le_bytes()[..length]);
            }
            Kind::Add(width, number) => {
                let field = field(at(self.place, width.into()), width.into());
                let mut word = [0; 8];
                word[..field.len()].copy_from_slice(&bytes[field.clone()]);
                let sum = u64::from_le_bytes(word).wrapping_add(number).to_le_bytes();
                let length = field.len();
                bytes[field].copy_from_slice(&sum[..length]);
            }
            Kind::CopyFrom(width, from) => {
                let to = field(at(self.place, width.into()), width.into());
                let from = at(from, width.into());
                let length = to.len().min(bytes.len() - from);
                bytes.copy_within(from..from + length, to.start);
            }
        }
    }
}
