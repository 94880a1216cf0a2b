//! [`Stopwatch`]: the only file that reads the time. Its values are for profiles and for the limits of spinning; they
//! never reach simulated state, or the same inputs would not give the same bits.

use core::time::Duration;
#[cfg(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))))]
use std::time::Instant;

/// Replaces the clock on targets without one, or with one that panics as in a module for web pages: no time passes.
#[cfg(not(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown")))))]
#[derive(Debug, Clone, Copy)]
struct Instant;

#[cfg(not(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown")))))]
impl Instant {
    fn now() -> Self {
        Self
    }

    fn elapsed(self) -> Duration {
        Duration::ZERO
    }
}

/// Measures elapsed time for profiles.
///
/// Without the feature `std`, and on `wasm32-unknown-unknown`, there is no clock and every reading is 0.
///
/// ```
/// use tombolo_threads::Stopwatch;
/// let watch = Stopwatch::start();
/// assert!(watch.elapsed_seconds() >= 0.0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    started: Instant,
}

impl Stopwatch {
    /// Starts a watch. Cost: one reading of the clock, about 25 ns.
    #[cfg_attr(
        all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))),
        expect(clippy::disallowed_methods, reason = "this file is the exception")
    )]
    pub fn start() -> Self {
        Self {
            started: Instant::now(),
        }
    }

    fn elapsed(self) -> Duration {
        self.started.elapsed()
    }

    /// Seconds since the start; 0 where there is no clock.
    pub fn elapsed_seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }

    /// Nanoseconds since the start; 0 where there is no clock. Ends at `u64::MAX`, after 584 years.
    pub fn elapsed_nanoseconds(&self) -> u64 {
        u64::try_from(self.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

#[cfg(all(test, feature = "std", not(loom)))]
mod tests {
    use super::Stopwatch;

    #[test]
    fn readings_never_go_back() {
        let watch = Stopwatch::start();
        let mut last = watch.elapsed_nanoseconds();
        for _ in 0..1000 {
            let now = watch.elapsed_nanoseconds();
            assert!(now >= last);
            last = now;
        }
    }
}
