//! `SharedOwned<T>`: an object with several owners, from any source of memory, and `WeakOwned<T>`, which does not keep
//! it alive.
//!
//! The control block holds the counts and what has to be dropped at the end: the object itself, or the owner that the
//! object had. That owner is the erased deleter: no other code decides how the object is freed.

use super::with::{DeleteWith, OwnedWith};
use super::{Deleter, Owned, OwnedBy};
use crate::shim::{AtomicUsize, Ordering};
use alloc::boxed::Box;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::Deref;
use core::ptr::NonNull;

/// A reference-counted owner of an object: 16 bytes, and a control block of 24.
///
/// Made from a value ([`SharedOwned::new`]: object and block are one allocation) or from any single owner, of whatever
/// deleter. `Arc` is the better choice for plain values on the heap: 8 bytes, a block of 16. This one is for objects
/// whose origin differs, and for parts of objects ([`SharedOwned::project`]). Owners in a reference cycle are never
/// freed; one of the links has to be a [`WeakOwned`].
///
/// Access is shared: there is no `get_mut`, since a part may be owned beside the whole.
///
/// Invariants: `counts` points to a live block, in which this owner is counted; `object` points to what that block keeps
/// alive while it counts owners.
///
/// ```
/// use tombolo_handles::{OwnedWith, Pool, SharedOwned};
/// let sounds: Pool<[f32; 8]> = Pool::new(16);
/// let beep: SharedOwned<[f32; 8]> = sounds.place([0.5; 8]).into();
/// let again = beep.clone();
/// let weak = SharedOwned::downgrade(&beep);
/// drop(beep);
/// assert_eq!(weak.upgrade().map(|beep| beep[0]), Some(0.5));
/// drop(again); // back to the pool
/// assert!(weak.upgrade().is_none());
/// assert_eq!(sounds.live_count(), 0);
///
/// let logged = OwnedWith::new(7, |seven: Box<u32>| println!("{seven} goes"));
/// let shared: SharedOwned<u32> = logged.into();
/// assert_eq!((*shared, size_of_val(&shared)), (7, 16));
/// ```
pub struct SharedOwned<T: ?Sized> {
    object: NonNull<T>,
    counts: NonNull<Counts>,
    owns: PhantomData<T>,
}

/// A reference that does not keep its object alive: [`WeakOwned::upgrade`] tests whether it still is. 16 bytes.
///
/// It keeps the control block allocated; for an object from [`SharedOwned::new`], which is in the block, that includes
/// its memory.
///
/// Invariant: `counts` points to a live block, in which this reference is counted.
pub struct WeakOwned<T: ?Sized> {
    object: NonNull<T>,
    counts: NonNull<Counts>,
    owns: PhantomData<T>,
}

/// The head of every control block.
struct Counts {
    /// Number of owners.
    owners: AtomicUsize,
    /// Number of weak references, and one more that the owners have together.
    references: AtomicUsize,
    table: &'static BlockTable,
}

/// The functions of a control block for its content. One table for each type.
struct BlockTable {
    /// Drops the content.
    drop_content: unsafe fn(NonNull<Counts>),
    /// Frees the block, whose content has been dropped.
    free: unsafe fn(NonNull<Counts>),
}

/// A control block. `counts` is first, so that its address is the block's.
#[repr(C)]
struct ControlBlock<C> {
    counts: Counts,
    content: ManuallyDrop<C>,
}

const WORD: usize = size_of::<usize>();
const _: () = assert!(size_of::<SharedOwned<[u64; 9]>>() == 2 * WORD);
const _: () = assert!(size_of::<Option<SharedOwned<[u64; 9]>>>() == 2 * WORD);
const _: () = assert!(size_of::<WeakOwned<[u64; 9]>>() == 2 * WORD);
const _: () = assert!(size_of::<SharedOwned<dyn fmt::Debug>>() == 3 * WORD);
#[cfg(not(loom))]
const _: () = assert!(size_of::<Counts>() == 3 * WORD);

impl<C> ControlBlock<C> {
    const TABLE: &'static BlockTable = &BlockTable {
        drop_content: Self::drop_content,
        free: Self::free,
    };

    /// A block with one owner.
    fn new(content: C) -> NonNull<Self> {
        NonNull::from(Box::leak(Box::new(Self {
            counts: Counts {
                owners: AtomicUsize::new(1),
                references: AtomicUsize::new(1),
                table: Self::TABLE,
            },
            content: ManuallyDrop::new(content),
        })))
    }

    /// # Safety
    ///
    /// `counts` is of a live block of this type whose content has not been dropped, and that nothing else refers to.
    unsafe fn drop_content(counts: NonNull<Counts>) {
        let block: NonNull<Self> = counts.cast();
        // SAFETY: the caller's promise. Weak references look at the counts meanwhile, never at the content.
        unsafe { ManuallyDrop::drop(&mut (*block.as_ptr()).content) }
    }

    /// # Safety
    ///
    /// `counts` is of a live block of this type whose content has been dropped, and that nothing else refers to.
    unsafe fn free(counts: NonNull<Counts>) {
        // SAFETY: `new` made the block as a box.
        drop(unsafe { Box::from_raw(counts.cast::<Self>().as_ptr()) });
    }
}

/// Increments a count.
///
/// # Panics
///
/// If the count exceeds half the range of `usize`, which takes that many leaked owners; the increment has no effect
/// then.
fn count_one_more(count: &AtomicUsize) {
    // Relaxed: the cloning thread has an owner or a reference of its own, which orders all else.
    if count.fetch_add(1, Ordering::Relaxed) > usize::MAX / 2 {
        count.fetch_sub(1, Ordering::Relaxed);
        panic!("too many owners of one object");
    }
}

/// Decrements a count and returns whether it was the last. The writes of all earlier holders are visible then.
fn was_the_last(count: &AtomicUsize) -> bool {
    if count.fetch_sub(1, Ordering::Release) != 1 {
        return false;
    }
    // A load and not a fence: thread sanitizers understand its ordering.
    count.load(Ordering::Acquire);
    true
}

/// A guard that releases one weak reference when it goes out of scope, so also when a drop before it panics.
struct Reference(NonNull<Counts>);

impl Drop for Reference {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the reference was counted, so the block lives; the last one frees it.
        unsafe {
            if was_the_last(&self.0.as_ref().references) {
                (self.0.as_ref().table.free)(self.0);
            }
        }
    }
}

impl<T> SharedOwned<T> {
    /// Puts a value and its counts on the heap, in one allocation.
    #[inline]
    pub fn new(value: T) -> Self {
        let block = ControlBlock::new(value);
        Self {
            // SAFETY: the block is live, and stays where it is; its content is a `T`.
            object: unsafe { NonNull::new_unchecked(&raw mut (*block.as_ptr()).content) }.cast(),
            counts: block.cast(),
            owns: PhantomData,
        }
    }

    /// [`erase!`](crate::erase) without the macro: an owner of `Trait`, a trait object that `T` coerces to.
    ///
    /// # Safety
    ///
    /// `cast` returns its argument, coerced to a pointer to `Trait` of the same object by an unsizing coercion, so that
    /// `Trait` is `Send`, `Sync` and as long-lived only if `T` is.
    pub unsafe fn erase_with<Trait: ?Sized, C>(self, cast: C) -> SharedOwned<Trait>
    where
        C: Fn(*mut T) -> *mut Trait + Copy,
    {
        let this = ManuallyDrop::new(self);
        SharedOwned {
            // SAFETY: the cast returns its argument, which is not null.
            object: unsafe { NonNull::new_unchecked(cast(this.object.as_ptr())) },
            counts: this.counts,
            owns: PhantomData,
        }
    }
}

impl<T: ?Sized> SharedOwned<T> {
    /// Shares what `owner` owns; `owner` is dropped with the last shared owner.
    ///
    /// # Safety
    ///
    /// `object` is what `owner` keeps alive, at an address that does not change when `owner` moves. `owner` may be
    /// dropped wherever a `T` may.
    unsafe fn from_owner<O>(owner: O, object: NonNull<T>) -> Self {
        Self {
            object,
            counts: ControlBlock::new(owner).cast(),
            owns: PhantomData,
        }
    }

    /// An owner of a part: it keeps the whole alive, and gives the part.
    ///
    /// ```
    /// use tombolo_handles::SharedOwned;
    /// let pair = SharedOwned::new((1, "one"));
    /// let name: SharedOwned<str> = pair.clone().project(|pair| pair.1);
    /// assert_eq!((&*name, SharedOwned::owner_count(&pair)), ("one", 2));
    /// ```
    ///
    /// The whole must be fit for every thread, as its part may be the last to own it there; and for every lifetime. So
    /// must the part: `part` returns what lives as long as the whole, and not what it has borrowed elsewhere.
    ///
    /// ```compile_fail
    /// use std::marker::PhantomData;
    /// use tombolo_handles::SharedOwned;
    /// /// One that is good for longer where it was good for a shorter time.
    /// struct Loan<'a>(u64, PhantomData<fn(&'a ())>);
    /// let escaped: SharedOwned<Loan<'static>> = {
    ///     let boxed = Box::new(Loan(7, PhantomData));
    ///     let inner: &Loan<'_> = &boxed;
    ///     let part: SharedOwned<Loan<'_>> = SharedOwned::new(()).project(|()| inner);
    ///     part
    /// };
    /// assert_eq!(escaped.0, 7); // the box is gone
    /// ```
    pub fn project<U: ?Sized + 'static>(self, part: impl FnOnce(&T) -> &U) -> SharedOwned<U>
    where
        T: Send + Sync + 'static,
    {
        // Of a `U` for every lifetime, which `'static` makes sure of, `part` can return only a part of the whole or
        // something static.
        let object = NonNull::from(part(&self));
        SharedOwned {
            object,
            counts: ManuallyDrop::new(self).counts,
            owns: PhantomData,
        }
    }

    /// A reference that does not keep the object alive.
    pub fn downgrade(this: &Self) -> WeakOwned<T> {
        count_one_more(&this.counts().references);
        WeakOwned {
            object: this.object,
            counts: this.counts,
            owns: PhantomData,
        }
    }

    /// The number of owners. With owners on other threads, the number is already out of date when it is returned.
    pub fn owner_count(this: &Self) -> usize {
        this.counts().owners.load(Ordering::Relaxed)
    }

    /// Whether two owners have one control block, which owners of parts of one whole do.
    pub fn is_same(this: &Self, other: &Self) -> bool {
        this.counts == other.counts
    }

    #[inline]
    fn counts(&self) -> &Counts {
        // SAFETY: the block lives while this owner is counted.
        unsafe { self.counts.as_ref() }
    }
}

impl<T: ?Sized> WeakOwned<T> {
    /// An owner of the object, or `None` if the last one has gone.
    pub fn upgrade(&self) -> Option<SharedOwned<T>> {
        // SAFETY: the block lives while this reference is counted.
        let owners = unsafe { &self.counts.as_ref().owners };
        let mut count = owners.load(Ordering::Relaxed);
        while count != 0 {
            assert!(count <= usize::MAX / 2, "too many owners of one object");
            // Acquire: the writes that an owner made before it created this reference are visible after the upgrade.
            match owners.compare_exchange_weak(count, count + 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    return Some(SharedOwned {
                        object: self.object,
                        counts: self.counts,
                        owns: PhantomData,
                    });
                }
                Err(now) => count = now,
            }
        }
        None
    }
}

impl<T: ?Sized> Clone for SharedOwned<T> {
    #[inline]
    fn clone(&self) -> Self {
        count_one_more(&self.counts().owners);
        Self {
            object: self.object,
            counts: self.counts,
            owns: PhantomData,
        }
    }
}

impl<T: ?Sized> Drop for SharedOwned<T> {
    #[inline]
    fn drop(&mut self) {
        if was_the_last(&self.counts().owners) {
            let _reference = Reference(self.counts);
            // SAFETY: no owner is left, and none can be made; `_reference` keeps the block until the content is gone.
            unsafe { (self.counts().table.drop_content)(self.counts) }
        }
    }
}

impl<T: ?Sized> Clone for WeakOwned<T> {
    fn clone(&self) -> Self {
        // SAFETY: the block lives while this reference is counted.
        count_one_more(unsafe { &self.counts.as_ref().references });
        Self {
            object: self.object,
            counts: self.counts,
            owns: PhantomData,
        }
    }
}

impl<T: ?Sized> Drop for WeakOwned<T> {
    #[inline]
    fn drop(&mut self) {
        drop(Reference(self.counts));
    }
}

impl<T, D: Deleter> From<OwnedBy<T, D>> for SharedOwned<T> {
    fn from(owner: OwnedBy<T, D>) -> Self {
        let object = owner.object;
        // SAFETY: the owner keeps its object, which stays where it is. Its deleter works on every thread.
        unsafe { Self::from_owner(owner, object) }
    }
}

impl<T: ?Sized> From<Owned<T>> for SharedOwned<T> {
    fn from(owner: Owned<T>) -> Self {
        let object = owner.target();
        // SAFETY: as for `OwnedBy`.
        unsafe { Self::from_owner(owner, object) }
    }
}

impl<T: ?Sized, D: DeleteWith<T> + Send + 'static> From<OwnedWith<T, D>> for SharedOwned<T> {
    fn from(owner: OwnedWith<T, D>) -> Self {
        let object = owner.object();
        // SAFETY: the owner keeps its object, which stays where it is. Its deleter may go to another thread.
        unsafe { Self::from_owner(owner, object) }
    }
}

impl<T: ?Sized> Deref for SharedOwned<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the object lives while this owner is counted; all access is shared.
        unsafe { self.object.as_ref() }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for SharedOwned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Debug for WeakOwned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakOwned").finish_non_exhaustive()
    }
}

// SAFETY: owners on several threads share the object, and the last one, on any of them, drops it.
unsafe impl<T: ?Sized + Send + Sync> Send for SharedOwned<T> {}
// SAFETY: as for `Send`: a shared owner can be cloned.
unsafe impl<T: ?Sized + Send + Sync> Sync for SharedOwned<T> {}
// SAFETY: a reference can become an owner.
unsafe impl<T: ?Sized + Send + Sync> Send for WeakOwned<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: ?Sized + Send + Sync> Sync for WeakOwned<T> {}

// The object does not move when its owners do.
impl<T: ?Sized> Unpin for SharedOwned<T> {}
impl<T: ?Sized> Unpin for WeakOwned<T> {}
