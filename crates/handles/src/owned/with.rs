//! `OwnedWith<T, D>`: an owner whose deleter is a value: a closure, an allocator, a reference to where the object goes.

use super::Deleter;
use alloc::boxed::Box;
use allocator_api2::alloc::Allocator;
use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// A deleter that is a value, and may carry the state that it needs to delete the object.
///
/// Every closure that takes a `Box<T>` is one, for objects on the heap; [`In`] is one for objects of an allocator;
/// [`AnyDeleter`] is one with an erased type. A [`Deleter`] is the kind without a value, of
/// [`OwnedBy`](super::OwnedBy).
///
/// # Safety
///
/// `delete` ends the object once and gives its memory back to where it came from. It may unwind.
pub unsafe trait DeleteWith<T: ?Sized> {
    /// Drops the object, or keeps it for another use, and gives its memory back.
    ///
    /// # Safety
    ///
    /// `object` is live, comes from the source that this deleter is for, and the caller does not use it again.
    unsafe fn delete(self, object: NonNull<T>);
}

// SAFETY: the object came from a box, and the closure gets it back as one.
unsafe impl<T, F: FnOnce(Box<T>)> DeleteWith<T> for F {
    #[inline]
    unsafe fn delete(self, object: NonNull<T>) {
        // SAFETY: the caller's promise: the object is a box's, and nothing else owns it.
        self(unsafe { Box::from_raw(object.as_ptr()) });
    }
}

/// The deleter of objects in an allocator's memory, from [`OwnedWith::new_in`]: drops them and gives the memory back.
#[derive(Clone, Copy, Debug, Default)]
pub struct In<A>(pub A);

// SAFETY: drops the object once; its memory goes back to the allocator it came from.
unsafe impl<T: ?Sized, A: Allocator> DeleteWith<T> for In<A> {
    unsafe fn delete(self, object: NonNull<T>) {
        /// A guard that frees memory when it goes out of scope, also if the object's drop panics.
        struct Free<A: Allocator>(NonNull<u8>, Layout, A);
        impl<A: Allocator> Drop for Free<A> {
            fn drop(&mut self) {
                // SAFETY: the memory came from this allocator with this layout, and nothing is left in it.
                unsafe { self.2.deallocate(self.0, self.1) }
            }
        }
        // SAFETY: the object is live.
        let layout = Layout::for_value(unsafe { object.as_ref() });
        let _free = Free(object.cast(), layout, self.0);
        // SAFETY: the caller gives the object up.
        unsafe { object.drop_in_place() }
    }
}

// SAFETY: drops the object once; its memory goes back the way that `D` says.
unsafe impl<T, D: Deleter> DeleteWith<T> for PhantomData<D> {
    #[inline]
    unsafe fn delete(self, object: NonNull<T>) {
        // SAFETY: the caller's promise is that of an owner that names its deleter in its type.
        drop(unsafe { super::OwnedBy::<T, D>::from_raw(object) });
    }
}

/// An owned `T` that the value `D` deletes: 8 bytes and the size of `D`, so 8 bytes if `D` is empty.
///
/// `D` may hold what the deletion needs: the list that used objects return to, an allocator, a counter. An owner of one
/// type for all deleters is `OwnedWith<T, AnyDeleter>`, from [`OwnedWith::erase`] or [`erase!`](crate::erase).
///
/// Invariant in `T`: a deleter gets the object as the type that it was made for, so nothing that lives less long may be
/// put in its place. Here a text that is gone would be kept:
///
/// ```compile_fail
/// use std::sync::Mutex;
/// use tombolo_handles::{AnyDeleter, OwnedWith};
/// static KEPT: Mutex<Vec<Box<&'static str>>> = Mutex::new(Vec::new());
/// fn keep(text: Box<&'static str>) {
///     KEPT.lock().unwrap().push(text);
/// }
/// let owner: OwnedWith<&'static str, AnyDeleter> = OwnedWith::new("long", keep).erase();
/// {
///     let text = String::from("short");
///     let mut owner: OwnedWith<&str, AnyDeleter> = owner;
///     *owner = &text;
/// }
/// println!("{}", KEPT.lock().unwrap()[0]);
/// ```
///
/// Invariant: `object` points to a live object that nothing else owns, and that `deleter` may delete.
///
/// ```
/// use std::cell::RefCell;
/// use tombolo_handles::OwnedWith;
/// // Meshes that are done with are kept, so that their memory serves again.
/// let spare = RefCell::new(Vec::new());
/// let mesh = OwnedWith::new([0.0; 64], |mesh: Box<[f32; 64]>| spare.borrow_mut().push(mesh));
/// assert_eq!(size_of_val(&mesh), 16); // the mesh and the reference to `spare`
/// drop(mesh);
/// assert_eq!(spare.borrow().len(), 1);
/// ```
pub struct OwnedWith<T: ?Sized, D: DeleteWith<T>> {
    object: NonNull<T>,
    deleter: ManuallyDrop<D>,
    /// Not of a `T`, which would let an owner of a `&'static str` with an erased deleter become one of a `&str`.
    owns: PhantomData<*mut T>,
}

const WORD: usize = size_of::<usize>();
const _: () = assert!(size_of::<OwnedWith<[u64; 9], fn(Box<[u64; 9]>)>>() == 2 * WORD);
const _: () = assert!(size_of::<OwnedWith<[u64; 9], In<allocator_api2::alloc::Global>>>() == WORD);
const _: () =
    assert!(size_of::<OwnedWith<[u64; 9], In<&'static allocator_api2::alloc::Global>>>() == 2 * WORD);
const _: () = assert!(size_of::<Option<OwnedWith<[u64; 9], In<allocator_api2::alloc::Global>>>>() == WORD);
const _: () = assert!(size_of::<OwnedWith<[u64; 9], AnyDeleter<'static>>>() == 3 * WORD);
const _: () = assert!(size_of::<OwnedWith<dyn fmt::Debug, AnyDeleter<'static>>>() == 4 * WORD);

impl<T, F: FnOnce(Box<T>)> OwnedWith<T, F> {
    /// Puts a value on the heap; `deleter` gets its box at the end.
    ///
    /// ```
    /// use tombolo_handles::OwnedWith;
    /// let seven = OwnedWith::new(7, drop);
    /// assert_eq!((*seven, size_of_val(&seven)), (7, 8));
    /// ```
    #[inline]
    pub fn new(value: T, deleter: F) -> Self {
        // SAFETY: a box owns its object and is never null; the closure is a deleter of boxes.
        unsafe { Self::from_raw(NonNull::new_unchecked(Box::into_raw(Box::new(value))), deleter) }
    }
}

impl<T, A: Allocator> OwnedWith<T, In<A>> {
    /// Puts a value in memory of an allocator, which stays with the owner.
    ///
    /// ```
    /// use allocator_api2::alloc::Global;
    /// use tombolo_handles::OwnedWith;
    /// let name = OwnedWith::new_in(String::from("Ada"), Global);
    /// assert_eq!((name.as_str(), size_of_val(&name)), ("Ada", 8));
    /// ```
    ///
    /// # Panics
    ///
    /// If the allocator has no memory: calls the program's handler of allocation errors.
    pub fn new_in(value: T, allocator: A) -> Self {
        let layout = Layout::new::<T>();
        let Ok(memory) = allocator.allocate(layout) else {
            alloc::alloc::handle_alloc_error(layout)
        };
        let object: NonNull<T> = memory.cast();
        // SAFETY: new memory of the object's layout, written before it is owned; it goes back to its own allocator.
        unsafe {
            object.write(value);
            Self::from_raw(object, In(allocator))
        }
    }
}

impl<T: ?Sized, D: DeleteWith<T>> OwnedWith<T, D> {
    /// Takes ownership of an object.
    ///
    /// # Safety
    ///
    /// `object` points to a live object that nothing else owns or will touch, and `deleter` may delete it.
    #[inline]
    pub const unsafe fn from_raw(object: NonNull<T>, deleter: D) -> Self {
        Self {
            object,
            deleter: ManuallyDrop::new(deleter),
            owns: PhantomData,
        }
    }

    /// Releases object and deleter without deleting; [`OwnedWith::from_raw`] takes them back.
    #[inline]
    pub fn into_raw(self) -> (NonNull<T>, D) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used again, so the deleter is taken once.
        (this.object, unsafe { ManuallyDrop::take(&mut this.deleter) })
    }

    /// The address of the object.
    #[inline]
    pub(super) const fn object(&self) -> NonNull<T> {
        self.object
    }

    /// The deleter.
    #[inline]
    pub fn deleter(&self) -> &D {
        &self.deleter
    }
}

impl<T, D: DeleteWith<T>> OwnedWith<T, D> {
    /// Erases the deleter's type: the result is an owner of one type for all deleters. Allocates if the deleter is
    /// larger than a pointer.
    ///
    /// ```
    /// use tombolo_handles::{AnyDeleter, OwnedWith};
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// let owners: [OwnedWith<u32, AnyDeleter>; 2] = [
    ///     OwnedWith::new(1, drop).erase(),
    ///     OwnedWith::new(2, move |object| sender.send(object).expect("somebody listens")).erase(),
    /// ];
    /// drop(owners);
    /// assert_eq!(receiver.iter().collect::<Vec<_>>(), [Box::new(2)]);
    /// ```
    pub fn erase<'a>(self) -> OwnedWith<T, AnyDeleter<'a>>
    where
        D: Send + 'a,
    {
        let (object, deleter) = self.into_raw();
        // SAFETY: object and deleter belonged together.
        unsafe { OwnedWith::from_raw(object, AnyDeleter::new::<T, D>(deleter)) }
    }

    /// [`erase!`](crate::erase) without the macro: an owner of `Trait`, a trait object that `T` coerces to.
    ///
    /// # Safety
    ///
    /// `cast` returns its argument, coerced to a pointer to `Trait` of the same object by an unsizing coercion, so that
    /// `Trait` is `Send`, `Sync` and as long-lived only if `T` is.
    pub unsafe fn erase_with<'a, Trait: ?Sized, C>(self, cast: C) -> OwnedWith<Trait, AnyDeleter<'a>>
    where
        D: Send + 'a,
        C: Fn(*mut T) -> *mut Trait + Copy,
    {
        let (object, deleter) = self.into_raw();
        // SAFETY: the cast returns its argument, which is not null. `AnyDeleter` asks only for the object's address.
        unsafe {
            let target = NonNull::new_unchecked(cast(object.as_ptr()));
            OwnedWith::from_raw(target, AnyDeleter::new::<T, D>(deleter))
        }
    }
}

/// A deleter with an erased type: two words. It is only for the object that its owner had when it was erased, under
/// whatever type that object is seen.
///
/// Always `Send`, since only deleters that are can be erased, and `Sync`, since there is nothing to do with a shared one.
pub struct AnyDeleter<'a> {
    /// The deleter itself if it fits, else a box of it.
    state: State,
    table: &'static DeleterTable,
    captures: PhantomData<&'a ()>,
}

/// One word that may be uninitialized and may be, or hold, a pointer.
type State = MaybeUninit<*mut ()>;

/// The functions of an erased deleter. One table for each pair of object's type and deleter's type.
struct DeleterTable {
    /// Deletes an object with the deleter.
    delete: unsafe fn(State, NonNull<()>),
    /// Drops a deleter that deletes nothing.
    forget: unsafe fn(State),
}

struct TableOf<T, D>(PhantomData<(T, D)>);

impl<T, D: DeleteWith<T>> TableOf<T, D> {
    const FITS: bool = size_of::<D>() <= WORD && align_of::<D>() <= align_of::<State>();

    const TABLE: &'static DeleterTable = &DeleterTable {
        delete: Self::delete,
        forget: Self::forget,
    };

    fn put(deleter: D) -> State {
        let mut state = State::uninit();
        if Self::FITS {
            // SAFETY: it fits, and the word is ours.
            unsafe { state.as_mut_ptr().cast::<D>().write(deleter) }
        } else {
            state.write(Box::into_raw(Box::new(deleter)).cast());
        }
        state
    }

    /// # Safety
    ///
    /// `state` came from `put` and is not used again.
    unsafe fn take(state: State) -> D {
        if Self::FITS {
            // SAFETY: `put` wrote the deleter here.
            unsafe { state.as_ptr().cast::<D>().read() }
        } else {
            // SAFETY: `put` made the box.
            unsafe { *Box::from_raw(state.assume_init().cast()) }
        }
    }

    /// # Safety
    ///
    /// The conditions of `take`; and those of `DeleteWith::delete` with the `T` at this address.
    unsafe fn delete(state: State, object: NonNull<()>) {
        // SAFETY: the caller's promises.
        unsafe { Self::take(state).delete(object.cast()) }
    }

    /// # Safety
    ///
    /// The conditions of `take`.
    unsafe fn forget(state: State) {
        // SAFETY: the caller's promise.
        drop(unsafe { Self::take(state) });
    }
}

impl AnyDeleter<'_> {
    fn new<T, D: DeleteWith<T> + Send>(deleter: D) -> Self {
        Self {
            state: TableOf::<T, D>::put(deleter),
            table: TableOf::<T, D>::TABLE,
            captures: PhantomData,
        }
    }
}

// SAFETY: the deleter behind the table is for this object, and gets it as its own type.
unsafe impl<T: ?Sized> DeleteWith<T> for AnyDeleter<'_> {
    #[inline]
    unsafe fn delete(self, object: NonNull<T>) {
        let this = ManuallyDrop::new(self);
        // SAFETY: the state is taken once, as `this` is never dropped; the caller gives the object up.
        unsafe { (this.table.delete)(this.state, object.cast()) }
    }
}

impl Drop for AnyDeleter<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and never used again.
        unsafe { (self.table.forget)(self.state) }
    }
}

impl fmt::Debug for AnyDeleter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyDeleter").finish_non_exhaustive()
    }
}

// SAFETY: only deleters that are `Send` are erased.
unsafe impl Send for AnyDeleter<'_> {}
// SAFETY: a shared reference to one gives nothing.
unsafe impl Sync for AnyDeleter<'_> {}

impl<T, D: Deleter> From<super::OwnedBy<T, D>> for OwnedWith<T, PhantomData<D>> {
    /// Gives owners with and without deleter values one erased type; costs no byte.
    fn from(owner: super::OwnedBy<T, D>) -> Self {
        // SAFETY: `PhantomData<D>` deletes as the owner itself would.
        unsafe { Self::from_raw(owner.into_raw(), PhantomData) }
    }
}

impl<T: ?Sized, D: DeleteWith<T>> Drop for OwnedWith<T, D> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the owner's invariant; neither is used again.
        unsafe { ManuallyDrop::take(&mut self.deleter).delete(self.object) }
    }
}

impl<T: ?Sized, D: DeleteWith<T>> Deref for OwnedWith<T, D> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the object is live and borrowed as long as the owner is.
        unsafe { self.object.as_ref() }
    }
}

impl<T: ?Sized, D: DeleteWith<T>> DerefMut for OwnedWith<T, D> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the object is live, and borrowed for change as long as the owner is.
        unsafe { self.object.as_mut() }
    }
}

impl<T: ?Sized + fmt::Debug, D: DeleteWith<T>> fmt::Debug for OwnedWith<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

// SAFETY: an owner is its object and its deleter.
unsafe impl<T: ?Sized + Send, D: DeleteWith<T> + Send> Send for OwnedWith<T, D> {}
// SAFETY: a shared owner gives shared access to both.
unsafe impl<T: ?Sized + Sync, D: DeleteWith<T> + Sync> Sync for OwnedWith<T, D> {}

// The object does not move when its owner does.
impl<T: ?Sized, D: DeleteWith<T>> Unpin for OwnedWith<T, D> {}
