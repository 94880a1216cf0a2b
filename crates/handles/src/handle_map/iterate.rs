//! Iterators over a map in dense order. None of them lets a caller move values under their handles.

use super::{HandleMap, Slot};
use crate::handle::Handle;
use crate::layout::Layout;
use allocator_api2::alloc::{Allocator, Global};
use allocator_api2::vec;
use core::borrow::Borrow;
use core::iter::{FusedIterator, Zip};
use core::marker::PhantomData;
use core::slice;

/// Handles and values in dense order, from [`HandleMap::iter`].
pub struct Iter<'a, T, L> {
    slots: &'a [Slot],
    pairs: Zip<slice::Iter<'a, u32>, slice::Iter<'a, T>>,
    layout: PhantomData<fn() -> L>,
}

/// Handles and values for change in dense order, from [`HandleMap::iter_mut`].
pub struct IterMut<'a, T, L> {
    slots: &'a [Slot],
    pairs: Zip<slice::Iter<'a, u32>, slice::IterMut<'a, T>>,
    layout: PhantomData<fn() -> L>,
}

/// Handles and owned values in dense order, from a map's `into_iter`.
pub struct IntoIter<T, L, A: Allocator = Global> {
    slots: vec::Vec<Slot, A>,
    pairs: Zip<vec::IntoIter<u32, A>, vec::IntoIter<T, A>>,
    layout: PhantomData<fn() -> L>,
}

#[inline]
fn handle_of<T, L: Layout>(slots: &[Slot], owner: u32) -> Handle<T, L> {
    let slot = slots[owner as usize];
    Handle::from_parts(slot.tag::<L>(), slot.generation::<L>(), owner)
}

macro_rules! walk_pairs {
    ($name:ident [$($life:lifetime)?] [$($memory:ident)?] => $item:ty) => {
        impl<$($life,)? T, L: Layout $(, $memory: Allocator)?> Iterator for $name<$($life,)? T, L $(, $memory)?> {
            type Item = (Handle<T, L>, $item);

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let (owner, value) = self.pairs.next()?;
                Some((handle_of(&self.slots, *owner.borrow()), value))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.pairs.size_hint()
            }
        }

        impl<$($life,)? T, L: Layout $(, $memory: Allocator)?> DoubleEndedIterator
            for $name<$($life,)? T, L $(, $memory)?>
        {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let (owner, value) = self.pairs.next_back()?;
                Some((handle_of(&self.slots, *owner.borrow()), value))
            }
        }

        impl<$($life,)? T, L: Layout $(, $memory: Allocator)?> ExactSizeIterator
            for $name<$($life,)? T, L $(, $memory)?>
        {
        }
        impl<$($life,)? T, L: Layout $(, $memory: Allocator)?> FusedIterator
            for $name<$($life,)? T, L $(, $memory)?>
        {
        }
    };
}

walk_pairs!(Iter ['a] [] => &'a T);
walk_pairs!(IterMut ['a] [] => &'a mut T);
walk_pairs!(IntoIter [] [A] => T);

impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// The values in dense order, as a slice iterator.
    pub fn values(&self) -> slice::Iter<'_, T> {
        self.values.iter()
    }

    /// The values in dense order, for change. An iterator and not a slice: sorting a slice would move values under
    /// their handles. (Two values can still be exchanged with `core::mem::swap`, as through any two references; a
    /// handle names a place in the map, not the bytes.)
    pub fn values_mut(
        &mut self,
    ) -> impl ExactSizeIterator<Item = &mut T> + DoubleEndedIterator + FusedIterator {
        self.header.ordered_len = 0;
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
            pairs: self.owners.iter().zip(self.values.iter()),
            layout: PhantomData,
        }
    }

    /// Handles and values for change, in dense order.
    pub fn iter_mut(&mut self) -> IterMut<'_, T, L> {
        self.header.ordered_len = 0;
        IterMut {
            slots: &self.slots,
            pairs: self.owners.iter().zip(self.values.iter_mut()),
            layout: PhantomData,
        }
    }

    /// The handles in dense order.
    pub fn handles(
        &self,
    ) -> impl ExactSizeIterator<Item = Handle<T, L>> + DoubleEndedIterator + FusedIterator {
        self.iter().map(|(handle, _)| handle)
    }
}

impl<'a, T, L: Layout, M, A: Allocator + Clone> IntoIterator for &'a HandleMap<T, L, M, A> {
    type Item = (Handle<T, L>, &'a T);
    type IntoIter = Iter<'a, T, L>;
    fn into_iter(self) -> Iter<'a, T, L> {
        self.iter()
    }
}

impl<'a, T, L: Layout, M, A: Allocator + Clone> IntoIterator for &'a mut HandleMap<T, L, M, A> {
    type Item = (Handle<T, L>, &'a mut T);
    type IntoIter = IterMut<'a, T, L>;
    fn into_iter(self) -> IterMut<'a, T, L> {
        self.iter_mut()
    }
}

impl<T, L: Layout, M, A: Allocator + Clone> IntoIterator for HandleMap<T, L, M, A> {
    type Item = (Handle<T, L>, T);
    type IntoIter = IntoIter<T, L, A>;
    fn into_iter(self) -> IntoIter<T, L, A> {
        let owners = self.owners.into_inner().into_iter();
        IntoIter {
            slots: self.slots.into_inner(),
            pairs: owners.zip(self.values.into_inner()),
            layout: PhantomData,
        }
    }
}
