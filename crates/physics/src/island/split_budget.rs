//! Which islands are split when: at once, or in turn under a budget of work.

use super::split::{self, Splitter};
use super::{IslandError, Islands, WorkBudget, WorkDone};
use alloc::vec::Vec;
use tombolo_threads::Inline;

impl Islands {
    /// Splits `candidates` that may have come apart, in the order given, under a budget. Costs O(candidates) beyond it.
    ///
    /// The candidates are the islands in which some body wants to sleep: no other needs to be exact. Whoever is first
    /// has the budget first. A search that was begun is finished, also when that takes more than the budget; the
    /// following calls do less until that is made up for, so that the budget, of one unit at least, holds on average.
    /// What is left undone is kept: each search removes a reason to search, so that a candidate is looked at after
    /// finitely many calls in which it is first. Whoever is never first may wait for ever if those before it come apart
    /// again and again; [`split_islands_in_turn`](Self::split_islands_in_turn) sees to that.
    ///
    /// Touches nothing but this value, so that it can run beside the solver.
    pub fn split_islands(&mut self, budget: WorkBudget, candidates: &[u32]) -> WorkDone {
        self.split_each(budget, candidates.iter().copied()).0
    }

    /// As [`split_islands`](Self::split_islands), of candidates by ascending index, which take turns: whoever comes
    /// behind the last one that was worked on in an earlier call has the budget first. So each of them is worked on
    /// after as many calls as there are candidates, and those that it takes to make up for their searches, whatever
    /// becomes of the others meanwhile.
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

    /// What was done, and on which candidate last.
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
        self.validated();
        let done = WorkDone {
            units,
            new_islands,
            unsplit,
        };
        (done, last)
    }

    /// Splits one island at once, whatever that costs: what a body that is told to sleep needs. The largest part keeps
    /// the index. Costs at most O(nodes and edges of the island), and does not count against the budget.
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
        self.validated();
        Ok(())
    }
}
