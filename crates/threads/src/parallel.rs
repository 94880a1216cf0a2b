//! The parallel loops that most of the engine uses: over a range, and over the items of a slice. Both run as one stage
//! of `stages.rs`.
#![allow(unsafe_code)]

use crate::{ClaimedSlice, Executor, run_stages};
use core::ops::Range;

/// Calls `body(worker, range)` for blocks of `block_size` indices (the last may be shorter) that cover `0..count`, each
/// index once, on all workers of the executor.
///
/// The division into blocks depends on `count` and `block_size` alone. The worker that gets a block, and the order of
/// blocks, may change from run to run. A single block runs on the caller's thread and wakes no other. Does not allocate
/// for up to sixteen workers.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use tombolo_threads::{Inline, parallel_for};
///
/// let sum = AtomicUsize::new(0);
/// parallel_for(&Inline, 10, 4, &|_worker, range| {
///     sum.fetch_add(range.sum::<usize>(), Ordering::Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 45);
/// ```
///
/// # Panics
///
/// If `block_size` is 0, or there would be 2³² blocks or more. A panic in `body` reaches the caller.
pub fn parallel_for(
    executor: &dyn Executor,
    count: usize,
    block_size: usize,
    body: &(dyn Fn(usize, Range<usize>) + Sync),
) {
    assert!(block_size > 0, "blocks must have at least one index");
    let block_count =
        u32::try_from(count.div_ceil(block_size)).expect("2³² blocks or more: take larger ones");
    run_stages(executor, &[block_count], &|worker, _stage, block| {
        let first = block * block_size;
        body(worker, first..count.min(first.saturating_add(block_size)));
    });
}

/// Calls `body(worker, first_index, chunk)` for chunks of `block_size` items (the last may be shorter), on all workers
/// of the executor: the safe form of [`parallel_for`].
///
/// ```
/// use tombolo_threads::{Inline, parallel_chunks};
///
/// let mut items = [1, 2, 3];
/// parallel_chunks(&Inline, &mut items, 2, &|_worker, first, chunk| chunk[0] += first as i32);
/// assert_eq!(items, [1, 2, 5]);
/// ```
///
/// # Panics
///
/// In the same cases as [`parallel_for`].
pub fn parallel_chunks<T: Send>(
    executor: &dyn Executor,
    items: &mut [T],
    block_size: usize,
    body: &(dyn Fn(usize, usize, &mut [T]) + Sync),
) {
    let count = items.len();
    let claimed = ClaimedSlice::new(items);
    parallel_for(executor, count, block_size, &|worker, range| {
        let first = range.start;
        // SAFETY: the ranges of one parallel-for are within `count` and do not overlap, and each is handed out once.
        body(worker, first, unsafe { claimed.slice_mut(range) });
    });
}
