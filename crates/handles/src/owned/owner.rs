//! `OwnedBy`, an owner whose deleter is a type, and `Owned`, an owner with an erased deleter.

use super::deleter::{Deleter, GlobalHeap};
use alloc::boxed::Box;
use core::alloc::Layout;
use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// An owned `T` whose memory the deleter `D` frees. 8 bytes.
///
/// Invariant: `object` points to a live `T` that nothing else owns, in memory that `D` may free.
///
/// ```
/// use tombolo_handles::{OwnedBy, Pool};
/// let sparks: Pool<[f32; 4]> = Pool::new(64);
/// let mut spark: OwnedBy<[f32; 4], _> = sparks.place([0.0; 4]);
/// spark[0] = 1.0;
/// assert_eq!(size_of_val(&spark), 8);
/// drop(spark); // back to the pool
/// ```
pub struct OwnedBy<T, D: Deleter> {
    pub(super) object: NonNull<T>,
    owns: PhantomData<(T, D)>,
}

/// An owned `T`, which may be a trait object, with any deleter. 16 bytes; so is `Option<Owned<T>>`.
///
/// An [`OwnedBy`] becomes one by [`OwnedBy::erase`] or, for a trait object, by [`erase!`](crate::erase).
///
/// It is `Send` or `Sync` as `T` is: a deleter must work on every thread (see [`Deleter`]), and an `Owned<dyn Trait>` is
/// not `Send` unless the trait object says so.
///
/// Invariant: `object` points to a live object that nothing else owns, of the type and origin that `table` was made for.
///
/// ```
/// use tombolo_handles::{erase, Owned, OwnedBy, Pool};
/// trait Sound { fn length_s(&self) -> f32; }
/// struct Beep(f32);
/// impl Sound for Beep { fn length_s(&self) -> f32 { self.0 } }
///
/// let beeps = Pool::new(16);
/// let sounds: [Owned<dyn Sound>; 2] = [
///     erase!(beeps.place(Beep(0.5)) => dyn Sound),
///     erase!(OwnedBy::new(Beep(2.0)) => dyn Sound),
/// ];
/// assert_eq!(sounds.iter().map(|sound| sound.length_s()).sum::<f32>(), 2.5);
/// assert_eq!(size_of::<Owned<dyn Sound>>(), 16);
/// ```
pub struct Owned<T: ?Sized> {
    object: NonNull<()>,
    table: &'static Table,
    owns: PhantomData<T>,
}

/// The functions of an erased owner. One table for each (type, deleter, trait).
///
/// Not generic, so that a `&'static Table` may belong to an owner of a type with lifetimes.
struct Table {
    /// Really an `unsafe fn(NonNull<()>) -> NonNull<T>` for the `T` of the owner: makes the pointer to what it derefs to.
    cast: unsafe fn(),
    /// Drops the object and frees its memory, also if the drop panics.
    delete: unsafe fn(NonNull<()>),
    /// Frees the memory of an object that has been moved out.
    free: unsafe fn(NonNull<()>),
    /// Size and alignment of the object.
    layout: Layout,
    /// The table of the same object and deleter under its own type; `None` if this is it.
    concrete: Option<&'static Table>,
}

const WORD: usize = size_of::<usize>();
const _: () = assert!(size_of::<OwnedBy<[u64; 9], GlobalHeap>>() == WORD);
const _: () = assert!(size_of::<Option<OwnedBy<[u64; 9], GlobalHeap>>>() == WORD);
const _: () = assert!(size_of::<Owned<[u64; 9]>>() == 2 * WORD);
const _: () = assert!(size_of::<Owned<dyn fmt::Debug>>() == 2 * WORD);
const _: () = assert!(size_of::<Option<Owned<dyn fmt::Debug>>>() == 2 * WORD);

/// A guard that frees an object's memory when it goes out of scope, so that a panic in the object's drop does not leak
/// it.
struct FreeAtEnd<T, D: Deleter> {
    object: NonNull<T>,
    deleter: PhantomData<D>,
}

impl<T, D: Deleter> Drop for FreeAtEnd<T, D> {
    fn drop(&mut self) {
        // SAFETY: made by functions below that own the object and do not touch it again; it came from `D`.
        unsafe { D::free(self.object.cast(), Layout::new::<T>()) }
    }
}

impl<T> OwnedBy<T, GlobalHeap> {
    /// Puts a value on the heap.
    #[inline]
    pub fn new(value: T) -> Self {
        Box::new(value).into()
    }
}

impl<T, D: Deleter> OwnedBy<T, D> {
    /// Takes ownership of an object.
    ///
    /// # Safety
    ///
    /// `object` points to a live `T` that nothing else owns or will touch, and `D` may free it: see the deleter.
    #[inline]
    pub const unsafe fn from_raw(object: NonNull<T>) -> Self {
        Self {
            object,
            owns: PhantomData,
        }
    }

    /// Releases the object without dropping it; [`OwnedBy::from_raw`] takes it back.
    #[inline]
    pub fn into_raw(self) -> NonNull<T> {
        ManuallyDrop::new(self).object
    }

    /// Moves the value out and frees its memory.
    #[inline]
    pub fn into_inner(self) -> T {
        let free = FreeAtEnd {
            object: self.into_raw(),
            deleter: PhantomData::<D>,
        };
        // SAFETY: the object is live and ours; after this `free` frees its memory without touching it.
        unsafe { free.object.read() }
    }

    /// Erases the deleter's type: the result is the 16-byte owner that works alike for every deleter.
    #[inline]
    pub fn erase(self) -> Owned<T> {
        Owned {
            object: self.into_raw().cast(),
            table: Self::TABLE,
            owns: PhantomData,
        }
    }

    /// [`erase!`](crate::erase) without the macro: an owner of `Trait`, a trait object that `T` coerces to.
    ///
    /// # Safety
    ///
    /// `C` has size 0 and returns its argument, coerced to a pointer to `Trait` of the same object. The coercion must
    /// be an unsizing one, so that `Trait` is `Send`, `Sync` and as long-lived only if `T` is.
    #[inline]
    pub unsafe fn erase_with<Trait: ?Sized, C>(self, _cast: C) -> Owned<Trait>
    where
        C: Fn(*mut T) -> *mut Trait + Copy,
    {
        Owned {
            object: self.into_raw().cast(),
            table: Erased::<T, D, Trait, C>::TABLE,
            owns: PhantomData,
        }
    }

    const TABLE: &'static Table = &Table {
        cast: {
            let cast: unsafe fn(NonNull<()>) -> NonNull<T> = cast_to_itself::<T>;
            // SAFETY: function pointers of one size; `Owned::object` turns it back before the call.
            unsafe { core::mem::transmute::<unsafe fn(NonNull<()>) -> NonNull<T>, unsafe fn()>(cast) }
        },
        delete: delete::<T, D>,
        free: free::<T, D>,
        layout: Layout::new::<T>(),
        concrete: None,
    };
}

/// The table of a `T` from `D` whose owner derefs to a `Trait` through the cast `C`.
struct Erased<T, D, Trait: ?Sized, C>(PhantomData<(T, D, C, Trait)>);

impl<T, D: Deleter, Trait: ?Sized, C: Fn(*mut T) -> *mut Trait + Copy> Erased<T, D, Trait, C> {
    const TABLE: &'static Table = {
        assert!(
            size_of::<C>() == 0,
            "the cast of an erased owner captures nothing"
        );
        &Table {
            cast: {
                let cast: unsafe fn(NonNull<()>) -> NonNull<Trait> = cast_by::<T, Trait, C>;
                // SAFETY: as in `OwnedBy::TABLE`.
                unsafe { core::mem::transmute::<unsafe fn(NonNull<()>) -> NonNull<Trait>, unsafe fn()>(cast) }
            },
            delete: delete::<T, D>,
            free: free::<T, D>,
            layout: Layout::new::<T>(),
            concrete: Some(OwnedBy::<T, D>::TABLE),
        }
    };
}

/// # Safety
///
/// No condition: it is `unsafe` only to have the type that the table needs.
unsafe fn cast_to_itself<T>(object: NonNull<()>) -> NonNull<T> {
    object.cast()
}

/// # Safety
///
/// `object` points to a live `T`, and an instance of `C` has been given to `OwnedBy::erase_with`.
unsafe fn cast_by<T, Trait: ?Sized, C: Fn(*mut T) -> *mut Trait + Copy>(
    object: NonNull<()>,
) -> NonNull<Trait> {
    // SAFETY: `C` has size 0 (asserted in the table) and is `Copy`, so another instance may be read from nothing.
    let cast: C = unsafe { NonNull::<C>::dangling().read() };
    // SAFETY: `erase_with` demands that the cast returns its argument, which is not null.
    unsafe { NonNull::new_unchecked(cast(object.cast().as_ptr())) }
}

/// # Safety
///
/// `object` points to a live `T` that the caller owns and does not use again, and that came from `D`.
unsafe fn delete<T, D: Deleter>(object: NonNull<()>) {
    let free = FreeAtEnd {
        object: object.cast::<T>(),
        deleter: PhantomData::<D>,
    };
    // SAFETY: the caller owns the object and does not touch it again.
    unsafe { free.object.drop_in_place() }
}

/// # Safety
///
/// `object` points to memory of a `T` that came from `D`; the value has been moved out, and the caller does not use it
/// again.
unsafe fn free<T, D: Deleter>(object: NonNull<()>) {
    drop(FreeAtEnd {
        object: object.cast::<T>(),
        deleter: PhantomData::<D>,
    });
}

impl<T: ?Sized> Owned<T> {
    /// The pointer to what the owner derefs to.
    #[inline]
    pub(super) fn target(&self) -> NonNull<T> {
        if const { size_of::<*const T>() == WORD } {
            // A thin pointer is an address and nothing else: no need to read the table.
            // SAFETY: both are pointers of one word, and `object` points to a live `T`: a sized `T` is never erased to
            // another sized type.
            return unsafe { core::mem::transmute_copy::<NonNull<()>, NonNull<T>>(&self.object) };
        }
        // SAFETY: the table was made for this `T`, with a function of this type in `cast`.
        let cast = unsafe {
            core::mem::transmute::<unsafe fn(), unsafe fn(NonNull<()>) -> NonNull<T>>(self.table.cast)
        };
        // SAFETY: `object` points to the live object that the table was made for.
        unsafe { cast(self.object) }
    }

    /// Size and alignment of the object, also of a trait object.
    pub const fn layout(&self) -> Layout {
        self.table.layout
    }

    /// Releases the object without dropping it, as two words; [`Owned::from_raw`] takes it back. For storing owners in
    /// memory of another type or passing them through foreign code.
    pub fn into_raw(self) -> RawOwned {
        let this = ManuallyDrop::new(self);
        RawOwned {
            object: this.object,
            table: this.table,
        }
    }

    /// Takes a released object back.
    ///
    /// # Safety
    ///
    /// `raw` came from [`Owned::into_raw`] of an owner of the same `T`, and has not been taken back before.
    pub const unsafe fn from_raw(raw: RawOwned) -> Self {
        Self {
            object: raw.object,
            table: raw.table,
            owns: PhantomData,
        }
    }
}

/// The two words of a released [`Owned`]. Dropping it leaks the object.
#[derive(Clone, Copy)]
#[must_use = "the object leaks if it is not taken back"]
pub struct RawOwned {
    object: NonNull<()>,
    table: &'static Table,
}

impl RawOwned {
    /// The address of the object.
    pub const fn object(self) -> NonNull<()> {
        self.object
    }
}

impl<T> Owned<T> {
    /// Puts a value on the heap.
    #[inline]
    pub fn new(value: T) -> Self {
        OwnedBy::new(value).erase()
    }

    /// Moves the value out and frees its memory.
    pub fn into_inner(self) -> T {
        let raw = self.into_raw();
        // SAFETY: the object is a live `T` and ours; after the read it is not touched again but to be freed.
        unsafe {
            let value = raw.object.cast::<T>().read();
            (raw.table.free)(raw.object);
            value
        }
    }
}

macro_rules! downcast {
    ($($any:ty),*) => {$(
        impl Owned<$any> {
            /// The owner under the object's own type, or this owner again if the object is not a `T`.
            ///
            /// # Errors
            ///
            /// If the object is not a `T`; gives the owner back.
            pub fn downcast<T: Any>(self) -> Result<Owned<T>, Self> {
                if !(*self).is::<T>() {
                    return Err(self);
                }
                let raw = self.into_raw();
                let table = raw.table.concrete.unwrap_or(raw.table);
                Ok(Owned { object: raw.object, table, owns: PhantomData })
            }
        }
    )*};
}

downcast!(dyn Any, dyn Any + Send, dyn Any + Send + Sync);

/// Makes an owner of a trait object: `erase!(owner => dyn Trait)`. An [`OwnedBy`] becomes an [`Owned`]; an
/// [`OwnedWith`](crate::OwnedWith) becomes one whose deleter is an [`AnyDeleter`](crate::AnyDeleter); a
/// [`SharedOwned`](crate::SharedOwned) becomes another one of the same object.
///
/// Does not compile if the owner's type does not implement the trait, or lacks an auto trait that is named:
///
/// ```compile_fail
/// use tombolo_handles::{erase, OwnedBy};
/// let local = OwnedBy::new(std::rc::Rc::new(1));
/// let sent = erase!(local => dyn std::fmt::Debug + Send);
/// ```
#[macro_export]
macro_rules! erase {
    ($owner:expr => $object:ty) => {{
        let owner = $owner;
        // SAFETY: the closure captures nothing and returns its argument; what the compiler inserts to make its type
        // that of a pointer to the trait object is the unsizing coercion.
        #[allow(unsafe_code)]
        unsafe {
            owner.erase_with::<$object, _>(|object| -> *mut ($object) { object })
        }
    }};
}

impl<T> From<Box<T>> for OwnedBy<T, GlobalHeap> {
    fn from(object: Box<T>) -> Self {
        // SAFETY: a box owns its object, in memory of the global allocator, and never is null.
        unsafe { Self::from_raw(NonNull::new_unchecked(Box::into_raw(object))) }
    }
}

impl<T, D: Deleter> Drop for OwnedBy<T, D> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the owner's invariant, and it is never used again.
        unsafe { delete::<T, D>(self.object.cast()) }
    }
}

impl<T: ?Sized> Drop for Owned<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the owner's invariant, and it is never used again.
        unsafe { (self.table.delete)(self.object) }
    }
}

impl<T, D: Deleter> Deref for OwnedBy<T, D> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the object is live and borrowed as long as the owner is.
        unsafe { self.object.as_ref() }
    }
}

impl<T, D: Deleter> DerefMut for OwnedBy<T, D> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the object is live, and borrowed for change as long as the owner is.
        unsafe { self.object.as_mut() }
    }
}

impl<T: ?Sized> Deref for Owned<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the object is live and borrowed as long as the owner is.
        unsafe { self.target().as_ref() }
    }
}

impl<T: ?Sized> DerefMut for Owned<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the object is live, and borrowed for change as long as the owner is.
        unsafe { self.target().as_mut() }
    }
}

impl<T: fmt::Debug, D: Deleter> fmt::Debug for OwnedBy<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Owned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

// SAFETY: an owner is its object, as a box is; a deleter works on every thread.
unsafe impl<T: Send, D: Deleter> Send for OwnedBy<T, D> {}
// SAFETY: a shared owner gives shared access to its object and nothing else.
unsafe impl<T: Sync, D: Deleter> Sync for OwnedBy<T, D> {}
// SAFETY: as for `OwnedBy`. An erased object is `Send` if the trait object is: the coercion has checked it.
unsafe impl<T: ?Sized + Send> Send for Owned<T> {}
// SAFETY: as for `OwnedBy`.
unsafe impl<T: ?Sized + Sync> Sync for Owned<T> {}

// The object does not move when its owner does.
impl<T, D: Deleter> Unpin for OwnedBy<T, D> {}
impl<T: ?Sized> Unpin for Owned<T> {}
