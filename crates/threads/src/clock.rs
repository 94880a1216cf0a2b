//! The only file that reads the time. Its values are for profiles and for the limits of spinning; they never reach
//! simulated state, or the same inputs would not give the same bits.

/// Measures elapsed time for profiles.
///
/// Without the feature `std` there is no clock and every reading is 0.
///
/// ```
/// use tombolo_threads::Stopwatch;
/// let watch = Stopwatch::start();
/// assert!(watch.elapsed_seconds() >= 0.0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    #[cfg(feature = "std")]
    started: std::time::Instant,
}

impl Stopwatch {
    /// Starts a watch. Cost: one reading of the clock, about 25 ns.
    #[cfg_attr(
        feature = "std",
        expect(clippy::disallowed_methods, reason = "this file is the exception")
    )]
    pub fn start() -> Self {
        Self {
            #[cfg(feature = "std")]
            started: std::time::Instant::now(),
        }
    }

    /// Seconds since the start; 0 without `std`.
    pub fn elapsed_seconds(&self) -> f64 {
        #[cfg(feature = "std")]
        let seconds = self.started.elapsed().as_secs_f64();
        #[cfg(not(feature = "std"))]
        let seconds = 0.0;
        seconds
    }

    /// Nanoseconds since the start; 0 without `std`. Ends at `u64::MAX`, after 584 years.
    pub fn elapsed_nanoseconds(&self) -> u64 {
        #[cfg(feature = "std")]
        let nanoseconds = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        #[cfg(not(feature = "std"))]
        let nanoseconds = 0;
        nanoseconds
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
