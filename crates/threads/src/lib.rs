//! A task pool with cheap barriers, and the [`Executor`] trait for users' own threads.
//!
//! All of Tombolo's code for threads, time and the float environment is here. Other crates see an `&dyn Executor` and
//! the functions over it, and never an atomic.
//!
//! Priorities, in this order:
//!
//! 1. Work is divided by its size alone. A result cannot depend on the number of workers or on which worker took a
//!    block.
//! 2. No work is lost when threads start late, never or in excess: any one worker can finish all the work alone.
//! 3. A stage costs one barrier, and the barrier less than a microsecond on an idle machine.
//! 4. No thread spins for long, and an idle pool uses no core.
//!
//! Without default features the crate is `no_std` (with `alloc`): [`Inline`] is then the only executor.
//!
//! ```
//! use tombolo_threads::{Inline, parallel_chunks};
//!
//! let mut squares = vec![0_usize; 1000];
//! parallel_chunks(&Inline, &mut squares, 64, &|_worker, first, chunk| {
//!     for (offset, square) in chunk.iter_mut().enumerate() {
//!         *square = (first + offset) * (first + offset);
//!     }
//! });
//! assert_eq!(squares[31], 961);
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

mod claimed_slice;
mod clock;
mod deferred;
mod executor;
mod float_environment;
mod float_workers;
mod padded;
mod parallel;
mod per_worker;
#[cfg(feature = "threads")]
mod pool;
#[cfg(feature = "rayon")]
mod rayon;
mod relax;
mod shim;
mod stages;
#[cfg(feature = "std")]
mod unwind;

pub use claimed_slice::ClaimedSlice;
pub use clock::Stopwatch;
pub use deferred::Deferred;
pub use executor::{Executor, Inline};
pub use float_environment::FloatEnvironment;
pub use float_workers::FloatWorkers;
pub use padded::Padded;
pub use parallel::{parallel_chunks, parallel_for};
pub use per_worker::PerWorker;
#[cfg(feature = "threads")]
pub use pool::{HostWorker, Pool, PoolError};
#[cfg(feature = "rayon")]
pub use rayon::RayonExecutor;
#[cfg(not(any(loom, shuttle)))]
pub use relax::pauses_in;
pub use relax::{SpinYieldSleep, let_this_thread_sleep};
pub use stages::{ClaimOrder, StageRunner, run_stages};

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
