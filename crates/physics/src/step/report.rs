//! Events: what the stages left is put in the order that [`Events`](crate::Events) states.

use super::Step;
use crate::body::{BodyId, flag};
use crate::contact::pool::body_ref;
use crate::events::FrozenEvent;
use crate::state::State;

pub(crate) fn report(step: &mut Step<'_>) {
    freeze_broken_bodies(step);
    let (state, events) = (&mut step.world.state, &mut step.world.events);
    events
        .end_touch
        .extend(state.pending_ends.iter().filter_map(|touch| touch.event()));
    state.pending_ends.clear();
    let still_awake = |state: &State, id: &BodyId| {
        state.bodies.contains(*id) && body_ref(&state.bodies, id.index()).is_awake()
    };
    // A body that was disabled and enabled again between two steps woke twice, and is told of once.
    let told = &mut step.scratch.told_awake;
    told.reset(state.bodies.slot_count());
    let woken = state
        .pending_woken
        .iter()
        .filter_map(|&bits| BodyId::from_bits(bits));
    events
        .woke
        .extend(woken.filter(|id| still_awake(state, id) && told.set(id.index() as usize)));
    state.pending_woken.clear();
    if step.dt > 0.0 {
        for event in &mut step.scratch.moves {
            // A body that was frozen does not sleep: it is out of the simulation.
            let takes_part = state.body_sims[event.body.index()].has(flag::ENABLED);
            event.fell_asleep = takes_part && !still_awake(state, &event.body);
            if event.fell_asleep {
                events.fell_asleep.push(event.body);
            }
        }
        events.moved.append(&mut step.scratch.moves);
    }
}

/// Takes bodies whose state was not a number out of the simulation; they are where they last were right.
fn freeze_broken_bodies(step: &mut Step<'_>) {
    let slots = step.world.state.bodies.slot_count();
    step.scratch.merge(|worker| &mut worker.broken_bodies, slots);
    let broken = &step.scratch.merged.broken_bodies;
    let state = &mut step.world.state;
    for body in broken.iter().map(|body| body as u32) {
        state.disable(body);
        state.body_sims[body].set(flag::FROZEN, true);
        let body = state.bodies.handle_of_slot(body).expect("broken bodies live");
        let user_key = state.bodies.get(body).expect("broken bodies live").user_key;
        step.world.events.frozen.push(FrozenEvent { body, user_key });
    }
}
