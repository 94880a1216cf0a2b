//! The stage split islands: islands in which a body is ready to sleep and which may have come apart are split, in turn
//! and under a budget; the rest waits for the next step.

use super::stage::Step;
use crate::island::WorkBudget;

pub(crate) fn split_islands(step: &mut Step<'_>) {
    let islands = step.world.state.islands.island_index_end() as usize;
    step.scratch
        .merge(|worker| &mut worker.sleep_ready_islands, islands);
    let state = &mut *step.world.state;
    let (ready, candidates) = (
        &step.scratch.merged.sleep_ready_islands,
        &mut step.scratch.indices,
    );
    candidates.clear();
    candidates.extend(
        ready
            .iter()
            .map(|island| island as u32)
            .filter(|&island| state.islands.needs_split(island)),
    );
    if !candidates.is_empty() {
        state
            .islands
            .split_islands_in_turn(WorkBudget::default(), candidates);
    }
}
