//! [`Groups`]: items sorted by a small number, by counting: bodies and constraints by batch (`batches.rs`).
#![allow(unsafe_code)]

use alloc::vec::Vec;
use core::ops::Range;
use tombolo_threads::{ClaimedSlice, Executor, parallel_chunks};

/// The number of items that a worker sorts at once: some microseconds.
const ITEMS_PER_BLOCK: usize = if cfg!(test) { 4 } else { 1024 };

/// The number of blocks at most. Counts are kept for each block and each group, and added up serially, so that blocks
/// have no fewer items than there are groups.
const BLOCKS_MAX: usize = 32;

/// Items sorted by a small number.
#[derive(Debug)]
pub(super) struct Groups<T> {
    /// The start of each group in `items`, and the end of the last one.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Groups<T> {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T: Copy> Groups<T> {
    /// Sorts items into groups below `group_count`, in each group in the order given.
    pub(super) fn sort(&mut self, items: &[T], group_count: usize, group_of: impl Fn(&T) -> usize) {
        let Some(&any) = items.first() else {
            self.items.clear();
            return;
        };
        self.starts.clear();
        self.starts.resize(group_count + 1, 0);
        for item in items {
            self.starts[group_of(item)] += 1;
        }
        // Converts the counts of the groups to their ends.
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        // Every item that is kept from another time is written below.
        self.items.resize(items.len(), any);
        for item in items.iter().rev() {
            let start = &mut self.starts[group_of(item)];
            *start -= 1;
            self.items[*start as usize] = *item;
        }
    }

    /// The items of a group.
    pub(super) fn group(&self, index: usize) -> &[T] {
        self.groups(&(index..index + 1))
    }

    /// The items of some groups that follow each other.
    pub(super) fn groups(&self, range: &Range<usize>) -> &[T] {
        if self.items.is_empty() {
            return &[];
        }
        &self.items[self.starts[range.start] as usize..self.starts[range.end] as usize]
    }
}

impl<T: Copy + Send + Sync> Groups<T> {
    /// Like [`Groups::sort`], on all workers: each counts and then places blocks of items. `renumber` gets an item and its
    /// entry of `numbers`, and gives its group; it is called once for each item. `counts` is scratch memory.
    pub(super) fn sort_parallel(
        &mut self,
        executor: &dyn Executor,
        (items, numbers): (&[T], &mut [u32]),
        group_count: usize,
        counts: &mut Vec<u32>,
        renumber: &(dyn Fn(T, u32) -> u32 + Sync),
    ) {
        assert_eq!(items.len(), numbers.len(), "a number for each item");
        let Some(&any) = items.first() else {
            self.items.clear();
            return;
        };
        let block_size = items.len().div_ceil(BLOCKS_MAX);
        let block_size = block_size.max(ITEMS_PER_BLOCK).max(group_count);
        counts.clear();
        counts.resize(items.len().div_ceil(block_size) * group_count, 0);
        let of_block =
            |first: usize| first / block_size * group_count..(first / block_size + 1) * group_count;
        let claimed = ClaimedSlice::new(counts);
        parallel_chunks(executor, numbers, block_size, &|_, first, numbers| {
            // SAFETY: each block has counts of its own, and is handed out once.
            let counts = unsafe { claimed.slice_mut(of_block(first)) };
            for (number, &item) in numbers.iter_mut().zip(&items[first..]) {
                *number = renumber(item, *number);
                counts[*number as usize] += 1;
            }
        });
        // Converts the counts to the places of the first item that each block has of a group.
        self.starts.clear();
        let mut end = 0;
        for group in 0..group_count {
            self.starts.push(end);
            for count in counts[group..].iter_mut().step_by(group_count) {
                end += core::mem::replace(count, end);
            }
        }
        self.starts.push(end);
        self.items.resize(items.len(), any);
        let (claimed, sorted) = (ClaimedSlice::new(counts), ClaimedSlice::new(&mut self.items));
        parallel_chunks(executor, numbers, block_size, &|_, first, numbers| {
            // SAFETY: as above.
            let places = unsafe { claimed.slice_mut(of_block(first)) };
            for (&mut number, &item) in numbers.iter_mut().zip(&items[first..]) {
                let place = &mut places[number as usize];
                // SAFETY: the counts of the same numbers give each item a place of its own, as many as there are items.
                unsafe { *sorted.get_mut(*place as usize) = item };
                *place += 1;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tombolo_threads::{Inline, Pool};

    #[test]
    fn groups_keep_the_order_and_lose_nothing() {
        let items = [(2, 'a'), (0, 'b'), (2, 'c'), (1, 'd'), (0, 'e')];
        let mut groups = Groups::default();
        groups.sort(&items, 4, |&(group, _)| group);
        assert_eq!(groups.group(0), [(0, 'b'), (0, 'e')]);
        assert_eq!(groups.group(1), [(1, 'd')]);
        assert_eq!(groups.group(2), [(2, 'a'), (2, 'c')]);
        assert!(groups.group(3).is_empty());
        groups.sort(&[], 2, |&(group, _)| group);
        assert!(groups.group(1).is_empty());
    }

    proptest! {
        /// Blocks are short in tests: fewer than one, some, and more than there may be.
        #[test]
        fn all_workers_sort_as_one_does(
            numbers in prop::collection::vec(0..7_u32, 0..300),
            workers in 1..4_usize,
        ) {
            let items: Vec<(u32, u32)> = numbers.iter().copied().zip(100..).collect();
            let (mut alone, mut together) = (Groups::default(), Groups::default());
            alone.sort(&items, 8, |&(number, _)| number as usize + 1);
            let pool = Pool::with_thread_for_each(workers).unwrap();
            let executors: [&dyn Executor; 2] = [&Inline, &pool];
            // Scratch memory of an earlier sort.
            let mut counts = vec![7; 3];
            for executor in executors {
                let mut kept = numbers.clone();
                let renumber = |(number, _), given| {
                    assert_eq!(number, given);
                    number + 1
                };
                together.sort_parallel(executor, (&items, &mut kept), 8, &mut counts, &renumber);
                for group in 0..8 {
                    prop_assert_eq!(alone.group(group), together.group(group));
                }
            }
        }
    }
}
