//! [`Kept`]: a value that knows whether it has changed since it was last copied for a frame.

use alloc::sync::Arc;
use core::ops::{Deref, DerefMut};

/// A value of which frames share one copy as long as it does not change: a frame of an unchanged value costs a pointer, of
/// a changed one a copy of all of it.
///
/// Every mutable borrow counts as a change, so that none can be forgotten. Reading costs nothing, a mutable borrow a branch.
/// As with `Arc`, the functions are not methods, so that they cannot be mistaken for those of the value.
///
/// ```
/// use std::sync::Arc;
/// use tombolo_entity::Kept;
/// let mut words = Kept::new(vec!["fog"]);
/// let before = Kept::image(&mut words);
/// assert!(Arc::ptr_eq(&before, &Kept::image(&mut words)), "nothing has changed");
/// words.push("sparks");
/// assert_eq!((before.len(), Kept::image(&mut words).len()), (1, 2));
/// Kept::restore(&mut words, &before);
/// assert_eq!(*words, ["fog"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Kept<T> {
    value: T,
    /// The last copy, if the value has not changed since.
    copy: Option<Arc<T>>,
}

impl<T> Kept<T> {
    /// A value that was not copied yet.
    pub const fn new(value: T) -> Self {
        Self { value, copy: None }
    }

    /// The value. What `Deref` gives, for constant functions.
    pub const fn get(this: &Self) -> &T {
        &this.value
    }

    /// The value, for changes that copies need not have: of caches and of memory that is kept for the next call.
    pub fn cache_mut(this: &mut Self) -> &mut T {
        &mut this.value
    }
}

impl<T: Clone> Kept<T> {
    /// A copy of the value; the last one, if the value has not changed since.
    pub fn image(this: &mut Self) -> Arc<T> {
        let value = &this.value;
        let copy = this.copy.get_or_insert_with(|| Arc::new(value.clone()));
        Arc::clone(copy)
    }

    /// A value with the contents of a copy.
    pub fn of(copy: &Arc<T>) -> Self {
        Self {
            value: T::clone(copy),
            copy: Some(Arc::clone(copy)),
        }
    }

    /// Gives the value back the contents of a copy. Costs nothing if it has not changed since.
    pub fn restore(this: &mut Self, copy: &Arc<T>) {
        if this.copy.as_ref().is_none_or(|known| !Arc::ptr_eq(known, copy)) {
            this.value = T::clone(copy);
            this.copy = Some(Arc::clone(copy));
        }
    }
}

impl<T> From<T> for Kept<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Kept<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        if self.copy.is_some() {
            self.copy = None;
        }
        &mut self.value
    }
}
