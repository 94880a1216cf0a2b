//! Moving: what `update` does to an object whose box has changed, one at a time and in batches.
//!
//! An object that stays in its cell costs a comparison of two cells and the writing of its box; no node is looked at.
//! Else it goes up to the first node that encloses its new cell, and down to it.

use super::batch::{Turn, sort_turns};
use super::{Bounds, Layout, ObjectId, Orthtree, OrthtreeError, Reach, Strategy};
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

/// What becomes of an item of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plan {
    /// It is in its cell, and only its box is written.
    Stays,
    /// It goes to another cell, which comes at this place along the curve.
    Leaves(u64),
    /// The root has to grow first.
    IsOutside,
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
        self.apply(id, &bounds, &reach);
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

    /// Gives many objects new boxes. First those are written that stay in their cells; then all others are taken out of
    /// their cells in the order of the batch; then they are put into the new ones along the Morton curve, those of one cell
    /// in the order of the batch. Where each belongs is computed by the executor's workers. The tree is the same for every
    /// executor.
    ///
    /// # Errors
    ///
    /// A stale id, an invalid box, one out of reach, or an object named twice. Then nothing has changed.
    pub fn update_many_on(
        &mut self,
        executor: &dyn Executor,
        moves: &[Move<D>],
    ) -> Result<(), OrthtreeError> {
        self.check_moves(moves)?;
        let mut plans = self.plan(executor, moves);
        if plans.contains(&Plan::IsOutside) {
            self.grow_for(moves)?;
            plans = self.plan(executor, moves);
        }
        let mut turns = Vec::new();
        for ((Move { id, bounds }, plan), item) in moves.iter().zip(&plans).zip(0..) {
            if let Plan::Leaves(order) = *plan {
                turns.push(Turn { order, item });
            } else {
                let reach = self.strategy.reach(&self.lattice, bounds);
                self.note_spill(bounds, reach.height);
                self.objects.write_bounds(id.index(), bounds);
            }
        }
        if S::SHARED {
            sort_turns(&mut turns);
            for turn in turns {
                let Move { id, bounds } = &moves[turn.item as usize];
                let key = self.displace(*id);
                let reach = self.strategy.reach(&self.lattice, bounds);
                self.place(*id, key, bounds, &reach, self.layout.root());
            }
        } else {
            self.relocate(moves, turns);
        }
        Ok(())
    }

    /// Takes objects out of their cells and puts them into others; `turns` are in the order of the batch.
    fn relocate(&mut self, moves: &[Move<D>], mut turns: Vec<Turn>) {
        let at_once = self.opens_at_once();
        let mut left = Vec::new();
        let mut keys = alloc::vec![0; moves.len()];
        for turn in &turns {
            let (node, _, key) = self.delist(moves[turn.item as usize].id.index());
            keys[turn.item as usize] = key;
            if !at_once || self.layout.slot(node).count() == 0 {
                left.push(self.layout.cell(node));
            }
        }
        sort_turns(&mut turns);
        self.arrive(turns.iter().map(|turn| {
            let Move { id, bounds } = moves[turn.item as usize];
            (id.index(), bounds, keys[turn.item as usize])
        }));
        self.settle_cells(&left);
    }

    /// Fails if something is wrong with a batch, but for how far it reaches.
    fn check_moves(&self, moves: &[Move<D>]) -> Result<(), OrthtreeError> {
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

    /// What becomes of each item; found from its own boxes alone, so the division of work cannot be seen.
    fn plan(&self, executor: &dyn Executor, moves: &[Move<D>]) -> Vec<Plan> {
        const BLOCK_SIZE: usize = 1024;
        let root_height = self.lattice.root().height;
        let plan = |Move { id, bounds }: &Move<D>| {
            let reach = self.strategy.reach(&self.lattice, bounds);
            if reach.outside(root_height).is_some() {
                Plan::IsOutside
            } else if self.is_same_place(&self.reach_of(id.index()), &reach) {
                Plan::Stays
            } else {
                Plan::Leaves(self.order_of(&self.first_cell(bounds)))
            }
        };
        let mut plans = alloc::vec![Plan::Stays; moves.len()];
        parallel_chunks(executor, &mut plans, BLOCK_SIZE, &|_, first, chunk| {
            for (place, planned) in chunk.iter_mut().enumerate() {
                *planned = plan(&moves[first + place]);
            }
        });
        plans
    }

    /// Whether objects of two boxes are in the same cells.
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
        self.settle(old);
    }
}
