//! Long calls that Ctrl-C ends.

use pyo3::prelude::*;
use tombolo_threads::Stopwatch;

/// The seconds for which a call goes on before it hears signals: many beside the wait for Python's lock, which another thread
/// may keep for 5 ms.
const DEAF_S: f64 = 0.1;

/// Hears the signals that came meanwhile, from time to time.
pub(crate) struct Ear(Stopwatch);

impl Ear {
    pub(crate) fn new() -> Self {
        Self(Stopwatch::start())
    }

    /// Whether signals should be heard again.
    fn is_due(&self) -> bool {
        self.0.elapsed_seconds() >= DEAF_S
    }

    /// Runs Python's handlers of the signals that came, if it is time. To be called without Python's lock and without any that
    /// a handler may wait for.
    ///
    /// # Errors
    /// The exception of a handler, as `KeyboardInterrupt`.
    pub(crate) fn hear(&mut self) -> PyResult<()> {
        if self.is_due() {
            Python::attach(|py| py.check_signals())?;
            *self = Self::new();
        }
        Ok(())
    }
}

/// Makes a number of steps without Python's lock. From time to time the world is unlocked and the handlers of signals run: an
/// exception of one ends the call, and the steps that were made stay.
///
/// # Errors
/// That of a step or of a handler.
pub(crate) fn make_steps<L>(
    py: Python<'_>,
    mut count: u64,
    lock: impl Fn() -> L + Sync,
    step: impl Fn(&mut L) -> PyResult<()> + Sync,
) -> PyResult<()> {
    let (lock, step) = (&lock, &step);
    while count > 0 {
        count = py.detach(|| {
            let (mut world, ear) = (lock(), Ear::new());
            loop {
                step(&mut world)?;
                count -= 1;
                if count == 0 || ear.is_due() {
                    return PyResult::Ok(count);
                }
            }
        })?;
        if count > 0 {
            // Neither Python's lock is given away here nor the world's held: a handler may call the same world.
            py.check_signals()?;
        }
    }
    Ok(())
}
