//! Deleters that are types: they return the memory of an owned object to the global heap, or to foreign code. (The
//! deleter of pools is in `pool.rs`.)

use alloc::alloc::dealloc;
use core::alloc::Layout;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// A method of freeing the memory of an object. A type without values: the deleter is part of the owner's type.
///
/// Implement it for other sources of memory: an arena, for example, whose `free` does nothing.
///
/// # Safety
///
/// `free` may be called from every thread, does not unwind, and does not touch the object's value, which has been
/// dropped or moved out.
pub unsafe trait Deleter {
    /// Frees the memory of an object of this layout.
    ///
    /// # Safety
    ///
    /// `object` comes from the source that this deleter is for, and the caller does not use it again.
    unsafe fn free(object: NonNull<u8>, layout: Layout);
}

/// Memory of the global allocator, as `Box` has it. Objects of size 0 have none.
#[derive(Debug)]
pub enum GlobalHeap {}

// SAFETY: the global allocator works on every thread and does not unwind.
unsafe impl Deleter for GlobalHeap {
    #[inline]
    unsafe fn free(object: NonNull<u8>, layout: Layout) {
        if layout.size() != 0 {
            // SAFETY: the object came from the global allocator with its own layout.
            unsafe { dealloc(object.as_ptr(), layout) }
        }
    }
}

/// A function of foreign code that frees an object by its address, such as C's `free`.
///
/// # Safety
///
/// The function may be called from every thread, does not unwind, and does not access the object's value.
pub unsafe trait FreeFunction {
    /// Frees an object.
    ///
    /// # Safety
    ///
    /// `object` came from the allocator that this function belongs to, and the caller does not use it again.
    unsafe fn free(object: *mut c_void);
}

/// Memory of foreign code, freed by the function `F`.
///
/// ```
/// use core::ffi::c_void;
/// use core::ptr::NonNull;
/// use tombolo_handles::{Foreign, FreeFunction, OwnedBy};
///
/// unsafe extern "C" {
///     fn malloc(size: usize) -> *mut c_void;
///     fn free(object: *mut c_void);
/// }
/// /// Memory of C's `malloc`.
/// enum CFree {}
/// // SAFETY: C's `free` works on every thread and does not unwind.
/// unsafe impl FreeFunction for CFree {
///     unsafe fn free(object: *mut c_void) {
///         // SAFETY: what the caller promises is what C asks for.
///         unsafe { free(object) }
///     }
/// }
///
/// // SAFETY: eight bytes of `malloc`'s are aligned for a `u64`, which is written before it is owned.
/// let seven: OwnedBy<u64, Foreign<CFree>> = unsafe {
///     let object = NonNull::new(malloc(8).cast::<u64>()).expect("eight bytes");
///     object.write(7);
///     OwnedBy::from_raw(object)
/// };
/// assert_eq!(*seven.erase(), 7);
/// ```
#[derive(Debug)]
pub struct Foreign<F>(PhantomData<F>);

// SAFETY: the function's contract is the deleter's.
unsafe impl<F: FreeFunction> Deleter for Foreign<F> {
    #[inline]
    unsafe fn free(object: NonNull<u8>, _layout: Layout) {
        // SAFETY: what the caller promises.
        unsafe { F::free(object.as_ptr().cast()) }
    }
}
