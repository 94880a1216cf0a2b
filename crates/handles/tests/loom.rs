//! Every interleaving of two and three threads through the counters of shared owners. Run with `.ci/loom`; without
//! `--cfg loom` there is nothing here.
#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use tombolo_handles::{OwnedWith, SharedOwned};

/// What is shared. Loom reports a drop that is not ordered behind all uses: the drop writes what the uses read.
struct Thing {
    value: UnsafeCell<usize>,
    drops: Arc<AtomicUsize>,
}

// SAFETY: the value is read by owners and written by the drop, which is what loom checks.
unsafe impl Sync for Thing {}
// SAFETY: a number and a counter.
unsafe impl Send for Thing {}

impl Thing {
    fn new(drops: &Arc<AtomicUsize>) -> Self {
        Self {
            value: UnsafeCell::new(1),
            drops: Arc::clone(drops),
        }
    }

    fn look(&self) -> usize {
        // SAFETY: nobody writes while there are owners.
        self.value.with(|value| unsafe { *value })
    }
}

impl Drop for Thing {
    fn drop(&mut self) {
        // SAFETY: the last owner is alone.
        self.value.with_mut(|value| unsafe { *value = 0 });
        self.drops.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn owners_on_three_threads_drop_the_object_once_after_all_uses() {
    loom::model(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let owner = SharedOwned::new(Thing::new(&drops));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let owner = owner.clone();
                thread::spawn(move || assert_eq!(owner.look(), 1))
            })
            .collect();
        assert_eq!(owner.look(), 1);
        drop(owner);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn a_reference_is_upgraded_while_the_last_owner_goes() {
    loom::model(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let owner = SharedOwned::new(Thing::new(&drops));
        let weak = SharedOwned::downgrade(&owner);
        let other = thread::spawn(move || {
            if let Some(owner) = weak.upgrade() {
                assert_eq!(owner.look(), 1);
            }
        });
        drop(owner);
        other.join().unwrap();
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn references_and_owners_leave_in_every_order() {
    loom::model(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let owner: SharedOwned<Thing> = OwnedWith::new(Thing::new(&drops), drop).into();
        let weak = SharedOwned::downgrade(&owner);
        let cloned = {
            let weak = weak.clone();
            thread::spawn(move || drop(weak))
        };
        let clone = owner.clone();
        let other = thread::spawn(move || drop(SharedOwned::downgrade(&clone)));
        drop(owner);
        cloned.join().unwrap();
        other.join().unwrap();
        assert!(weak.upgrade().is_none());
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    });
}
