//! Bodies that a fast kinematic body sweeps into: bars that turn, doors that slam, pistons. Contacts do not see them in time
//! where the kinematic shape moves within a step from one side of a body's middle to the other.
//!
//! Such a body is stopped or carried along as a bullet is, but by fast kinematic bodies only. One that is slow itself is taken to
//! be where it ends the step. What sleeps cannot be moved within a step: it wakes at the end of the step before the one in
//! which the kinematic body would pass it, if that goes on as fast.

use super::obstacle::Obstacle;
use super::swept::SweptShape;
use crate::body::{BodyKind, BodySim, flag};
use crate::broad_phase::TreeKind;
use crate::contact::pool::body_ref;
use crate::state::State;
use crate::step::stage::Step;
use crate::step::sweep::{BodySweep, sweep_between};
use tombolo_geometry::distance::Sweep;
use tombolo_geometry::shape::Shape;

/// The share of both thicknesses that a shape moves within a step at least for contacts to come too late.
const THICKNESS_SHARE: f32 = 0.75;

/// A shape of a fast kinematic body, and how it moves.
struct Sweeper<'a> {
    shape: u32,
    geometry: &'a Shape,
    sweep: Sweep,
    /// Meters that its farthest part moves, at most.
    reach: f32,
}

impl Sweeper<'_> {
    /// Whether it may get past the middle of something with this extent, in meters, before a contact pushes.
    fn passes(&self, extent: f32) -> bool {
        self.reach > THICKNESS_SHARE * (self.geometry.min_extent() + extent)
    }
}

/// Adds the bodies to the list of sweeps that fast kinematic ones of the list may pass. Whether there are any.
pub(super) fn list(step: &mut Step<'_>) -> bool {
    let mut bodies = core::mem::take(&mut step.scratch.indices);
    bodies.clear();
    let state = &*step.world.state;
    for sweeper in sweepers(state, &step.scratch.sweeps, |moving| moving.sweep) {
        sweeper.visit(state, |body, _| {
            if body_ref(&state.bodies, body).is_awake() {
                bodies.push(body);
            }
        });
    }
    let are_there_any = !bodies.is_empty();
    bodies.sort_unstable();
    bodies.dedup();
    let sweeps = &mut step.scratch.sweeps;
    let known = sweeps.len();
    for &body in &bodies {
        if let Ok(place) = sweeps[..known].binary_search_by_key(&body, |moving| moving.body) {
            sweeps[place].is_swept_into = true;
            continue;
        }
        let place = &state.body_poses[body];
        sweeps.push(BodySweep {
            body,
            fraction: 1.0,
            is_slow: true,
            is_swept_into: true,
            sweep: sweep_between(place, place),
            ..BodySweep::default()
        });
    }
    if sweeps.len() > known {
        sweeps.sort_unstable_by_key(|moving| moving.body);
    }
    step.scratch.indices = bodies;
    are_there_any
}

/// Wakes what sleeps in the way that fast kinematic bodies have before them in the next step.
pub(crate) fn wake_ahead(step: &mut Step<'_>) {
    let state = &*step.world.state;
    if state.settings().continuous == 0 {
        return;
    }
    let mut bodies = core::mem::take(&mut step.scratch.indices);
    bodies.clear();
    for sweeper in sweepers(state, &step.scratch.sweeps, next_sweep) {
        sweeper.visit(state, |body, shape| {
            if !body_ref(&state.bodies, body).is_awake() && sweeper.meets(state, body, shape) {
                bodies.push(body);
            }
        });
    }
    bodies.sort_unstable();
    bodies.dedup();
    for &body in &bodies {
        step.world.state.wake(body);
    }
    step.scratch.indices = bodies;
}

/// The shapes of the fast kinematic bodies among the sweeps.
fn sweepers<'a>(
    state: &'a State,
    sweeps: &'a [BodySweep],
    motion: impl Fn(&BodySweep) -> Sweep + 'a,
) -> impl Iterator<Item = Sweeper<'a>> {
    let is_kinematic = |moving: &&BodySweep| state.body_sims[moving.body].kind() == BodyKind::Kinematic;
    sweeps.iter().filter(is_kinematic).flat_map(move |moving| {
        let sweep = motion(moving);
        let (way, turn) = (
            (sweep.c1 - sweep.c0).length(),
            sweep.q0.to(sweep.q1).angle().abs(),
        );
        let shapes = state
            .shapes_of(moving.body)
            .filter(|&shape| state.is_solid(shape));
        shapes.map(move |shape| {
            let geometry = &state.shape_geometries[shape];
            let arm = geometry.max_extent_from(sweep.local_center);
            Sweeper {
                shape,
                geometry,
                sweep,
                reach: way + arm * turn,
            }
        })
    })
}

/// The motion of the next step, if it is that of this one again.
fn next_sweep(moving: &BodySweep) -> Sweep {
    let Sweep {
        local_center,
        c0,
        c1,
        q0,
        q1,
    } = moving.sweep;
    Sweep {
        local_center,
        c0: c1,
        c1: c1 + (c1 - c0),
        q0: q1,
        q1: q1.then(q0.to(q1)),
    }
}

impl Sweeper<'_> {
    /// Calls `visit` with the dynamic bodies near by that it may pass, and their shapes; bullets look out for themselves.
    fn visit(&self, state: &State, mut visit: impl FnMut(u32, u32)) {
        if !self.passes(0.0) {
            return;
        }
        let area = SweptShape::new(self.geometry, &self.sweep).area();
        let own = state.shape_links[self.shape].proxy;
        state.broad_phase.query_tree(TreeKind::Dynamic, area, |shape| {
            let link = &state.shape_links[shape];
            let sim: &BodySim = &state.body_sims[link.body];
            if !sim.has(flag::BULLET)
                && self.passes(state.shape_geometries[shape].min_extent())
                && state.broad_phase.may_collide(own, link.proxy)
            {
                visit(link.body, shape);
            }
        });
    }

    /// Whether it touches a shape that stands still, on its way.
    fn meets(&self, state: &State, body: u32, shape: u32) -> bool {
        let place = &state.body_poses[body];
        let rest = sweep_between(place, place);
        let poses = [0.0, 1.0].map(|fraction| self.sweep.pose_at(fraction));
        let obstacle = Obstacle {
            geometry: self.geometry,
            poses,
            sweep: self.sweep,
            carries: true,
            lets_slide: true,
        };
        let swept = SweptShape::new(&state.shape_geometries[shape], &rest);
        swept.impact(&obstacle, 1.0, 1.0).is_some()
    }
}
