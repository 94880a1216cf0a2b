//! The map under test beside a plain tree map and a queue of free slots, and a map's parts for forging.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tombolo_handles::{
    Handle, HandleMap, Header, Layout, OrderId, SecondaryMap, Slot, SortBudget, Sorter, TypeTag,
    WhenExhausted,
};

use super::Operation;
use super::item::{CLONES_LEFT, Item, countdown, planted};
use crate::family::{hold, same};
use crate::random::{Forgery, Random};

/// The map under test and its expected state.
pub(super) struct Model<L: Layout> {
    map: HandleMap<Item, L>,
    notes: SecondaryMap<Item, u64, L>,
    sorter: Sorter,
    live: BTreeMap<Handle<Item, L>, u64>,
    /// All handles that this map has given, or has given since its parts were forged.
    given: Vec<Handle<Item, L>>,
    stale: BTreeSet<Handle<Item, L>>,
    /// Free slots in the order of their reuse, or `None` if a call that panicked half-way leaves it open.
    waiting: Option<VecDeque<u32>>,
    tag: u16,
}

type Outcome = Result<(), String>;

impl<L: Layout> Model<L> {
    pub(super) fn new() -> Self {
        let tag = TypeTag::new(9).unwrap_or(TypeTag::ZERO);
        Self {
            map: HandleMap::with_tag(tag),
            notes: SecondaryMap::new(),
            sorter: Sorter::new(OrderId(0)),
            live: BTreeMap::new(),
            given: Vec::new(),
            stale: BTreeSet::new(),
            waiting: Some(VecDeque::new()),
            tag: tag.get(),
        }
    }

    /// Notes an insertion by the map.
    fn inserted(&mut self, handle: Handle<Item, L>, number: u64) -> Outcome {
        if let Some(waiting) = &mut self.waiting
            && let Some(next) = waiting.pop_front()
        {
            same!(
                handle.index(),
                next,
                "slots come again in the order in which they were freed"
            );
        }
        same!(handle.tag().get(), self.tag, "tag");
        hold!(
            self.live.insert(handle, number).is_none(),
            "{handle:?} was live already"
        );
        hold!(
            L::WHEN_EXHAUSTED == WhenExhausted::Wrap || !self.stale.contains(&handle),
            "{handle:?} came back to life"
        );
        self.given.push(handle);
        Ok(())
    }

    /// Notes that a value was removed.
    fn ended(&mut self, handle: Handle<Item, L>) {
        self.live.remove(&handle);
        self.stale.insert(handle);
        let last = (1_u32 << L::GENERATION_BITS) - 1;
        if let Some(waiting) = &mut self.waiting
            && (handle.generation() < last || L::WHEN_EXHAUSTED == WhenExhausted::Wrap)
        {
            waiting.push_back(handle.index());
        }
    }

    /// Reads from the map what a call that panicked on purpose has changed; the caller checks whether that was allowed.
    fn read_anew(&mut self) -> Outcome {
        let now: BTreeMap<_, _> = self
            .map
            .iter()
            .map(|(handle, item)| (handle, item.number))
            .collect();
        for (handle, number) in &now {
            if let Some(before) = self.live.get(handle) {
                same!(number, before, "the value of {handle:?}");
            }
        }
        let gone: Vec<_> = self
            .live
            .keys()
            .filter(|handle| !now.contains_key(handle))
            .copied()
            .collect();
        self.stale.extend(gone);
        let new: Vec<_> = now
            .keys()
            .filter(|handle| !self.live.contains_key(handle))
            .copied()
            .collect();
        hold!(
            L::WHEN_EXHAUSTED == WhenExhausted::Wrap || new.iter().all(|handle| !self.stale.contains(handle)),
            "a handle came back to life"
        );
        self.given.extend(new);
        self.live = now;
        self.waiting = Some(self.map.free_slots().collect());
        Ok(())
    }

    fn pick(&self, at: usize) -> Option<Handle<Item, L>> {
        self.map.handle_at(at % self.map.len().max(1))
    }

    pub(super) fn apply(&mut self, operation: &Operation) -> Outcome {
        match *operation {
            Operation::Use(_) => Ok(()),
            Operation::Insert(number) => self.insert(number),
            Operation::InsertMany { count, panic_at } => self.insert_many(count, panic_at),
            Operation::Extend { count, panic_at } => self.extend(count, panic_at),
            Operation::Remove(at) => self.remove(at),
            Operation::RemoveMany(ref places) => self.remove_many(places),
            Operation::RemoveAndPanic(at) => self.remove_and_panic(at),
            Operation::Forged(bits) => self.forged(bits),
            Operation::Old(at) => self.old(at),
            Operation::Change(at, number) => self.change(at, number),
            Operation::Disjoint(a, b, c) => self.disjoint([a, b, c]),
            Operation::Swap(i, j) => {
                let is_there = i < self.map.len() && j < self.map.len();
                same!(self.map.swap_dense(i, j), is_there, "whether both are there");
                Ok(())
            }
            Operation::Sort { order, panic_after } => self.sort(order, panic_after),
            Operation::SortWrongly(bits) => self.sort_wrongly(bits),
            Operation::SortABit {
                comparisons,
                swaps,
                panic_after,
            } => self.sort_a_bit(SortBudget { comparisons, swaps }, panic_after),
            Operation::Group { groups, panic_after } => self.group(groups, panic_after),
            Operation::Retain { keep, panic_after } => self.retain(keep, panic_after),
            Operation::Drain(count) => self.drain(count, false),
            Operation::DrainAndLeak(count) => self.drain(count, true),
            Operation::Clear => self.empty(HandleMap::clear, None),
            Operation::ClearAndPanic(at) => self.empty(HandleMap::clear, Some(at)),
            Operation::Reset => self.empty(HandleMap::reset, None),
            Operation::Shrink => {
                self.map.shrink_to_fit();
                Ok(())
            }
            Operation::CloneFrom { panic_at } => self.clone_from(panic_at),
            Operation::Restore => {
                let parts = Parts::of(&self.map);
                self.map = parts
                    .join()
                    .map_err(|error| format!("its own parts are refused: {error}"))?;
                Ok(())
            }
            Operation::Forge(ref forgeries) => self.forge(forgeries),
            Operation::NoteAndPrune(at) => self.note_and_prune(at),
        }
    }

    fn insert(&mut self, number: u64) -> Outcome {
        let next = self.map.next_handle();
        match (self.map.try_insert(Item::new(number)), next) {
            (Ok(handle), Some(next)) => {
                same!(handle, next, "the handle that was foretold");
                self.inserted(handle, number)
            }
            (Err(full), None) => {
                same!(full.into_value().number, number, "the value that comes back");
                Ok(())
            }
            (result, next) => Err(format!("{:?} after {next:?} was foretold", result.is_ok())),
        }
    }

    fn insert_many(&mut self, count: usize, panic_at: Option<usize>) -> Outcome {
        let mut tick = countdown(panic_at);
        let map = &mut self.map;
        let made = planted(|| {
            map.insert_many_with(count, |handle| {
                tick();
                Item::new(u64::from(handle.index()))
            })
        })?;
        let Some(handles) = made else {
            return self.read_anew();
        };
        same!(handles.len(), count, "handles");
        for handle in handles {
            self.inserted(handle, u64::from(handle.index()))?;
        }
        Ok(())
    }

    fn extend(&mut self, count: usize, panic_at: Option<usize>) -> Outcome {
        let mut tick = countdown(panic_at);
        let (before, map) = (self.map.len(), &mut self.map);
        let items = (0..count as u64).map(|number| {
            tick();
            Item::new(number)
        });
        let Some(()) = planted(|| map.extend(items))? else {
            return self.read_anew();
        };
        same!(self.map.len(), before + count, "values");
        let new: Vec<_> = self.map.handles().skip(before).collect();
        for (handle, number) in new.into_iter().zip(0..) {
            self.inserted(handle, number)?;
        }
        Ok(())
    }

    fn remove(&mut self, at: usize) -> Outcome {
        let Some(handle) = self.pick(at) else {
            return Ok(());
        };
        let map = &mut self.map;
        let Some(removed) = planted(|| map.remove(handle))? else {
            hold!(self.map.contains(handle), "a removal that panics removes nothing");
            return Ok(());
        };
        same!(
            removed.map(|item| item.number),
            self.live.get(&handle).copied(),
            "the value"
        );
        self.ended(handle);
        same!(
            self.map.remove(handle).map(|item| item.number),
            None,
            "a second removal"
        );
        Ok(())
    }

    fn remove_many(&mut self, places: &[usize]) -> Outcome {
        let handles: Vec<_> = places.iter().filter_map(|&at| self.pick(at)).collect();
        let map = &mut self.map;
        let Some(count) = planted(|| map.remove_many(&handles))? else {
            return self.read_anew();
        };
        let mut expected = 0;
        for handle in handles {
            if self.live.contains_key(&handle) {
                expected += 1;
                self.ended(handle);
            }
        }
        same!(count, expected, "removed");
        Ok(())
    }

    fn remove_and_panic(&mut self, at: usize) -> Outcome {
        let Some(handle) = self.pick(at) else {
            return Ok(());
        };
        if let Some(item) = self.map.get(handle) {
            item.panics.set(true);
        }
        let map = &mut self.map;
        planted(|| map.remove_many(&[handle]))?;
        if let Some(item) = self.map.get(handle) {
            // The slot's generations had run out, so that nothing was removed.
            item.panics.set(false);
            return Ok(());
        }
        self.ended(handle);
        Ok(())
    }

    fn forged(&mut self, bits: u64) -> Outcome {
        let Some(handle) = Handle::<Item, L>::from_bits(bits) else {
            return Ok(());
        };
        same!(handle.to_bits(), bits, "bits");
        let expected = self.live.get(&handle).copied();
        same!(self.map.get(handle).map(|item| item.number), expected, "look-up");
        same!(
            self.map.try_get(handle).is_ok(),
            expected.is_some(),
            "look-up with a reason"
        );
        if expected.is_none() {
            same!(self.map.remove(handle).map(|item| item.number), None, "removal");
        }
        Ok(())
    }

    fn old(&mut self, at: usize) -> Outcome {
        let Some(&handle) = self.given.get(at % self.given.len().max(1)) else {
            return Ok(());
        };
        let expected = self.live.get(&handle).copied();
        same!(self.map.get(handle).map(|item| item.number), expected, "look-up");
        same!(self.map.contains(handle), expected.is_some(), "contains");
        let mut seen = Vec::new();
        let asked = [handle, handle];
        self.map.visit_many(&asked, |place, item| {
            seen.push((place, item.map(|item| item.number)))
        });
        same!(seen, [(0, expected), (1, expected)], "many look-ups");
        if expected.is_none() {
            same!(self.map.remove(handle).map(|item| item.number), None, "removal");
        }
        Ok(())
    }

    fn change(&mut self, at: usize, number: u64) -> Outcome {
        let Some(handle) = self.pick(at) else {
            return Ok(());
        };
        self.map[handle].number = number;
        self.live.insert(handle, number);
        Ok(())
    }

    fn disjoint(&mut self, places: [usize; 3]) -> Outcome {
        let [Some(a), Some(b), Some(c)] = places.map(|at| self.pick(at)) else {
            return Ok(());
        };
        let differ = a != b && b != c && a != c;
        let numbers = [a, b, c].map(|handle| self.live.get(&handle).copied().unwrap_or(u64::MAX));
        match self.map.get_disjoint_mut([a, b, c]) {
            Some(items) => {
                hold!(differ, "two references to one value");
                same!(items.map(|item| item.number), numbers, "values");
            }
            None => hold!(!differ, "three values of three handles"),
        }
        Ok(())
    }

    fn sort(&mut self, order: u16, panic_after: Option<usize>) -> Outcome {
        let compare = |a: &Item, b: &Item| match order {
            0 => a.number.cmp(&b.number),
            _ => b.number.cmp(&a.number),
        };
        let before: Vec<_> = self.map.handles().collect();
        let was_known = self.map.is_ordered(OrderId(order));
        let mut tick = countdown(panic_after);
        let map = &mut self.map;
        let sorted = planted(|| {
            map.sort_by(OrderId(order), |a, b| {
                tick();
                compare(a, b)
            })
        })?;
        match sorted {
            None => hold!(
                self.map.handles().eq(before),
                "a sort that panics leaves the order"
            ),
            Some(0) if was_known => {}
            Some(_) => {
                hold!(
                    self.map
                        .values_slice()
                        .is_sorted_by(|a, b| compare(a, b) != Ordering::Greater),
                    "not sorted"
                );
                hold!(self.map.is_ordered(OrderId(order)), "sorted and not known to be");
                let places: BTreeMap<_, _> = before.into_iter().zip(0..).collect();
                let now: Vec<(u64, usize)> = self
                    .map
                    .iter()
                    .map(|(handle, item)| (item.number, places[&handle]))
                    .collect();
                let is_stable = now
                    .windows(2)
                    .all(|two| two[0].0 != two[1].0 || two[0].1 < two[1].1);
                hold!(is_stable, "not stable");
            }
        }
        Ok(())
    }

    fn sort_wrongly(&mut self, bits: u64) -> Outcome {
        let mut random = Random::new(bits);
        let map = &mut self.map;
        planted(|| {
            map.sort_by(OrderId(7), |_, _| {
                random.pick(&[Ordering::Less, Ordering::Equal, Ordering::Greater])
            })
        })?;
        Ok(())
    }

    fn sort_a_bit(&mut self, budget: SortBudget, panic_after: Option<usize>) -> Outcome {
        let mut tick = countdown(panic_after);
        let was_known = self.map.is_ordered(OrderId(0));
        let (map, sorter) = (&mut self.map, &mut self.sorter);
        let progress = planted(|| {
            sorter.advance(map, budget, |a, b| {
                tick();
                a.number.cmp(&b.number)
            })
        })?;
        let Some(progress) = progress else { return Ok(()) };
        hold!(
            progress.comparisons <= budget.comparisons && progress.swaps <= budget.swaps,
            "{progress:?} is over {budget:?}"
        );
        if progress.is_ordered && !was_known {
            hold!(
                self.map.values_slice().is_sorted_by_key(|item| item.number),
                "not sorted"
            );
        }
        Ok(())
    }

    fn group(&mut self, groups: usize, panic_after: Option<usize>) -> Outcome {
        let before: Vec<_> = self.map.handles().collect();
        let fits = self.live.values().all(|number| (*number as usize) < groups);
        let mut tick = countdown(panic_after);
        let map = &mut self.map;
        let grouped = planted(|| {
            map.group_by_key(groups, |item| {
                tick();
                item.number as usize
            })
        })?;
        match grouped {
            Some(Ok(found)) => {
                hold!(fits, "a key beyond the groups was let in");
                hold!(
                    self.map.values_slice().is_sorted_by_key(|item| item.number),
                    "not in groups"
                );
                same!(
                    found.starts.last().copied(),
                    Some(self.map.len() as u32),
                    "the last group's end"
                );
            }
            Some(Err(_)) => hold!(
                !fits && self.map.handles().eq(before),
                "refused without need, or changed"
            ),
            None => hold!(self.map.handles().eq(before), "changed by a call that panicked"),
        }
        Ok(())
    }

    fn retain(&mut self, keep: u64, panic_after: Option<usize>) -> Outcome {
        let mut tick = countdown(panic_after);
        let mut asked = Vec::new();
        let map = &mut self.map;
        let keeps = |handle: Handle<Item, L>| keep >> (handle.index() % 64) & 1 == 1;
        let done = planted(|| {
            map.retain(|handle, _| {
                tick();
                asked.push(handle);
                keeps(handle)
            });
        })?;
        if done.is_none() {
            let lost = self
                .live
                .keys()
                .find(|handle| !self.map.contains(**handle) && (!asked.contains(handle) || keeps(**handle)));
            hold!(lost.is_none(), "{lost:?} went without being asked about");
            return self.read_anew();
        }
        same!(asked.len(), self.live.len(), "values asked about");
        for handle in asked {
            if !keeps(handle) {
                self.ended(handle);
            }
        }
        Ok(())
    }

    fn drain(&mut self, count: usize, leak: bool) -> Outcome {
        let map = &mut self.map;
        let taken = planted(|| {
            let mut drain = map.drain();
            let taken: Vec<_> = drain
                .by_ref()
                .take(count)
                .map(|(handle, item)| (handle, item.number))
                .collect();
            if leak {
                std::mem::forget(drain);
            }
            taken
        })?;
        let Some(taken) = taken else {
            return self.read_anew();
        };
        for (handle, number) in taken {
            same!(
                self.live.get(&handle).copied(),
                Some(number),
                "what a drain gives"
            );
            self.ended(handle);
        }
        if !leak {
            let may_stay = L::WHEN_EXHAUSTED == WhenExhausted::Panic;
            hold!(self.map.is_empty() || may_stay, "a drain leaves nothing");
            return self.read_anew();
        }
        Ok(())
    }

    fn empty(&mut self, how: fn(&mut HandleMap<Item, L>), panics: Option<usize>) -> Outcome {
        let bad = panics.and_then(|at| self.pick(at));
        if let Some(item) = bad.and_then(|handle| self.map.get(handle)) {
            item.panics.set(true);
        }
        let epoch = self.map.structure_epoch();
        let map = &mut self.map;
        let done = planted(|| how(map))?.is_some();
        if !done && L::WHEN_EXHAUSTED == WhenExhausted::Panic && !self.map.is_empty() {
            same!(
                self.map.len(),
                self.live.len(),
                "a clear that panics removes nothing"
            );
            self.map.values().for_each(|item| item.panics.set(false));
            return Ok(());
        }
        hold!(self.map.is_empty(), "{} values are left", self.map.len());
        hold!(
            self.live.is_empty() || self.map.structure_epoch() != epoch,
            "emptied, and the epoch stands"
        );
        self.read_anew()
    }

    fn clone_from(&mut self, panic_at: Option<usize>) -> Outcome {
        let source = self.map.clone();
        let is_used_up = greatest_generation(self.map.raw_parts().header) == (1 << L::GENERATION_BITS) - 1;
        CLONES_LEFT.set(panic_at);
        let map = &mut self.map;
        let done = planted(|| map.clone_from(&source))?;
        CLONES_LEFT.set(None);
        if done.is_none() {
            // A map whose generations are used up is replaced only by a whole clone; any other is empty first.
            if is_used_up {
                hold!(self.map.handles().eq(source.handles()), "half a clone");
            } else {
                hold!(self.map.is_empty(), "a part of a clone, or values from before");
            }
            self.map = source;
        }
        Ok(())
    }

    fn forge(&mut self, forgeries: &[(u8, Forgery)]) -> Outcome {
        let mut parts = Parts::of(&self.map);
        parts.forge(forgeries);
        let Ok(map) = parts.join() else { return Ok(()) };
        // Accepted: from here on only the invariants of every map are checked, and what follows from them.
        self.tag = map.tag().get();
        self.map = map;
        self.notes = SecondaryMap::new();
        self.sorter = Sorter::new(OrderId(0));
        self.map.forget_order();
        self.stale.clear();
        self.live.clear();
        self.given.clear();
        self.read_anew()
    }

    fn note_and_prune(&mut self, at: usize) -> Outcome {
        if let Some(&handle) = self.given.get(at % self.given.len().max(1)) {
            self.notes.insert(handle, handle.to_bits());
            same!(
                self.notes.get(handle).copied(),
                Some(handle.to_bits()),
                "the note"
            );
        }
        if at.is_multiple_of(4) {
            self.notes.prune(&self.map);
            for (handle, _) in self.notes.iter() {
                hold!(self.live.contains_key(&handle), "a note of {handle:?} was kept");
            }
        }
        Ok(())
    }

    /// The invariants after every call.
    pub(super) fn compare(&self) -> Outcome {
        same!(self.map.len(), self.live.len(), "number of values");
        for (dense, (handle, item)) in self.map.iter().enumerate() {
            same!(
                self.live.get(&handle).copied(),
                Some(item.number),
                "the value of {handle:?}"
            );
            same!(
                self.map.dense_index(handle),
                Some(dense),
                "the place of {handle:?}"
            );
            same!(
                self.map.handle_of_slot(handle.index()),
                Some(handle),
                "the handle of a slot"
            );
        }
        same!(self.map.free_slots().count(), self.map.free_count(), "free slots");
        same!(
            self.map.slot_count(),
            self.map.len() + self.map.free_count() + self.map.retired_count(),
            "slots"
        );
        if let Some(waiting) = &self.waiting {
            hold!(
                self.map.free_slots().eq(waiting.iter().copied()),
                "the order of free slots"
            );
        }
        let parts = Parts::of(&self.map);
        parts
            .join::<L>()
            .map(drop)
            .map_err(|error| format!("its own parts are refused: {error}"))
    }
}

/// The greatest generation that any slot of a map has had.
fn greatest_generation(header: Header) -> u32 {
    let mut fields = Header::FIELDS.iter();
    let before = fields.by_ref().take_while(|(name, _)| *name != "generation_high");
    let at: usize = before.map(|(_, size)| size).sum();
    bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&header)[at..at + size_of::<u32>()])
}

/// A map's parts, separated.
struct Parts {
    header: Header,
    slots: Vec<Slot>,
    numbers: Vec<u64>,
    owners: Vec<u32>,
}

impl Parts {
    fn of<L: Layout>(map: &HandleMap<Item, L>) -> Self {
        let parts = map.raw_parts();
        Self {
            header: parts.header,
            slots: parts.slots.to_vec(),
            numbers: parts.values.iter().map(|item| item.number).collect(),
            owners: parts.owners.to_vec(),
        }
    }

    fn join<L: Layout>(self) -> Result<HandleMap<Item, L>, tombolo_handles::CorruptError> {
        let values = self.numbers.into_iter().map(Item::new).collect();
        HandleMap::from_raw_parts(self.header, self.slots, values, self.owners)
    }

    fn forge(&mut self, forgeries: &[(u8, Forgery)]) {
        for (part, forgery) in forgeries {
            match part {
                0 | 1 => forgery.apply(bytemuck::bytes_of_mut(&mut self.header)),
                2 => forgery.apply(bytemuck::cast_slice_mut(&mut self.slots)),
                3 => forgery.apply(bytemuck::cast_slice_mut(&mut self.owners)),
                _ => {
                    self.slots.pop();
                }
            }
        }
    }
}
