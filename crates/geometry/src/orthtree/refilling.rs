//! Batches that move most objects to other cells: all cells are made anew and filled along the Morton curve, which
//! saves removing each object from its cell.

use super::batch::sort_along_curve;
use super::layout::HEIGHT_COUNT;
use super::scratch::{CurveEntry, Scratch};
use super::{Bounds, Layout, Move, Orthtree, Strategy};
use alloc::vec::Vec;

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// The batch size below which objects are always removed one by one.
    const REFILL_MIN: usize = 1 << 10;

    /// Whether a batch is carried out by [`refill`](Self::refill): if most objects leave their cells, and nodes do not
    /// record whether they are open.
    pub(super) fn is_refilled(&self, leaving_count: usize) -> bool {
        self.opens_at_once() && leaving_count >= Self::REFILL_MIN && leaving_count > self.len() / 2
    }

    /// Moves objects that leave their cells into others; the boxes of all others are written. Each cell has first the
    /// objects that stay in it, in the order of their places, then those that arrive, in the order of the batch.
    pub(super) fn refill(&mut self, moves: &[Move<D>], scratch: &mut Scratch) {
        let Scratch {
            leaving,
            arriving,
            sorted,
            keys,
            seen: is_leaving,
            ..
        } = scratch;
        is_leaving.fill(0);
        for turn in &*leaving {
            is_leaving[turn.index as usize / 64] |= 1 << (turn.index % 64);
        }
        keys.clear();
        let mut boxes = Vec::new();
        leaving.clear();
        for index in 0..self.objects.objects.len() as u32 {
            if self.objects.id_at(index).is_none() {
                keys.push(0);
                continue;
            }
            let place = self.objects.place_of(index);
            keys.push(self.objects.lists.key(place));
            if is_leaving[index as usize / 64] >> (index % 64) & 1 == 0 {
                let bounds = self.objects.lists.bounds(place);
                let reach = self.strategy.reach(&self.lattice, &bounds);
                leaving.push(CurveEntry {
                    order: self.order_of(&self.first_cell(&reach)),
                    item: (moves.len() + boxes.len()) as u32,
                    index,
                });
                boxes.push(bounds);
            }
        }
        // All objects: first those that stay.
        leaving.append(arriving);
        sort_along_curve(leaving, sorted);
        self.empty_cells();
        self.arrive(leaving, |turn| {
            let item = turn.item as usize;
            let bounds: Bounds<D> = match moves.get(item) {
                Some(of_batch) => of_batch.bounds,
                None => boxes[item - moves.len()],
            };
            (bounds, keys[turn.index as usize])
        });
    }

    /// Removes everything but an empty root; all objects must be put into cells afterwards. Keeps the memory of their
    /// boxes.
    fn empty_cells(&mut self) {
        self.layout = L::new(self.lattice.root()).expect("a root of this height exists");
        self.objects.lists.clear();
        self.holding = [0; HEIGHT_COUNT];
        self.populated = 0;
    }
}
