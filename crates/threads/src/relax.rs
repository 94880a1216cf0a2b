//! How a thread passes the time while it waits for another: the [`Relax`] policies.
//!
//! Limits are in nanoseconds and turned into pauses by a calibration, because one pause instruction takes 10 cycles on
//! some processors and 140 on others. Under a model checker every policy is a yield.

use crate::shim;

/// What a waiting thread does between two looks at what it waits for. Made anew for each wait.
pub trait Relax: Default {
    /// Passes some time; longer or cheaper for others the more often it was called.
    fn relax(&mut self);
}

/// One pause instruction at a time, for ever: the lowest latency, and a waste of the core if the wait is long.
#[derive(Debug, Default, Clone, Copy)]
pub struct Spin;

impl Relax for Spin {
    fn relax(&mut self) {
        shim::hint::spin_loop();
    }
}

/// Pauses for two microseconds, then gives the core away, and after a millisecond sleeps: what the engine itself waits
/// with. Without `std` it only pauses.
#[derive(Debug, Default, Clone, Copy)]
pub struct SpinYieldSleep {
    polls: u32,
    #[cfg(feature = "std")]
    yields: u32,
}

/// How long [`SpinYieldSleep`] pauses before it yields.
const SPIN_NANOSECONDS: u32 = 2_000;
/// How often it yields before it sleeps: a millisecond's worth, or so, on an idle machine.
#[cfg(feature = "std")]
const YIELD_COUNT: u32 = 2_000;
/// How long each sleep is.
#[cfg(feature = "std")]
const SLEEP: core::time::Duration = core::time::Duration::from_micros(50);

impl Relax for SpinYieldSleep {
    #[cfg(any(loom, shuttle))]
    fn relax(&mut self) {
        shim::hint::spin_loop();
    }

    #[cfg(not(any(loom, shuttle)))]
    fn relax(&mut self) {
        if self.polls < pauses_in(SPIN_NANOSECONDS) {
            self.polls += 1;
            shim::hint::spin_loop();
            return;
        }
        #[cfg(feature = "std")]
        if self.yields < YIELD_COUNT {
            self.yields += 1;
            std::thread::yield_now();
        } else {
            std::thread::sleep(SLEEP);
        }
        #[cfg(not(feature = "std"))]
        shim::hint::spin_loop();
    }
}

/// How many pause instructions take about this long. At least 1.
#[cfg(not(any(loom, shuttle)))]
pub(crate) fn pauses_in(nanoseconds: u32) -> u32 {
    (nanoseconds / calibration::pause_nanoseconds()).max(1)
}

#[cfg(all(feature = "std", not(any(loom, shuttle))))]
mod calibration {
    use crate::Stopwatch;
    use core::hint::spin_loop;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

    /// The measured length of one pause; 0 until measured. Only limits of spinning depend on it.
    static PAUSE_NANOSECONDS: AtomicU32 = AtomicU32::new(0);

    pub(super) fn pause_nanoseconds() -> u32 {
        match PAUSE_NANOSECONDS.load(Relaxed) {
            0 => measure(),
            known => known,
        }
    }

    /// The shortest of several short runs, since anything that disturbs a run makes it longer. Takes some microseconds,
    /// once. Two threads may both measure; either answer will do.
    #[cold]
    fn measure() -> u32 {
        const PAUSES: u64 = 64;
        let shortest = (0..8)
            .map(|_| {
                let watch = Stopwatch::start();
                (0..PAUSES).for_each(|_| spin_loop());
                watch.elapsed_nanoseconds() / PAUSES
            })
            .min()
            .unwrap_or(1);
        let nanoseconds = shortest.clamp(1, 1_000) as u32;
        PAUSE_NANOSECONDS.store(nanoseconds, Relaxed);
        nanoseconds
    }
}

#[cfg(all(not(feature = "std"), not(any(loom, shuttle))))]
mod calibration {
    /// Without a clock: between the 3 ns of older and the 45 ns of newer x86-64.
    pub(super) fn pause_nanoseconds() -> u32 {
        20
    }
}
