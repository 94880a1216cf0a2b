//! The stage continuous: stops a fast body at the first obstacle that it would pass through.
//!
//! `finish_bodies` marked the bodies that moved far. Each is swept from its pose at the start of the step to its
//! present pose, against the static bodies, and set back to the first impact; it keeps its velocity, so that the
//! contact made there stops or bounces it in the next step. Bullets are then swept against kinematic and slow dynamic
//! bodies too. Dynamic ones stop it where they end the step, if the two meet in their motions; the motion of kinematic
//! ones is followed, and a bullet that one catches up with is pushed out in front of it, unless a static body stops
//! that. Searching is parallel and writes to its own record only; bodies are set back one after another in the order of
//! their indices. Every obstacle is tested against the same part of the motion, whichever was tested before. Last,
//! bullets and fast dynamic bodies are stopped at each other in the order of their meetings (`bullets.rs`). So the
//! result depends neither on the order of obstacles nor on the workers. Bodies that a fast kinematic one sweeps into
//! are swept against that as bullets are (`swept_into.rs`).
//!
//! Choice of what is stopped: contacts handle all that is within reach at the end of a step, so only impacts that they
//! would miss must stop a body. So the swept shape is not the whole shape, whose outer skin touches every surface that
//! the body slides over, but the shape without the skin. If even that overlaps an obstacle at the start, a small core
//! around the center is swept in its place, so that a body which is pressed into a wall may still leave it, and turn
//! and slide in it, but not pass to the other side; and no part of it may get much deeper than the deepest was, or the
//! far end of a thin rod would swing into the floor that the near one is in. Bodies that move along a segment of a
//! chain are left to the contacts. The sweep, the setting back, the core and the rule of chains are those of Box2D
//! (Catto, "Continuous Collision", GDC 2013, and its version 3); the skin and the depth are ours. A body that the
//! contacts with a chain would not hold, beside an open end or over the joint of a hollow, is not stopped there.
//!
//! A body that is set back is just as fast in the next step, however little it moved in this one: its manifolds are
//! computed anew then.
//!
//! No body is held forever. A body that is held at the start of its motion in two steps in a row is wedged between
//! walls and under pressure: it loses its velocity, so that it is no longer fast, and that is reported.
//!
//! Shapes are swept with their contact skins, those of obstacles too: the body that is swept has the sum of the two
//! around it.
//!
//! A body that may turn fast is swept in pieces of 45°, one after another, unless it is a disc, whose rotation has no
//! effect. A body in the path of a kinematic one that turns so far is carried from piece to piece (`carried.rs`).
//!
//! The reasons are in `docs/decisions.md#continuous-collision-leaves-a-skin-to-the-contacts`.

mod bullets;
mod carried;
mod obstacle;
mod search;
mod swept;
mod swept_into;

use super::fast_shapes::FastShape;
use super::scratch::Scratch;
use super::stage::Step;
use super::sweep::{
    BodySweep, HELD_FRACTION_MAX, far_turn, fast_motion, is_far_turning_disc, sweep_between, turn_distance,
};
use crate::body::{BodyKind, BodyPose, BodySim, NONE, flag};
use crate::contact;
use crate::events::HeldEvent;
use crate::state::State;
use core::sync::atomic::{AtomicBool, Ordering};
use glam::Vec2;
use search::{Obstacles, SweepSearch};
use swept::area_of;
pub(crate) use swept::swept_area;
pub(crate) use swept_into::wake_ahead;
use tombolo_geometry::distance::Sweep;
use tombolo_geometry::{Aabb, Pose, Rot};
use tombolo_threads::parallel_chunks;

/// The number of bodies in one block of work: a sweep takes a few microseconds.
const BODIES_PER_BLOCK: usize = 8;

/// The number of bodies in one block of work in which motions are only recorded: a few microseconds.
const SWEEPS_PER_BLOCK: usize = 256;

pub(crate) fn continuous(step: &mut Step<'_>) {
    let (are_there_bullets, are_there_kinematic) = list_sweeps(step);
    if step.scratch.sweeps.is_empty() || step.world.state.settings().continuous == 0 {
        return;
    }
    stop_at(step, Obstacles::Static);
    if are_there_kinematic {
        list_fast_dynamic(step);
        let search_count = swept_into::search_count(step);
        step.scratch.fast_shapes.prepare(search_count);
    }
    if are_there_kinematic && swept_into::list(step) || are_there_bullets {
        step.scratch.fast_shapes.clear();
        add_fast_shapes(step, |_, body| body.kind() == BodyKind::Kinematic);
        let search_count = step.scratch.sweeps.len();
        step.scratch.fast_shapes.prepare(search_count);
        stop_at(step, Obstacles::Moving);
    }
    if are_there_bullets {
        list_fast_dynamic(step);
        step.scratch.fast_shapes.sort_by_left_end();
        let are_stopped = bullets::stop(step);
        let Scratch { stopped, sweeps, .. } = &mut *step.scratch;
        stopped.reset(sweeps.len());
        for (place, moving) in sweeps.iter().enumerate() {
            stopped.note(place, moving);
        }
        if are_stopped {
            set_all_back(step);
        }
    }
    note_held(step);
}

/// Marks the bodies that were held at the start of their motion; sets the velocity of those that were held in the last
/// step too to zero, and reports them.
fn note_held(step: &mut Step<'_>) {
    let sweeps = core::mem::take(&mut step.scratch.sweeps);
    let stopped = core::mem::take(&mut step.scratch.stopped);
    let is_held = |&place: &usize| {
        let moving = &sweeps[place];
        // A body hit by bullets keeps its velocity, however early they hit it.
        moving.fraction <= HELD_FRACTION_MAX
            && !moving.is_moved_on
            && !moving.is_swept_into
            && !moving.is_met_by_bullet
    };
    let state = &mut *step.world.state;
    if stopped.places().any(|place| is_held(&place)) {
        step.scratch
            .merge(|worker| &mut worker.held_bodies, state.bodies.slot_count());
    }
    for place in stopped.places().filter(is_held) {
        let moving = &sweeps[place];
        state.body_sims[moving.body].set(flag::HELD, true);
        if step.scratch.merged.held_bodies.test(moving.body as usize) {
            let velocity = &mut state.body_states[moving.body];
            velocity.linear_velocity = Vec2::ZERO;
            velocity.angular_velocity = 0.0;
            step.world.events.held.push(HeldEvent {
                body: state.bodies.live_id(moving.body),
                user_key: state.bodies.live(moving.body).user_key,
            });
        }
    }
    step.scratch.sweeps = sweeps;
    step.scratch.stopped = stopped;
}

/// Lists the bodies that were marked as fast, by index. Returns whether there are bullets among them, and whether there
/// are kinematic ones.
fn list_sweeps(step: &mut Step<'_>) -> (bool, bool) {
    let state = &*step.world.state;
    let scratch = &mut *step.scratch;
    scratch.merge(|worker| &mut worker.fast_bodies, state.bodies.slot_count());
    let count = scratch
        .fast_words
        .rank(&scratch.merged.fast_bodies, state.awake_bodies.len());
    // Every sweep is written below, whatever an earlier step left there.
    scratch.sweeps.resize(count, BodySweep::default());
    let (words, starts) = (&scratch.fast_words, &scratch.fast_starts);
    let are_there_bullets = AtomicBool::new(false);
    let are_there_kinematic = AtomicBool::new(false);
    let (dt, sets) = (step.dt, &scratch.connected_sets);
    let world_substeps = state.settings().substeps;
    parallel_chunks(
        step.executor,
        &mut scratch.sweeps,
        SWEEPS_PER_BLOCK,
        &|_, first, block| {
            for (moving, body) in block.iter_mut().zip(words.members_from(first)) {
                let sim = &state.body_sims[body];
                let substeps = world_substeps + sets.extra_of(state, body);
                let mut sweep = sweep_between(&starts[state.awake_index_of(body)], &state.body_poses[body]);
                let (turn, spin) = (
                    sweep.q0.to(sweep.q1),
                    dt * state.body_states[body].angular_velocity,
                );
                if is_far_turning_disc(sim) {
                    // Its rotation has no effect, and half a turn has no midpoint.
                    sweep.q0 = sweep.q1;
                }
                let distance = (sweep.c1 - sweep.c0).length() + turn_distance(sim, turn, spin, substeps);
                *moving = BodySweep {
                    body,
                    fraction: 1.0,
                    is_slow: sim.has(flag::BULLET) && distance <= fast_motion(sim.extent_min),
                    sweep,
                    turn: far_turn(sim, turn, spin, substeps),
                    ..BodySweep::default()
                };
                if Obstacles::Moving.stop(sim, moving) {
                    are_there_bullets.store(true, Ordering::Relaxed);
                }
                if sim.kind() == BodyKind::Kinematic {
                    are_there_kinematic.store(true, Ordering::Relaxed);
                }
            }
        },
    );
    // Only fast bodies can pass a bullet that is not fast itself.
    if scratch.sweeps.iter().all(|moving| moving.is_slow) {
        scratch.sweeps.clear();
    }
    (
        are_there_bullets.into_inner() && !scratch.sweeps.is_empty(),
        are_there_kinematic.into_inner(),
    )
}

/// Lists the shapes of the fast dynamic bodies that are not bullets, with the boxes of their motions as stopped so far.
fn list_fast_dynamic(step: &mut Step<'_>) {
    step.scratch.fast_shapes.clear();
    add_fast_shapes(step, |moving, body| {
        body.is_dynamic() && !body.has(flag::BULLET) && !moving.is_slow
    });
}

/// Adds the shapes of those fast bodies that are `wanted`, with the boxes of their motions.
pub(crate) fn add_fast_shapes(step: &mut Step<'_>, wanted: impl Fn(&BodySweep, &BodySim) -> bool) {
    let state = &*step.world.state;
    let scratch = &mut *step.scratch;
    for (i, moving) in scratch.sweeps.iter().enumerate() {
        if !wanted(moving, &state.body_sims[moving.body]) {
            continue;
        }
        for shape in state
            .shapes_of(moving.body)
            .filter(|&shape| state.is_solid(shape))
        {
            let geometry = state.geometry_with_skin(shape);
            scratch.fast_shapes.push(FastShape {
                shape,
                sweep: i as u32,
                area: area_of(&geometry, moving),
                turn: moving.turn,
            });
        }
    }
}

/// Finds the obstacles that the fast bodies hit, in parallel, and sets the bodies back, in order.
fn stop_at(step: &mut Step<'_>, obstacles: Obstacles) {
    let mut sweeps = core::mem::take(&mut step.scratch.sweeps);
    step.scratch.stopped.reset(sweeps.len());
    let stopped = &step.scratch.stopped;
    let search = SweepSearch {
        state: step.world.state,
        callbacks: step.world.callbacks,
        obstacles,
        starts: &step.scratch.fast_starts,
        fast_bodies: &step.scratch.merged.fast_bodies,
        fast_obstacles: match obstacles {
            Obstacles::Static => None,
            Obstacles::Moving => Some(&step.scratch.fast_shapes),
        },
        span: [0.0, 1.0],
        is_in_pieces: false,
    };
    parallel_chunks(
        step.executor,
        &mut sweeps,
        BODIES_PER_BLOCK,
        &|_, first, block| {
            for (place, moving) in (first..).zip(block) {
                if obstacles.stop(&search.state.body_sims[moving.body], moving) {
                    search.stop(moving);
                }
                stopped.note(place, moving);
            }
        },
    );
    step.scratch.sweeps = sweeps;
    set_all_back(step);
}

/// Sets back, in order, the bodies that may not go as far as they went. A body that an earlier pass set back is set to
/// the same pose again.
fn set_all_back(step: &mut Step<'_>) {
    let Scratch {
        stopped,
        sweeps,
        moves,
        move_boxes,
        ..
    } = &mut *step.scratch;
    for moving in stopped.places().map(|place| &sweeps[place]) {
        step.world.state.set_back(moving);
        let place = step.world.state.bodies.live(moving.body).awake_index;
        moves[place as usize].pose = step.world.state.body_poses[moving.body].pose;
        if let Some(reported) = move_boxes.get_mut(place as usize) {
            *reported = step.world.state.box_of(moving.body);
        }
    }
}

impl State {
    /// A box that contains all shapes of a body during its motion.
    fn reach(&self, body: u32, sweep: &Sweep) -> Aabb {
        let Sweep { c0, c1, .. } = *sweep;
        Aabb::new(c0.min(c1), c0.max(c1)).grown(self.body_sims[body].extent_max)
    }

    /// Sets a body to the pose at its fraction of the motion, or to the one that it is carried to, and updates its
    /// boxes.
    fn set_back(&mut self, moving: &BodySweep) {
        let BodySweep {
            body,
            fraction,
            is_moved_on,
            moved_to,
            sweep,
            ..
        } = *moving;
        let rotation = if is_moved_on {
            moved_to.rotation
        } else {
            moving.pose_at(fraction).rotation
        };
        // Adding zero converts minus zero to zero.
        let rotation = Rot {
            cos: rotation.cos + 0.0,
            sin: rotation.sin + 0.0,
        };
        let center = if is_moved_on {
            moved_to.transform_point(sweep.local_center)
        } else {
            (1.0 - fraction) * sweep.c0 + fraction * sweep.c1
        } + Vec2::ZERO;
        let pose = Pose {
            position: center - rotation.rotate(sweep.local_center),
            rotation,
        };
        self.body_poses[body] = BodyPose {
            pose,
            center,
            local_center: sweep.local_center,
        };
        let mut shape = self.body_sims[body].first_shape;
        while shape != NONE {
            let link = self.shape_links[shape];
            let (tight, reach) = (self.shape_geometries[shape].aabb(pose), self.box_reach(shape));
            if link.proxy != NONE && !self.broad_phase.fat_box(link.proxy).contains(tight.grown(reach)) {
                self.broad_phase
                    .set_box(link.proxy, tight.grown(reach + link.margin))
                    .expect("a place between two that are in range is in range");
            }
            shape = link.next;
        }
        // In the next step it moves as fast as in this one, however little it moved in this one: features that its
        // manifolds do not have may be deep inside then.
        self.change_contacts_of(body, |state, index| {
            let place = state.contacts.place_of(index);
            state.contacts.contacts[place].flags &= !contact::flag::COMPUTED;
        });
    }
}
