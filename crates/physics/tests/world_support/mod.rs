//! What the tests of whole worlds share: a random generator, small worlds of every kind, and random calls
//! (`random_calls.rs`). Each test uses a part of it.
#![allow(dead_code)]

pub(crate) mod machines;
pub(crate) mod random_calls;
mod random_composites;
mod random_cuts;
pub(crate) mod random_joints;
pub(crate) mod random_shapes;
#[path = "../../../handles/tests/support/scale.rs"]
pub(crate) mod scale;
pub(crate) mod worlds;

use tombolo_physics::Vec2;

/// Seconds of one step.
pub(crate) const DT: f32 = 1.0 / 60.0;

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    pub(crate) fn vector(&mut self, size: f32) -> Vec2 {
        Vec2::new(self.between(-size, size), self.between(-size, size))
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.below(items.len())])
    }
}

/// The first seed of a random test: `TOMBOLO_FUZZ_SEED`, or `usual` if it is not set.
pub(crate) fn first_seed(usual: u64) -> u64 {
    match std::env::var("TOMBOLO_FUZZ_SEED") {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("TOMBOLO_FUZZ_SEED is '{text}', expected a number")),
        Err(_) => usual,
    }
}

/// Says which seed repeats a failure.
pub(crate) struct SeedOnPanic(pub(crate) u64);

#[allow(clippy::print_stderr, reason = "a test that fails speaks to its reader")]
impl Drop for SeedOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {} repeats this", self.0);
        }
    }
}
