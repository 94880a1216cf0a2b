//! The forces in the rigid welds of awake composites: computed after the solver, while the bodies still have the poses
//! for which the contacts were computed.
//!
//! The external loads of a member are contacts on its shapes, joints whose anchors it has, and calls with a point of
//! it. Loads that act on all matter alike (gravity, damping, fields, forces at the center of mass, limits of speeds)
//! put no force into a weld: they give every member the acceleration of the whole. So the welds of a member must supply
//! its own share of the effect of all loads on the whole, and its centripetal force, less its own loads.
//!
//! Contacts store their normal impulses over the whole step, but friction only of the last substep. Its sum is
//! estimated from the ratio of the normal ones, and then corrected by the solver's effect on the body: the missing part
//! of the momentum is distributed over the friction of the contacts, within the limit of each.
//!
//! Serial, in the order of the list of awake bodies; each body's pushes are summed in the order of its lists.

pub(crate) mod loads;

use super::stage::Step;
use crate::body::{NONE, flag};
use loads::SolveStart;

/// Records the velocities of the awake composites before the solver.
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

/// Computes the forces in the welds of those composites.
pub(super) fn measure(step: &mut Step<'_>) {
    let (state, scratch, dt) = (&mut *step.world.state, &mut step.scratch.composites, step.dt);
    let (world_substeps, sets) = (state.settings().substeps, &step.scratch.connected_sets);
    for place in 0..scratch.starts.len() {
        let start = scratch.starts[place];
        // A single member has no weld.
        if state.members.live(state.body_members[start.body]).next != NONE {
            let substeps = world_substeps + sets.extra_of(state, start.body);
            scratch.measure(state, start, dt, substeps);
        }
        state.forget_member_loads(start.body);
    }
}
