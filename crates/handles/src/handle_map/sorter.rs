//! `Sorter`: sorting a map incrementally, within a strict budget of comparisons and swaps per call.
//!
//! griffin's budgeted `defragment` was an insertion sort over the values: quadratic, and restarted at every call. This
//! sorter first makes a plan, by a merge sort of slot numbers that can stop after any comparison, and then carries it
//! out swap by swap. Slot numbers stay valid between calls: removed values are skipped, new values end up behind the
//! planned ones. At the end the map is checked, value by value; places whose order was broken in between become the
//! next plan. The check's progress is the map's own `ordered_len`, which every change resets, so "in order" is never
//! claimed wrongly.
//!
//! The reasons are in `docs/decisions.md#the-budgeted-sort-plans-first`.

use super::HandleMap;
use super::sort::{OrderId, OrderedPrefix};
use crate::layout::Layout;
use alloc::vec::Vec;
use allocator_api2::alloc::Allocator;
use core::cmp::Ordering;

/// The limits of one call of [`Sorter::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortBudget {
    /// Calls of the comparison. Entries of the plan that are skipped without a comparison count as one each.
    pub comparisons: usize,
    /// Swaps of two values; each moves two values.
    pub swaps: usize,
}

/// The work done by one call of [`Sorter::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortProgress {
    /// Comparisons spent, as [`SortBudget::comparisons`] counts them.
    pub comparisons: usize,
    /// Number of swaps.
    pub swaps: usize,
    /// Whether the map is in order now.
    pub is_ordered: bool,
}

/// Sorts one map in steps that never exceed a budget.
///
/// Stable as long as the map does not change between the steps. With changes in between it still finishes once they
/// stop; while they continue, the map stays nearly in order. About `n log2 n` comparisons and `n` swaps from shuffled
/// to sorted, and 8 bytes a value for the plan. One sorter serves one map and one order at a time.
///
/// The plan is not part of the map: a map that is restored from a save is sorted with a new sorter, or with a clone of
/// the sorter that was taken with it, which then does the same steps.
///
/// ```
/// use tombolo_handles::{HandleMap, OrderId, SortBudget, Sorter};
/// let mut map: HandleMap<u32> = (0..1000).rev().collect();
/// let mut sorter = Sorter::new(OrderId(0));
/// let budget = SortBudget { comparisons: 100, swaps: 10 };
/// while !sorter.advance(&mut map, budget, u32::cmp).is_ordered {}
/// assert!(map.values_slice().is_sorted());
/// ```
#[derive(Clone, Debug)]
pub struct Sorter {
    order: OrderId,
    stage: Stage,
    // Slots in runs; each run is in order (as of when it was made).
    plan: Vec<u32>,
    // The end of each run of `plan`.
    run_ends: Vec<u32>,
    // The next round of merging: the merged part of `plan` so far, in longer runs.
    merged: Vec<u32>,
    merged_ends: Vec<u32>,
}

/// The current stage. Each stage ends in the next; the last in the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Extending the ordered prefix of the map.
    Check,
    /// Listing the slots of the dense array from `dense` on, and the ends of its natural runs.
    List { dense: u32 },
    /// Merging run `run` of the plan, read up to `left`, with the one after it, read up to `right`.
    Merge { run: u32, left: u32, right: u32 },
    /// Carrying out the plan from entry `entry` on; the first `placed` values are in their places.
    Place { entry: u32, placed: u32 },
}

/// The rest of a call's budget.
struct Allowance {
    comparisons: usize,
    swaps: usize,
}

impl Sorter {
    /// A sorter for one order. Allocates nothing yet.
    pub const fn new(order: OrderId) -> Self {
        Self {
            order,
            stage: Stage::Check,
            plan: Vec::new(),
            run_ends: Vec::new(),
            merged: Vec::new(),
            merged_ends: Vec::new(),
        }
    }

    /// Discards the plan; the next call starts with a new one. Keeps memory.
    pub fn abandon(&mut self) {
        self.stage = Stage::Check;
    }

    /// Works until the map is in order or the budget is spent. A map that is in order costs nothing.
    ///
    /// With at least one comparison and one swap in the budget every call makes progress; a budget of 0 in either makes
    /// none where that one is needed. If `compare` panics, the map is valid and the sorter continues at the next call.
    /// `compare` need not be a total order for that; without one the map may never count as ordered.
    pub fn advance<T, L: Layout, M, A: Allocator + Clone>(
        &mut self,
        map: &mut HandleMap<T, L, M, A>,
        budget: SortBudget,
        mut compare: impl FnMut(&T, &T) -> Ordering,
    ) -> SortProgress {
        let mut left = Allowance {
            comparisons: budget.comparisons,
            swaps: budget.swaps,
        };
        let mut is_ordered = map.is_ordered(self.order);
        while !is_ordered {
            let stage_done = match self.stage {
                Stage::Check => {
                    let found = map.extend_order(self.order, &mut left.comparisons, &mut compare);
                    is_ordered = found == OrderedPrefix::Ordered;
                    if found == OrderedPrefix::Break {
                        self.start_plan(map.len());
                    }
                    found != OrderedPrefix::BudgetSpent
                }
                Stage::List { dense } => self.list(map, dense, &mut left, &mut compare),
                Stage::Merge {
                    run,
                    left: from,
                    right,
                } => self.merge(map, [run, from, right], &mut left, &mut compare),
                Stage::Place { entry, placed } => self.place(map, entry, placed, &mut left),
            };
            if !stage_done {
                break;
            }
        }
        if is_ordered {
            self.abandon();
        }
        SortProgress {
            comparisons: budget.comparisons - left.comparisons,
            swaps: budget.swaps - left.swaps,
            is_ordered,
        }
    }

    fn start_plan(&mut self, len: usize) {
        self.plan.clear();
        self.run_ends.clear();
        self.plan.reserve(len);
        self.stage = Stage::List { dense: 0 };
    }

    /// Lists the dense array's slots; a value that is less than the one before it starts a run. Returns whether the
    /// stage is done.
    fn list<T, L: Layout, M, A: Allocator + Clone>(
        &mut self,
        map: &HandleMap<T, L, M, A>,
        from: u32,
        left: &mut Allowance,
        compare: &mut impl FnMut(&T, &T) -> Ordering,
    ) -> bool {
        let mut dense = from as usize;
        while let Some(&owner) = map.owners.get(dense) {
            if left.comparisons == 0 {
                self.stage = Stage::List { dense: dense as u32 };
                return false;
            }
            left.comparisons -= 1;
            let known = dense == 0 || dense < map.header.ordered_len as usize;
            if !known && compare(&map.values[dense - 1], &map.values[dense]) == Ordering::Greater {
                self.run_ends.push(self.plan.len() as u32);
            }
            self.plan.push(owner);
            dense += 1;
            self.stage = Stage::List { dense: dense as u32 };
        }
        self.run_ends.push(self.plan.len() as u32);
        self.start_round();
        true
    }

    /// Starts merging pairs of runs, or placing if there is only one run.
    fn start_round(&mut self) {
        if self.run_ends.len() <= 1 {
            self.stage = Stage::Place { entry: 0, placed: 0 };
            return;
        }
        self.merged.clear();
        self.merged_ends.clear();
        self.merged.reserve(self.plan.len());
        self.stage = Stage::Merge {
            run: 0,
            left: 0,
            right: self.run_ends[0],
        };
    }

    /// Merges runs two by two until the round is over, and returns whether it is.
    fn merge<T, L: Layout, M, A: Allocator + Clone>(
        &mut self,
        map: &HandleMap<T, L, M, A>,
        [mut run, mut from, mut right]: [u32; 3],
        left: &mut Allowance,
        compare: &mut impl FnMut(&T, &T) -> Ordering,
    ) -> bool {
        while let Some(&left_end) = self.run_ends.get(run as usize) {
            let right_end = self.run_ends.get(run as usize + 1).copied().unwrap_or(left_end);
            while from < left_end || right < right_end {
                self.stage = Stage::Merge {
                    run,
                    left: from,
                    right,
                };
                if left.comparisons == 0 {
                    return false;
                }
                left.comparisons -= 1;
                let head = |at: u32, end: u32| (at < end).then(|| self.plan[at as usize]);
                let value = |slot: Option<u32>| Some(&map.values[map.dense_index_of_slot(slot?)?]);
                let (left_head, right_head) = (head(from, left_end), head(right, right_end));
                let take_left = match (value(left_head), value(right_head)) {
                    (Some(a), Some(b)) => compare(a, b) != Ordering::Greater,
                    // One run is used up, or a value was removed: take from the other run; removed values are skipped
                    // below.
                    (Some(_), None) => right_head.is_none(),
                    (None, _) => left_head.is_some(),
                };
                let slot = if take_left { left_head } else { right_head };
                from += u32::from(take_left);
                right += u32::from(!take_left);
                if value(slot).is_some() {
                    self.merged.extend(slot);
                }
            }
            self.merged_ends.push(self.merged.len() as u32);
            run += 2;
            from = right_end;
            right = self.run_ends.get(run as usize).copied().unwrap_or(right_end);
        }
        core::mem::swap(&mut self.plan, &mut self.merged);
        core::mem::swap(&mut self.run_ends, &mut self.merged_ends);
        self.start_round();
        true
    }

    /// Moves the planned values to the front, in order. Returns whether the plan is carried out.
    fn place<T, L: Layout, M, A: Allocator + Clone>(
        &mut self,
        map: &mut HandleMap<T, L, M, A>,
        mut entry: u32,
        mut placed: u32,
        left: &mut Allowance,
    ) -> bool {
        while let Some(&slot) = self.plan.get(entry as usize) {
            let dense = map.dense_index_of_slot(slot);
            let has_to_move = dense.is_some_and(|dense| dense > placed as usize);
            let cost = if has_to_move {
                &mut left.swaps
            } else {
                &mut left.comparisons
            };
            if *cost == 0 {
                self.stage = Stage::Place { entry, placed };
                return false;
            }
            *cost -= 1;
            if let Some(dense) = dense.filter(|_| has_to_move) {
                map.swap_dense(placed as usize, dense);
            }
            // An entry whose value was removed, or that is listed twice, takes no place.
            placed += u32::from(dense.is_some_and(|dense| dense >= placed as usize));
            entry += 1;
        }
        self.stage = Stage::Check;
        true
    }
}
