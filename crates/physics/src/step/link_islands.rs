//! Stage 3, link islands: the serial part between the narrow phase and the solver.
//!
//! The workers' bit arrays are OR-ed and walked in the order of contact indices (as in Catto, "Simulation Islands",
//! 2023), so that islands, colours and events come in one order whoever did the work.

use super::Step;
use crate::IslandAlgorithm;
use crate::contact::flag;

pub(crate) fn link_islands(step: &mut Step<'_>) {
    let slots = step.world.state.contacts.links.slot_count();
    step.scratch.merge(|worker| &mut worker.changed_contacts, slots);
    let changed = &step.scratch.merged.changed_contacts;
    let state = &mut step.world.state;
    for index in changed.iter() {
        let index = index as u32;
        let contact = &state.contacts.contacts[state.contacts.place_of(index)];
        if !state.boxes_overlap(contact) {
            state.destroy_contact(index);
        } else if contact.point_count == 0 {
            state.end_touch(index);
        } else {
            if contact.flags & flag::EVENTS != 0 {
                let event = state.touch_event(index);
                step.world.events.begin_touch.push(event);
            }
            state.begin_touch(index);
        }
    }
    find_islands(step);
}

/// Has the awake islands found anew, under the algorithms that do so in each step.
fn find_islands(step: &mut Step<'_>) {
    let state = &mut step.world.state;
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
    // Under any algorithm there may be islands now that were not there when the step began.
    let end = state.islands.island_index_end() as usize;
    step.scratch.fit_islands(end);
}
