//! Prefetching: requesting memory before it is read. Any stage may use it; it has no effect on results.
#![allow(unsafe_code)]

/// Requests that a value be loaded into the cache, as it will be read soon. Affects time only.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first: *const i8 = core::ptr::from_ref(value).cast();
        for offset in (0..size_of::<T>()).step_by(64) {
            // SAFETY: prefetching needs SSE, which is part of every x86_64, and the address is within the value.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(first.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Requests that an element of a slice be loaded into the cache. An index that is out of range has no effect.
#[inline(always)]
pub(crate) fn prefetch_in<T>(values: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first: *const i8 = values.as_ptr().wrapping_add(index).cast();
        for offset in (0..size_of::<T>()).step_by(64) {
            // SAFETY: prefetching needs SSE, which is part of every x86_64; no address is invalid for it.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, index);
}
