//! `Shared`: what the caller of a run and the worker threads share, and the loop of a worker thread.
#![allow(unsafe_code)]

use super::worker_slot::WorkerSlot;
use crate::Padded;
use crate::shim::UnsafeCell;
use crate::shim::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use crate::unwind::catch;

/// The state that the caller and the worker threads share.
///
/// Invariants: `busy` is set from before a run's task is written until after its last slot has ended. `task` is written
/// only by the thread that set `busy`, before the run's number is published; it is read only by a thread that took one of
/// the run's turns. Run numbers grow by one.
pub(super) struct Shared {
    run: Padded<AtomicU64>,
    task: UnsafeCell<Option<Task>>,
    pub(super) busy: AtomicBool,
    /// Worker 1 first: worker 0 needs none.
    pub(super) worker_slots: Box<[Padded<WorkerSlot>]>,
}

/// The run's task with its lifetime erased: it is only called before the caller returns from `run`.
type Task = *const (dyn Fn(usize) + Sync);

/// The run number that makes the worker threads return.
const SHUT_DOWN: u64 = u64::MAX;

// SAFETY: `task` is the only field that is not `Send` and `Sync` by itself. Its pointee is `Sync`, and the invariants
// above order its writes and reads.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// That of a pool with so many slots, before its first run.
    pub(super) fn new(worker_slot_count: usize) -> Self {
        Self {
            run: Padded::new(AtomicU64::new(0)),
            task: UnsafeCell::new(None),
            busy: AtomicBool::new(false),
            worker_slots: (0..worker_slot_count)
                .map(|_| Padded::new(WorkerSlot::new()))
                .collect(),
        }
    }

    /// Stores the task, publishes the next run's number and returns it. The caller has set `busy`.
    pub(super) fn publish(&self, task: &(dyn Fn(usize) + Sync)) -> u64 {
        // SAFETY: only the lifetime changes. `run` does not return before every slot has ended this run, and nobody
        // calls the task without holding a slot's turn of it.
        let task = unsafe { core::mem::transmute::<&(dyn Fn(usize) + Sync), Task>(task) };
        // SAFETY: `busy` keeps other callers out, and no thread holds a turn.
        self.task.with_mut(|slot| unsafe { *slot = Some(task) });
        let run = self.run.load(Ordering::Relaxed) + 1;
        self.run.store(run, Ordering::Release);
        run
    }

    /// The main function of a worker thread.
    pub(super) fn work(&self, worker: usize) {
        let worker_slot = &self.worker_slots[worker - 1];
        if !worker_slot.occupy() {
            return;
        }
        let mut last_run = 0;
        loop {
            last_run = worker_slot.wait_for_run(&self.run, last_run);
            if last_run == SHUT_DOWN {
                return;
            }
            if worker_slot.take_as_occupant(last_run) {
                // SAFETY: this thread holds a turn of the run, so the caller is still in `run`, has written the task
                // before it published the number, and will not write it again before the turn has ended.
                let task = self.task.with(|slot| unsafe { (*slot).map(|task| &*task) });
                let panic = task.and_then(|task| catch(task, worker));
                worker_slot.end(last_run, panic);
            }
        }
    }

    /// Wakes the sleeping threads, after a new run number was published.
    pub(super) fn wake_sleepers(&self) {
        // Pairs with the fence in `WorkerSlot::sleep_until_woken`: either the sleeper sees the new number, or this sees it sleep.
        fence(Ordering::SeqCst);
        for worker_slot in &self.worker_slots {
            worker_slot.wake();
        }
    }

    /// Makes the worker threads return.
    pub(super) fn shut_down(&self) {
        self.run.store(SHUT_DOWN, Ordering::Release);
        self.wake_sleepers();
    }
}
