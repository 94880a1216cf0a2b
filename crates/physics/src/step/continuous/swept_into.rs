//! Bodies that a fast kinematic body sweeps into: bars that turn, doors that slam, pistons. Contacts are too late for
//! them if the kinematic shape moves within a step from one side of a body's middle to the other.
//!
//! Such a body is stopped or carried along as a bullet is, but by fast kinematic bodies only. One that is slow itself
//! is taken to be at its final pose. Sleeping bodies cannot be moved within a step: they wake before the step in which
//! the kinematic body would pass them, since its motion is known from its velocity.

use super::obstacle::Obstacle;
use super::swept::{SweptShape, swept_area};
use crate::body::{BodyKind, BodySim, flag};
use crate::broad_phase::TreeKind;
use crate::callback::Callbacks;
use crate::state::State;
use crate::step::stage::Step;
use crate::step::sweep::{
    BodySweep, PIECE_MAX_RAD, area_around, free_turn, is_far_turning_disc, sweep_between,
};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use tombolo_geometry::bvh::NO_ITEM;
use tombolo_geometry::distance::Sweep;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Rot};

/// The least fraction of both thicknesses that a shape moves within a step for contacts to be too late.
const THICKNESS_SHARE: f32 = 0.75;

/// A shape of a fast kinematic body, and its motion.
struct Sweeper<'a> {
    shape: u32,
    /// With its contact skin.
    geometry: Cow<'a, Shape>,
    sweep: Sweep,
    /// Its rotation, in radians.
    turn: f32,
    /// An upper bound of the distance in meters that its farthest part moves.
    reach: f32,
}

impl Sweeper<'_> {
    /// Whether it may get past the middle of a shape with this extent, in meters, before a contact pushes.
    fn passes(&self, extent: f32) -> bool {
        self.reach > THICKNESS_SHARE * (self.geometry.min_extent() + extent)
    }
}

/// The number of searches of [`list`] among the fast shapes.
pub(super) fn search_count(step: &Step<'_>) -> usize {
    let sweepers = sweepers(step.world.state, &step.scratch.sweeps);
    sweepers.filter(|sweeper| sweeper.passes(0.0)).count()
}

/// Adds the bodies that fast kinematic ones of the list may pass to the list of sweeps. Returns whether there are any.
///
/// The tree has the places of dynamic bodies at the end of the step. Fast ones were elsewhere during it: they are found
/// among `fast_shapes`, by the boxes of their motions.
pub(super) fn list(step: &mut Step<'_>) -> bool {
    let mut bodies = core::mem::take(&mut step.scratch.indices);
    bodies.clear();
    let state = &*step.world.state;
    for sweeper in sweepers(state, &step.scratch.sweeps) {
        if sweeper.passes(0.0) {
            step.scratch.fast_shapes.near(sweeper.area(), |fast| {
                if sweeper.may_pass(state, fast.shape) {
                    bodies.push(state.shape_links[fast.shape].body);
                }
            });
        }
        sweeper.visit(state, |body, _| {
            if state.bodies.live(body).is_awake() {
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

/// Wakes the bodies that sleep in the path of kinematic bodies in a step of `dt` seconds, before the step begins, unless
/// something keeps the two apart. Uses `kinematic` as scratch memory. Cost: O(the kinematic shapes or the awake bodies,
/// whichever are fewer).
pub(crate) fn wake_ahead(state: &mut State, callbacks: &Callbacks, dt: f32, kinematic: &mut Vec<u32>) {
    if state.settings().continuous == 0 || dt == 0.0 {
        return;
    }
    state.list_awake_kinematic(kinematic);
    let mut found: Vec<u32> = Vec::new();
    for &body in &*kinematic {
        let (sweep, turn) = state.next_sweep(body, dt);
        for sweeper in sweepers_of(state, body, sweep, turn) {
            sweeper.visit(state, |other, shape| {
                let sleeps = !state.bodies.live(other).is_awake();
                if sleeps
                    && !sweeper.is_kept_from(state, [body, other], shape)
                    && (sweeper.turn > PIECE_MAX_RAD || sweeper.meets(state, other, shape))
                    && state.passes_custom_filter(callbacks, sweeper.shape, shape)
                {
                    found.push(other);
                }
            });
        }
    }
    found.sort_unstable();
    found.dedup();
    for body in found {
        state.wake(body);
    }
}

/// The shapes of the fast kinematic bodies among the sweeps.
fn sweepers<'a>(state: &'a State, sweeps: &'a [BodySweep]) -> impl Iterator<Item = Sweeper<'a>> {
    let is_kinematic = |moving: &&BodySweep| state.body_sims[moving.body].kind() == BodyKind::Kinematic;
    sweeps.iter().filter(is_kinematic).flat_map(move |moving| {
        // A body that turns fast may have turned further than the motion shows.
        let turn = moving
            .sweep
            .q0
            .to(moving.sweep.q1)
            .angle()
            .abs()
            .max(moving.turn.abs());
        sweepers_of(state, moving.body, moving.sweep, turn)
    })
}

/// The shapes of a kinematic body with its motion, in which it turns by `turn` radians.
fn sweepers_of(state: &State, body: u32, sweep: Sweep, turn: f32) -> impl Iterator<Item = Sweeper<'_>> {
    let shapes = state.shapes_of(body).filter(|&shape| state.is_solid(shape));
    shapes.map(move |shape| {
        let geometry = state.geometry_with_skin(shape);
        let arm = geometry.max_extent_from(sweep.local_center);
        Sweeper {
            shape,
            geometry,
            sweep,
            turn,
            reach: (sweep.c1 - sweep.c0).length() + arm * turn,
        }
    })
}

impl State {
    /// Lists the kinematic bodies that are awake, by index.
    fn list_awake_kinematic(&self, list: &mut Vec<u32>) {
        list.clear();
        let tree = &self.broad_phase.trees[TreeKind::Kinematic as usize];
        if tree.len() < self.awake_bodies.len() {
            let slots = 0..tree.counts[0].slots as usize;
            let items = tree.items[slots].iter().filter(|&&item| item != NO_ITEM);
            let bodies = items.map(|&item| self.broad_phase.proxies[item].body);
            list.extend(bodies.filter(|&body| self.bodies.live(body).is_awake()));
            list.sort_unstable();
            list.dedup();
        } else if !tree.is_empty() {
            let is_kinematic = |&body: &u32| self.body_sims[body].kind() == BodyKind::Kinematic;
            list.extend(self.awake_bodies.iter().copied().filter(is_kinematic));
            list.sort_unstable();
        }
    }

    /// The motion of a kinematic body in the next step, and its rotation in radians.
    fn next_sweep(&self, body: u32, dt: f32) -> (Sweep, f32) {
        let (place, motion) = (&self.body_poses[body], &self.body_states[body]);
        let spin = dt * motion.angular_velocity;
        let sim = &self.body_sims[body];
        let turn = if is_far_turning_disc(sim) {
            0.0
        } else {
            free_turn(sim, spin, self.settings().substeps)
        };
        let rotation = place.pose.rotation;
        let sweep = Sweep {
            local_center: place.local_center,
            c0: place.center,
            c1: place.center + dt * motion.linear_velocity,
            q0: rotation,
            q1: rotation.then(Rot::from_angle(turn)),
        };
        (sweep, turn.abs())
    }
}

impl Sweeper<'_> {
    /// Calls `visit` with the dynamic bodies near by that it may pass, and their shapes; awake bullets are handled by
    /// their own search.
    fn visit(&self, state: &State, mut visit: impl FnMut(u32, u32)) {
        if !self.passes(0.0) {
            return;
        }
        state
            .broad_phase
            .query_tree(TreeKind::Dynamic, self.area(), |shape| {
                let body = state.shape_links[shape].body;
                let sim: &BodySim = &state.body_sims[body];
                let looks_out = sim.has(flag::BULLET) && state.bodies.live(body).is_awake();
                if !looks_out && self.may_pass(state, shape) {
                    visit(body, shape);
                }
            });
    }

    /// Whether it moves far enough to pass a shape, and their filters let them touch.
    fn may_pass(&self, state: &State, shape: u32) -> bool {
        let [own, other] = [self.shape, shape].map(|shape| state.shape_links[shape].proxy);
        self.passes(state.shape_geometries[shape].min_extent() + state.contact_skin(shape))
            && state.broad_phase.passes_filter(own, other)
    }

    /// A box that contains the shape during the motion.
    fn area(&self) -> Aabb {
        if self.turn <= PIECE_MAX_RAD {
            return swept_area(&self.geometry, &self.sweep);
        }
        area_around(&self.geometry, &self.sweep)
    }

    /// Whether a rule, a call or a joint of the two bodies, its own and another one at rest, keeps it from pushing a
    /// shape of that one.
    fn is_kept_from(&self, state: &State, [own, other]: [u32; 2], shape: u32) -> bool {
        let rest = || {
            let place = &state.body_poses[other];
            sweep_between(place, place)
        };
        state.are_there_rules() && state.passes_by_rule(shape, self.shape, &rest(), &self.sweep)
            || state.joint_keeps_apart(own, other)
    }

    /// Whether it touches a shape at rest during its motion.
    fn meets(&self, state: &State, body: u32, shape: u32) -> bool {
        let place = &state.body_poses[body];
        let rest = sweep_between(place, place);
        let poses = [0.0, 1.0].map(|fraction| self.sweep.pose_at(fraction));
        let obstacle = Obstacle {
            geometry: &self.geometry,
            poses,
            sweep: self.sweep,
            carries: true,
            slip_max: None,
            turns_far: false,
        };
        let swept = SweptShape::new(state.geometry_with_skin(shape), &rest);
        swept.impact(&obstacle, 1.0, 1.0).is_some()
    }
}
