//! Graunke and Thakkar's lock: each thread has a word of its own that it changes when it unlocks, and it stores in the
//! tail which word, with which value, its successor has to see change. Graunke and Thakkar, "Synchronization algorithms
//! for shared-memory multiprocessors", 1990.
//!
//! In the original the word is one bit, and a thread keeps its slot forever, by an index that is never returned. Here a
//! slot is taken for each acquisition, mostly the same one again, so threads may start and end; and the word counts
//! acquisitions, so that `try_lock` can distinguish an old tail from a new one of equal bits.
#![allow(unsafe_code)]

use crate::raw_lock::RawLock;
use crate::relax::{Relax, SpinYieldSleep};
use crate::shim::{
    atomic::{AtomicBool, AtomicUsize, Ordering},
    const_new,
};
use core::marker::PhantomData;
use tombolo_threads::Padded;

/// Graunke and Thakkar's array lock with `PLACES` places: first come first served, a hand-over touches one waiter.
/// 128 × (`PLACES` + 1) bytes. From 1 to 65,535 places. A thread that finds no free place waits for one, in no order.
///
/// ```compile_fail
/// tombolo_locks::GraunkeThakkar::<0>::new();
/// ```
#[derive(Debug)]
pub struct GraunkeThakkar<const PLACES: usize, R = SpinYieldSleep> {
    /// The last entry of the queue: its slot, and the slot's count when it was queued. See [`pack`].
    tail: Padded<AtomicUsize>,
    places: [Padded<WaiterSlot>; PLACES],
    relax: PhantomData<fn() -> R>,
}

/// Invariants: while `taken` is set, one thread owns the slot, and it alone writes `finished`. A thread that waits for
/// the slot's count to change is before the slot's next owner in the queue, so the count cannot change twice unseen.
#[derive(Debug)]
struct WaiterSlot {
    taken: AtomicBool,
    /// Number of acquisitions through this slot that have ended, modulo [`COUNTS`].
    finished: AtomicUsize,
}

impl WaiterSlot {
    const_new! {
        const fn new() -> Self {
            Self { taken: AtomicBool::new(false), finished: AtomicUsize::new(0) }
        }
    }

    fn take(&self) -> bool {
        self.taken
            .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }
}

/// Bits of the tail for the slot's index, the lowest; the others hold its count.
const INDEX_BITS: u32 = 16;
/// The modulus of counts: 2⁴⁸ where addresses have 64 bits.
const COUNTS: usize = 1 << (usize::BITS - INDEX_BITS);

const fn pack(index: usize, count: usize) -> usize {
    (count << INDEX_BITS) | index
}

const fn unpack(tail: usize) -> (usize, usize) {
    (tail & ((1 << INDEX_BITS) - 1), tail >> INDEX_BITS)
}

/// The slot that a thread had last, which it tries first.
#[derive(Debug, Default, Clone, Copy)]
pub struct GraunkeThakkarWaiter {
    index: usize,
}

impl<const PLACES: usize, R> GraunkeThakkar<PLACES, R> {
    const_new! {
        /// A free lock. Its tail names a count that slot 0 does not have, so the first thread need not wait.
        pub const fn new() -> Self {
            const { assert!(PLACES > 0 && PLACES < 1 << INDEX_BITS, "an array lock has 1 to 65,535 places") };
            #[cfg(not(loom))]
            let places = [const { Padded::new(WaiterSlot::new()) }; PLACES];
            #[cfg(loom)]
            let places = core::array::from_fn(|_| Padded::new(WaiterSlot::new()));
            Self { tail: Padded::new(AtomicUsize::new(pack(0, COUNTS - 1))), places, relax: PhantomData }
        }
    }

    /// Takes a free slot, the one that this thread had last if possible.
    fn take_waiter_slot(&self, place: &mut GraunkeThakkarWaiter) -> Option<usize> {
        let index = (0..PLACES)
            .map(|step| (place.index + step) % PLACES)
            .find(|&index| self.places[index].take())?;
        place.index = index;
        Some(index)
    }

    /// The tail that the slot's owner leaves behind. Only the owner may call this.
    fn tail_of(&self, index: usize) -> usize {
        pack(index, self.places[index].finished.load(Ordering::Relaxed))
    }

    fn has_ended(&self, tail: usize) -> bool {
        let (index, count) = unpack(tail);
        self.places[index].finished.load(Ordering::Acquire) != count
    }
}

impl<const PLACES: usize, R> Default for GraunkeThakkar<PLACES, R> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: the swap gives each thread a predecessor of its own, and it enters when that one's count has changed, which
// only its unlock does. Acquire and release pair on the count.
unsafe impl<const PLACES: usize, R: Relax> RawLock for GraunkeThakkar<PLACES, R> {
    type Waiter = GraunkeThakkarWaiter;
    /// The slot's index.
    type Token = usize;
    const NAME: &'static str = "Graunke-Thakkar";
    const IS_FIFO: bool = true;

    fn lock(&self, place: &mut GraunkeThakkarWaiter) -> usize {
        let mut relax = R::default();
        let index = loop {
            match self.take_waiter_slot(place) {
                Some(index) => break index,
                None => relax.relax(),
            }
        };
        let before = self.tail.swap(self.tail_of(index), Ordering::AcqRel);
        while !self.has_ended(before) {
            relax.relax();
        }
        index
    }

    fn try_lock(&self, place: &mut GraunkeThakkarWaiter) -> Option<usize> {
        let before = self.tail.load(Ordering::Acquire);
        if !self.has_ended(before) {
            return None;
        }
        let index = self.take_waiter_slot(place)?;
        let tail = self.tail_of(index);
        if self
            .tail
            .compare_exchange(before, tail, Ordering::AcqRel, Ordering::Relaxed)
            .is_err()
        {
            self.places[index].taken.store(false, Ordering::Release);
            return None;
        }
        // Counts wrap: if the tail has returned to the same word since the load above, this thread has joined the queue
        // and must wait. That takes `COUNTS` acquisitions between two instructions.
        let mut relax = R::default();
        while !self.has_ended(before) {
            relax.relax();
        }
        Some(index)
    }

    unsafe fn unlock(&self, _place: &mut GraunkeThakkarWaiter, index: usize) {
        let slot = &self.places[index];
        let finished = (slot.finished.load(Ordering::Relaxed) + 1) % COUNTS;
        slot.finished.store(finished, Ordering::Release);
        slot.taken.store(false, Ordering::Release);
    }

    fn is_locked(&self) -> bool {
        !self.has_ended(self.tail.load(Ordering::Acquire))
    }
}
