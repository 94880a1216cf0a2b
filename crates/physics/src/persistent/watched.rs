//! [`Watched`]: a value with arrays of its own, which all count as changed after the value was borrowed mutably.

use super::marks::Marks;
use core::ops::{Deref, DerefMut};

/// A value from another crate, whose arrays cannot mark their changes one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched<T> {
    value: T,
    marks: Marks,
}

impl<T> Watched<T> {
    /// The marks of all arrays of the value: every page if it may have changed, else none.
    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The value and its marks, for code that overwrites it or starts marking.
    pub(crate) fn unmarked_mut(&mut self) -> (&mut T, &mut Marks) {
        (&mut self.value, &mut self.marks)
    }
}

impl<T: PartialEq> PartialEq for Watched<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T> Deref for Watched<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Watched<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.marks.mark_all();
        &mut self.value
    }
}
