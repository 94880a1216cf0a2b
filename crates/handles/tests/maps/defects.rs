//! The seven defects of griffin's `handle_map`, from which this one descends: each must stay out.

use crate::common::{Panicking2, check, forge};
use tombolo_handles::{Handle, HandleMap, OrderId, SortBudget, Sorter};

const ORDER: OrderId = OrderId(0);

/// Its budgeted sort of 2 3 4 5 1 stopped within the last insertion, yet called the map clean: it stayed unsorted.
#[test]
fn defect_1_a_sort_that_runs_out_of_budget_at_the_last_value_is_not_finished() {
    let mut map: HandleMap<String> = ["2", "3", "4", "5", "1"].map(String::from).into_iter().collect();
    let mut sorter = Sorter::new(ORDER);
    let mut calls = 0;
    loop {
        let progress = sorter.advance(
            &mut map,
            SortBudget {
                comparisons: 4,
                swaps: 2,
            },
            String::cmp,
        );
        assert_eq!(
            progress.is_ordered,
            map.values_slice().is_sorted() && map.is_ordered(ORDER)
        );
        calls += 1;
        if progress.is_ordered {
            break;
        }
    }
    assert!(calls > 1, "the budget is too large for the test");
    assert_eq!(map.values_slice(), ["1", "2", "3", "4", "5"]);
}

/// After 65,535 removals of slot 0 the generation was 0, and the null handle was valid; one more, and the first handle
/// named another value.
#[test]
fn defect_2_no_handle_comes_back_after_all_generations() {
    let mut map = HandleMap::<u32>::new();
    let first = map.insert(0);
    map.remove(first);
    for life in 1..66_000 {
        let handle = map.insert(life);
        assert!(!map.contains(first));
        assert_ne!(handle.to_bits(), 0);
        assert_eq!(map.remove(handle), Some(life));
    }
    assert_eq!((map.retired_count(), map.slot_count()), (1, 2));
}

/// A handle with the next generation of a freed slot was accepted, and removing it corrupted the map.
#[test]
fn defect_3_a_forged_handle_of_a_free_slot_is_refused() {
    let mut map = HandleMap::<u32>::new();
    let handles = map.insert_many_with(3, |handle| handle.index());
    // Slot 1's next free slot is 0, which is also a dense index in use.
    map.remove(handles[1]);
    map.remove(handles[0]);
    map.insert(7);
    for generation in 1..5 {
        for index in 0..3 {
            let forged: Handle<u32> = forge(0, generation, index);
            if map.handle_of_slot(index as u32) != Some(forged) {
                assert_eq!(map.remove(forged), None);
            }
        }
    }
    check(&map);
    assert_eq!((map.len(), map[handles[2]]), (2, 2));
}

/// Its example shuffled the values through iterators, after which every handle named a wrong value. Here values are
/// permuted by the map only.
#[test]
fn defect_4_permuting_values_takes_their_handles_along() {
    let mut map = HandleMap::<u32>::new();
    let handles = map.insert_many_with(100, |handle| handle.index());
    for step in 0..1000_usize {
        map.swap_dense(step * 31 % 100, step * 17 % 100);
    }
    assert!(handles.iter().all(|&handle| map[handle] == handle.index()));
    map.sort_by(ORDER, |a, b| b.cmp(a));
    assert!(handles.iter().all(|&handle| map[handle] == handle.index()));
    check(&map);
}

/// One "swap" of its budget moved any number of values, every call started from the front, and an empty map never
/// became clean.
#[test]
fn defect_5_the_budget_counts_what_is_done() {
    let mut map: HandleMap<u32> = (1..1000).chain([0]).collect();
    let mut sorter = Sorter::new(ORDER);
    let mut total = 0;
    loop {
        let before: Vec<u32> = map.values_slice().to_vec();
        let mut calls = 0;
        let progress = sorter.advance(
            &mut map,
            SortBudget {
                comparisons: 50,
                swaps: 5,
            },
            |a, b| {
                calls += 1;
                a.cmp(b)
            },
        );
        let moved = before.iter().zip(map.values()).filter(|(a, b)| a != b).count();
        assert!(moved <= 2 * progress.swaps && progress.swaps <= 5);
        assert!(calls <= progress.comparisons && progress.comparisons <= 50);
        total += progress.comparisons;
        if progress.is_ordered {
            break;
        }
    }
    // Two checks, listing, one merge and placing: each a pass, and no pass is begun again.
    assert!(total <= 5 * 1000, "{total} comparisons");
    assert!(map.values_slice().is_sorted());
    let mut empty = HandleMap::<u32>::new();
    empty.sort_by(ORDER, u32::cmp);
    assert!(empty.is_ordered(ORDER));
}

/// `clear` used up a generation of slots that were free already. And sorting copied values: types that only move were
/// shut out.
#[test]
fn defect_6_clear_spares_free_slots_and_sorting_needs_no_copy() {
    struct OnlyMoves(u32);
    let mut map = HandleMap::<OnlyMoves>::new();
    let handle = map.insert(OnlyMoves(0));
    map.remove(handle);
    for _ in 0..10 {
        map.clear();
    }
    let again = map.insert(OnlyMoves(2));
    assert_eq!((again.index(), again.generation()), (0, 2));
    map.insert(OnlyMoves(1));
    assert_eq!(map.sort_by_key(ORDER, |value| value.0), 2);
    assert_eq!(map[again].0, 2);
}

/// Arguments were taken by value again and again, and a count of 0 or less was only asserted against.
#[test]
fn defect_7_inserting_many_moves_each_value_once_and_takes_none() {
    let mut map = HandleMap::<Box<u32>>::new();
    assert!(map.insert_many_with(0, |_| unreachable!()).is_empty());
    let mut addresses = Vec::new();
    let handles = map.insert_many_with(3, |handle| {
        let value = Box::new(handle.index());
        addresses.push(std::ptr::from_ref(&*value));
        value
    });
    assert!(
        handles
            .iter()
            .zip(addresses)
            .all(|(&handle, address)| std::ptr::eq(&*map[handle], address))
    );
}

/// The original's one bug fix: removing the value that is last already wrote over the free list's link.
#[test]
fn removing_the_last_value_keeps_the_free_list() {
    let mut map = HandleMap::<u32>::new();
    let handles = map.insert_many(3, 0);
    map.remove(handles[0]);
    map.remove(handles[1]);
    map.remove(handles[2]);
    assert!(map.free_slots().eq([0, 1, 2]));
    check(&map);
}

/// A step of a drain that panicked since a slot's generations had run out unwound through the drain, whose drop panicked for
/// the same reason: the program ended.
#[test]
fn a_drain_that_panics_leaves_the_rest_and_the_program_alive() {
    let mut map = HandleMap::<u32, Panicking2>::default();
    let mut handle = map.insert(0);
    for value in 1..3 {
        map.remove(handle);
        handle = map.insert(value);
    }
    assert_eq!((handle.index(), handle.generation()), (0, 3));
    map.insert(7);
    let mut drained = Vec::new();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        drained.extend(map.drain().map(|(_, value)| value));
    }));
    assert!(caught.is_err());
    assert_eq!(map.values_slice(), [2]);
    drop(map.drain());
    assert_eq!(map.values_slice(), [2]);
    check(&map);
}
