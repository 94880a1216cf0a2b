//! Many objects at once: a tree is filled along the Morton curve, so that what is put in together lies side by side.

use super::layout::Slot;
use super::objects::Placement;
use super::{Bounds, Layout, ObjectId, Orthtree, OrthtreeError, Strategy, code};
use alloc::vec::Vec;

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// A batch has at most so many items: 2^24.
    pub const BATCH_COUNT_MAX: usize = 1 << 24;

    /// Adds many boxes with their numbers, and gives their ids in the same order. The cells hold what they would hold after
    /// one [`insert`](Self::insert) after the other, and the ids are the same; but it takes less time, and neighbours lie side
    /// by side in memory. O(n log n).
    ///
    /// ```
    /// use tombolo_geometry::orthtree::{Bounds, Linear, Loose, Orthtree, Settings};
    /// let root = Bounds::new([0.0; 2], [64.0; 2]);
    /// let mut tree: Orthtree<2, Linear, Loose> =
    ///     Orthtree::new(root, Loose::default(), Settings::default()).unwrap();
    /// let stars: Vec<_> = (1..60).map(|n| (Bounds::point([n as f32, 32.0]), n)).collect();
    /// let ids = tree.insert_many(&stars).unwrap();
    /// assert_eq!(tree.key(ids[9]), Ok(10));
    /// ```
    ///
    /// # Errors
    ///
    /// An invalid box, one out of reach, no room, or more than `BATCH_COUNT_MAX` items. Then nothing has changed.
    pub fn insert_many(&mut self, items: &[(Bounds<D>, u64)]) -> Result<Vec<ObjectId>, OrthtreeError> {
        if items.len() > Self::BATCH_COUNT_MAX {
            return Err(OrthtreeError::Full);
        }
        self.objects.check_room(items.len())?;
        let mut lattice = self.lattice.clone();
        for (bounds, _) in items {
            bounds.check()?;
            self.grow_lattice(&mut lattice, |lattice| self.strategy.reach(lattice, bounds))?;
        }
        if !S::SHARED {
            return Ok(self.fill(items));
        }
        // How many references there will be is known afterwards only.
        let mut filled = self.clone();
        let ids = filled.fill(items);
        filled.objects.check_room(0)?;
        *self = filled;
        Ok(ids)
    }

    /// Inserts what was checked.
    fn fill(&mut self, items: &[(Bounds<D>, u64)]) -> Vec<ObjectId> {
        for (bounds, _) in items {
            let strategy = self.strategy.clone();
            self.grow_as_checked(|lattice| strategy.reach(lattice, bounds));
        }
        self.objects.reserve(items.len());
        let mut queue = Vec::with_capacity(items.len());
        let mut ids = Vec::with_capacity(items.len());
        for (item, (bounds, _)) in items.iter().enumerate() {
            let placement = self.placement(&self.strategy.reach(&self.lattice, bounds));
            self.note_spill(bounds, placement.height);
            ids.push(self.objects.add(placement));
            // One number to sort by: the curve, cells of one corner by size, the batch's order.
            let order = u128::from(self.order_of(&placement));
            queue.push(order << 64 | u128::from(placement.height) << 32 | item as u128);
        }
        queue.sort_unstable();
        let queue: Vec<u32> = queue.into_iter().map(|queued| queued as u32).collect();
        if !S::SHARED {
            self.objects.make_references(self.layout.root());
        }
        if self.opens_at_once() {
            self.fill_cells(items, &ids, &queue);
        } else {
            for &item in &queue {
                let (bounds, key) = &items[item as usize];
                self.place(ids[item as usize], *key, bounds, self.layout.root());
            }
        }
        ids
    }

    /// Cell after cell, each with a room for all that comes.
    fn fill_cells(&mut self, items: &[(Bounds<D>, u64)], ids: &[ObjectId], queue: &[u32]) {
        let mut node = self.layout.root();
        let mut rest = queue;
        while let Some(&first) = rest.first() {
            let placement_of = |item: u32| self.objects.placement(ids[item as usize]);
            let placement = placement_of(first);
            let is_elsewhere = |&item: &u32| placement_of(item) != placement;
            let count = rest.iter().position(is_elsewhere).unwrap_or(rest.len());
            let (here, beyond) = rest.split_at(count);
            rest = beyond;
            node = self.holder(&placement.cell(), node);
            self.epoch += 1;
            let slot: &mut Slot = self.layout.slot_mut(node);
            self.objects.make_list_room(slot, count);
            for &item in here {
                let (bounds, key) = items[item as usize];
                self.objects.refer(ids[item as usize], key, bounds, node, slot);
            }
        }
    }

    /// The place of an object's first cell along the Morton curve, as exactly as 64 bits allow: enough to bring neighbours
    /// together.
    #[inline]
    pub(super) fn order_of(&self, placement: &Placement<D>) -> u64 {
        let root = self.lattice.root();
        let shift = root.height.saturating_sub(64 / D as u32 - 1);
        code::interleave(placement.reach(&root).low.map(|place| (place >> shift) as u32))
    }
}
