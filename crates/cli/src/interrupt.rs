//! Ctrl-C: a run ends after the step that it is in and writes what there is. Pressed again, the program ends at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that was interrupted: 128 and the number of the signal.
pub(crate) const EXIT_CODE: u8 = 130;

static PRESSED: AtomicBool = AtomicBool::new(false);

/// Listens from now on. Where that cannot be done Ctrl-C ends the program as ever.
pub(crate) fn listen() {
    listen_and(|| ());
}

/// Listens from now on, and wakes somebody who waits for something else.
pub(crate) fn listen_and(wake: impl Fn() + Send + 'static) {
    drop(ctrlc::set_handler(move || {
        if PRESSED.swap(true, Ordering::Relaxed) {
            process::exit(EXIT_CODE.into());
        }
        wake();
    }));
}

/// Whether it was pressed.
pub(crate) fn is_pressed() -> bool {
    PRESSED.load(Ordering::Relaxed)
}
