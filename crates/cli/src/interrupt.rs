//! Ctrl-C, and the end of a terminal or service: a run ends after the present step and writes its results. Ctrl-C again ends
//! the program at once.

use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that was interrupted: that of Ctrl-C, 128 and the number of its signal.
pub(crate) const EXIT_CODE: u8 = 130;

static PRESSED: AtomicBool = AtomicBool::new(false);

/// Handles Ctrl-C, SIGTERM and SIGHUP from now on. If that is not possible, they end the program as usual.
pub(crate) fn listen() {
    listen_and(|| ());
}

/// Handles them from now on, and calls `wake` for a thread that waits for something else.
pub(crate) fn listen_and(wake: impl Fn() + Clone + Send + 'static) {
    #[cfg(unix)]
    listen_to_the_system(wake.clone());
    drop(ctrlc::set_handler(move || {
        if PRESSED.swap(true, Ordering::Relaxed) {
            process::exit(EXIT_CODE.into());
        }
        wake();
    }));
}

/// Handles SIGTERM, and SIGHUP unless this program was started so that it outlives its terminal. They often come twice of one
/// event: when a terminal closes, its shell and the system both send one.
#[cfg(unix)]
fn listen_to_the_system(wake: impl Fn() + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    use signal_hook::iterator::Signals;

    let signals: &[i32] = if outlives_its_terminal() {
        &[SIGTERM]
    } else {
        &[SIGTERM, SIGHUP]
    };
    if let Ok(mut signals) = Signals::new(signals) {
        std::thread::spawn(move || {
            signals.forever().for_each(|_| {
                PRESSED.store(true, Ordering::Relaxed);
                wake();
            });
        });
    }
}

/// Whether SIGHUP is ignored, as by `nohup`, or it cannot be known.
#[cfg(unix)]
fn outlives_its_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    ignored.is_none_or(|bits| bits & 1 != 0)
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
