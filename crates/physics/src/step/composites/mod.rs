//! What the rigid welds of awake composites bear: after the solver, while the bodies are still where they were when they met.
//!
//! A member is pushed from outside by contacts on its shapes, by joints whose anchors it holds, and by calls that name a
//! point of it. What acts on all matter alike (gravity, damping, fields, forces at the center of mass, limits of speeds)
//! loads no weld: it gives every member what it needs to move as the whole does. So a member needs from its welds its own
//! share of what the pushes do to the whole, with what it takes to go around a turning center, less its own pushes.
//!
//! Contacts remember their normal impulses over the whole step, but friction only of the last substep. Its sum is guessed
//! from how the normal ones compare, and then put right by what the solver did to the body: what is missing in momentum
//! is laid on the friction of the contacts, no more on each than it can bear.
//!
//! Serial, in the order of the list of awake bodies; each body's pushes are summed in the order of its lists.

pub(crate) mod loads;

use super::stage::Step;
use crate::body::{NONE, flag};
use loads::SolveStart;

/// Notes how fast the awake composites move before the solver.
pub(super) fn begin(step: &mut Step<'_>) {
    let state = &*step.world.state;
    let scratch = &mut step.scratch.composites;
    scratch.starts.clear();
    if state.members.is_empty() {
        return;
    }
    for &body in state.awake_bodies.iter() {
        let sim = &state.body_sims[body];
        if sim.has(flag::COMPOSITE) && sim.is_dynamic() {
            let motion = &state.body_states[body];
            scratch.starts.push(SolveStart {
                body,
                linear: motion.linear_velocity,
                angular: motion.angular_velocity,
            });
        }
    }
}

/// Finds the forces in the welds of those composites.
pub(super) fn measure(step: &mut Step<'_>) {
    let mut scratch = core::mem::take(&mut step.scratch.composites);
    let (state, dt) = (&mut *step.world.state, step.dt);
    for place in 0..scratch.starts.len() {
        let start = scratch.starts[place];
        // A member alone has no weld.
        if state.member_record(state.body_members[start.body]).next != NONE {
            scratch.measure(state, start, dt);
        }
        state.forget_member_loads(start.body);
    }
    step.scratch.composites = scratch;
}
