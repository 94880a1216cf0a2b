//! Work of a known length without effects, for areas that measure the cost of what surrounds it.

use std::hint::black_box;

use crate::measure::time;

/// The number of steps of [`busy`] that take a microsecond, by the shortest of some runs.
pub(super) fn steps_in_a_microsecond() -> u64 {
    const STEPS: u64 = 10_000;
    let shortest = (0..20)
        .map(|_| time(|| busy(STEPS)).0.as_nanos() as u64)
        .min()
        .unwrap_or(1);
    STEPS * 1_000 / shortest.max(1)
}

/// Adds up some numbers.
pub(super) fn busy(steps: u64) {
    let mut sum = 0_u64;
    for step in 0..steps {
        sum = black_box(sum.wrapping_add(step));
    }
    black_box(sum);
}
