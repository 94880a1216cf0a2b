//! Spin locks: ten algorithms and their compact, reader-writer and adaptive relatives, one file each, behind one trait.
//!
//! | lock | order | bytes | a hand-over touches | file |
//! | --- | --- | --- | --- | --- |
//! | [`TestAndSet`] | none | 1 | every waiter, all the time | `test_and_set.rs` |
//! | [`TestAndTestAndSet`] | none | 1 | every waiter | `test_and_test_and_set.rs` |
//! | [`BackOff`] | none | 1 | the waiters that look | `back_off.rs` |
//! | [`PauseAndSleep`] | none | 1 | the waiters that look | `pause_and_sleep.rs` |
//! | [`Ticket`] | first come | 8 | every waiter | `ticket.rs` |
//! | [`WideTicket`] | first come | 256 | every waiter, but not newly arriving threads | `ticket.rs` |
//! | [`CompactTicket`] | first come | 2 or 4 | every waiter | `compact_ticket.rs` |
//! | [`ProportionalTicket`] | first come | 8 | the waiters near the front | `proportional_ticket.rs` |
//! | [`Anderson`] | first come | 128 × (places + 1) | one waiter | `anderson.rs` |
//! | [`GraunkeThakkar`] | first come | 128 × (places + 1) | one waiter | `graunke_thakkar.rs` |
//! | [`Mcs`] | first come | 8, and 128 a waiting thread | one waiter | `mcs.rs` |
//! | [`Clh`] | first come | 16, and 128 a thread and a lock | one waiter | `clh.rs` |
//! | [`Cohort`] | first come on each socket | 128 × (sockets + 1), and 128 a waiting thread | one waiter, mostly of the same socket | `cohort.rs` |
//! | [`Adaptive`] | none, then nearly first come | 16 | one or two waiters | `adaptive.rs` |
//! | [`ReaderWriter`] | writers before new readers | 4 | every waiter | `reader_writer.rs` |
//!
//! `docs/locks.md` helps to choose one. [`Mutex`] guards a value with any of them but the last; with the feature
//! `lock_api` those are raw mutexes of that crate too.
//!
//! Priorities, in this order:
//!
//! 1. Exclusion, under every schedule that a model checker can find.
//! 2. The guarantees of a lock about order and memory hold for any number of threads, also when they panic, forget
//!    guards or end.
//! 3. A free lock costs one exchange; a contended one disturbs no more threads than its algorithm must.
//!
//! Without default features the crate is `no_std` (with `alloc`): waiting threads then only pause.
//!
//! ```
//! use tombolo_locks::{Adaptive, Mutex};
//!
//! static TOTAL: Mutex<Adaptive, u32> = Mutex::new(Adaptive::new(), 0);
//! *TOTAL.lock() += 1;
//! assert_eq!(*TOTAL.lock(), 1);
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

mod adaptive;
mod anderson;
mod back_off;
mod clh;
mod cohort;
mod compact_ticket;
#[cfg(shuttle)]
mod counted;
mod graunke_thakkar;
#[cfg(all(feature = "lock_api", not(loom)))]
mod lock_api;
mod mcs;
mod mutex;
mod pause_and_sleep;
mod proportional_ticket;
mod raw_lock;
mod reader_writer;
pub mod relax;
mod shim;
mod test_and_set;
mod test_and_test_and_set;
mod ticket;

pub use adaptive::Adaptive;
pub use anderson::Anderson;
pub use back_off::BackOff;
pub use clh::{Clh, ClhToken, ClhWaiter};
pub use cohort::{Cohort, CohortToken, CohortWaiter};
pub use compact_ticket::{CompactTicket, TicketWord};
#[cfg(shuttle)]
pub use counted::{CacheLineTraffic, count_cache_line_traffic, simulated_socket};
pub use graunke_thakkar::{GraunkeThakkar, GraunkeThakkarWaiter};
#[cfg(all(feature = "lock_api", not(loom)))]
pub use lock_api::HeldToken;
pub use mcs::{Mcs, McsToken, McsWaiter};
pub use mutex::{Mutex, MutexGuard};
pub use pause_and_sleep::PauseAndSleep;
pub use proportional_ticket::ProportionalTicket;
pub use raw_lock::RawLock;
pub use reader_writer::{ReadGuard, ReaderWriter, RwLock, WriteGuard};
pub use test_and_set::TestAndSet;
pub use test_and_test_and_set::TestAndTestAndSet;
pub use ticket::{Ticket, WideTicket};

/// Asserts the sizes of the table above: the size of a lock, and its size alone on its cache lines. The atomics that
/// count cache lines are as large as those of the core library, so that words that share a line do so there.
#[cfg(not(loom))]
const _: () = {
    assert!(size_of::<TestAndSet>() == 1);
    assert!(size_of::<TestAndTestAndSet>() == 1);
    assert!(size_of::<BackOff>() == 1);
    assert!(size_of::<PauseAndSleep>() == 1);
    assert!(size_of::<CompactTicket<u16>>() == 2 && align_of::<CompactTicket<u16>>() == 2);
    assert!(size_of::<CompactTicket<u32>>() == 4 && align_of::<CompactTicket<u32>>() == 4);
    assert!(size_of::<ReaderWriter>() == 4);
    assert!(size_of::<Ticket>() == 8 && align_of::<Ticket>() == 4);
    assert!(size_of::<WideTicket>() == 256 && align_of::<WideTicket>() == 128);
    assert!(size_of::<Cohort<2>>() == 128 * 3);
    assert!(size_of::<ProportionalTicket>() == 8);
    assert!(size_of::<Mcs>() == size_of::<usize>());
    assert!(size_of::<Clh>() == 2 * size_of::<usize>());
    assert!(size_of::<Adaptive>() == 2 * size_of::<usize>());
    assert!(size_of::<Anderson<1>>() == 256 && size_of::<Anderson<64>>() == 128 * 65);
    assert!(size_of::<GraunkeThakkar<1>>() == 256 && size_of::<GraunkeThakkar<24>>() == 128 * 25);
    assert!(align_of::<Anderson<3>>() == 128 && align_of::<GraunkeThakkar<3>>() == 128);
    assert!(
        size_of::<tombolo_threads::Padded<TestAndSet>>() == 128
            && size_of::<tombolo_threads::Padded<Adaptive>>() == 128
    );
};

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
