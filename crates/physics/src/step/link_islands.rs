//! The stage link islands: the serial part between the narrow phase and the solver that processes the changed contacts.
//!
//! The workers' bit arrays are united (as in Catto, "Simulation Islands", 2023), and the change entries that the
//! workers wrote of the marked contacts are sorted by contact index, so that islands, colors and events come in the
//! same order for every assignment of work to workers.

use super::scratch::Scratch;
use super::stage::Step;
use crate::IslandAlgorithm;
use crate::link::TouchChange;
use crate::zeros::fit_zeros;
use tombolo_threads::PerWorker;

pub(crate) fn link_islands(step: &mut Step<'_>) {
    let slots = step.world.state.contacts.links.slot_count();
    step.scratch.merge(|worker| &mut worker.changed_contacts, slots);
    order_changes(step.scratch);
    let begun = &mut step.world.events.begin_touch;
    step.world
        .state
        .apply_changes(step.executor, &mut step.scratch.changes, begun);
    find_islands(step);
}

/// Sorts all workers' changes by contact index: the rank of a change is the number of marks before its own.
fn order_changes(scratch: &mut Scratch) {
    let changed = &scratch.merged.changed_contacts;
    let words = changed.words();
    // The rank of the first mark of each word; entries of words without marks are left from an earlier step and not
    // read.
    let ranks = &mut scratch.ranks;
    fit_zeros(ranks, words.len());
    let mut count = 0;
    for (place, word) in changed.occupied_words() {
        ranks[place] = count;
        count += word.count_ones();
    }
    scratch.changes.clear();
    scratch.changes.resize(count as usize, TouchChange::default());
    for worker in scratch.workers.iter_mut().flat_map(PerWorker::iter_mut) {
        for change in &worker.changes {
            let (word, bit) = (change.index as usize / 64, change.index % 64);
            let before = words[word] & ((1 << bit) - 1);
            scratch.changes[(ranks[word] + before.count_ones()) as usize] = *change;
        }
    }
}

/// Updates the awake islands, under the algorithms that find them anew in each step.
fn find_islands(step: &mut Step<'_>) {
    let state = &mut *step.world.state;
    if state.islands.algorithm() != IslandAlgorithm::Persistent {
        let nodes = &mut step.scratch.indices;
        nodes.clear();
        let is_node = |&body: &u32| state.body_sims[body].is_dynamic();
        nodes.extend(state.awake_bodies.iter().copied().filter(is_node));
        state
            .islands
            .update(step.executor, nodes)
            .expect("the awake dynamic bodies are the awake nodes");
    }
    // Under any algorithm there may be new islands since the step began.
    let end = state.islands.island_index_end() as usize;
    step.scratch.fit_islands(end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Tests the order for any number of contacts, and for any worker and order in which changes were written.
    #[test]
    fn is_10_changes_come_in_the_order_of_contact_indices() {
        for slots in [0, 1, 63, 64, 65, 128, 1000] {
            let marked: Vec<u32> = [0, 1, 62, 63, 64, 65, 127, 128, 129, 999]
                .into_iter()
                .filter(|&index| index < slots)
                .collect();
            for worker_count in 1..=3 {
                let mut scratch = Scratch {
                    workers: Some(PerWorker::new(worker_count, Default::default)),
                    ..Scratch::default()
                };
                let workers: Vec<_> = scratch.workers().iter_mut().collect();
                for (turn, mine) in workers.into_iter().enumerate() {
                    mine.changed_contacts.reset(slots as usize);
                    let rows = marked
                        .iter()
                        .rev()
                        .filter(|&&index| index as usize % worker_count == turn);
                    for &index in rows {
                        mine.changed_contacts.set(index as usize);
                        mine.changes.push(TouchChange::of(index));
                    }
                }
                scratch.merge(|worker| &mut worker.changed_contacts, slots as usize);
                order_changes(&mut scratch);
                assert!(
                    scratch
                        .changes
                        .iter()
                        .map(|change| change.index)
                        .eq(marked.iter().copied())
                );
            }
        }
    }
}
