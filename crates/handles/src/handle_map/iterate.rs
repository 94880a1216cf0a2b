//! Walking a map in dense order. No iterator lets a caller move values under their handles.

use super::HandleMap;
use crate::handle::Handle;
use crate::layout::Layout;
use core::iter::{FusedIterator, Zip};
use core::slice;

use super::Slot;

/// Handles and values in dense order, from [`HandleMap::iter`].
pub struct Iter<'a, T, L> {
    slots: &'a [Slot],
    pairs: Zip<slice::Iter<'a, u32>, slice::Iter<'a, T>>,
    layout: core::marker::PhantomData<fn() -> L>,
}

/// Handles and values for change in dense order, from [`HandleMap::iter_mut`].
pub struct IterMut<'a, T, L> {
    slots: &'a [Slot],
    pairs: Zip<slice::Iter<'a, u32>, slice::IterMut<'a, T>>,
    layout: core::marker::PhantomData<fn() -> L>,
}

fn handle_of<T, L: Layout>(slots: &[Slot], owner: u32) -> Handle<T, L> {
    let slot = slots[owner as usize];
    Handle::from_parts(slot.tag::<L>(), slot.generation::<L>(), owner)
}

macro_rules! walk_pairs {
    ($name:ident, $item:ty) => {
        impl<'a, T, L: Layout> Iterator for $name<'a, T, L> {
            type Item = (Handle<T, L>, $item);

            fn next(&mut self) -> Option<Self::Item> {
                let (&owner, value) = self.pairs.next()?;
                Some((handle_of(self.slots, owner), value))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.pairs.size_hint()
            }
        }

        impl<T, L: Layout> DoubleEndedIterator for $name<'_, T, L> {
            fn next_back(&mut self) -> Option<Self::Item> {
                let (&owner, value) = self.pairs.next_back()?;
                Some((handle_of(self.slots, owner), value))
            }
        }

        impl<T, L: Layout> ExactSizeIterator for $name<'_, T, L> {}
        impl<T, L: Layout> FusedIterator for $name<'_, T, L> {}
    };
}

walk_pairs!(Iter, &'a T);
walk_pairs!(IterMut, &'a mut T);

impl<T, L: Layout> HandleMap<T, L> {
    /// The values in dense order. As fast as a slice, for it is one.
    pub fn values(&self) -> slice::Iter<'_, T> {
        self.values.iter()
    }

    /// The values in dense order, for change. An iterator and not a slice: sorting a slice would move values under
    /// their handles. (Two values can still be swapped for each other with `core::mem::swap`, as through any two
    /// references; what a handle names is its place in the map.)
    pub fn values_mut(
        &mut self,
    ) -> impl ExactSizeIterator<Item = &mut T> + DoubleEndedIterator + FusedIterator {
        self.values.iter_mut()
    }

    /// The values as a slice, in dense order.
    pub fn values_slice(&self) -> &[T] {
        &self.values
    }

    /// Handles and values in dense order.
    pub fn iter(&self) -> Iter<'_, T, L> {
        Iter {
            slots: &self.slots,
            pairs: self.owners.iter().zip(&self.values),
            layout: core::marker::PhantomData,
        }
    }

    /// Handles and values for change, in dense order.
    pub fn iter_mut(&mut self) -> IterMut<'_, T, L> {
        IterMut {
            slots: &self.slots,
            pairs: self.owners.iter().zip(&mut self.values),
            layout: core::marker::PhantomData,
        }
    }

    /// The handles in dense order.
    pub fn handles(
        &self,
    ) -> impl ExactSizeIterator<Item = Handle<T, L>> + DoubleEndedIterator + FusedIterator {
        self.iter().map(|(handle, _)| handle)
    }
}

impl<'a, T, L: Layout> IntoIterator for &'a HandleMap<T, L> {
    type Item = (Handle<T, L>, &'a T);
    type IntoIter = Iter<'a, T, L>;
    fn into_iter(self) -> Iter<'a, T, L> {
        self.iter()
    }
}

impl<'a, T, L: Layout> IntoIterator for &'a mut HandleMap<T, L> {
    type Item = (Handle<T, L>, &'a mut T);
    type IntoIter = IterMut<'a, T, L>;
    fn into_iter(self) -> IterMut<'a, T, L> {
        self.iter_mut()
    }
}
