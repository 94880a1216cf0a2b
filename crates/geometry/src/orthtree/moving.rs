//! Moving: what `update` does to an object whose box has changed, one at a time and in batches.
//!
//! An object that stays in its cell costs a comparison of two cells and the writing of its box; no node is looked at.
//! Else it goes up to the first node that encloses its new cell, and down to it.

use super::objects::Placement;
use super::{Bounds, Layout, ObjectId, Orthtree, OrthtreeError, Strategy};
use alloc::vec::Vec;
use tombolo_threads::{Executor, Inline, parallel_chunks};

/// An object's new box in a batch: see [`Orthtree::update_many`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move<const D: usize> {
    /// Which object.
    pub id: ObjectId,
    /// Where it is now.
    pub bounds: Bounds<D>,
}

/// A move on its way: which, where to, and whether the cell changes.
#[derive(Clone, Copy, Debug)]
struct Planned<const D: usize> {
    /// The order of the new cells along the Morton curve.
    order: u64,
    item: u32,
    changes: bool,
    placement: Placement<D>,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// Gives an object a new box. The root grows if it must and may.
    ///
    /// # Errors
    ///
    /// A stale id, an invalid box, or one out of reach.
    pub fn update(&mut self, id: ObjectId, bounds: Bounds<D>) -> Result<(), OrthtreeError> {
        self.objects.get(id)?;
        let reach = self.reach(&bounds)?;
        let placement = self.placement(&reach);
        self.apply(id, &bounds, placement);
        Ok(())
    }

    /// Gives many objects new boxes, with the same result as [`update_many_on`](Self::update_many_on).
    ///
    /// # Errors
    ///
    /// As there.
    pub fn update_many(&mut self, moves: &[Move<D>]) -> Result<(), OrthtreeError> {
        self.update_many_on(&Inline, moves)
    }

    /// Gives many objects new boxes. The new cells are computed by the executor's workers; then those objects whose cell
    /// changes are moved one after another, in the Morton order of their new cells, so that neighbours are moved together.
    /// The tree is the same for every executor.
    ///
    /// # Errors
    ///
    /// A stale id, an invalid box, one out of reach, or an object named twice. Then nothing has changed.
    pub fn update_many_on(
        &mut self,
        executor: &dyn Executor,
        moves: &[Move<D>],
    ) -> Result<(), OrthtreeError> {
        if self.check_moves(moves)? {
            for item in moves {
                self.reach(&item.bounds)?;
            }
        }
        let mut planned = self.plan(executor, moves);
        for plan in planned.iter().filter(|plan| !plan.changes) {
            let item = &moves[plan.item as usize];
            self.note_spill(&item.bounds, plan.placement.height);
            self.objects.write_bounds(item.id, &item.bounds);
        }
        planned.retain(|plan| plan.changes);
        planned.sort_unstable_by_key(|plan| (plan.order, plan.item));
        for plan in &planned {
            let item = &moves[plan.item as usize];
            self.apply(item.id, &item.bounds, plan.placement);
        }
        Ok(())
    }

    /// Whether the root has to grow for a batch; fails if something is wrong with it.
    fn check_moves(&self, moves: &[Move<D>]) -> Result<bool, OrthtreeError> {
        let mut lattice = self.lattice.clone();
        let mut seen = alloc::vec![0_u64; self.objects.objects.len().div_ceil(64)];
        for item in moves {
            self.objects.get(item.id)?;
            item.bounds.check()?;
            let index = item.id.index();
            let (word, bit) = (index as usize / 64, 1 << (index % 64));
            if seen[word] & bit != 0 {
                return Err(OrthtreeError::DuplicateId { index });
            }
            seen[word] |= bit;
            self.grow_lattice(&mut lattice, |lattice| self.strategy.reach(lattice, &item.bounds))?;
        }
        Ok(lattice.root() != self.lattice.root())
    }

    /// New cells for all moves; each is computed from its own box alone, so the division of work cannot be seen.
    fn plan(&self, executor: &dyn Executor, moves: &[Move<D>]) -> Vec<Planned<D>> {
        const BLOCK_SIZE: usize = 1024;
        let root = self.lattice.root();
        let plan = |item: usize| {
            let Move { id, bounds } = &moves[item];
            let placement = self.placement(&self.strategy.reach(&self.lattice, bounds));
            Planned {
                order: self.order_of(&placement),
                item: item as u32,
                changes: self.objects.objects[id.index() as usize].placement != placement,
                placement,
            }
        };
        let blank = Planned {
            order: 0,
            item: 0,
            changes: false,
            placement: Placement::in_cell(&root),
        };
        let mut planned = alloc::vec![blank; moves.len()];
        parallel_chunks(executor, &mut planned, BLOCK_SIZE, &|_, first, chunk| {
            for (place, planned) in chunk.iter_mut().enumerate() {
                *planned = plan(first + place);
            }
        });
        planned
    }

    fn apply(&mut self, id: ObjectId, bounds: &Bounds<D>, placement: Placement<D>) {
        self.note_spill(bounds, placement.height);
        let object = &mut self.objects.objects[id.index() as usize];
        if object.placement == placement {
            self.objects.write_bounds(id, bounds);
            return;
        }
        object.placement = placement;
        if S::SHARED {
            let key = self.displace(id);
            self.place(id, key, bounds, self.layout.root());
            return;
        }
        let reference = object.first;
        let old = self.objects.references[reference as usize].node;
        let node = self.holder(&placement.cell(), old);
        if node == old {
            self.objects.write_bounds(id, bounds);
            return;
        }
        let (_, tag) = self.delist(reference);
        self.enlist(*bounds, tag, node);
        self.open_if_full(node);
        self.settle(old);
    }
}
