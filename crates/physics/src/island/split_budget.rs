//! The schedule of splitting: islands are split at once, or in turn under a budget of work.

use super::split::{self, Splitter};
use super::{IslandError, Islands, WorkBudget, WorkDone};
use alloc::vec::Vec;
use tombolo_threads::Inline;

impl Islands {
    /// Splits those `candidates` that may have come apart, in the order given, under a budget. Costs O(candidates) in
    /// addition to it.
    ///
    /// The candidates are the islands in which some body is about to sleep: no other needs to be exact. Earlier
    /// candidates get the budget first. A search that was begun is finished, also when it exceeds the budget; the
    /// following calls do less until the excess is compensated, so that the budget, of one unit at least, holds on
    /// average. Unfinished work is kept: each search removes a reason to search, so that a candidate is searched after
    /// finitely many calls in which it is first. A candidate that is never first may wait forever if those before it
    /// come apart again and again; [`split_islands_in_turn`](Self::split_islands_in_turn) prevents that.
    ///
    /// Accesses nothing but this value, so that it can run concurrently with the solver.
    pub fn split_islands(&mut self, budget: WorkBudget, candidates: &[u32]) -> WorkDone {
        self.split_each(budget, candidates.iter().copied()).0
    }

    /// Like [`split_islands`](Self::split_islands), for candidates by ascending index that take turns: the first
    /// candidate after the last one that was worked on in an earlier call has the budget first. So each of them is
    /// worked on after at most as many calls as there are candidates, plus those that compensate for their searches,
    /// whatever happens to the others meanwhile.
    pub fn split_islands_in_turn(&mut self, budget: WorkBudget, candidates: &[u32]) -> WorkDone {
        debug_assert!(candidates.is_sorted(), "by ascending index");
        let turn = self.head.turn;
        let (waited, first) = candidates.split_at(candidates.partition_point(|&island| island < turn));
        let (done, last) = self.split_each(budget, first.iter().chain(waited).copied());
        if let Some(last) = last {
            self.head.turn = last + 1;
        }
        done
    }

    /// Splits candidates in order; returns the work done, and the last candidate that was worked on.
    fn split_each(
        &mut self,
        budget: WorkBudget,
        candidates: impl Iterator<Item = u32>,
    ) -> (WorkDone, Option<u32>) {
        if !self.keeps_tree() {
            let unsplit = candidates.filter(|&island| self.needs_split(island)).count() as u32;
            let done = WorkDone {
                unsplit,
                ..WorkDone::default()
            };
            return (done, None);
        }
        let budget = u64::from(budget.units.max(1));
        let units_max = budget.saturating_sub(self.head.debt);
        let mut splitter = Splitter::new(
            &mut self.graph,
            &mut self.records,
            &mut self.scratch,
            self.switches,
        );
        let (mut unsplit, mut last) = (0, None);
        for island in candidates {
            if splitter.records.get(island).is_none() {
                continue;
            }
            let units_before = splitter.units;
            split::split_island(&mut splitter, island, units_max);
            if splitter.units > units_before {
                last = Some(island);
            }
            unsplit += u32::from(!splitter.records.islands[island as usize].is_connected());
        }
        let (units, new_islands) = (splitter.units, splitter.new_islands);
        self.head.debt = self.head.debt.saturating_add(units).saturating_sub(budget);
        self.debug_validate();
        let done = WorkDone {
            units,
            new_islands,
            unsplit,
        };
        (done, last)
    }

    /// Splits one island immediately, whatever the cost: needed when a call puts a body to sleep. The largest part
    /// keeps the index. Costs at most O(nodes and edges of the island), and does not count against the budget.
    ///
    /// # Errors
    ///
    /// [`IslandError::NoIsland`].
    pub fn split_now(&mut self, island: u32) -> Result<(), IslandError> {
        self.records.get(island).ok_or(IslandError::NoIsland(island))?;
        if self.keeps_tree() {
            let debt = core::mem::take(&mut self.head.debt);
            self.split_islands(WorkBudget::UNLIMITED, &[island]);
            self.head.debt = debt;
        } else if !self.is_asleep(island) {
            let awake: Vec<u32> = self
                .records
                .awake
                .iter()
                .flat_map(|&island| self.nodes(island))
                .collect();
            self.update(&Inline, &awake)?;
        } else if self.needs_split(island) {
            let mut splitter = Splitter::new(
                &mut self.graph,
                &mut self.records,
                &mut self.scratch,
                self.switches,
            );
            split::sweep(&mut splitter, island);
        }
        self.debug_validate();
        Ok(())
    }
}
