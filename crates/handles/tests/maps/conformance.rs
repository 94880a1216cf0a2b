//! The cases that any handle map has to get right, each under its number.

use crate::common::{
    Panicking2, Retiring2, Retiring3, SevenLives, SevenSlots, Wrapping2, Wrapping3, Wrapping4, check, forge,
};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use tombolo_handles::{
    DefaultLayout, Handle, HandleError, HandleMap, Layout, LongLivedLayout, OrderId, SortBudget, Sorter,
    TypeTag,
};

const ORDER: OrderId = OrderId(1);

fn filled(count: u32) -> (HandleMap<u32>, Vec<Handle<u32>>) {
    let mut map = HandleMap::new();
    let handles = map.insert_many_with(count as usize, |handle| handle.index());
    (map, handles)
}

#[test]
fn hm_1_the_null_handle_is_never_valid_also_after_a_wrap() {
    assert_eq!(Handle::<u32>::from_bits(0), None);
    assert_eq!(Handle::<u32, Wrapping2>::from_bits(0), None);
    let mut map = HandleMap::<u32, Wrapping2>::default();
    for life in 0..10 {
        let handle = map.insert(life);
        assert_eq!((handle.index(), handle.generation()), (0, life % 3 + 1));
        assert_ne!(handle.to_bits(), 0);
        map.remove(handle);
        check(&map);
    }
}

#[test]
fn hm_2_a_retiring_map_never_brings_a_handle_back_to_life() {
    let mut map = HandleMap::<u32, Retiring2>::default();
    let mut given = BTreeSet::new();
    for life in 0..100 {
        let handle = map.insert(life);
        assert!(given.insert(handle), "{handle:?} was given twice");
        assert_eq!(map.remove(handle), Some(life));
        assert!(given.iter().all(|&old| !map.contains(old)));
    }
}

#[test]
fn hm_3_generations_run_out_as_the_layout_says() {
    let mut retiring = HandleMap::<u32, Retiring2>::default();
    for generation in 1..=3 {
        let handle = retiring.insert(0);
        assert_eq!((handle.index(), handle.generation()), (0, generation));
        retiring.remove(handle);
    }
    assert_eq!(
        (retiring.retired_count(), retiring.free_count(), retiring.len()),
        (1, 0, 0)
    );
    assert_eq!(retiring.insert(0).index(), 1);
    check(&retiring);

    let mut wrapping = HandleMap::<u32, Wrapping4>::default();
    for life in 0..40 {
        let handle = wrapping.insert(0);
        assert_eq!((handle.index(), handle.generation()), (0, life % 15 + 1));
        wrapping.remove(handle);
    }
    assert_eq!(wrapping.retired_count(), 0);

    let mut panicking = HandleMap::<u32, Panicking2>::default();
    for _ in 1..3 {
        let handle = panicking.insert(0);
        panicking.remove(handle);
    }
    let last = panicking.insert(7);
    assert!(catch_unwind(AssertUnwindSafe(|| panicking.remove(last))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| panicking.clear())).is_err());
    assert_eq!(panicking.get(last), Some(&7));
    check(&panicking);
}

#[test]
fn hm_4_freed_slots_are_reused_first_in_first_out() {
    let (mut map, handles) = filled(4);
    for slot in [2, 0, 3] {
        map.remove(handles[slot]);
    }
    assert!(map.free_slots().eq([2, 0, 3]));
    let reused: Vec<_> = (0..4).map(|value| map.insert(value).index()).collect();
    assert_eq!(reused, [2, 0, 3, 4]);
}

#[test]
fn hm_5_removing_first_middle_last_and_only_value() {
    for removed in 0..3 {
        let (mut map, handles) = filled(3);
        map.remove(handles[removed]);
        check(&map);
        // One free slot is both ends of the list, and the next insertion empties it.
        assert!(map.free_slots().eq([removed as u32]));
        assert_eq!(map.insert(9).index(), removed as u32);
        assert_eq!(map.free_slots().next(), None);
        check(&map);
        for (slot, &handle) in handles.iter().enumerate() {
            assert_eq!(map.get(handle).copied(), (slot != removed).then_some(slot as u32));
        }
    }
    let (mut map, handles) = filled(1);
    assert_eq!(map.remove(handles[0]), Some(0));
    check(&map);
    assert!(map.is_empty());
}

#[test]
fn hm_6_handles_that_are_not_valid_change_nothing() {
    let (mut map, handles) = filled(3);
    map.remove(handles[1]);
    let before: Vec<_> = map.iter().map(|(handle, &value)| (handle, value)).collect();
    let forged = [
        handles[1],
        forge(0, 2, 1),
        forge(0, 2, 0),
        forge(0, 1, 3),
        forge(0, 1, u64::from(u32::MAX - 1)),
        forge(1, 1, 0),
        forge(32_767, 65_535, 2),
    ];
    for handle in forged {
        assert_eq!(map.remove(handle), None, "{handle:?}");
        assert_eq!(map.get_mut(handle), None);
        assert!(map.try_get(handle).is_err());
        check(&map);
    }
    // Bits that are no handle: the free bit, generation 0, the index that means "none".
    assert_eq!(Handle::<u32>::from_bits(handles[0].to_bits() | 1 << 63), None);
    assert_eq!(Handle::<u32>::from_bits(5), None);
    assert_eq!(Handle::<u32>::from_bits(1 << 32 | u64::from(u32::MAX)), None);
    assert!(map.iter().map(|(handle, &value)| (handle, value)).eq(before));
}

#[test]
fn hm_7_errors_say_why() {
    let (mut map, handles) = filled(2);
    let mut other = HandleMap::<u32>::with_tag(TypeTag::new(5).expect("a tag"));
    let foreign = other.insert(0);
    assert_eq!(
        map.try_get(foreign),
        Err(HandleError::WrongTag { wanted: 0, got: 5 })
    );
    assert_eq!(
        map.try_get(forge(0, 1, 2)),
        Err(HandleError::OutOfRange {
            index: 2,
            slot_count: 2
        })
    );
    map.remove(handles[0]);
    assert_eq!(map.try_get(handles[0]), Err(HandleError::FreeSlot { index: 0 }));
    map.insert(7);
    assert_eq!(
        map.try_get_mut(handles[0]),
        Err(HandleError::Stale { wanted: 1, found: 2 })
    );
    let message = catch_unwind(AssertUnwindSafe(|| map[handles[0]])).expect_err("a stale handle panics");
    let message = message.downcast_ref::<String>().expect("a message");
    assert_eq!(
        message,
        "the handle is stale: it names generation 1, but its slot is at generation 2"
    );
}

/// The values had room for eight, what stands beside them for four.
#[test]
fn the_capacity_is_what_fits_without_another_allocation() {
    fn holds<T: Clone>(value: T) {
        let mut map = HandleMap::<T>::new();
        map.reserve(1);
        let (capacity, bytes) = (map.capacity(), map.memory_bytes());
        assert!((1..100).contains(&capacity), "room for one: {capacity}");
        map.insert_many(capacity, value);
        assert_eq!((map.capacity(), map.memory_bytes()), (capacity, bytes));
    }
    holds(1_u8);
    holds(1_u64);
    holds([1_u64; 200]);
    holds(());
    assert_eq!(HandleMap::<()>::new().capacity(), 0);
}

#[test]
fn hm_8_clear_makes_all_stale_and_keeps_slots_and_memory() {
    let (mut map, handles) = filled(5);
    map.remove(handles[3]);
    map.remove(handles[1]);
    let capacity = map.capacity();
    map.clear();
    check(&map);
    assert_eq!((map.len(), map.capacity(), map.slot_count()), (0, capacity, 5));
    assert!(handles.iter().all(|&handle| !map.contains(handle)));
    // In index order; slots that were free already have not lost another generation.
    let again = map.insert_many(6, 0);
    assert!(again.iter().map(|handle| handle.index()).eq(0..6));
    assert!(again[..5].iter().all(|handle| handle.generation() == 2));
    assert_eq!(again[5].generation(), 1);
}

/// Counts its drops; one of them may panic.
struct Counted(Rc<Cell<u32>>, bool);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
        assert!(!self.1, "a drop that panics");
    }
}

#[test]
fn hm_8_each_value_is_dropped_once_also_if_a_drop_panics() {
    for way in 0..3 {
        let drops = Rc::new(Cell::new(0));
        let mut map = HandleMap::<Counted>::new();
        for index in 0..5 {
            map.insert(Counted(drops.clone(), index == 2));
        }
        let emptied = catch_unwind(AssertUnwindSafe(|| match way {
            0 => map.clear(),
            1 => map.reset(),
            _ => drop(map.drain()),
        }));
        assert!(emptied.is_err());
        assert_eq!((drops.get(), map.len()), (5, 0));
        let handle = map.insert(Counted(drops.clone(), false));
        assert!(map.contains(handle));
        drop(map);
        assert_eq!(drops.get(), 6);
    }
}

#[test]
fn hm_9_stale_handles_stay_stale_after_a_reset() {
    let mut map = HandleMap::<u32, Retiring3>::default();
    let mut given = BTreeSet::new();
    // More resets than there are generations: then a reset falls back to clearing.
    for round in 0..20 {
        for value in 0..3 {
            let handle = map.insert(value);
            assert!(
                given.insert(handle),
                "{handle:?} was given twice, in round {round}"
            );
        }
        map.reset();
        check(&map);
        assert!(given.iter().all(|&old| !map.contains(old)));
    }
    let (mut map, handles) = filled(3);
    map.reset();
    assert_eq!(map.slot_count(), 0);
    let new = map.insert(0);
    assert_eq!((new.index(), new.generation()), (0, 2));
    assert!(!map.contains(handles[0]));
}

#[test]
fn hm_9_a_map_knows_the_handles_that_it_made_since_a_reset() {
    let (mut map, handles) = filled(1);
    map.reset();
    let [first, second] = [0, 1].map(|value| map.insert(value));
    map.remove(second);
    assert!(map.has_held(first) && map.has_held(second));
    // The map had one slot before the reset: it never made a handle of the second slot with the first generation.
    let never = [forge(0, 1, 1), forge(0, 3, 0), forge(0, 3, 1), forge(0, 2, 2)];
    assert!(!never.into_iter().any(|handle| map.has_held(handle)));
    assert!(!map.has_held(handles[0]));

    // Used up, a slot has had every generation since the reset.
    let mut map = HandleMap::<u32, Retiring2>::default();
    map.insert(0);
    map.reset();
    let lives = [0, 1].map(|value| {
        let handle = map.insert(value);
        map.remove(handle);
        handle
    });
    assert_eq!((map.retired_count(), lives[0].generation()), (1, 2));
    assert!(lives.into_iter().all(|handle| map.has_held(handle)));
    assert!(!map.has_held(forge(0, 1, 0)));

    // The generations of a later round begin with 1 again.
    let mut map = HandleMap::<u32, Wrapping2>::default();
    map.insert(0);
    map.reset();
    for life in 0..3 {
        let handle = map.insert(life);
        assert!(map.has_held(handle));
        map.remove(handle);
    }
    let wrapped = map.insert(3);
    assert_eq!((wrapped.generation(), map.has_held(wrapped)), (2, true));
}

/// A sort key, and where it was at first.
type Keyed = (u8, usize);

/// A map with its handles, values in the order of the handles.
fn sortable(keys: &[u8]) -> (HandleMap<Keyed>, Vec<Handle<Keyed>>) {
    let mut map = HandleMap::new();
    let handles = keys
        .iter()
        .enumerate()
        .map(|(index, &key)| map.insert((key, index)))
        .collect();
    (map, handles)
}

fn by_key(a: &Keyed, b: &Keyed) -> Ordering {
    a.0.cmp(&b.0)
}

fn assert_names_hold(map: &HandleMap<Keyed>, handles: &[Handle<Keyed>], keys: &[u8]) {
    check(map);
    for (index, (&handle, &key)) in handles.iter().zip(keys).enumerate() {
        assert_eq!(map[handle], (key, index));
    }
}

proptest! {
    #[test]
    fn hm_10_sorting_is_stable_and_keeps_handles(keys in prop::collection::vec(0..20_u8, 0..200)) {
        let (mut map, handles) = sortable(&keys);
        let before = map.values_slice().to_vec();
        let mut expected = before.clone();
        expected.sort_by(by_key);
        let moves = map.sort_by(ORDER, by_key);
        prop_assert_eq!(map.values_slice(), &expected[..]);
        prop_assert_eq!(moves, before.iter().zip(&expected).filter(|(a, b)| a != b).count());
        assert_names_hold(&map, &handles, &keys);
        let mut comparisons = 0;
        prop_assert_eq!(map.sort_by(ORDER, |a, b| { comparisons += 1; by_key(a, b) }), 0);
        prop_assert_eq!(comparisons, 0);
    }

    /// Values that stand apart from an ordered rest, which takes the short way.
    #[test]
    fn hm_10_sorting_what_is_nearly_in_order(
        len in 100..600_usize,
        apart in prop::collection::vec((0..600_usize, 0..=255_u8), 0..30),
    ) {
        let mut keys: Vec<u8> = (0..len).map(|index| (index * 256 / len) as u8).collect();
        for (place, key) in apart {
            keys[place % len] = key;
        }
        let (mut map, handles) = sortable(&keys);
        let mut expected = map.values_slice().to_vec();
        expected.sort_by(by_key);
        map.sort_by(ORDER, by_key);
        prop_assert_eq!(map.values_slice(), &expected[..]);
        assert_names_hold(&map, &handles, &keys);
    }

    #[test]
    fn hm_10_grouping_is_stable_and_keeps_handles(keys in prop::collection::vec(0..9_u8, 0..200)) {
        let (mut map, handles) = sortable(&keys);
        let mut expected = map.values_slice().to_vec();
        expected.sort_by(by_key);
        let groups = map.group_by_key(9, |value| usize::from(value.0)).expect("keys in range");
        prop_assert_eq!(map.values_slice(), &expected[..]);
        for key in 0..9 {
            let group = groups.starts[key] as usize..groups.starts[key + 1] as usize;
            prop_assert!(expected[group.clone()].iter().all(|value| usize::from(value.0) == key));
            prop_assert_eq!(group.len(), keys.iter().filter(|&&found| usize::from(found) == key).count());
        }
        assert_names_hold(&map, &handles, &keys);
    }
}

#[test]
fn hm_10_a_map_of_none_or_one_is_in_order_at_once() {
    for count in 0..2 {
        let (mut map, _) = filled(count);
        assert_eq!(map.sort_by(ORDER, |_, _| unreachable!()), 0);
        assert!(map.is_ordered(ORDER));
        let budget = SortBudget {
            comparisons: 0,
            swaps: 0,
        };
        assert!(
            Sorter::new(ORDER)
                .advance(&mut map, budget, |_, _| unreachable!())
                .is_ordered
        );
    }
}

#[test]
fn hm_10_a_key_out_of_range_changes_nothing() {
    let (mut map, _) = filled(5);
    let error = map
        .group_by_key(3, |&value| value as usize)
        .expect_err("keys 3 and 4");
    assert_eq!((error.dense, error.key, error.group_count), (3, 3, 3));
    assert_eq!(map.values_slice(), [0, 1, 2, 3, 4]);
}

/// What may happen between two steps of a sorter.
#[derive(Clone, Debug)]
enum Between {
    Nothing,
    Insert(u8),
    Remove(usize),
    Modify(usize, u8),
    Swap(usize, usize),
    Clear,
}

fn between() -> impl Strategy<Value = Between> {
    prop_oneof![
        8 => Just(Between::Nothing),
        4 => any::<u8>().prop_map(Between::Insert),
        4 => any::<usize>().prop_map(Between::Remove),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(at, key)| Between::Modify(at, key)),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(i, j)| Between::Swap(i, j)),
        1 => Just(Between::Clear),
    ]
}

fn apply(map: &mut HandleMap<Keyed>, change: &Between, fresh: &mut usize) {
    let len = map.len().max(1);
    match *change {
        Between::Nothing => {}
        Between::Insert(key) => {
            map.insert((key, *fresh));
            *fresh += 1;
        }
        Between::Remove(at) => {
            let handle = map.handle_at(at % len);
            handle.map(|handle| map.remove(handle));
        }
        Between::Modify(at, key) => {
            if let Some(value) = map.value_at_mut(at % len) {
                value.0 = key;
            }
        }
        Between::Swap(i, j) => {
            map.swap_dense(i % len, j % len);
        }
        Between::Clear => {
            if map.len() > 20 {
                map.clear();
            }
        }
    }
}

proptest! {
    #[test]
    fn hm_11_budgets_hold_and_any_history_ends_in_order(
        keys in prop::collection::vec(any::<u8>(), 0..60),
        changes in prop::collection::vec(between(), 0..100),
        comparisons in 1..40_usize,
        swaps in 1..8_usize,
    ) {
        let (mut map, _) = sortable(&keys);
        let mut fresh = keys.len();
        let mut sorter = Sorter::new(ORDER);
        let budget = SortBudget { comparisons, swaps };
        let mut quiet_calls = 0;
        for change in changes.iter().map(Some).chain(std::iter::repeat(None)) {
            if let Some(change) = change {
                apply(&mut map, change, &mut fresh);
            }
            let mut called = 0;
            let epoch = map.structure_epoch();
            let progress = sorter.advance(&mut map, budget, |a, b| { called += 1; by_key(a, b) });
            prop_assert!(called <= progress.comparisons && progress.comparisons <= comparisons);
            prop_assert!(progress.swaps <= swaps);
            // Each swap counts in the epoch, so this is the number that were made.
            prop_assert_eq!(map.structure_epoch() - epoch, progress.swaps as u64);
            prop_assert!(progress.is_ordered || progress.comparisons + progress.swaps > 0);
            check(&map);
            if progress.is_ordered {
                prop_assert!(map.values_slice().is_sorted_by_key(|value| value.0));
                if change.is_none() {
                    break;
                }
            }
            if change.is_none() {
                quiet_calls += 1;
                // The plan under way, a new one, and the checks: n log n each, if every call does one step.
                prop_assert!(quiet_calls < 4 * (map.len() + 1) * 10, "does not come to an end");
            }
        }
    }
}

#[test]
fn hm_11_an_undisturbed_sorter_is_stable_and_takes_n_log_n() {
    let keys: Vec<u8> = (0..1000_u32).map(|index| (index * 7919 % 251) as u8).collect();
    let (mut map, handles) = sortable(&keys);
    let mut expected = map.values_slice().to_vec();
    expected.sort_by(by_key);
    let mut sorter = Sorter::new(ORDER);
    let (mut comparisons, mut swaps) = (0, 0);
    loop {
        let progress = sorter.advance(
            &mut map,
            SortBudget {
                comparisons: 7,
                swaps: 3,
            },
            by_key,
        );
        comparisons += progress.comparisons;
        swaps += progress.swaps;
        if progress.is_ordered {
            break;
        }
    }
    assert_eq!(map.values_slice(), expected);
    assert_names_hold(&map, &handles, &keys);
    // 10 rounds of merging at the most, listing, placing and two checks.
    assert!(comparisons <= 14 * keys.len(), "{comparisons} comparisons");
    assert!(swaps < keys.len(), "{swaps} swaps");
}

#[test]
fn hm_11_a_map_stays_in_order_until_something_may_have_broken_it() {
    let mut map: HandleMap<u32> = (0..10).collect();
    let sort = |map: &mut HandleMap<u32>| {
        let mut comparisons = 0;
        map.sort_by(ORDER, |a, b| {
            comparisons += 1;
            a.cmp(b)
        });
        comparisons
    };
    sort(&mut map);
    let handles: Vec<_> = map.handles().collect();
    assert!(map.is_ordered(ORDER) && !map.is_ordered(OrderId(2)));
    // Reading breaks nothing; a greater value at the end costs one comparison.
    assert_eq!((map.get(handles[3]), map.iter().count()), (Some(&3), 10));
    map.insert(10);
    assert_eq!(sort(&mut map), 1);
    // Removing the last value leaves the rest in order.
    map.remove(handles[9]);
    map.sort_by(ORDER, u32::cmp);
    let last = map.handle_at(map.len() - 1).expect("a last value");
    map.remove(last);
    assert!(map.is_ordered(ORDER));
    type Change = fn(&mut HandleMap<u32>, Handle<u32>);
    let breaks: [Change; 9] = [
        |map, handle| assert!(map.remove(handle).is_some()),
        |map, handle| *map.get_mut(handle).expect("a value") = 100,
        |map, handle| map[handle] = 100,
        |map, _| *map.value_at_mut(0).expect("a value") = 100,
        |map, _| map.values_mut().for_each(|value| *value = 100 - *value),
        |map, _| map.iter_mut().for_each(|(_, value)| *value = 100 - *value),
        |map, _| {
            map.retain(|_, value| {
                *value = 100 - *value;
                true
            })
        },
        |map, _| assert!(map.swap_dense(0, 1)),
        |map, handle| *map.get_disjoint_mut([handle]).expect("a value")[0] = 100,
    ];
    for change in breaks {
        sort(&mut map);
        let handle = map.handle_at(0).expect("a value");
        change(&mut map, handle);
        assert!(!map.is_ordered(ORDER));
        sort(&mut map);
        assert!(map.values_slice().is_sorted());
    }
}

#[test]
fn hm_11_comparisons_that_panic_or_contradict_themselves_leave_a_valid_map() {
    let keys: Vec<u8> = (0..100_u32).map(|index| (index * 7919 % 251) as u8).collect();
    for panic_at in [0, 1, 50, 200, 500] {
        let (mut map, handles) = sortable(&keys);
        let mut calls = 0;
        let mut compare = |a: &Keyed, b: &Keyed| {
            calls += 1;
            assert!(calls <= panic_at, "a comparison that panics");
            by_key(a, b)
        };
        assert!(catch_unwind(AssertUnwindSafe(|| map.sort_by(ORDER, &mut compare))).is_err());
        assert_names_hold(&map, &handles, &keys);
        let mut sorter = Sorter::new(ORDER);
        let budget = SortBudget {
            comparisons: 40,
            swaps: 40,
        };
        let mut calls = 0;
        for _ in 0..200 {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                sorter.advance(&mut map, budget, |a, b| {
                    calls += 1;
                    assert!(calls % 30 != 29, "a comparison that panics");
                    by_key(a, b)
                })
            }));
            assert_names_hold(&map, &handles, &keys);
        }
        assert!(map.is_ordered(ORDER) && map.values_slice().is_sorted_by_key(|value| value.0));
    }
    let (mut map, handles) = sortable(&keys);
    let mut calls = 0_u32;
    let mut senseless = |_: &Keyed, _: &Keyed| {
        calls = calls.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        [Ordering::Less, Ordering::Equal, Ordering::Greater][(calls >> 20) as usize % 3]
    };
    let mut sorter = Sorter::new(ORDER);
    for _ in 0..200 {
        sorter.advance(
            &mut map,
            SortBudget {
                comparisons: 50,
                swaps: 50,
            },
            &mut senseless,
        );
        assert_names_hold(&map, &handles, &keys);
    }
    let _ = catch_unwind(AssertUnwindSafe(|| map.sort_by(ORDER, &mut senseless)));
    assert_names_hold(&map, &handles, &keys);
}

#[test]
fn hm_12_dense_order_is_insertion_order_until_the_first_removal() {
    let (mut map, handles) = filled(6);
    assert_eq!(map.values_slice(), [0, 1, 2, 3, 4, 5]);
    map.remove(handles[1]);
    assert_eq!(map.values_slice(), [0, 5, 2, 3, 4]);
    assert!(map.values().eq(&[0, 5, 2, 3, 4]));
    assert!(
        map.iter()
            .map(|(handle, &value)| (handle.index(), value))
            .eq([0, 5, 2, 3, 4].map(|v| (v, v)))
    );
    assert!(
        map.iter_mut()
            .rev()
            .map(|(handle, _)| handle.index())
            .eq([4, 3, 2, 5, 0])
    );
    assert!(
        map.clone()
            .into_iter()
            .map(|(handle, _)| handle)
            .eq(map.handles())
    );

    let mut asked = Vec::new();
    map.retain(|handle, &mut value| {
        asked.push(value);
        assert_eq!(handle.index(), value);
        value % 2 == 0
    });
    assert_eq!(asked, [0, 5, 4, 2, 3]);
    assert_eq!(map.values_slice(), [0, 4, 2]);
    check(&map);

    let mut drain = map.drain();
    assert_eq!(drain.len(), 3);
    assert_eq!(drain.next().map(|(_, value)| value), Some(2));
    std::mem::forget(drain);
    assert_eq!(map.values_slice(), [0, 4]);
    drop(map.drain());
    assert!(map.is_empty() && handles.iter().all(|&handle| !map.contains(handle)));
    check(&map);
}

#[test]
fn hm_13_many_at_once() {
    let mut map = HandleMap::<u32>::new();
    assert_eq!(map.insert_many(0, 1), []);
    let first = map.insert(100);
    // Grows several times on the way.
    let handles = map.insert_many_with(1000, |handle| handle.index());
    assert_eq!(handles.iter().collect::<BTreeSet<_>>().len(), 1000);
    assert!(handles.iter().all(|&handle| map[handle] == handle.index()));
    assert_eq!(map[first], 100);
    let gone = [handles[3], handles[5], handles[3], forge(0, 9, 9)];
    assert_eq!(map.remove_many(&gone), 2);
    assert_eq!(map.len(), 999);
    map.extend([1, 2, 3]);
    check(&map);
}

#[test]
fn hm_13_many_at_once_with_some_free_slots_enough_of_them_or_too_few() {
    for count in [0, 50, 100, 150] {
        let (mut map, handles) = filled(300);
        map.remove_many(&handles[100..200]);
        let new = map.insert_many_with(count, |handle| handle.index());
        let slots = (100..200).chain(300..);
        assert!(new.iter().map(|handle| handle.index()).eq(slots.take(count)));
        assert!(new.iter().all(|&handle| map[handle] == handle.index()));
        assert_eq!(map.free_count(), 100_usize.saturating_sub(count));
        check(&map);
    }
}

#[test]
fn hm_13_an_iterator_that_panics_leaves_a_valid_map() {
    let (mut map, handles) = filled(3);
    map.remove(handles[1]);
    let values = (10..20).inspect(|&value| assert!(value < 15, "an iterator that panics"));
    assert!(catch_unwind(AssertUnwindSafe(|| map.extend(values))).is_err());
    check(&map);
    // The free slot got the first value; what came for new slots is gone.
    assert_eq!(map.values_slice(), [0, 2, 10]);
    let next = map.insert(7);
    assert_eq!((next.index(), map[next]), (3, 7));
}

#[test]
fn hm_14_a_full_map_refuses_with_an_error() {
    let mut map = HandleMap::<String, SevenSlots>::default();
    let handles = map.insert_many(7, String::from("x"));
    let full = map.try_insert(String::from("y")).expect_err("an eighth slot");
    assert_eq!(
        full.to_string(),
        "the map is full: all 7 slots of its layout are live or retired"
    );
    assert_eq!(full.into_value(), "y");
    assert!(catch_unwind(AssertUnwindSafe(|| map.insert_with_key(|_| unreachable!()))).is_err());
    map.remove(handles[4]);
    assert!(catch_unwind(AssertUnwindSafe(|| map.insert_many(2, String::new()))).is_err());
    assert_eq!(map.len(), 6);
    assert_eq!(map.insert(String::from("z")).index(), 4);

    // Retired slots count.
    let mut lives = HandleMap::<u32, SevenLives>::default();
    for life in 0..7 {
        let handle = lives.insert(life);
        lives.remove(handle);
    }
    assert_eq!((lives.retired_count(), lives.next_handle()), (7, None));
    assert!(lives.try_insert(7).is_err());
    check(&lives);
}

#[derive(Clone, Debug, PartialEq)]
#[repr(align(64))]
struct Wide(u8);

#[test]
fn hm_15_values_without_size_with_alignment_without_copy_and_with_drop() {
    let mut nothing = HandleMap::<()>::new();
    let handles = nothing.insert_many(1000, ());
    assert_eq!(nothing.remove_many(&handles[10..20]), 10);
    assert_eq!((nothing.len(), nothing.get(handles[0])), (990, Some(&())));
    check(&nothing);

    let mut wide = HandleMap::<Wide>::new();
    let handle = wide.insert(Wide(3));
    wide.insert(Wide(1));
    wide.sort_by_key(ORDER, |wide| wide.0);
    assert_eq!(wide.dense_index(handle), Some(1));
    assert!(
        wide.values()
            .all(|value| std::ptr::from_ref(value).addr().is_multiple_of(64))
    );

    let drops = Rc::new(Cell::new(0));
    let mut counted = HandleMap::<Counted>::new();
    let handles = counted.insert_many_with(5, |_| Counted(drops.clone(), false));
    drop(counted.remove(handles[2]));
    assert_eq!(drops.get(), 1);
    drop(counted);
    assert_eq!(drops.get(), 5);
    let log = RefCell::new(Vec::new());
    let mut by_key = HandleMap::<String>::new();
    by_key.insert_with_key(|handle| {
        log.borrow_mut().push(handle);
        handle.index().to_string()
    });
    assert!(by_key.handles().eq(log.into_inner()));
}

#[test]
fn hm_16_equal_handles_are_not_disjoint() {
    let (mut map, handles) = filled(3);
    assert!(map.get_disjoint_mut([handles[0], handles[0]]).is_none());
    assert!(
        map.get_disjoint_mut([handles[0], handles[1], handles[0]])
            .is_none()
    );
    assert_eq!(
        map.get_disjoint_mut([handles[2], handles[0]]),
        Some([&mut 2, &mut 0])
    );
    map.remove(handles[2]);
    assert!(map.get_disjoint_mut([handles[2], handles[0]]).is_none());
}

proptest! {
    #[test]
    fn looking_up_many_finds_what_looking_up_one_finds(
        picks in prop::collection::vec((0..400_u64, 1..3_u64, 0..2_u64), 0..300),
    ) {
        let (mut map, handles) = filled(300);
        map.remove_many(&handles[100..200]);
        map.insert_many(50, 7);
        let picks: Vec<Handle<u32>> =
            picks.into_iter().map(|(index, generation, tag)| forge(tag, generation, index)).collect();
        let mut found = Vec::new();
        map.visit_many(&picks, |position, value| {
            assert_eq!(position, found.len());
            found.push(value.copied());
        });
        let expected: Vec<_> = picks.iter().map(|&handle| map.get(handle).copied()).collect();
        prop_assert_eq!(found, expected);
    }
}

fn sorted_by_parts<L: Layout>(tag_bits: u64) {
    let mut parts: Vec<(u64, u64, u64)> = Vec::new();
    for tag in [0, 1, tag_bits] {
        for generation in [1, 2, (1 << L::GENERATION_BITS) - 1] {
            for index in [0, 1, (1 << L::INDEX_BITS) - 2] {
                parts.push((tag, generation, index));
            }
        }
    }
    let handles: Vec<Handle<u8, L>> = parts.iter().map(|&(t, g, i)| forge(t, g, i)).collect();
    assert!(handles.is_sorted() && parts.is_sorted());
    for (handle, (tag, generation, index)) in handles.iter().zip(parts) {
        assert_eq!(u64::from(handle.tag().get()), tag);
        assert_eq!(u64::from(handle.generation()), generation);
        assert_eq!(u64::from(handle.index()), index);
        assert_eq!(Handle::from_bits(handle.to_bits()), Some(*handle));
    }
}

#[test]
fn handles_are_ordered_by_tag_generation_index_in_every_layout() {
    sorted_by_parts::<DefaultLayout>(32_767);
    sorted_by_parts::<LongLivedLayout>(127);
    sorted_by_parts::<Wrapping3>(32_767);
    sorted_by_parts::<SevenSlots>(32_767);
    // Bits that a layout leaves unused make no handle.
    assert_eq!(Handle::<u8, SevenSlots>::from_bits(1 << 40 | 1 << 3), None);
    assert!(TypeTag::<LongLivedLayout>::new(128).is_none());
}

#[test]
fn a_slot_lasts_as_long_as_the_free_list_is_long() {
    // With F slots waiting, a slot is used every F-th time: its generations last F times as long as with reuse at once.
    let mut map = HandleMap::<u32>::new();
    let parked = map.insert_many(10, 0);
    map.remove_many(&parked);
    for _ in 0..1000 {
        let handle = map.insert(0);
        map.remove(handle);
    }
    assert!(map.free_slots().all(|slot| {
        let word = map.raw_parts().slots[slot as usize].to_bits();
        word >> 32 & 0xffff == 102
    }));
}
