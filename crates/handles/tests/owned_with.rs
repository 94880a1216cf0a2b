//! Owners whose deleters have state, and shared owners: each object is deleted once, at the right time, also when a
//! drop or a deleter panics. All memory of a test's thread is counted.

use allocator_api2::alloc::{AllocError, Allocator, Global};
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::rc::{Rc, Weak as RcWeak};
use std::sync::{Arc, mpsc};
use tombolo_handles::{
    AnyDeleter, DeleteWith, GlobalHeap, In, Owned, OwnedBy, OwnedWith, Pool, SharedOwned, WeakOwned, erase,
};

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, counting the live blocks that each thread has made.
struct Counting;

// SAFETY: every call is the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = LIVE.try_with(|live| live.set(live.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let _ = LIVE.try_with(|live| live.set(live.get() - 1));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Runs a test body and checks that it frees what it allocates.
fn leaks_nothing(body: impl FnOnce()) {
    let before = LIVE.get();
    body();
    assert_eq!(LIVE.get(), before, "blocks that were not freed");
}

/// Panics without the hook, whose printing keeps memory of its own.
fn fail() {
    resume_unwind(Box::new("told to panic"))
}

/// Runs what has to panic.
fn panics(body: impl FnOnce()) {
    let caught = catch_unwind(AssertUnwindSafe(body));
    assert!(caught.is_err(), "a panic was expected");
}

/// Counts its drops, and panics in them if it is told to.
#[derive(Debug)]
struct Thing<'a> {
    drops: &'a Cell<usize>,
    panics: bool,
}

impl<'a> Thing<'a> {
    fn new(drops: &'a Cell<usize>) -> Self {
        Self { drops, panics: false }
    }
}

impl Drop for Thing<'_> {
    fn drop(&mut self) {
        self.drops.set(self.drops.get() + 1);
        if self.panics {
            fail();
        }
    }
}

/// An allocator that counts its live blocks.
struct Arena<'a>(&'a Cell<isize>);

// SAFETY: every call is the global allocator's.
unsafe impl Allocator for Arena<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.0.set(self.0.get() + 1);
        Global.allocate(layout)
    }
    unsafe fn deallocate(&self, memory: NonNull<u8>, layout: Layout) {
        self.0.set(self.0.get() - 1);
        // SAFETY: the caller's promise.
        unsafe { Global.deallocate(memory, layout) }
    }
}

#[test]
fn an_empty_deleter_costs_no_byte_and_others_what_they_are() {
    let word = size_of::<usize>();
    let captured = 7_u64;
    let empty = OwnedWith::new([0_u64; 9], drop);
    let closure = OwnedWith::new([0_u64; 9], move |_: Box<[u64; 9]>| assert_eq!(captured, 7));
    assert_eq!(size_of_val(&empty), word);
    assert_eq!(size_of_val(&closure), word + 8);
    assert_eq!(size_of::<OwnedWith<u8, In<Global>>>(), word);
    assert_eq!(size_of::<Option<OwnedWith<u8, In<Global>>>>(), word);
    assert_eq!(size_of::<OwnedWith<u8, PhantomData<GlobalHeap>>>(), word);
    assert_eq!(size_of_val(&empty.erase()), 3 * word);
    assert_eq!(size_of_val(&closure.erase()), 3 * word);
}

#[test]
fn the_deleter_gets_the_object_once_and_its_state_is_dropped_once() {
    leaks_nothing(|| {
        let (drops, state_drops) = (Cell::new(0), Cell::new(0));
        let kept = RefCell::new(Vec::new());
        let state = Thing::new(&state_drops);
        let owner = OwnedWith::new(Thing::new(&drops), |object| {
            let _state = &state;
            kept.borrow_mut().push(object);
        });
        drop(owner);
        assert_eq!((kept.borrow().len(), drops.get(), state_drops.get()), (1, 0, 0));
        kept.borrow_mut().clear();
        drop(state);
        assert_eq!((drops.get(), state_drops.get()), (1, 1));

        let owner = OwnedWith::new(Thing::new(&drops), drop);
        let (object, deleter) = owner.into_raw();
        assert_eq!(drops.get(), 1, "given up, not deleted");
        // SAFETY: given up by the owner above.
        drop(unsafe { OwnedWith::from_raw(object, deleter) });
        assert_eq!(drops.get(), 2);
    });
}

#[test]
fn objects_of_an_allocator_go_back_to_it_of_every_size_and_alignment() {
    #[repr(align(128))]
    struct Wide([u8; 300]);
    let blocks = Cell::new(0);
    leaks_nothing(|| {
        let drops = Cell::new(0);
        let thing = OwnedWith::new_in(Thing::new(&drops), Arena(&blocks));
        let nothing = OwnedWith::new_in((), Arena(&blocks));
        let wide = OwnedWith::new_in(Wide([7; 300]), Arena(&blocks));
        assert_eq!(std::ptr::from_ref(&*wide).addr() % align_of::<Wide>(), 0);
        assert_eq!((blocks.get(), wide.0[299]), (3, 7));
        drop((thing, nothing, wide));
        assert_eq!((blocks.get(), drops.get()), (0, 1));
        panics(|| {
            drop(OwnedWith::new_in(
                Thing {
                    drops: &drops,
                    panics: true,
                },
                Arena(&blocks),
            ))
        });
        assert_eq!(
            (blocks.get(), drops.get()),
            (0, 2),
            "freed although its drop panics"
        );
    });
}

#[test]
fn erased_deleters_small_large_aligned_and_empty_delete_once() {
    #[derive(Clone, Copy)]
    #[repr(align(32))]
    struct Aligned(u8);
    leaks_nothing(|| {
        let drops = Cell::new(0);
        let (sender, receiver) = mpsc::channel();
        let large = [1_u64; 8];
        let aligned = Aligned(3);
        let (by_word, by_large, by_aligned) = (sender.clone(), sender.clone(), sender);
        let owners: Vec<OwnedWith<Thing, AnyDeleter>> = vec![
            OwnedWith::new(Thing::new(&drops), drop).erase(),
            OwnedWith::new(Thing::new(&drops), move |_| by_word.send(1).unwrap()).erase(),
            OwnedWith::new(Thing::new(&drops), move |_| by_large.send(large[7] + 1).unwrap()).erase(),
            OwnedWith::new(Thing::new(&drops), move |_| {
                by_aligned.send({ aligned }.0.into()).unwrap()
            })
            .erase(),
            OwnedWith::new_in(Thing::new(&drops), Global).erase(),
            // Erased twice: it still works, and is one box more.
            OwnedWith::new(Thing::new(&drops), drop).erase().erase(),
        ];
        drop(owners);
        assert_eq!(drops.get(), 6);
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2, 3]);
        // An erased deleter that is given up frees itself and deletes nothing.
        let (object, deleter) = OwnedWith::new(Thing::new(&drops), move |_| assert_eq!(large[0], 1))
            .erase()
            .into_raw();
        drop(deleter);
        assert_eq!(drops.get(), 6);
        // SAFETY: made as a box by `new`, and given up.
        drop(unsafe { Box::from_raw(object.as_ptr()) });
    });
}

#[test]
fn a_trait_object_with_an_erased_deleter_is_deleted_as_its_own_type() {
    leaks_nothing(|| {
        let drops = Cell::new(0);
        let pool = Pool::new(4);
        let shown: Vec<OwnedWith<dyn Debug + '_, AnyDeleter>> = vec![
            erase!(OwnedWith::new(Thing::new(&drops), drop) => dyn Debug + '_),
            erase!(OwnedWith::new_in([1_u128; 3], Global) => dyn Debug + '_),
            erase!(OwnedWith::from(pool.place(5_u8)) => dyn Debug + '_),
        ];
        assert_eq!(format!("{:?}", &shown[1..]), "[[1, 1, 1], 5]");
        assert_eq!(size_of_val(&shown[0]), 4 * size_of::<usize>());
        drop(shown);
        assert_eq!((drops.get(), pool.live_count()), (1, 0));
    });
}

#[test]
fn a_deleter_that_panics_frees_what_is_its_own() {
    let drops = Cell::new(0);
    let object = || Thing::new(&drops);
    let failing = |_: Box<Thing>| fail();
    panics(|| drop(OwnedWith::new(object(), failing)));
    leaks_nothing(|| {
        panics(|| drop(OwnedWith::new(object(), failing)));
        let large = [0_u64; 8];
        panics(|| drop(OwnedWith::new(object(), move |_| (0..=large[1]).for_each(|_| fail())).erase()));
        panics(|| {
            drop(
                OwnedWith::new(
                    Thing {
                        drops: &drops,
                        panics: true,
                    },
                    drop,
                )
                .erase(),
            )
        });
    });
    assert_eq!(drops.get(), 4);
}

#[test]
fn the_last_shared_owner_deletes_and_a_panic_in_that_frees_the_block() {
    let drops = Cell::new(0);
    let failing = |_: Box<u32>| fail();
    panics(|| drop(SharedOwned::<u32>::from(OwnedWith::new(1, failing))));
    leaks_nothing(|| {
        let shared: SharedOwned<u32> = OwnedWith::new(1, failing).into();
        let (again, weak) = (shared.clone(), SharedOwned::downgrade(&shared));
        drop(shared);
        assert_eq!((*again, SharedOwned::owner_count(&again)), (1, 1));
        panics(|| drop(again));
        assert!(weak.upgrade().is_none(), "gone, although its deleter panicked");
        drop(weak);
        let thing = SharedOwned::new(Thing {
            drops: &drops,
            panics: true,
        });
        let weak = SharedOwned::downgrade(&thing);
        panics(|| drop(thing));
        assert!(weak.upgrade().is_none());
    });
    assert_eq!(drops.get(), 1);
}

#[test]
fn shared_owners_of_every_origin_delete_once() {
    leaks_nothing(|| {
        let drops = Cell::new(0);
        let pool = Pool::new(2);
        let shared: [SharedOwned<Thing>; 4] = [
            SharedOwned::new(Thing::new(&drops)),
            pool.place(Thing::new(&drops)).into(),
            OwnedBy::new(Thing::new(&drops)).into(),
            Owned::new(Thing::new(&drops)).into(),
        ];
        let clones = shared.clone();
        drop(shared);
        assert_eq!((drops.get(), pool.live_count()), (0, 1));
        drop(clones);
        assert_eq!((drops.get(), pool.live_count()), (4, 0));
        let shown: SharedOwned<dyn Debug + '_> =
            erase!(SharedOwned::new(Thing::new(&drops)) => dyn Debug + '_);
        let erased: SharedOwned<dyn Debug + '_> =
            erase!(OwnedBy::new(Thing::new(&drops)) => dyn Debug + '_).into();
        assert!(!SharedOwned::is_same(&shown, &erased));
        drop((shown, erased));
        assert_eq!(drops.get(), 6);
    });
}

#[test]
fn a_part_keeps_the_whole_and_dies_with_it() {
    leaks_nothing(|| {
        let whole = Arc::new(());
        let pair = SharedOwned::new((whole.clone(), [1, 2, 3]));
        let part: SharedOwned<[i32]> = pair.clone().project(|pair| &pair.1[1..]);
        let weak = SharedOwned::downgrade(&part);
        assert!(SharedOwned::is_same(
            &part,
            &pair.clone().project(|pair| &pair.1[..])
        ));
        drop(pair);
        assert_eq!((&*part, Arc::strong_count(&whole)), (&[2, 3][..], 2));
        drop(part);
        assert!(weak.upgrade().is_none());
        assert_eq!(Arc::strong_count(&whole), 1);
    });
}

/// Owners and deleters go where their parts may: the compiler checks it.
#[test]
fn what_may_go_to_another_thread() {
    fn sent<T: Send>() {}
    fn shared<T: Sync>() {}
    sent::<OwnedWith<u8, In<Global>>>();
    sent::<OwnedWith<u8, AnyDeleter<'static>>>();
    shared::<OwnedWith<u8, AnyDeleter<'static>>>();
    sent::<SharedOwned<u8>>();
    sent::<WeakOwned<dyn Debug + Send + Sync>>();
    let thread = {
        let owner = SharedOwned::new(vec![1, 2]);
        let other = owner.clone();
        std::thread::spawn(move || other.len())
    };
    assert_eq!(thread.join().unwrap(), 2);
}

/// What a random program does with shared owners.
#[derive(Clone, Copy, Debug)]
enum Step {
    New,
    FromDeleter,
    Clone(usize),
    Drop(usize),
    Downgrade(usize),
    CloneWeak(usize),
    DropWeak(usize),
    Upgrade(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::New),
        Just(Step::FromDeleter),
        any::<usize>().prop_map(Step::Clone),
        any::<usize>().prop_map(Step::Drop),
        any::<usize>().prop_map(Step::Drop),
        any::<usize>().prop_map(Step::Downgrade),
        any::<usize>().prop_map(Step::CloneWeak),
        any::<usize>().prop_map(Step::DropWeak),
        any::<usize>().prop_map(Step::Upgrade),
    ]
}

/// Shared owners and the standard library's beside each other.
#[derive(Default)]
struct Pairs {
    owners: Vec<(SharedOwned<Value>, Rc<Value>)>,
    weak: Vec<(WeakOwned<Value>, RcWeak<Value>)>,
}

/// A number, and a count of the values alive.
type Value = (u32, Rc<()>);

impl Pairs {
    fn take(&mut self, step: Step, number: u32, ours: &Rc<()>, theirs: &Rc<()>) {
        let value = || (number, ours.clone());
        match step {
            Step::New => self
                .owners
                .push((SharedOwned::new(value()), Rc::new((number, theirs.clone())))),
            Step::FromDeleter => {
                let owner = OwnedWith::new(value(), drop);
                self.owners
                    .push((owner.into(), Rc::new((number, theirs.clone()))));
            }
            Step::Clone(at) if !self.owners.is_empty() => {
                self.owners.push(self.owners[at % self.owners.len()].clone());
            }
            Step::Drop(at) if !self.owners.is_empty() => {
                self.owners.swap_remove(at % self.owners.len());
            }
            Step::Downgrade(at) if !self.owners.is_empty() => {
                let (ours, theirs) = &self.owners[at % self.owners.len()];
                self.weak
                    .push((SharedOwned::downgrade(ours), Rc::downgrade(theirs)));
            }
            Step::CloneWeak(at) if !self.weak.is_empty() => {
                self.weak.push(self.weak[at % self.weak.len()].clone());
            }
            Step::DropWeak(at) if !self.weak.is_empty() => {
                self.weak.swap_remove(at % self.weak.len());
            }
            Step::Upgrade(at) if !self.weak.is_empty() => {
                let (ours, theirs) = &self.weak[at % self.weak.len()];
                match (ours.upgrade(), theirs.upgrade()) {
                    (Some(ours), Some(theirs)) => self.owners.push((ours, theirs)),
                    (ours, theirs) => assert!(ours.is_none() && theirs.is_none()),
                }
            }
            _ => {}
        }
    }
}

proptest! {
    #[test]
    fn shared_owners_do_what_rc_does(steps in proptest::collection::vec(step(), 0..60)) {
        let (ours, theirs) = (Rc::new(()), Rc::new(()));
        let mut pairs = Pairs::default();
        let before = LIVE.get();
        for (number, &step) in (0..).zip(&steps) {
            pairs.take(step, number, &ours, &theirs);
            prop_assert_eq!(Rc::strong_count(&ours), Rc::strong_count(&theirs), "values alive");
            for (ours, theirs) in &pairs.owners {
                prop_assert_eq!(ours.0, theirs.0);
                prop_assert_eq!(SharedOwned::owner_count(ours), Rc::strong_count(theirs));
            }
        }
        drop(pairs);
        prop_assert_eq!(Rc::strong_count(&ours), 1);
        prop_assert_eq!(LIVE.get(), before, "blocks that were not freed");
    }
}

/// A user's own deleter: state, and memory that is not a box's.
struct Leaked<'a>(&'a Cell<usize>);

// SAFETY: drops the object once; its memory is never given back, as it is nobody's.
unsafe impl<T> DeleteWith<T> for Leaked<'_> {
    unsafe fn delete(self, object: NonNull<T>) {
        self.0.set(self.0.get() + 1);
        // SAFETY: the caller gives the object up.
        unsafe { object.drop_in_place() }
    }
}

#[test]
fn a_deleter_of_the_users_own() {
    let (deleted, drops) = (Cell::new(0), Cell::new(0));
    let mut place = std::mem::MaybeUninit::new(Thing::new(&drops));
    // SAFETY: the place holds a live object, outlives the owner, and does not drop it.
    let owner = unsafe { OwnedWith::from_raw(NonNull::new_unchecked(place.as_mut_ptr()), Leaked(&deleted)) };
    assert_eq!(owner.deleter().0.get(), 0);
    drop(owner);
    assert_eq!((deleted.get(), drops.get()), (1, 1));
}
