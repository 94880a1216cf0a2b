//! Random operations on a map with generations of three bits, held against a plain `BTreeMap`. Three bits mean that slots
//! run out all the time.

use crate::common::{Retiring3, Wrapping3, check};
use crate::scale::scaled;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tombolo_handles::{Handle, HandleMap, Layout, OrderId, SecondaryMap, SortBudget, Sorter, WhenExhausted};

const ORDER: OrderId = OrderId(0);
/// More live values than this and the test removes more than it inserts.
const LIVE_MAX: usize = 300;

/// A generator of random numbers (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// The map under test and what must be true of it.
struct Model<L: Layout> {
    map: HandleMap<u64, L>,
    notes: SecondaryMap<u64, u64, L>,
    sorter: Sorter,
    live: BTreeMap<Handle<u64, L>, u64>,
    // All that were ever given out and are not live.
    stale: Vec<Handle<u64, L>>,
    // Slots in the order in which they must come again.
    waiting: VecDeque<u32>,
    retired: BTreeSet<u32>,
    random: SplitMix,
}

impl<L: Layout> Model<L> {
    fn new(seed: u64) -> Self {
        Self {
            map: HandleMap::default(),
            notes: SecondaryMap::new(),
            sorter: Sorter::new(ORDER),
            live: BTreeMap::new(),
            stale: Vec::new(),
            waiting: VecDeque::new(),
            retired: BTreeSet::new(),
            random: SplitMix(seed),
        }
    }

    fn insert(&mut self) {
        let value = self.random.next();
        let expected = self.waiting.pop_front().unwrap_or(self.map.slot_count() as u32);
        let handle = self.map.insert(value);
        assert_eq!(handle.index(), expected);
        assert_eq!(
            self.live.insert(handle, value),
            None,
            "{handle:?} is live already"
        );
        self.notes.insert(handle, !value);
    }

    /// A live handle, if there is one.
    fn pick(&mut self) -> Option<Handle<u64, L>> {
        let dense = self.random.below(self.map.len());
        self.map.handle_at(dense)
    }

    fn ended(&mut self, handle: Handle<u64, L>) {
        self.stale.push(handle);
        let last = (1 << L::GENERATION_BITS) - 1;
        if handle.generation() == last && L::WHEN_EXHAUSTED == WhenExhausted::Retire {
            self.retired.insert(handle.index());
        } else {
            self.waiting.push_back(handle.index());
        }
    }

    fn remove(&mut self) {
        if let Some(handle) = self.pick() {
            assert_eq!(self.map.remove(handle), self.live.remove(&handle));
            self.ended(handle);
        }
    }

    /// A handle that is not live, unless its slot has wrapped.
    fn ask_stale(&mut self) {
        let at = self.random.below(self.stale.len());
        if let Some(&handle) = self.stale.get(at) {
            assert_eq!(self.map.get(handle), self.live.get(&handle));
            if L::WHEN_EXHAUSTED == WhenExhausted::Retire {
                assert!(!self.map.contains(handle) && self.map.remove(handle).is_none());
            }
        }
    }

    fn change(&mut self) {
        if let Some(handle) = self.pick() {
            let value = self.random.next();
            self.map[handle] = value;
            self.live.insert(handle, value);
            assert_eq!(self.notes.get(handle).is_some(), self.map.contains(handle));
        }
    }

    fn reorder(&mut self) {
        match self.random.below(4) {
            0 => {
                let (i, j) = (
                    self.random.below(self.map.len()),
                    self.random.below(self.map.len()),
                );
                self.map.swap_dense(i, j);
            }
            1 => {
                self.map.sort_by(ORDER, u64::cmp);
                assert!(self.map.values_slice().is_sorted());
            }
            2 => {
                let grouped = self.map.group_by_key(4, |value| (value % 4) as usize);
                assert!(grouped.is_ok() && self.map.values_slice().is_sorted_by_key(|value| value % 4));
            }
            _ => {
                let budget = SortBudget {
                    comparisons: 100,
                    swaps: 20,
                };
                if self.sorter.advance(&mut self.map, budget, u64::cmp).is_ordered {
                    assert!(self.map.values_slice().is_sorted());
                }
            }
        }
    }

    fn clear(&mut self) {
        self.map.clear();
        // Every slot that is not retired waits, in index order.
        for handle in std::mem::take(&mut self.live).into_keys() {
            self.ended(handle);
        }
        self.waiting.make_contiguous().sort_unstable();
        self.notes.prune(&self.map);
        assert!(self.notes.is_empty());
    }

    fn retain(&mut self) {
        let mut gone = Vec::new();
        self.map.retain(|handle, value| {
            let keep = *value % 8 != 0;
            if !keep {
                gone.push(handle);
            }
            keep
        });
        for handle in gone {
            assert!(self.live.remove(&handle).is_some_and(|value| value % 8 == 0));
            self.ended(handle);
        }
        assert!(self.live.values().all(|value| value % 8 != 0));
    }

    fn step(&mut self) {
        let full = self.map.len() > LIVE_MAX;
        match self.random.below(1000) {
            0..400 if !full => self.insert(),
            0..750 => self.remove(),
            750..850 => self.ask_stale(),
            850..960 => self.change(),
            960..990 => self.reorder(),
            990..995 => self.retain(),
            995 => self.clear(),
            _ => self.compare(),
        }
        assert_eq!(self.map.len(), self.live.len());
    }

    fn compare(&self) {
        check(&self.map);
        assert!(
            self.live
                .iter()
                .all(|(&handle, value)| self.map.get(handle) == Some(value))
        );
        let held: BTreeMap<_, _> = self.map.iter().map(|(handle, &value)| (handle, value)).collect();
        assert_eq!(held, self.live);
        assert!(self.map.free_slots().eq(self.waiting.iter().copied()));
        assert_eq!(self.map.retired_count(), self.retired.len());
    }
}

/// Operations at a scale of one.
const OPERATIONS_USUALLY: usize = 100_000;

#[test]
fn hm_18_many_operations_with_generations_of_three_bits_that_retire() {
    let mut model = Model::<Retiring3>::new(1);
    for _ in 0..scaled(OPERATIONS_USUALLY) {
        model.step();
    }
    model.compare();
    assert!(model.map.retired_count() > 0);
}

#[test]
fn hm_18_many_operations_with_generations_of_three_bits_that_wrap() {
    let mut model = Model::<Wrapping3>::new(2);
    for _ in 0..scaled(OPERATIONS_USUALLY) {
        model.step();
    }
    model.compare();
}
