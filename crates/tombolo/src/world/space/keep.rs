//! Entities that moved and keep their places, being in the same cell of the grid as before: all workers update their boxes.
//! The stage `poses` does so for the entities of bodies (`followed.rs`), `track.rs` for those of composites.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use tombolo_entity::{Entity, RowChanges};
use tombolo_geometry::orthtree::{Bounds, GridSpot, Staying};
use tombolo_threads::{ClaimedSlice, Executor, parallel_chunks};

use super::boxes::{Boxes, EntityBox};
use super::trees::{Holder, Space, TrackedEntity, is_in_reach};

/// The entities that a worker takes at a time.
const ENTITIES_PER_BLOCK: usize = 256;

/// The entities of a block that do not keep their places, with their boxes, in the order of the block.
#[derive(Debug, Default)]
pub(in crate::world) struct LeftBlock(pub(super) Vec<(Entity, Option<EntityBox>)>);

impl Space {
    /// The boxes of entities for writers on several threads.
    pub(in crate::world) fn keeper(&mut self) -> Keeper<'_> {
        let (places, changes) = self.places.parts_mut();
        Keeper {
            places: ClaimedSlice::new(places),
            changes,
            holders: &self.holders,
            grid: self.grid.staying(),
        }
    }

    /// Updates the boxes of those of some different entities that keep their places, on all workers. Returns the others, in
    /// their order, for [`put`](Self::put) and [`remove`](Self::remove), after which everything is as if all had been put one
    /// after the other.
    pub(super) fn keep<'b>(
        &mut self,
        boxes: &Boxes<'_>,
        moved: &[Entity],
        left: &'b mut Vec<LeftBlock>,
        executor: &dyn Executor,
    ) -> &'b [LeftBlock] {
        let count = moved.len().div_ceil(ENTITIES_PER_BLOCK);
        if left.len() < count {
            left.resize_with(count, LeftBlock::default);
        }
        let keeper = self.keeper();
        let left = &mut left[..count];
        parallel_chunks(executor, left, 1, &|_, number, left| {
            let LeftBlock(left) = &mut left[0];
            left.clear();
            let first = number * ENTITIES_PER_BLOCK;
            for &entity in &moved[first..moved.len().min(first + ENTITIES_PER_BLOCK)] {
                let found = boxes.of(entity);
                let keeps = |(bounds, is_static): EntityBox| {
                    // SAFETY: no entity is listed twice, and one worker gets each block.
                    !is_static && unsafe { keeper.keep(entity, bounds) }.is_some()
                };
                if !found.is_some_and(keeps) {
                    left.push((entity, found));
                }
            }
        });
        left
    }
}

/// The boxes of entities for writers on several threads, from [`Space::keeper`].
pub(in crate::world) struct Keeper<'a> {
    places: ClaimedSlice<'a, Option<TrackedEntity>>,
    changes: RowChanges<'a>,
    holders: &'a [Option<Holder>],
    grid: Staying<'a>,
}

impl Keeper<'_> {
    /// Requests that the box at a place in the grid be loaded into the cache. Affects time only.
    #[inline(always)]
    pub(in crate::world) fn prefetch(&self, spot: GridSpot) {
        self.grid.prefetch(spot);
    }

    /// Updates the box of an entity without a static body if it keeps its place, and its box was at a place in the grid. Else nothing
    /// changes, and the result is false.
    ///
    /// # Safety
    ///
    /// While one thread is in a call for an entity, no other is in one for the same entity.
    #[inline(always)]
    pub(in crate::world) unsafe fn keep_at(&self, spot: GridSpot, entity: Entity, bounds: Bounds<2>) -> bool {
        // SAFETY: the caller's promise.
        let Some(place) = (unsafe { self.moving(entity) }) else {
            return false;
        };
        // SAFETY: likewise; the keys of the grid are entities.
        if !unsafe { self.grid.write_at(spot, entity.to_bits(), bounds) } {
            return false;
        }
        place.bounds = bounds;
        self.changes.note(entity.index() as usize);
        true
    }

    /// Likewise, wherever its box is; returns where that is in the grid, for the next time.
    ///
    /// # Safety
    ///
    /// While one thread is in a call for an entity, no other is in one for the same entity.
    #[inline(never)]
    pub(in crate::world) unsafe fn keep(&self, entity: Entity, bounds: Bounds<2>) -> Option<GridSpot> {
        // SAFETY: the caller's promise.
        let place = unsafe { self.moving(entity) }?;
        if place.bounds == bounds {
            return Some(GridSpot::NOWHERE);
        }
        let index = entity.index() as usize;
        let Some(Some(Holder::Grid(id))) = self.holders.get(index) else {
            return None;
        };
        // SAFETY: each entity has an id of its own.
        if !unsafe { self.grid.write(*id, bounds) } {
            return None;
        }
        // As its last box was: a cell at the end of the reach has one number of `f32` along an axis.
        debug_assert!(is_in_reach(&bounds), "what stays in its cell stays in reach");
        place.bounds = bounds;
        self.changes.note(index);
        self.grid.spot(*id)
    }

    /// The place of an entity without a static body, for change.
    ///
    /// # Safety
    ///
    /// While the reference is live, no other thread is in a call for the same entity.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "each worker has other entities")]
    unsafe fn moving(&self, entity: Entity) -> Option<&mut TrackedEntity> {
        let index = entity.index() as usize;
        if index >= self.places.len() {
            return None;
        }
        // SAFETY: the place is that of this entity's slot, and no other thread is here for the entity, as the caller promises.
        // Of two entities with one slot only one has a Transform, and so a box.
        let place = unsafe { self.places.get_mut(index) };
        place
            .as_mut()
            .filter(|place| place.entity == entity && !place.is_static)
    }
}
