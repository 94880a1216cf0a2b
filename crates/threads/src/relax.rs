//! `SpinYieldSleep`: the waiting policy of a thread that waits for another.
//!
//! Limits are in nanoseconds and converted to pauses by a calibration, because one pause instruction takes 10 cycles on
//! some processors and 140 on others; without `std` there is no clock, and a fixed length of pause is assumed. Under a
//! model checker waiting is a yield.

use crate::shim;

/// Pauses for two microseconds, then yields the core, and after about a millisecond of that sleeps for fifty
/// microseconds at a time. A new value is made for each wait. Without `std` it only pauses. On `wasm32-unknown-unknown`,
/// where no core can be yielded, it pauses for a hundred microseconds, then sleeps for fifty at a time if the thread may:
/// [`let_this_thread_sleep`].
#[derive(Debug, Default, Clone, Copy)]
pub struct SpinYieldSleep {
    #[cfg(not(any(loom, shuttle)))]
    polls: u32,
}

/// Time that [`SpinYieldSleep`] pauses before it yields, in nanoseconds.
#[cfg(not(any(loom, shuttle)))]
const SPIN_NANOSECONDS: u32 = 2_000;

impl SpinYieldSleep {
    /// Waits once; longer the more often it was called.
    pub fn relax(&mut self) {
        #[cfg(not(any(loom, shuttle)))]
        {
            let spins = pauses_in(SPIN_NANOSECONDS);
            self.polls = self.polls.saturating_add(1);
            if self.polls > spins && system::rest(self.polls - spins) {
                return;
            }
        }
        shim::hint::spin_loop();
    }
}

/// The number of pause instructions that take about this long, in nanoseconds. At least 1.
#[cfg(not(any(loom, shuttle)))]
pub fn pauses_in(nanoseconds: u32) -> u32 {
    (nanoseconds / system::pause_nanoseconds()).max(1)
}

/// Says that the calling thread may sleep while it waits. On `wasm32-unknown-unknown` threads only pause before, since the
/// main thread of a page must not sleep; the others are a [`HostWorker`](crate::HostWorker)'s, which may, or the caller's
/// own, of which only the host knows what it is. Elsewhere every thread may, and this does nothing.
pub fn let_this_thread_sleep() {
    #[cfg(all(
        feature = "std",
        target_family = "wasm",
        target_os = "unknown",
        not(any(loom, shuttle))
    ))]
    system::let_this_thread_sleep();
}

#[cfg(all(feature = "threads", target_family = "wasm", target_os = "unknown"))]
pub(crate) use system::note_trap;

/// Where there is neither a clock nor a system to give the core to.
#[cfg(all(
    any(not(feature = "std"), all(target_family = "wasm", target_os = "unknown")),
    not(any(loom, shuttle))
))]
mod system {
    #[cfg(target_family = "wasm")]
    use core::sync::atomic::{AtomicBool, Ordering};

    /// Whether a thread of this memory has trapped. What it was to do is never done, and what it had taken apart stays so.
    #[cfg(target_family = "wasm")]
    static HAS_TRAPPED: AtomicBool = AtomicBool::new(false);

    /// Ends the waiting of all threads of this memory for others, by a panic.
    #[cfg(all(feature = "threads", target_family = "wasm"))]
    pub(crate) fn note_trap() {
        HAS_TRAPPED.store(true, Ordering::Relaxed);
    }

    /// Whether this thread slept in place of a pause.
    pub(super) fn rest(times: u32) -> bool {
        #[cfg(target_family = "wasm")]
        assert!(!HAS_TRAPPED.load(Ordering::Relaxed), "another thread has stopped");
        sleep_after(times)
    }

    #[cfg(not(all(feature = "std", target_family = "wasm")))]
    fn sleep_after(_times: u32) -> bool {
        false
    }

    #[cfg(all(feature = "std", target_family = "wasm"))]
    std::thread_local! {
        static MAY_SLEEP: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
    }

    /// In a module for one thread it does nothing: nobody could wake the sleeper, and the standard library has no sleep there.
    #[cfg(all(feature = "std", target_family = "wasm"))]
    pub(super) fn let_this_thread_sleep() {
        MAY_SLEEP.set(cfg!(target_feature = "atomics"));
    }

    /// Sleeps for fifty microseconds if this thread may, and has polled for about as long as a sleep takes.
    #[cfg(all(feature = "std", target_family = "wasm"))]
    fn sleep_after(times: u32) -> bool {
        let sleeps = times > super::pauses_in(100_000) && MAY_SLEEP.get();
        if sleeps {
            std::thread::sleep(core::time::Duration::from_micros(50));
        }
        sleeps
    }

    /// The assumed length of a pause: between the 3 ns of older and the 45 ns of newer x86-64; in WebAssembly, which has no
    /// such instruction, that of the poll.
    pub(super) fn pause_nanoseconds() -> u32 {
        if cfg!(target_family = "wasm") { 2 } else { 20 }
    }
}

#[cfg(all(
    feature = "std",
    not(all(target_family = "wasm", target_os = "unknown")),
    not(any(loom, shuttle))
))]
mod system {
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

    /// Number of yields before a thread sleeps: about a millisecond in total on an idle machine.
    const YIELD_COUNT: u32 = 2_000;

    /// Yields, or sleeps if this thread has rested so often. Whether it rested: always.
    pub(super) fn rest(times: u32) -> bool {
        if times <= YIELD_COUNT {
            std::thread::yield_now();
        } else {
            std::thread::sleep(core::time::Duration::from_micros(50));
        }
        true
    }

    /// The measured length of one pause, in nanoseconds: from 1 to 1000.
    pub(super) fn pause_nanoseconds() -> u32 {
        /// 0 until measured. Only limits of spinning depend on it.
        static MEASURED: AtomicU32 = AtomicU32::new(0);
        let known = MEASURED.load(Relaxed);
        if known != 0 {
            return known;
        }
        // Two threads may both measure; either result is good.
        let nanoseconds = measure_pause();
        MEASURED.store(nanoseconds, Relaxed);
        nanoseconds
    }

    /// The shortest of several short runs, since anything that disturbs a run makes it longer. Takes some microseconds.
    #[cold]
    fn measure_pause() -> u32 {
        const PAUSES: u64 = 64;
        let one_run = |_| {
            let watch = crate::Stopwatch::start();
            (0..PAUSES).for_each(|_| core::hint::spin_loop());
            watch.elapsed_nanoseconds() / PAUSES
        };
        let shortest = (0..8).map(one_run).min().unwrap_or(1);
        shortest.clamp(1, 1_000) as u32
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn sl_13_pauses_are_calibrated_in_nanoseconds() {
        assert!((1..=1_000).contains(&system::pause_nanoseconds()));
        assert_eq!(pauses_in(0), 1);
        assert!(pauses_in(100_000) >= 100);
    }
}
