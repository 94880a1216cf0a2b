//! Atomics that count how often their cache lines change owners: an alternative to the atomics of `shim.rs`, so that
//! the locks' own code runs on any number of shuttle's simulated threads.
//!
//! The caches are simulated in the simplest form that shows the growth: a line is 128 bytes of addresses (a pair of
//! x86's lines, as in `Padded`), caches are infinite, a write takes the line from all others and a read makes one more
//! copy. A failed exchange takes the line too, as it does on x86. A word is a core atomic, of the core atomic's size,
//! so that two words of a lock share a line here as they do on hardware; shuttle may run another thread before each
//! access.
//!
//! The threads are assigned to sockets round-robin. A read is a remote transfer if only caches of other sockets have
//! copies; a write is one if a cache of another socket has a copy.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// The result of a count.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct CacheLineTraffic {
    /// Number of reads and writes of a line that the thread's cache did not have in the state it needed.
    pub transfers: u64,
    /// Number of those transfers that involved another socket.
    pub remote_transfers: u64,
    /// Number of copies in other threads' caches that writes invalidated.
    pub invalidations: u64,
}

/// The states of the lines and the counts so far. All simulated threads share one thread of the system.
#[derive(Default)]
struct Caches {
    sockets: usize,
    lines: BTreeMap<usize, Line>,
    traffic: CacheLineTraffic,
}

/// The threads that have a copy, a bit each; `owned` if the only copy may be written.
#[derive(Default)]
struct Line {
    copies: u128,
    owned: bool,
}

thread_local! {
    static CACHES: RefCell<Option<Caches>> = const { RefCell::new(None) };
}

/// Counts the cache line traffic of a function's atomics on a machine with this many sockets. Call it inside a shuttle
/// model of at most 127 threads.
pub fn count_cache_line_traffic(sockets: usize, run: impl FnOnce()) -> CacheLineTraffic {
    CACHES.set(Some(Caches {
        sockets,
        ..Caches::default()
    }));
    run();
    CACHES.take().unwrap_or_default().traffic
}

/// The socket of the current simulated thread.
pub fn simulated_socket() -> usize {
    let number = usize::from(shuttle::thread::current().id());
    CACHES.with_borrow(|caches| number % caches.as_ref().map_or(1, |caches| caches.sockets))
}

const LINE_BYTES: usize = 128;

/// The threads of a socket, a bit each.
fn threads_of(socket: usize, sockets: usize) -> u128 {
    (socket..128)
        .step_by(sockets)
        .map(|thread| 1_u128 << thread)
        .sum()
}

fn record(address: usize, writes: bool) {
    // Another thread may run first. A sleep is shuttle's plainest form of that.
    shuttle::thread::sleep(core::time::Duration::ZERO);
    let number = usize::from(shuttle::thread::current().id());
    CACHES.with_borrow_mut(|caches| {
        let Some(caches) = caches else { return };
        let thread = 1_u128 << number;
        let near = threads_of(number % caches.sockets, caches.sockets);
        let line = caches.lines.entry(address / LINE_BYTES).or_default();
        let has_copy = line.copies & thread != 0;
        if has_copy && (line.owned || !writes) {
            return;
        }
        caches.traffic.transfers += 1;
        let is_far = line.copies & !near != 0;
        let is_near = line.copies & near != 0;
        caches.traffic.remote_transfers += u64::from(is_far && (writes || !is_near));
        if writes {
            caches.traffic.invalidations += u64::from((line.copies & !thread).count_ones());
            *line = Line {
                copies: thread,
                owned: true,
            };
        } else {
            *line = Line {
                copies: line.copies | thread,
                owned: false,
            };
        }
    });
}

macro_rules! counted {
    ($name:ident $(<$parameter:ident>)?, $value:ty $(, $read_modify_write:ident)*) => {
        #[derive(Debug)]
        #[allow(unreachable_pub, reason = "the compact ticket's sealed trait names them")]
        pub struct $name $(<$parameter>)? (core::sync::atomic::$name $(<$parameter>)?);

        #[allow(dead_code, reason = "no kind of word is used in every way")]
        impl $(<$parameter>)? $name $(<$parameter>)? {
            pub(crate) const fn new(value: $value) -> Self {
                Self(core::sync::atomic::$name::new(value))
            }

            fn reads(&self) -> &core::sync::atomic::$name $(<$parameter>)? {
                record(core::ptr::from_ref(self).addr(), false);
                &self.0
            }

            fn writes(&self) -> &core::sync::atomic::$name $(<$parameter>)? {
                record(core::ptr::from_ref(self).addr(), true);
                &self.0
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.reads().load(order)
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.writes().store(value, order);
            }

            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                self.writes().swap(value, order)
            }

            pub(crate) fn compare_exchange(
                &self,
                from: $value,
                to: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.writes().compare_exchange(from, to, success, failure)
            }

            pub(crate) fn compare_exchange_weak(
                &self,
                from: $value,
                to: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.writes().compare_exchange_weak(from, to, success, failure)
            }

            $(
                pub(crate) fn $read_modify_write(&self, value: $value, order: Ordering) -> $value {
                    self.writes().$read_modify_write(value, order)
                }
            )*
        }
    };
}

/// The names that `shim.rs` re-exports.
pub(crate) mod atomic {
    use super::record;
    pub(crate) use core::sync::atomic::Ordering;

    counted!(AtomicBool, bool);
    counted!(AtomicU16, u16, fetch_add, fetch_sub);
    counted!(AtomicU32, u32, fetch_add, fetch_sub, fetch_and, fetch_or);
    counted!(AtomicUsize, usize, fetch_add);
    counted!(AtomicPtr<T>, *mut T);
}
