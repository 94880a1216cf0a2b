//! Ctrl-C, and the end of a terminal or service: a run ends after the present step and writes its results. Pressed again, it ends the program at once.

use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that was interrupted: that of Ctrl-C, 128 and the number of its signal.
pub(crate) const EXIT_CODE: u8 = 130;

static PRESSED: AtomicBool = AtomicBool::new(false);

/// Handles Ctrl-C, SIGTERM and SIGHUP from now on. If that is not possible, they end the program as usual.
pub(crate) fn listen() {
    listen_and(|| ());
}

/// Handles Ctrl-C from now on, and calls `wake` for a thread that waits for something else.
pub(crate) fn listen_and(wake: impl Fn() + Send + 'static) {
    drop(ctrlc::set_handler(move || {
        if PRESSED.swap(true, Ordering::Relaxed) {
            process::exit(EXIT_CODE.into());
        }
        wake();
    }));
}

/// The exit code of a command that has written what there is.
pub(crate) fn exit_code() -> ExitCode {
    if is_pressed() {
        ExitCode::from(EXIT_CODE)
    } else {
        ExitCode::SUCCESS
    }
}

/// Whether it was pressed.
pub(crate) fn is_pressed() -> bool {
    PRESSED.load(Ordering::Relaxed)
}
