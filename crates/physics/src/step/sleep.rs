//! The stage sleep: whole islands whose bodies have all been slow for long enough fall asleep.

use super::stage::Step;
use crate::state::State;

pub(crate) fn sleep(step: &mut Step<'_>) {
    if step.world.state.settings().sleeping == 0 {
        return;
    }
    let state = &mut *step.world.state;
    let awake_before = state.awake_bodies.len();
    let islands = state.islands.island_index_end() as usize;
    let scratch = &mut *step.scratch;
    scratch.merge(|worker| &mut worker.sleep_ready_islands, islands);
    scratch.merge(|worker| &mut worker.moving_islands, islands);
    scratch.merge(|worker| &mut worker.sleep_ready_bodies, state.bodies.slot_count());
    let marks = &scratch.merged;
    for island in marks
        .sleep_ready_islands
        .iter()
        .filter(|&island| !marks.moving_islands.test(island))
    {
        put_island_to_sleep(state, island as u32, &mut scratch.indices);
    }
    for body in marks.sleep_ready_bodies.iter() {
        state.put_to_sleep(body as u32);
    }
    scratch.some_fell_asleep = state.awake_bodies.len() < awake_before;
}

fn put_island_to_sleep(state: &mut State, island: u32, bodies: &mut alloc::vec::Vec<u32>) {
    // An island that is not split yet stays awake: a part of it may be in motion.
    if state.islands.sleep(island).is_err() {
        return;
    }
    bodies.clear();
    bodies.extend(state.islands.nodes(island));
    for &body in bodies.iter() {
        state.put_to_sleep(body);
    }
}
