//! Ctrl-C: a run ends after the step that it is in and writes what there is. Pressed again, the program ends at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that was interrupted: 128 and the number of the signal.
pub(crate) const EXIT_CODE: u8 = 130;

static PRESSED: AtomicBool = AtomicBool::new(false);

/// Listens from now on. Where that cannot be done Ctrl-C ends the program as ever.
pub(crate) fn listen() {
    drop(ctrlc::set_handler(|| {
        if PRESSED.swap(true, Ordering::Relaxed) {
            process::exit(EXIT_CODE.into());
        }
    }));
}

/// Whether it was pressed.
pub(crate) fn is_pressed() -> bool {
    PRESSED.load(Ordering::Relaxed)
}
