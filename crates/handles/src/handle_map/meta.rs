//! User data (`M`) that the map keeps beside each value, after griffin's array of metadata, which was not open to the
//! user.

use super::HandleMap;
use crate::handle::Handle;
use crate::layout::Layout;
use allocator_api2::alloc::Allocator;
use core::iter::FusedIterator;

impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// Inserts a value together with the data beside it.
    ///
    /// The map keeps the data in an array parallel to the values: it moves with its value when that is sorted, swapped
    /// or moved into a gap, and is removed with it. A [`SecondaryMap`](crate::SecondaryMap) is the alternative for data
    /// that only some values have, or that another part of the program owns.
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

    /// Removes the handle's value and returns it with the data beside it; see [`HandleMap::remove`].
    ///
    /// # Panics
    ///
    /// In the same cases as [`HandleMap::remove`].
    #[inline]
    pub fn remove_with_meta(&mut self, handle: Handle<T, L>) -> Option<(T, M)> {
        let dense = self.dense_index(handle)?;
        Some(self.remove_at(handle, dense))
    }

    /// The data beside the handle's value, or `None` if the handle is not valid. Does not touch the value.
    #[inline]
    pub fn meta(&self, handle: Handle<T, L>) -> Option<&M> {
        self.metas.get(self.dense_index(handle)?)
    }

    /// The data beside the handle's value, for change. The recorded order stays: a map is sorted by values.
    #[inline]
    pub fn meta_mut(&mut self, handle: Handle<T, L>) -> Option<&mut M> {
        let dense = self.dense_index(handle)?;
        self.metas.get_mut(dense)
    }

    /// The data beside all values, in dense order: the same order as [`HandleMap::values_slice`].
    pub fn metas(&self) -> &[M] {
        &self.metas
    }

    /// The data beside all values, for change, in dense order. An iterator, like [`HandleMap::values_mut`].
    pub fn metas_mut(
        &mut self,
    ) -> impl ExactSizeIterator<Item = &mut M> + DoubleEndedIterator + FusedIterator {
        self.metas.iter_mut()
    }
}
