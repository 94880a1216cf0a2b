//! Batches: many objects inserted at once, in the order of the Morton curve, cell by cell, so that objects inserted
//! together are adjacent in memory and a cell is looked up once.

use super::scratch::CurveEntry;
use super::{Bounds, Cell, Layout, ObjectId, Orthtree, OrthtreeError, Reach, Strategy, code};
use alloc::vec::Vec;

/// Batches are processed in groups of this many: randomly ordered data is loaded together, before the branches that
/// depend on it.
pub(super) const AHEAD: usize = 32;

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// The most items of a batch: 2^24.
    pub const BATCH_COUNT_MAX: usize = 1 << 24;

    /// Inserts many boxes with their keys, and returns their ids in the same order. The contents of the cells are the
    /// same as after one [`insert`](Self::insert) after the other, and so are the ids; but it takes less time, and
    /// neighbors are adjacent in memory. O(n log n). With [`Shared`](super::Shared) each call copies the whole
    /// tree too, as only afterwards it is known whether there was room: for a few items insert one after the other.
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
    /// An invalid box, one out of reach, no room, or more than `BATCH_COUNT_MAX` items. The tree is unchanged then.
    pub fn insert_many(&mut self, items: &[(Bounds<D>, u64)]) -> Result<Vec<ObjectId>, OrthtreeError> {
        if items.len() > Self::BATCH_COUNT_MAX {
            return Err(OrthtreeError::Full);
        }
        self.objects.check_capacity(items.len())?;
        let mut lattice = self.lattice.clone();
        for (bounds, _) in items {
            bounds.check()?;
            self.grow_lattice(&mut lattice, |lattice| self.strategy.reach(lattice, bounds))?;
        }
        if lattice != self.lattice {
            for (bounds, _) in items {
                let strategy = self.strategy.clone();
                self.grow_as_checked(|lattice| strategy.reach(lattice, bounds));
            }
        }
        if !S::SHARED {
            return Ok(self.fill(items));
        }
        // The number of references is known only afterwards.
        let mut filled = self.clone();
        let ids = filled.fill(items);
        filled.objects.check_capacity(0)?;
        *self = filled;
        Ok(ids)
    }

    /// Inserts items that were checked.
    fn fill(&mut self, items: &[(Bounds<D>, u64)]) -> Vec<ObjectId> {
        self.objects.reserve(items.len());
        let mut turns = Vec::with_capacity(items.len());
        let mut ids = Vec::with_capacity(items.len());
        for ((bounds, _), item) in items.iter().zip(0..) {
            let reach = self.strategy.reach(&self.lattice, bounds);
            let order = self.order_of(&self.first_cell(&reach));
            let id = self.objects.add();
            ids.push(id);
            turns.push(CurveEntry {
                order,
                item,
                index: id.index(),
            });
        }
        sort_along_curve(&mut turns, &mut Vec::new());
        if S::SHARED {
            for turn in turns {
                let (bounds, key) = &items[turn.item as usize];
                let reach = self.strategy.reach(&self.lattice, bounds);
                self.place(ids[turn.item as usize], *key, bounds, &reach, self.layout.root());
            }
            return ids;
        }
        self.arrive(&turns, |turn| items[turn.item as usize]);
        ids
    }

    /// Puts objects that are in no cell into theirs, in the order of the curve, with the given boxes and keys.
    pub(super) fn arrive(&mut self, turns: &[CurveEntry], told: impl Fn(&CurveEntry) -> (Bounds<D>, u64)) {
        let root = self.lattice.root();
        let (mut here, mut node) = (root, self.layout.root());
        let at_once = self.opens_at_once();
        for turns in turns.chunks(AHEAD) {
            let mut items = [(Bounds::point([0.0; D]), 0); AHEAD];
            for (item, turn) in items.iter_mut().zip(turns) {
                *item = told(turn);
            }
            for (turn, (bounds, key)) in turns.iter().zip(&items) {
                let cell = self.strategy.reach(&self.lattice, bounds).target(&root);
                if cell != here || !at_once {
                    node = self.holder(&cell, node);
                    here = cell;
                }
                self.note_spill(bounds, cell.height);
                self.enlist(turn.index, *key, bounds, node);
                self.open_if_full(node);
            }
        }
    }

    /// Sorts the objects' boxes in memory along the Morton curve: after many moves they are scattered, and queries wait
    /// for memory. Changes no results and no order. Costs about as much as moving every tenth object; call it once in a
    /// while.
    pub fn tidy(&mut self) {
        let mut nodes = alloc::vec![self.layout.root()];
        let scattered = self.objects.lists.take_all();
        while let Some(node) = nodes.pop() {
            let (slot, mask) = self.layout.look(node);
            if slot.count() > 0 {
                self.layout.object_list_mut(node).first = self.objects.copy_list(&scattered, &slot);
            }
            let octants = (0..1 << D).rev().filter(|octant| mask >> octant & 1 == 1);
            nodes.extend(octants.map(|octant| self.layout.known_child(node, octant)));
        }
    }

    /// The cell of an object, or the finest cell of its lower corner where it may be in several.
    #[inline]
    pub(super) fn first_cell(&self, reach: &Reach<D>) -> Cell<D> {
        let root = self.lattice.root();
        if S::SHARED {
            let corner = core::array::from_fn(|axis| root.corner[axis].wrapping_add(reach.low[axis] as u32));
            return Cell { corner, height: 0 };
        }
        reach.target(&root)
    }

    /// The position of a cell along the Morton curve, cells of one corner ordered by size; as exact as 64 bits allow,
    /// which is enough to bring neighbors together.
    #[inline]
    pub(super) fn order_of(&self, cell: &Cell<D>) -> u64 {
        const HEIGHT_BITS: u32 = 5;
        let root = self.lattice.root();
        let shift = root.height.saturating_sub((u64::BITS - HEIGHT_BITS) / D as u32);
        let offset = cell
            .offset_in(&root)
            .map(|offset| (u64::from(offset) >> shift) as u32);
        code::interleave(offset) << HEIGHT_BITS | u64::from(cell.height)
    }
}

/// Sorts a batch along the curve, items of one cell in their order; stable, so the input must be in that order. Large
/// batches by a radix sort from the lowest digit (H. Seward, 1954), small ones by comparison: with the same result.
pub(super) fn sort_along_curve(turns: &mut Vec<CurveEntry>, sorted: &mut Vec<CurveEntry>) {
    const DIGIT_BITS: u32 = 11;
    const FEW: usize = 1 << 10;
    if turns.len() < FEW {
        turns.sort_by_key(|turn| turn.order);
        return;
    }
    let bits = u64::BITS - turns.iter().fold(0, |all, turn| all | turn.order).leading_zeros();
    sorted.clear();
    sorted.resize(turns.len(), CurveEntry::default());
    for shift in (0..bits).step_by(DIGIT_BITS as usize) {
        let digit = |turn: &CurveEntry| (turn.order >> shift) as usize % (1 << DIGIT_BITS);
        let mut places = [0_u32; 1 << DIGIT_BITS];
        for turn in turns.iter() {
            places[digit(turn)] += 1;
        }
        let mut next = 0;
        for place in &mut places {
            next += core::mem::replace(place, next);
        }
        for turn in turns.iter() {
            let place = &mut places[digit(turn)];
            sorted[*place as usize] = *turn;
            *place += 1;
        }
        core::mem::swap(turns, sorted);
    }
}
