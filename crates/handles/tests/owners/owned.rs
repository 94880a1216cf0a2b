//! The cases that owning pointers with erased deleters have to get right, each under its number.

use std::alloc::Layout;
use std::any::Any;
use std::cell::Cell;
use std::ffi::c_void;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tombolo_handles::{
    Deleter, Foreign, FreeFunction, GlobalHeap, Owned, OwnedBy, Pool, RawOwned, ReturnToPool, erase,
};

thread_local! {
    static FOREIGN_FREED: Cell<usize> = const { Cell::new(0) };
    static ARENA_FREED: Cell<usize> = const { Cell::new(0) };
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(object: *mut c_void);
}

/// Memory of C's `malloc`, frees counted on each thread.
enum CFree {}

// SAFETY: C's `free` works on every thread and does not unwind.
unsafe impl FreeFunction for CFree {
    unsafe fn free(object: *mut c_void) {
        FOREIGN_FREED.set(FOREIGN_FREED.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { free(object) }
    }
}

/// Memory of an arena that lives for ever: freeing does nothing.
enum Arena {}

// SAFETY: does nothing but count.
unsafe impl Deleter for Arena {
    unsafe fn free(_object: NonNull<u8>, _layout: Layout) {
        ARENA_FREED.set(ARENA_FREED.get() + 1);
    }
}

fn foreign<T>(value: T) -> OwnedBy<T, Foreign<CFree>> {
    assert!(align_of::<T>() <= 16);
    // SAFETY: memory of `malloc`, large and aligned enough, written before it is owned.
    unsafe {
        let object = NonNull::new(malloc(size_of::<T>().max(1)).cast::<T>()).expect("memory");
        object.write(value);
        OwnedBy::from_raw(object)
    }
}

fn in_arena<T>(value: T) -> OwnedBy<T, Arena> {
    // SAFETY: leaked memory belongs to nobody else, and `Arena` does not free it.
    unsafe {
        OwnedBy::from_raw(NonNull::from(Box::leak(Box::new(std::mem::ManuallyDrop::new(value)))).cast())
    }
}

/// Something that counts its drops.
#[derive(Clone, Debug)]
struct Thing(Rc<Cell<usize>>);

impl Drop for Thing {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn te_dropped_exactly_once_and_freed_by_the_allocator_that_made_it() {
    let drops = Rc::new(Cell::new(0));
    let thing = || Thing(drops.clone());
    let pool = Pool::new(4);
    let objects: Vec<Owned<dyn Debug>> = vec![
        erase!(OwnedBy::new(thing()) => dyn Debug),
        erase!(pool.place(thing()) => dyn Debug),
        erase!(foreign(thing()) => dyn Debug),
        erase!(in_arena(thing()) => dyn Debug),
    ];
    assert_eq!((pool.live_count(), drops.get()), (1, 0));
    let (foreign_before, arena_before) = (FOREIGN_FREED.get(), ARENA_FREED.get());
    drop(objects);
    assert_eq!((pool.live_count(), drops.get()), (0, 4));
    assert_eq!(FOREIGN_FREED.get() - foreign_before, 1);
    assert_eq!(ARENA_FREED.get() - arena_before, 1);
    drop((
        OwnedBy::new(thing()),
        pool.place(thing()),
        foreign(thing()).erase(),
        Owned::new(thing()),
    ));
    assert_eq!((pool.live_count(), drops.get()), (0, 8));
}

#[test]
fn te_objects_of_size_0() {
    struct Nothing;
    thread_local!(static DROPS: Cell<usize> = const { Cell::new(0) });
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPS.set(DROPS.get() + 1);
        }
    }
    let pool = Pool::new(2);
    let objects = [
        OwnedBy::new(Nothing).erase(),
        pool.place(Nothing).erase(),
        foreign(Nothing).erase(),
    ];
    assert!(
        objects
            .iter()
            .all(|object| object.layout() == Layout::new::<()>())
    );
    drop(objects);
    assert_eq!(DROPS.get(), 3);
}

#[test]
fn te_alignment_64() {
    #[repr(align(64))]
    struct Wide(u8);
    let pool = Pool::new(3);
    let objects: Vec<Owned<Wide>> = (0..10)
        .map(|value| pool.place(Wide(value)).erase())
        .chain([Owned::new(Wide(10))])
        .collect();
    for (value, object) in (0..).zip(&objects) {
        assert!(std::ptr::from_ref(&**object).addr().is_multiple_of(64));
        assert_eq!((object.0, object.layout().align()), (value, 64));
    }
}

/// Whether a type is `Send`, by way of a constant of the trait hiding one of the type.
macro_rules! is_send {
    ($type:ty) => {{
        #[allow(dead_code, reason = "which of the two constants is used depends on the type")]
        trait Fallback {
            const IS: bool = false;
        }
        impl<T: ?Sized> Fallback for Probe<T> {}
        struct Probe<T: ?Sized>(std::marker::PhantomData<T>);
        #[allow(dead_code, reason = "as above")]
        impl<T: ?Sized + Send> Probe<T> {
            const IS: bool = true;
        }
        Probe::<$type>::IS
    }};
}

#[test]
fn te_auto_traits_are_the_objects() {
    const {
        assert!(is_send!(OwnedBy<u32, GlobalHeap>) && is_send!(OwnedBy<u32, ReturnToPool<u32>>));
        assert!(
            !is_send!(OwnedBy<Rc<u32>, GlobalHeap>) && !is_send!(OwnedBy<Rc<u32>, ReturnToPool<Rc<u32>>>)
        );
        assert!(is_send!(Owned<u32>) && !is_send!(Owned<Rc<u32>>));
        assert!(is_send!(Owned<dyn Debug + Send>) && !is_send!(Owned<dyn Debug>));
        assert!(is_send!(&'static Owned<dyn Debug + Sync>) && !is_send!(&'static Owned<dyn Debug + Send>));
        assert!(is_send!(Pool<u32>) && !is_send!(&'static Pool<u32>));
    }
    const fn unpin<T: Unpin>() {}
    unpin::<Owned<std::marker::PhantomPinned>>();
}

#[test]
fn te_downcast_gives_the_object_or_the_owner_back() {
    let drops = Rc::new(Cell::new(0));
    let pool = Pool::new(1);
    let any: Owned<dyn Any> = erase!(pool.place(Thing(drops.clone())) => dyn Any);
    let any = any.downcast::<u32>().expect_err("it is no number");
    let thing: Owned<Thing> = any.downcast().expect("it is a thing");
    assert!(Rc::ptr_eq(&thing.0, &drops));
    assert_eq!((pool.live_count(), drops.get()), (1, 0));
    drop(thing);
    assert_eq!((pool.live_count(), drops.get()), (0, 1));
    let text: Owned<dyn Any + Send> = erase!(OwnedBy::new(String::from("text")) => dyn Any + Send);
    assert_eq!(
        text.downcast::<String>().expect("it is a string").into_inner(),
        "text"
    );
}

#[test]
fn te_raw_round_trip_and_forgetting() {
    let drops = Rc::new(Cell::new(0));
    let pool = Pool::new(1);
    let raw = pool.place(Thing(drops.clone())).into_raw();
    // SAFETY: just given up by an owner of this type.
    let owner: OwnedBy<Thing, ReturnToPool<Thing>> = unsafe { OwnedBy::from_raw(raw) };
    let erased: Owned<dyn Debug> = erase!(owner => dyn Debug);
    let raw: RawOwned = erased.into_raw();
    assert_eq!((drops.get(), size_of::<RawOwned>()), (0, 2 * size_of::<usize>()));
    // SAFETY: just given up by an owner of this type.
    let again: Owned<dyn Debug> = unsafe { Owned::from_raw(raw) };
    drop(again);
    assert_eq!((pool.live_count(), drops.get()), (0, 1));
    std::mem::forget(pool.place(Thing(drops.clone())));
    assert_eq!((pool.live_count(), drops.get()), (1, 1));
}

#[test]
fn te_moving_the_value_out_frees_without_dropping() {
    let drops = Rc::new(Cell::new(0));
    let pool = Pool::new(1);
    let typed = pool.place(Thing(drops.clone())).into_inner();
    let erased = pool.place(Thing(drops.clone())).erase().into_inner();
    let before = FOREIGN_FREED.get();
    let from_c = foreign(Thing(drops.clone())).erase().into_inner();
    assert_eq!(
        (pool.live_count(), drops.get(), FOREIGN_FREED.get() - before),
        (0, 0, 1)
    );
    drop((typed, erased, from_c));
    assert_eq!(drops.get(), 3);
}

#[test]
fn te_a_drop_that_panics_still_frees() {
    #[derive(Debug)]
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a drop that panics");
        }
    }
    let pool = Pool::new(1);
    let before = FOREIGN_FREED.get();
    let typed = pool.place(Bomb);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(typed))).is_err());
    let erased: Owned<dyn Debug> = erase!(pool.place(Bomb) => dyn Debug);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(erased))).is_err());
    assert_eq!(pool.live_count(), 0);
    let from_c = foreign(Bomb).erase();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(from_c))).is_err());
    assert_eq!(FOREIGN_FREED.get() - before, 1);
}

#[test]
fn te_lifetimes_are_bounded_and_covariant() {
    fn shorter<'a>(long: Owned<&'static str>, _: &'a str) -> Owned<&'a str> {
        long
    }
    let text = String::from("local");
    let borrowed: Owned<dyn Debug + '_> = erase!(OwnedBy::new(&text) => dyn Debug + '_);
    assert_eq!(format!("{borrowed:?}"), "\"local\"");
    let typed = Owned::new(text.as_str());
    assert_eq!(*shorter(Owned::new("static"), &typed), "static");
}

#[test]
fn te_option_is_free_and_sizes_stand_beside_those_of_cpp() {
    // C++: 16 bytes with a function pointer, 32 and 64 with `std::function` (GCC 5.3, Visual C++ 2015).
    assert_eq!(size_of::<OwnedBy<Thing, GlobalHeap>>(), 8);
    assert_eq!(size_of::<Owned<Thing>>(), 16);
    assert_eq!(size_of::<Owned<dyn Debug>>(), 16);
    assert_eq!(size_of::<Option<OwnedBy<Thing, ReturnToPool<Thing>>>>(), 8);
    assert_eq!(size_of::<Option<Owned<dyn Debug>>>(), 16);
}

#[test]
fn te_objects_outlive_their_pool_and_blocks_are_used_again() {
    let drops = Rc::new(Cell::new(0));
    let pool = Pool::new(2);
    let first = pool.place(Thing(drops.clone()));
    let address = std::ptr::from_ref(&*first);
    let second = pool.place(Thing(drops.clone()));
    drop(first);
    let again = pool.place(Thing(drops.clone()));
    assert!(std::ptr::eq(&*again, address));
    drop(pool);
    assert_eq!(drops.get(), 1);
    drop((second, again));
    assert_eq!(drops.get(), 3);
}

#[test]
fn te_objects_return_to_their_pool_from_other_threads() {
    let dropped = Arc::new(AtomicUsize::new(0));
    struct Counted(Arc<AtomicUsize>, u64);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let pool = Pool::new(16);
    let rounds = 200;
    std::thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::channel::<Vec<Owned<Counted>>>();
        let (other_sender, other_receiver) = std::sync::mpsc::channel::<Vec<Owned<Counted>>>();
        for receiver in [receiver, other_receiver] {
            scope.spawn(move || {
                for objects in receiver {
                    assert!(objects.iter().is_sorted_by_key(|object| object.1));
                }
            });
        }
        for round in 0..rounds {
            let objects = (0..50)
                .map(|value| pool.place(Counted(dropped.clone(), value)).erase())
                .collect();
            let sender = if round % 2 == 0 { &sender } else { &other_sender };
            sender.send(objects).expect("the thread runs");
        }
    });
    assert_eq!(dropped.load(Ordering::Relaxed), 50 * rounds);
    assert_eq!(pool.live_count(), 0);
}

#[test]
fn te_foreign_free_works_typed_and_erased() {
    let before = FOREIGN_FREED.get();
    let mut number = foreign(7_u64);
    *number += 1;
    assert_eq!(*number, 8);
    let erased: Owned<dyn Any> = erase!(number => dyn Any);
    assert_eq!(erased.downcast_ref::<u64>(), Some(&8));
    drop(erased);
    assert_eq!(FOREIGN_FREED.get() - before, 1);
}
