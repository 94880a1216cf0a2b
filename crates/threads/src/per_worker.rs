//! [`PerWorker`]: one slot for each worker, on cache lines of its own. Stages fill the slots; a serial pass reads them
//! in worker order afterwards.
#![allow(unsafe_code)]

use crate::Padded;
use alloc::boxed::Box;
use core::cell::UnsafeCell;

/// One value for each worker of an executor, each alone on its cache lines.
///
/// The assignment of blocks to workers changes from run to run, so the contents of a slot do too. A result may only be
/// computed from slots in a way that does not depend on it: bits joined by OR, lists that are then sorted, scratch
/// memory.
///
/// ```
/// use tombolo_threads::{Executor, Inline, PerWorker, parallel_for};
///
/// let mut found = PerWorker::new(Inline.worker_count(), Vec::new);
/// parallel_for(&Inline, 100, 10, &|worker, range| {
///     // SAFETY: a parallel-for gives each worker index to one thread at a time.
///     let mine = unsafe { found.get_mut(worker) };
///     mine.extend(range.filter(|number| number % 7 == 0));
/// });
/// let mut all: Vec<usize> = found.iter_mut().flat_map(|slot| slot.drain(..)).collect();
/// all.sort_unstable();
/// assert_eq!(all.len(), 15);
/// ```
pub struct PerWorker<T> {
    slots: Box<[Padded<UnsafeCell<T>>]>,
}

// SAFETY: a worker gets `&mut T` to its own slot and to no other, so each `T` is sent and never shared.
unsafe impl<T: Send> Sync for PerWorker<T> {}

impl<T> PerWorker<T> {
    /// Makes `worker_count` slots, or one if that is 0: an executor that says so has a defect, and all its work is done
    /// by worker 0. Allocates once.
    pub fn new(worker_count: usize, mut make: impl FnMut() -> T) -> Self {
        Self {
            slots: (0..worker_count.max(1))
                .map(|_| Padded::new(UnsafeCell::new(make())))
                .collect(),
        }
    }

    /// Number of slots.
    pub fn worker_count(&self) -> usize {
        self.slots.len()
    }

    /// Borrows one worker's slot.
    ///
    /// # Safety
    ///
    /// While the reference is live, no other reference to the slot of the same worker exists. This holds inside the
    /// body of [`run_stages`](crate::run_stages), [`parallel_for`](crate::parallel_for) or
    /// [`parallel_chunks`](crate::parallel_chunks) that passes its own worker index, whatever the executor does, as
    /// long as it does not start another run that uses the same slots. In a task of a bare
    /// [`Executor::run`](crate::Executor::run) it holds only if that executor is known to keep its contract.
    ///
    /// # Panics
    ///
    /// If `worker` is not below [`worker_count`](Self::worker_count).
    #[expect(
        clippy::mut_from_ref,
        reason = "the worker index stands in for the exclusive borrow"
    )]
    pub unsafe fn get_mut(&self, worker: usize) -> &mut T {
        // SAFETY: the caller promises that no other borrow of this slot lives.
        unsafe { &mut *self.slots[worker].get() }
    }

    /// All slots, in worker order.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> {
        self.slots.iter_mut().map(|slot| slot.get_mut())
    }
}

impl<T> core::fmt::Debug for PerWorker<T> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter
            .debug_struct("PerWorker")
            .field("worker_count", &self.slots.len())
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::PerWorker;

    #[test]
    fn slots_are_apart_and_in_worker_order() {
        let mut slots = PerWorker::new(3, || 0_u32);
        for worker in 0..3 {
            // SAFETY: one thread, one borrow at a time.
            unsafe { *slots.get_mut(worker) = worker as u32 + 10 };
        }
        assert_eq!(
            slots.iter_mut().map(|slot| *slot).collect::<Vec<_>>(),
            [10, 11, 12]
        );
        // SAFETY: the borrows are of different slots.
        let (first, second) = unsafe { (slots.get_mut(0) as *mut u32, slots.get_mut(1) as *mut u32) };
        assert_eq!(second.addr() - first.addr(), 128);
    }
}
