//! Limits of a case: a watchdog for cases that hang, and a limit on memory. Both end the program and name the case,
//! since neither can be unwound.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::report::print_note;

/// The greatest number of bytes that a case may hold at once.
const BYTES_MAX: usize = 3 << 30;

/// The system's allocator with a count of the bytes held and their peak.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static OVER: AtomicBool = AtomicBool::new(false);

/// The running case, for messages: family, seed, the second at which it counts as hanging (0 for none).
static FAMILY: Mutex<&str> = Mutex::new("");
static SEED: AtomicU64 = AtomicU64::new(0);
static DEADLINE_S: AtomicU64 = AtomicU64::new(0);

fn took(bytes: usize) {
    let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(held, Ordering::Relaxed);
    if held > BYTES_MAX && !OVER.swap(true, Ordering::Relaxed) {
        give_up("holds more than 3 GiB");
    }
}

fn gave(bytes: usize) {
    HELD.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator with the same arguments; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        gave(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        took(new_size);
        gave(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// Runs a function and returns the growth of the held bytes at its peak. On one thread at a time.
#[allow(dead_code, reason = "for families of saves")]
pub(crate) fn peak_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let value = work();
    (value, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}

/// Starts the thread that ends the program when a case hangs.
pub(crate) fn start() {
    std::thread::spawn(|| {
        let mut used_before = processor_seconds();
        let mut now = 0.0;
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let used = processor_seconds();
            now += match (used_before, used) {
                (Some(before), Some(used)) => (used - before).max(IDLE_SECONDS),
                _ => 1.0,
            };
            used_before = used;
            NOW_S.store(now as u64, Ordering::Relaxed);
            let deadline = DEADLINE_S.load(Ordering::Relaxed);
            if deadline != 0 && now as u64 > deadline {
                give_up("hangs");
            }
        }
    });
}

/// The processor time that an idle second counts as: cases that wait for each other for ever use no processor.
const IDLE_SECONDS: f64 = 1.0 / 30.0;

/// The processor time of this program in seconds, on Linux: a program that is halted for a measurement, or to which
/// other programs leave no processor, does not hang.
fn processor_seconds() -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the program's name, which may hold anything, the twelfth and the thirteenth word: user and system time.
    let (_, words) = stat.rsplit_once(')')?;
    let mut ticks = words.split_whitespace().skip(11).map(str::parse::<f64>);
    Some((ticks.next()?.ok()? + ticks.next()?.ok()?) / TICKS_PER_SECOND)
}

/// The seconds that cases have had, as last read by the watching thread.
static NOW_S: AtomicU64 = AtomicU64::new(0);

/// Sets the running case.
pub(crate) fn case(family: &'static str, seed: u64, seconds_max: u64) {
    let mut name = FAMILY.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if *name != family {
        *name = family;
    }
    drop(name);
    SEED.store(seed, Ordering::Relaxed);
    DEADLINE_S.store(NOW_S.load(Ordering::Relaxed) + seconds_max + 1, Ordering::Relaxed);
}

/// Notes that no case is running.
pub(crate) fn rest() {
    DEADLINE_S.store(0, Ordering::Relaxed);
}

fn give_up(what: &str) -> ! {
    let seed = SEED.load(Ordering::Relaxed);
    let family = FAMILY.lock().map_or("?", |name| *name);
    print_note(&format!(
        "FIND {family}: the case of seed {seed:#018x} {what}; see it with: tombolo-fuzz {family} --replay {seed:#018x}"
    ));
    process::exit(2)
}
