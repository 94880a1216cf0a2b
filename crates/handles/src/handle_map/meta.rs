//! Data of the user's that the map keeps beside each value: griffin's array of metadata, open to the user.

use super::HandleMap;
use crate::handle::Handle;
use crate::layout::Layout;
use allocator_api2::alloc::Allocator;
use core::iter::FusedIterator;

impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// Inserts a value with what is to be known of it beside it.
    ///
    /// The map keeps it in an array parallel to the values: it moves with its value when that is sorted, swapped or
    /// moved into a gap, and goes with it. A [`SecondaryMap`](crate::SecondaryMap) is the other way: for what only some
    /// values have, or what another part of the program knows of them.
    ///
    /// ```
    /// use tombolo_handles::{DefaultLayout, HandleMap};
    /// // Sounds, and beside each how loud it is: what the mixer asks of all of them.
    /// let mut sounds: HandleMap<Vec<f32>, DefaultLayout, u8> = HandleMap::default();
    /// let beep = sounds.insert_with_meta(vec![0.5; 1000], 200);
    /// let hum = sounds.insert_with_meta(vec![0.1; 9000], 30);
    /// assert_eq!(sounds.metas().iter().filter(|&&volume| volume > 100).count(), 1);
    /// assert_eq!(sounds.remove_with_meta(beep).map(|(_, volume)| volume), Some(200));
    /// assert_eq!(sounds.meta(hum), Some(&30));
    /// ```
    ///
    /// # Panics
    ///
    /// If the map is full, see [`HandleMap::try_insert`].
    #[inline]
    pub fn insert_with_meta(&mut self, value: T, meta: M) -> Handle<T, L> {
        let Some(handle) = self.next_handle() else {
            self.panic_full()
        };
        self.insert_as(handle, value, meta);
        handle
    }

    /// Takes the handle's value out with what is beside it; see [`HandleMap::remove`].
    ///
    /// # Panics
    ///
    /// As [`HandleMap::remove`].
    #[inline]
    pub fn remove_with_meta(&mut self, handle: Handle<T, L>) -> Option<(T, M)> {
        let dense = self.dense_index(handle)?;
        Some(self.remove_at(handle, dense))
    }

    /// What is beside the handle's value, or `None` if the handle is not valid. Does not touch the value.
    #[inline]
    pub fn meta(&self, handle: Handle<T, L>) -> Option<&M> {
        self.metas.get(self.dense_index(handle)?)
    }

    /// What is beside the handle's value, for change. Changes no order: a map is sorted by values.
    #[inline]
    pub fn meta_mut(&mut self, handle: Handle<T, L>) -> Option<&mut M> {
        let dense = self.dense_index(handle)?;
        self.metas.get_mut(dense)
    }

    /// What is beside all values, in dense order: the same as that of [`HandleMap::values_slice`].
    pub fn metas(&self) -> &[M] {
        &self.metas
    }

    /// What is beside all values, for change, in dense order. An iterator, as [`HandleMap::values_mut`] is.
    pub fn metas_mut(
        &mut self,
    ) -> impl ExactSizeIterator<Item = &mut M> + DoubleEndedIterator + FusedIterator {
        self.metas.iter_mut()
    }
}
