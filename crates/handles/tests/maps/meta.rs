//! Data beside the values and memory of an allocator: every operation of the map against a map of pairs, and the memory
//! freed when drops panic.

use allocator_api2::alloc::{AllocError, Allocator, Global};
use proptest::prelude::*;
use std::alloc::Layout as MemoryLayout;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use tombolo_handles::{
    CorruptError, DefaultLayout, Handle, HandleMap, OrderId, SecondaryMap, SortBudget, Sorter, TypeTag,
};

/// An allocator that counts its live blocks and bytes.
#[derive(Clone, Copy)]
struct Arena<'a>(&'a Cell<(isize, isize)>);

impl Arena<'_> {
    fn count(&self, blocks: isize, bytes: usize) {
        let (live_blocks, live_bytes) = self.0.get();
        self.0
            .set((live_blocks + blocks, live_bytes + blocks * bytes as isize));
    }
}

// SAFETY: every call is the global allocator's.
unsafe impl Allocator for Arena<'_> {
    fn allocate(&self, layout: MemoryLayout) -> Result<NonNull<[u8]>, AllocError> {
        self.count(1, layout.size());
        Global.allocate(layout)
    }
    unsafe fn deallocate(&self, memory: NonNull<u8>, layout: MemoryLayout) {
        self.count(-1, layout.size());
        // SAFETY: the caller's promise.
        unsafe { Global.deallocate(memory, layout) }
    }
}

type Beside<'a> = HandleMap<u32, DefaultLayout, String, Arena<'a>>;
type Pairs = HandleMap<(u32, String)>;

#[derive(Clone, Debug)]
enum Step {
    Insert(u32),
    InsertMany(u8),
    Extend(u8),
    Remove(usize),
    RemoveWith(usize),
    Swap(usize, usize),
    Sort,
    SortSome,
    Group,
    Change(usize),
    RetainOdd,
    DrainSome(u8),
    Clear,
    Reset,
    Clone,
    CloneFrom,
    Shrink,
}

fn step() -> impl Strategy<Value = Step> {
    let at = any::<usize>;
    prop_oneof![
        8 => any::<u32>().prop_map(Step::Insert),
        2 => any::<u8>().prop_map(|count| Step::InsertMany(count % 20)),
        2 => any::<u8>().prop_map(|count| Step::Extend(count % 20)),
        4 => at().prop_map(Step::Remove),
        4 => at().prop_map(Step::RemoveWith),
        2 => (at(), at()).prop_map(|(one, other)| Step::Swap(one, other)),
        2 => at().prop_map(Step::Change),
        1 => Just(Step::Sort),
        1 => Just(Step::SortSome),
        1 => Just(Step::Group),
        1 => Just(Step::RetainOdd),
        1 => any::<u8>().prop_map(|count| Step::DrainSome(count % 4)),
        1 => Just(Step::Clear),
        1 => Just(Step::Reset),
        1 => Just(Step::Clone),
        1 => Just(Step::CloneFrom),
        1 => Just(Step::Shrink),
    ]
}

/// The map under test, and one whose values are pairs.
struct Both<'a> {
    ours: Beside<'a>,
    pairs: Pairs,
    sorter: [Sorter; 2],
}

impl Both<'_> {
    fn take(&mut self, step: Step) {
        let handle = |at: usize| self.pairs.handles().nth(at % self.pairs.len().max(1));
        let in_ours = |handle: Handle<(u32, String)>| Handle::from_bits(handle.to_bits()).unwrap();
        let order = OrderId(1);
        match step {
            Step::Insert(value) => {
                let ours = self.ours.insert_with_meta(value, value.to_string());
                let pairs = self.pairs.insert((value, value.to_string()));
                assert_eq!(ours.to_bits(), pairs.to_bits());
            }
            Step::InsertMany(count) => {
                self.ours.insert_many_with(count.into(), |handle| handle.index());
                self.pairs
                    .insert_many_with(count.into(), |handle| (handle.index(), String::new()));
            }
            Step::Extend(count) => {
                self.ours.extend(0..count.into());
                self.pairs
                    .extend((0..count.into()).map(|value| (value, String::new())));
            }
            Step::Remove(at) => {
                if let Some(handle) = handle(at) {
                    let value = self.ours.remove(in_ours(handle));
                    assert_eq!(value, self.pairs.remove(handle).map(|pair| pair.0));
                }
            }
            Step::RemoveWith(at) => {
                if let Some(handle) = handle(at) {
                    assert_eq!(
                        self.ours.remove_with_meta(in_ours(handle)),
                        self.pairs.remove(handle)
                    );
                    assert_eq!(self.ours.remove_with_meta(in_ours(handle)), None);
                }
            }
            Step::Swap(one, other) => {
                let len = self.pairs.len().max(1);
                self.ours.swap_dense(one % len, other % len);
                self.pairs.swap_dense(one % len, other % len);
            }
            Step::Change(at) => {
                if let Some(handle) = handle(at) {
                    self.ours.meta_mut(in_ours(handle)).unwrap().push('!');
                    self.pairs[handle].1.push('!');
                }
            }
            Step::Sort => {
                self.ours.sort_by_key(order, |value| *value);
                self.pairs.sort_by_key(order, |pair| pair.0);
            }
            Step::SortSome => {
                let budget = SortBudget {
                    comparisons: 1000,
                    swaps: 1000,
                };
                self.ours.forget_order();
                self.pairs.forget_order();
                self.sorter.iter_mut().for_each(Sorter::abandon);
                self.sorter[0].advance(&mut self.ours, budget, |a, b| a.cmp(b));
                self.sorter[1].advance(&mut self.pairs, budget, |a, b| a.0.cmp(&b.0));
            }
            Step::Group => {
                self.ours.group_by_key(3, |value| *value as usize % 3).unwrap();
                self.pairs.group_by_key(3, |pair| pair.0 as usize % 3).unwrap();
            }
            Step::RetainOdd => {
                self.ours.retain(|_, value| *value % 2 == 1);
                self.pairs.retain(|_, pair| pair.0 % 2 == 1);
            }
            Step::DrainSome(count) => {
                self.ours.drain().take(count.into()).count();
                self.pairs.drain().take(count.into()).count();
            }
            Step::Clear => {
                self.ours.clear();
                self.pairs.clear();
            }
            Step::Reset => {
                self.ours.reset();
                self.pairs.reset();
            }
            Step::Clone => self.ours = self.ours.clone(),
            Step::CloneFrom => {
                let mut other = HandleMap::new_in(TypeTag::ZERO, *self.ours.allocator());
                other.insert_with_meta(7, "seven".into());
                other.clone_from(&self.ours);
                self.ours = other;
            }
            Step::Shrink => self.ours.shrink_to_fit(),
        }
    }

    fn check(&self) {
        assert_eq!(self.ours.len(), self.ours.metas().len());
        let ours = self.ours.iter().zip(self.ours.metas());
        for (((ours, value), meta), (handle, pair)) in ours.zip(&self.pairs) {
            assert_eq!(ours.to_bits(), handle.to_bits());
            assert_eq!((value, meta), (&pair.0, &pair.1));
            assert_eq!(self.ours.meta(ours), Some(meta));
        }
    }
}

proptest! {
    #[test]
    fn what_is_beside_a_value_goes_where_the_value_goes(steps in proptest::collection::vec(step(), 0..80)) {
        let memory = Cell::new((0, 0));
        let mut both = Both {
            ours: HandleMap::new_in(TypeTag::ZERO, Arena(&memory)),
            pairs: HandleMap::new(),
            sorter: [Sorter::new(OrderId(2)), Sorter::new(OrderId(2))],
        };
        for step in steps {
            both.take(step);
            both.check();
            prop_assert_eq!(both.ours.len(), both.pairs.len());
            prop_assert_eq!(memory.get().1, both.ours.memory_bytes() as isize, "all of it, and it is told");
        }
        drop(both);
        prop_assert_eq!(memory.get(), (0, 0));
    }
}

#[test]
fn a_map_without_data_beside_its_values_pays_nothing_for_it() {
    let mut plain: HandleMap<u64> = (0..100).collect();
    plain.shrink_to_fit();
    assert_eq!(plain.memory_bytes(), 100 * (8 + 8 + 4));
    assert_eq!(plain.metas().len(), 100);
}

#[test]
fn secondary_maps_and_iterators_work_with_maps_of_every_kind() {
    let memory = Cell::new((0, 0));
    let mut map: Beside = HandleMap::new_in(TypeTag::ZERO, Arena(&memory));
    let one = map.insert_with_meta(1, "one".into());
    let two = map.insert(2);
    let mut notes = SecondaryMap::new();
    notes.insert(one, 'a');
    notes.insert(two, 'b');
    map.remove(one);
    notes.prune(&map);
    assert_eq!(notes.iter().collect::<Vec<_>>(), [(two, &'b')]);
    assert_eq!(
        map.iter_mut()
            .map(|(handle, value)| (handle, *value))
            .collect::<Vec<_>>(),
        [(two, 2)]
    );
    map.metas_mut().for_each(|meta| meta.push('x'));
    assert_eq!(map.meta(two).map(String::as_str), Some("x"));
    assert_eq!(map.meta(one), None);
    assert_eq!(map.into_iter().collect::<Vec<_>>(), [(two, 2)]);
    assert_eq!(memory.get(), (0, 0));
}

/// Panics in its drop where it is told to, without the hook's printing.
#[derive(Default)]
struct Failing<'a>(Option<&'a Cell<usize>>, bool);

impl Drop for Failing<'_> {
    fn drop(&mut self) {
        if let Some(drops) = self.0 {
            drops.set(drops.get() + 1);
        }
        if self.1 {
            resume_unwind(Box::new("told to panic"));
        }
    }
}

#[test]
fn values_and_what_is_beside_them_drop_once_when_one_of_them_panics() {
    type Map<'a> = HandleMap<Failing<'a>, DefaultLayout, Failing<'a>, Arena<'a>>;
    let calls: [fn(&mut Map); 4] = [
        |map| map.clear(),
        |map| map.reset(),
        |map| drop(map.drain()),
        |map| {
            drop(std::mem::replace(
                map,
                HandleMap::new_in(TypeTag::ZERO, *map.allocator()),
            ))
        },
    ];
    for call in calls {
        for failing_meta in [false, true] {
            let (memory, drops) = (Cell::new((0, 0)), Cell::new(0));
            let mut map: Map = HandleMap::new_in(TypeTag::ZERO, Arena(&memory));
            for number in 0..5 {
                let fails = |is_meta| number == 2 && is_meta == failing_meta;
                let value = Failing(Some(&drops), fails(false));
                map.insert_with_meta(value, Failing(Some(&drops), fails(true)));
            }
            assert!(catch_unwind(AssertUnwindSafe(|| call(&mut map))).is_err());
            assert_eq!((map.len(), map.metas().len()), (0, 0));
            assert_eq!(drops.get(), 10);
            let again = map.insert_with_meta(Failing::default(), Failing::default());
            assert!(map.contains(again));
            drop(map);
            assert_eq!(memory.get(), (0, 0));
        }
    }
}

#[test]
fn parts_with_data_beside_values_are_let_in_if_they_fit() {
    let mut map: HandleMap<u32, DefaultLayout, char> = HandleMap::default();
    let a = map.insert_with_meta(1, 'a');
    let b = map.insert_with_meta(2, 'b');
    map.remove(a);
    let parts = map.raw_parts();
    let again = |metas: &[char]| {
        HandleMap::<u32, DefaultLayout, char>::from_raw_parts_with_metas(
            parts.header,
            parts.slots.to_vec(),
            parts.values.to_vec(),
            metas.to_vec(),
            parts.owners.to_vec(),
        )
    };
    assert_eq!(again(parts.metas).unwrap().meta(b), Some(&'b'));
    assert_eq!(
        again(&[]).unwrap_err(),
        CorruptError::UnequalMetas { values: 1, metas: 0 }
    );
}
