//! Moving objects: `update` and `update_many` for objects whose boxes have changed.
//!
//! An object that stays in its cell costs a comparison of two cells and the writing of its box; no node is visited.
//! Otherwise the search goes up to the first node that encloses its new cell, and down to it.

use super::batch::{AHEAD, sort_along_curve};
use super::scratch::{CurveEntry, Plan, Scratch};
use super::{Bounds, Layout, ObjectId, Orthtree, OrthtreeError, Reach, Strategy};
use alloc::vec::Vec;
use tombolo_threads::{Executor, Inline, parallel_chunks};

/// An object's new box in a batch: see [`Orthtree::update_many`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move<const D: usize> {
    /// The object.
    pub id: ObjectId,
    /// Its new box.
    pub bounds: Bounds<D>,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// Sets an object's box. The root grows if it must and may.
    ///
    /// # Errors
    ///
    /// A stale id, an invalid box, or one out of reach.
    pub fn update(&mut self, id: ObjectId, bounds: Bounds<D>) -> Result<(), OrthtreeError> {
        self.objects.get(id)?;
        let reach = self.reach(&bounds)?;
        self.apply(id, &bounds, &reach);
        Ok(())
    }

    /// Sets the boxes of many objects, with the same result as [`update_many_on`](Self::update_many_on).
    ///
    /// # Errors
    ///
    /// In the same cases as there.
    pub fn update_many(&mut self, moves: &[Move<D>]) -> Result<(), OrthtreeError> {
        self.update_many_on(&Inline, moves)
    }

    /// Sets the boxes of many objects. First the boxes of those that stay in their cells are written; then all others
    /// are removed from their cells, then inserted into the new ones: cell by cell along the Morton curve, in each in
    /// the order of the batch. If most objects leave their cells, all cells are made anew instead, and hold those that
    /// stay, in the order of their ids, before those that arrive. The new cells are computed by the executor's workers.
    /// The tree is the same for every executor.
    ///
    /// # Errors
    ///
    /// A stale id, an invalid box, one out of reach, or an object named twice. The tree is unchanged then.
    pub fn update_many_on(
        &mut self,
        executor: &dyn Executor,
        moves: &[Move<D>],
    ) -> Result<(), OrthtreeError> {
        let mut scratch = core::mem::take(&mut self.scratch);
        let checked = self.check_batch(executor, moves, &mut scratch);
        if checked.is_ok() {
            self.carry_out(moves, &mut scratch);
        }
        self.scratch = scratch;
        checked
    }

    /// Plans a batch, and grows the root if it must; fails if the batch is invalid.
    fn check_batch(
        &mut self,
        executor: &dyn Executor,
        moves: &[Move<D>],
        scratch: &mut Scratch,
    ) -> Result<(), OrthtreeError> {
        self.check_moves(moves, &mut scratch.seen)?;
        self.plan(executor, moves, &mut scratch.plans);
        if scratch.plans.contains(&Plan::IsOutside) {
            self.grow_for(moves)?;
            self.plan(executor, moves, &mut scratch.plans);
        }
        Ok(())
    }

    fn carry_out(&mut self, moves: &[Move<D>], scratch: &mut Scratch) {
        scratch.leaving.clear();
        scratch.arriving.clear();
        for ((Move { id, bounds }, plan), item) in moves.iter().zip(&scratch.plans).zip(0..) {
            if let Plan::Leaves { from, to } = *plan {
                let index = id.index();
                let turn = |order| CurveEntry { order, item, index };
                scratch.leaving.push(turn(from));
                scratch.arriving.push(turn(to));
            } else {
                if S::LOOSE {
                    let reach = self.strategy.reach(&self.lattice, bounds);
                    self.note_spill(bounds, reach.height);
                }
                self.objects.write_bounds(id.index(), bounds);
            }
        }
        if self.is_refilled(scratch.leaving.len()) {
            self.refill(moves, scratch);
            return;
        }
        sort_along_curve(&mut scratch.arriving, &mut scratch.sorted);
        if !S::SHARED {
            sort_along_curve(&mut scratch.leaving, &mut scratch.sorted);
            self.relocate(moves, scratch);
            return;
        }
        for turn in &scratch.arriving {
            let Move { id, bounds } = &moves[turn.item as usize];
            let key = self.displace(*id);
            let reach = self.strategy.reach(&self.lattice, bounds);
            self.place(*id, key, bounds, &reach, self.layout.root());
        }
    }

    /// Moves objects from their cells to others.
    fn relocate(&mut self, moves: &[Move<D>], scratch: &mut Scratch) {
        let at_once = self.opens_at_once();
        let mut left = Vec::new();
        let keys = &mut scratch.keys;
        keys.resize(keys.len().max(moves.len()), 0);
        for turns in scratch.leaving.chunks(AHEAD) {
            for turn in turns {
                keys[turn.item as usize] = self.objects.lists.key(self.objects.place_of(turn.index));
            }
            for turn in turns {
                let (node, ..) = self.delist(turn.index);
                if !at_once || self.layout.object_list(node).count() == 0 {
                    left.push(self.layout.cell(node));
                }
            }
        }
        // Many blocks are free now; taken in sorted order, they are in the order of the curve like their objects.
        if scratch.leaving.len() > self.len() / Self::FEW_SHARE {
            self.objects.lists.sort_free();
        }
        self.arrive(&scratch.arriving, |turn| {
            (moves[turn.item as usize].bounds, keys[turn.item as usize])
        });
        self.rebalance_cells(&left);
    }

    /// If fewer than one object in this many leaves its cell, free blocks are not sorted.
    const FEW_SHARE: usize = 8;

    /// Checks a batch for everything except its reach.
    fn check_moves(&self, moves: &[Move<D>], seen: &mut Vec<u64>) -> Result<(), OrthtreeError> {
        seen.clear();
        seen.resize(self.objects.objects.len().div_ceil(64), 0);
        for item in moves {
            self.objects.get(item.id)?;
            item.bounds.check()?;
            let index = item.id.index();
            let (word, bit) = (index as usize / 64, 1 << (index % 64));
            if seen[word] & bit != 0 {
                return Err(OrthtreeError::DuplicateId { index });
            }
            seen[word] |= bit;
        }
        Ok(())
    }

    /// Grows the root as far as a batch needs.
    fn grow_for(&mut self, moves: &[Move<D>]) -> Result<(), OrthtreeError> {
        let mut lattice = self.lattice.clone();
        for item in moves {
            self.grow_lattice(&mut lattice, |lattice| self.strategy.reach(lattice, &item.bounds))?;
        }
        for item in moves {
            self.reach(&item.bounds)?;
        }
        Ok(())
    }

    /// The plan of each item; computed from its own boxes alone, so the division of work has no effect.
    fn plan(&self, executor: &dyn Executor, moves: &[Move<D>], plans: &mut Vec<Plan>) {
        const BLOCK_SIZE: usize = 1024;
        plans.clear();
        plans.resize(moves.len(), Plan::Stays);
        parallel_chunks(executor, plans, BLOCK_SIZE, &|_, first, plans| {
            let moves = moves[first..].chunks(AHEAD);
            for (plans, moves) in plans.chunks_mut(AHEAD).zip(moves) {
                let mut old = [Bounds::point([0.0; D]); AHEAD];
                for (old, Move { id, .. }) in old.iter_mut().zip(moves) {
                    *old = self.objects.lists.bounds(self.objects.place_of(id.index()));
                }
                for ((plan, item), old) in plans.iter_mut().zip(moves).zip(&old) {
                    *plan = self.plan_of(old, &item.bounds);
                }
            }
        });
    }

    #[inline]
    fn plan_of(&self, old: &Bounds<D>, new: &Bounds<D>) -> Plan {
        let new = self.strategy.reach(&self.lattice, new);
        if new.outside(self.lattice.root().height).is_some() {
            return Plan::IsOutside;
        }
        let old = self.strategy.reach(&self.lattice, old);
        if self.is_same_place(&old, &new) {
            return Plan::Stays;
        }
        Plan::Leaves {
            from: self.order_of(&self.first_cell(&old)),
            to: self.order_of(&self.first_cell(&new)),
        }
    }

    /// Whether objects with these two boxes are in the same cells.
    #[inline]
    fn is_same_place(&self, old: &Reach<D>, new: &Reach<D>) -> bool {
        let root = self.lattice.root();
        old == new || !S::SHARED && old.target(&root) == new.target(&root)
    }

    fn apply(&mut self, id: ObjectId, bounds: &Bounds<D>, reach: &Reach<D>) {
        if self.is_same_place(&self.reach_of(id.index()), reach) {
            self.note_spill(bounds, reach.height);
            self.objects.write_bounds(id.index(), bounds);
            return;
        }
        if S::SHARED {
            let key = self.displace(id);
            self.place(id, key, bounds, reach, self.layout.root());
            return;
        }
        let target = reach.target(&self.lattice.root());
        self.note_spill(bounds, target.height);
        let old = self.objects.lists.node(self.objects.place_of(id.index()));
        let node = self.holder(&target, old);
        if node == old {
            self.objects.write_bounds(id.index(), bounds);
            return;
        }
        let (_, _, key) = self.delist(id.index());
        self.enlist(id.index(), key, bounds, node);
        self.open_if_full(node);
        self.rebalance(old);
    }
}
