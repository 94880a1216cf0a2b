//! Sorting the dense array under valid handles: all at once, or in groups.
//!
//! Only a list of dense indices is sorted while user code runs; values move after the last comparison. So a
//! comparison that panics, or contradicts itself, leaves a valid map. griffin's `defragment` was an insertion sort
//! (32.5 s for 100,000 shuffled values); this is a stable merge sort of the list, with a fast path for values nearly
//! in order.

use super::HandleMap;
use crate::error::GroupError;
use crate::layout::Layout;
use alloc::vec::Vec;
use allocator_api2::alloc::Allocator;
use core::cmp::Ordering;

/// The id of an order, by which a map records that it is already in it. The number is the caller's choice.
///
/// Equal ids promise equal comparisons: a map that is in order `OrderId(3)` does no work when it is sorted by that id
/// again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderId(pub u16);

/// The result of [`HandleMap::group_by_key`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The number of values that changed their dense place.
    pub moves: usize,
    /// Group `g` is at the dense indices from `starts[g]` up to `starts[g + 1]`; one entry more than groups.
    pub starts: Vec<u32>,
}

/// The result of looking for the end of the ordered prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrderedPrefix {
    /// The whole dense array is in order.
    Ordered,
    /// The value at `ordered_len` is less than the one before it.
    Break,
    /// The comparisons ran out first.
    BudgetSpent,
}

impl<T, L: Layout, M, A: Allocator + Clone> HandleMap<T, L, M, A> {
    /// Sorts the dense array; every handle still names its value. Stable. Returns the number of values that changed
    /// their place.
    ///
    /// A map that is known to be in this order costs nothing; values inserted behind an ordered rest cost one
    /// comparison each if they belong there. The following count as breaking the order: removals (from the gap on),
    /// swaps, and any access to values for change. (A value changed through a shared reference, by a `Cell` for
    /// example, is not noticed, nor one changed in the map's raw parts or serialized form: call
    /// [`HandleMap::forget_order`].)
    ///
    /// `n log n` comparisons at most; `n + k log k` where `k` values stand apart from an ordered rest. Takes 4 to 8
    /// bytes a value while it runs.
    ///
    /// The fast path follows Ernerfeldt's drop-merge sort (2016).
    ///
    /// ```
    /// use tombolo_handles::{HandleMap, OrderId};
    /// const BY_DEPTH: OrderId = OrderId(1);
    /// let mut sprites: HandleMap<(u32, char)> = HandleMap::new();
    /// let hero = sprites.insert((7, 'h'));
    /// sprites.extend([(3, 'a'), (7, 'b')]);
    /// assert_eq!(sprites.sort_by(BY_DEPTH, |a, b| a.0.cmp(&b.0)), 2);
    /// assert_eq!(sprites.values_slice(), [(3, 'a'), (7, 'h'), (7, 'b')]);
    /// assert_eq!(sprites[hero], (7, 'h'));
    /// ```
    ///
    /// # Panics
    ///
    /// If `compare` panics, or is found not to be a total order; no value has moved then, but which order they were in may
    /// have to be found anew.
    pub fn sort_by(&mut self, order: OrderId, mut compare: impl FnMut(&T, &T) -> Ordering) -> usize {
        let mut unlimited = usize::MAX;
        if self.extend_order(order, &mut unlimited, &mut compare) == OrderedPrefix::Ordered {
            return 0;
        }
        let ordered = self.header.ordered_len;
        let mut list = {
            let values = &self.values;
            let mut by_index = |a: u32, b: u32| compare(&values[a as usize], &values[b as usize]);
            nearly_sorted(self.values.len() as u32, ordered, &mut by_index).unwrap_or_else(|| {
                let mut list: Vec<u32> = (0..self.values.len() as u32).collect();
                list.sort_by(|&a, &b| by_index(a, b));
                list
            })
        };
        let moves = self.permute(&mut list);
        self.header.ordered_len = self.values.len() as u32;
        moves
    }

    /// Sorts by a key, see [`HandleMap::sort_by`]. The key is computed anew for each comparison.
    ///
    /// # Panics
    ///
    /// In the same cases as [`HandleMap::sort_by`].
    pub fn sort_by_key<K: Ord>(&mut self, order: OrderId, mut key: impl FnMut(&T) -> K) -> usize {
        self.sort_by(order, |a, b| key(a).cmp(&key(b)))
    }

    /// Whether the dense array is known to be in this order, so that sorting does no work.
    pub fn is_ordered(&self, order: OrderId) -> bool {
        self.header.order == order.0 && self.header.ordered_len as usize >= self.values.len()
    }

    /// Forgets that the values are in any order, for changes that the map cannot see.
    pub const fn forget_order(&mut self) {
        self.header.ordered_len = 0;
    }

    /// Groups values of equal keys, groups in ascending order of key. Stable; each key is computed once.
    ///
    /// A counting sort: linear in values and groups, for keys that are few.
    ///
    /// ```
    /// use tombolo_handles::HandleMap;
    /// let mut map: HandleMap<&str> = ["oak", "rose", "elm", "lily"].into_iter().collect();
    /// let groups = map.group_by_key(2, |plant| usize::from(plant.len() > 3))?;
    /// assert_eq!(map.values_slice(), ["oak", "elm", "rose", "lily"]);
    /// assert_eq!((groups.moves, groups.starts), (2, vec![0, 2, 4]));
    /// # Ok::<(), tombolo_handles::GroupError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a key is not below `group_count`; the map is unchanged then.
    pub fn group_by_key(
        &mut self,
        group_count: usize,
        mut key: impl FnMut(&T) -> usize,
    ) -> Result<Groups, GroupError> {
        let mut starts = alloc::vec![0_u32; group_count + 1];
        let mut keys = Vec::with_capacity(self.values.len());
        for (dense, value) in self.values.iter().enumerate() {
            let key = key(value);
            if key >= group_count {
                return Err(GroupError {
                    dense,
                    key,
                    group_count,
                });
            }
            starts[key + 1] += 1;
            keys.push(key);
        }
        for group in 0..group_count {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut list = alloc::vec![0; keys.len()];
        for (dense, &key) in (0..).zip(&keys) {
            list[next[key] as usize] = dense;
            next[key] += 1;
        }
        let moves = self.permute(&mut list);
        if moves > 0 {
            self.header.ordered_len = 0;
        }
        Ok(Groups { moves, starts })
    }

    /// Extends the prefix that is known to be in order, one comparison a value, while `comparisons` lasts.
    pub(super) fn extend_order(
        &mut self,
        order: OrderId,
        comparisons: &mut usize,
        compare: &mut impl FnMut(&T, &T) -> Ordering,
    ) -> OrderedPrefix {
        if self.header.order != order.0 {
            self.header.order = order.0;
            self.header.ordered_len = 0;
        }
        // One value is in every order.
        self.header.ordered_len = self.header.ordered_len.max(1).min(self.values.len() as u32);
        while let Some(next) = self.values.get(self.header.ordered_len as usize) {
            if *comparisons == 0 {
                return OrderedPrefix::BudgetSpent;
            }
            *comparisons -= 1;
            if compare(&self.values[self.header.ordered_len as usize - 1], next) == Ordering::Greater {
                return OrderedPrefix::Break;
            }
            self.header.ordered_len += 1;
        }
        OrderedPrefix::Ordered
    }

    /// Moves the value at `list[d]` to `d`, for all `d`, along the cycles of the permutation. Overwrites the list.
    fn permute(&mut self, list: &mut [u32]) -> usize {
        debug_assert_eq!(list.len(), self.values.len());
        let mut moves = 0;
        for start in 0..list.len() {
            let mut here = start;
            loop {
                let from = core::mem::replace(&mut list[here], here as u32) as usize;
                if from == here {
                    break;
                }
                moves += 1;
                if from == start {
                    break;
                }
                self.values.swap(here, from);
                self.metas.swap(here, from);
                self.owners.swap(here, from);
                here = from;
            }
        }
        if moves > 0 {
            self.header.next_epoch();
            for dense in 0..self.owners.len() {
                self.point_slot(self.owners[dense], dense);
            }
        }
        moves
    }
}

/// After this many consecutive values that do not fit, the last values that did fit count as misplaced instead.
const CONSECUTIVE_DROPS_MAX: usize = 8;
/// The fast path is given up when more than one value in this many is misplaced.
const DROPPED_SHARE: usize = 8;

/// The sorted list of the dense indices below `len`, the first `ordered` of which are in order; or `None` if too many
/// values are misplaced for this to be faster.
///
/// One pass keeps an ascending spine and drops what does not fit; the dropped ones are sorted and merged back.
fn nearly_sorted(len: u32, ordered: u32, compare: &mut impl FnMut(u32, u32) -> Ordering) -> Option<Vec<u32>> {
    let mut spine: Vec<u32> = Vec::with_capacity(len as usize);
    spine.extend(0..ordered);
    let mut dropped: Vec<u32> = Vec::new();
    let mut drops_in_a_row = 0;
    for index in ordered..len {
        if fits(&spine, 1, index, compare) {
            drops_in_a_row = 0;
            spine.push(index);
            continue;
        }
        if dropped.len() > index as usize / DROPPED_SHARE + CONSECUTIVE_DROPS_MAX {
            return None;
        }
        if fits(&spine, 2, index, compare) {
            // Only the last value is misplaced: it fitted, but the values after it fit before it.
            dropped.extend(spine.pop());
            spine.push(index);
        } else if drops_in_a_row < CONSECUTIVE_DROPS_MAX {
            drops_in_a_row += 1;
            dropped.push(index);
        } else {
            while !fits(&spine, 1, index, compare) && dropped.len() <= len as usize / DROPPED_SHARE {
                dropped.extend(spine.pop());
            }
            if !fits(&spine, 1, index, compare) {
                return None;
            }
            drops_in_a_row = 0;
            spine.push(index);
        }
    }
    dropped.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    Some(merge(&spine, &dropped, compare))
}

/// Whether the value at `index` belongs behind the spine's `back`-th from the end.
fn fits(spine: &[u32], back: usize, index: u32, compare: &mut impl FnMut(u32, u32) -> Ordering) -> bool {
    spine.len() < back || compare(spine[spine.len() - back], index) != Ordering::Greater
}

/// Merges two lists of dense indices, each in order; equal values keep the order of their indices.
fn merge(spine: &[u32], dropped: &[u32], compare: &mut impl FnMut(u32, u32) -> Ordering) -> Vec<u32> {
    let mut merged = Vec::with_capacity(spine.len() + dropped.len());
    let mut taken = 0;
    for &out in dropped {
        while let Some(&next) = spine.get(taken) {
            if compare(next, out).then(next.cmp(&out)) == Ordering::Greater {
                break;
            }
            merged.push(next);
            taken += 1;
        }
        merged.push(out);
    }
    merged.extend_from_slice(&spine[taken..]);
    merged
}
