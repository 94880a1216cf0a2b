//! Ctrl-C, and the end of a terminal or service: a run ends after the present step and writes its results. Pressed again, it
//! ends the program at once.

use std::process::{self, ExitCode};
use std::sync::OnceLock;

use tombolo::threads::Stopwatch;

/// The exit code of a program that was interrupted: that of Ctrl-C, 128 and the number of its signal.
pub(crate) const EXIT_CODE: u8 = 130;

/// The time after the first signal in which SIGTERM and SIGHUP are of the same event, in seconds: when a terminal closes, its
/// shell and the system both say so.
#[cfg(unix)]
const SAME_EVENT_S: f64 = 1.0;

static PRESSED: OnceLock<Stopwatch> = OnceLock::new();

/// Handles Ctrl-C, SIGTERM and SIGHUP from now on. If that is not possible, they end the program as usual.
pub(crate) fn listen() {
    listen_and(|| ());
}

/// Handles them from now on, and calls `wake` for a thread that waits for something else.
pub(crate) fn listen_and(wake: impl Fn() + Clone + Send + 'static) {
    #[cfg(unix)]
    listen_to_the_system(wake.clone());
    drop(ctrlc::set_handler(move || press(0.0, &wake)));
}

/// Takes note of a signal; a later one than so many seconds after the first ends the program.
fn press(seconds: f64, wake: &impl Fn()) {
    if let Some(first) = PRESSED.get()
        && first.elapsed_seconds() > seconds
    {
        process::exit(EXIT_CODE.into());
    }
    PRESSED.get_or_init(Stopwatch::start);
    wake();
}

/// Handles SIGTERM, and SIGHUP unless this program was started so that it outlives its terminal.
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
        std::thread::spawn(move || signals.forever().for_each(|_| press(SAME_EVENT_S, &wake)));
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
    PRESSED.get().is_some()
}
