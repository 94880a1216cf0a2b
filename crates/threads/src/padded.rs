//! [`Padded`]: a value alone on its cache lines. For data that one worker writes while others access data near it.

use core::ops::{Deref, DerefMut};

/// A value aligned to, and filling, 128 bytes or a multiple of them, so that no other value shares its cache lines.
///
/// 128 and not 64: x86-64 prefetches lines in pairs and some ARM cores have lines of 128 bytes; crossbeam's
/// `CachePadded` has the same number.
///
/// ```
/// use tombolo_threads::Padded;
/// let counters = [Padded::new(1_u64), Padded::new(2)];
/// assert_eq!(size_of_val(&counters), 256);
/// assert_eq!(*counters[1], 2);
/// ```
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[repr(align(128))]
pub struct Padded<T>(T);

const _: () = assert!(size_of::<Padded<u8>>() == 128 && align_of::<Padded<u8>>() == 128);
const _: () = assert!(size_of::<Padded<[u8; 129]>>() == 256);

impl<T> Padded<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Unwraps the value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Padded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Padded<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
