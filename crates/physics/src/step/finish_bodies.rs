//! The stage finish bodies: parallel over awake bodies; applies the solver's results to poses, sleep timers and boxes,
//! and marks the bodies that moved so far that the stage `continuous` must sweep them.
//!
//! A body whose new state is not a number, or out of range, keeps its last valid pose and is marked; the end of the
//! step freezes it.

use super::lent::Lent;
use super::scratch::WorkerScratch;
use super::stage::Step;
use super::sweep::{fast_motion, turn_distance};
use crate::body::{BodyKind, BodyPose, BodySim, BodyState, NONE, flag};
use crate::constants::{BOX_REACH_M, POSITION_MAX_M, TIME_TO_SLEEP_S};
use crate::events::MoveEvent;
use crate::persistent::PlainArray;
use crate::prefetch::prefetch;
use crate::solver::connected::ConnectedSets;
use crate::state::State;
use alloc::vec::Vec;
use core::mem::swap;
use core::ops::Range;
use glam::Vec2;
use tombolo_geometry::math::sqrt;
use tombolo_geometry::{Aabb, Pose, Rot};
use tombolo_threads::{ClaimedSlice, parallel_for};

/// The number of bodies in one block of work.
const BODIES_PER_BLOCK: usize = 64;

/// The number of bodies ahead for which the memory of a shape is prefetched; its body is prefetched twice as far ahead:
/// bodies that contacts woke are in no order that the hardware could predict.
const PREFETCH_AHEAD: usize = 4;

/// The fraction of the position correction that counts as movement for the sleep timer: bodies that are only pushed
/// apart should still come to rest.
const CORRECTION_SHARE: f32 = 0.5;

/// The distance from its center of mass at which the turning of a body without shapes counts for the sleep timer, in
/// meters: a wheel of which there is nothing but the mass.
const EXTENT_WITHOUT_SHAPES_M: f32 = 1.0;

/// The share of a body's sleep threshold by which its speed has to change in the time to sleep for a body that nothing
/// holds to stay awake: less is what is left of it where it floats, and comes to nothing.
const FREE_CHANGE_SHARE: f32 = 0.05;

/// The parameters that all bodies share.
struct Finish<'a> {
    state: &'a State,
    poses: ClaimedSlice<'a, BodyPose>,
    sims: ClaimedSlice<'a, BodySim>,
    states: ClaimedSlice<'a, BodyState>,
    boxes: ClaimedSlice<'a, Aabb>,
    moves: ClaimedSlice<'a, MoveEvent>,
    /// The boxes of the bodies of `moves`; empty unless they are reported.
    move_boxes: ClaimedSlice<'a, Aabb>,
    fast_starts: ClaimedSlice<'a, BodyPose>,
    dt: f32,
    sleeping: bool,
    /// Whether all bodies' starting poses are recorded: bullets follow the motion of the bodies that they meet.
    keeps_starts: bool,
    /// The world's substeps, and the sets of bodies that have more.
    substeps: u32,
    connected_sets: &'a ConnectedSets,
    /// The world's speed limit, in meters per second.
    speed_max: f32,
}

#[allow(unsafe_code)]
pub(crate) fn finish_bodies(step: &mut Step<'_>) {
    let sleeping = step.world.state.settings().sleeping != 0;
    let mut lent = Lent::of(step.world.state, |state, (poses, sims, states, boxes)| {
        swap(&mut state.body_poses, poses);
        swap(&mut state.body_sims, sims);
        swap(&mut state.body_states, states);
        swap(&mut state.broad_phase.boxes, boxes);
    });
    let (state, (poses, sims, states, boxes)) = lent.split();
    let mut moves = core::mem::take(&mut step.scratch.moves);
    let mut move_boxes = core::mem::take(&mut step.scratch.move_boxes);
    let mut fast_starts = core::mem::take(&mut step.scratch.fast_starts);
    let connected_sets = core::mem::take(&mut step.scratch.connected_sets);
    let count = state.awake_bodies.len();
    fast_starts.resize(count, BodyPose::default());
    fit_events(&mut moves, state, count);
    move_boxes.resize(if step.world.reports_boxes { count } else { 0 }, Aabb::EMPTY);

    mark_written(&state.awake_bodies, poses, sims, states);

    let finish = Finish {
        state,
        poses: ClaimedSlice::new(poses.unmarked_mut()),
        sims: ClaimedSlice::new(sims.unmarked_mut()),
        states: ClaimedSlice::new(states.unmarked_mut()),
        boxes: ClaimedSlice::new(boxes.unmarked_mut()),
        moves: ClaimedSlice::new(&mut moves),
        move_boxes: ClaimedSlice::new(&mut move_boxes),
        fast_starts: ClaimedSlice::new(&mut fast_starts),
        dt: step.dt,
        sleeping,
        keeps_starts: step.scratch.are_there_bullets != Some(false),
        substeps: state.settings().substeps,
        connected_sets: &connected_sets,
        speed_max: state.settings().speed_max,
    };
    let workers = &*step.scratch.workers();
    parallel_for(step.executor, count, BODIES_PER_BLOCK, &|worker, range| {
        // SAFETY: each worker takes its own slot only.
        let worker = unsafe { workers.get_mut(worker) };
        let end = range.end;
        for i in range {
            // SAFETY: the list of awake bodies contains each body once, and those up to `end` are visited once, here.
            unsafe {
                if i + 2 * PREFETCH_AHEAD < end {
                    finish.prefetch_body(i + 2 * PREFETCH_AHEAD);
                }
                if i + PREFETCH_AHEAD < end {
                    finish.prefetch_shape(i + PREFETCH_AHEAD);
                }
                finish.body(i, worker);
            }
        }
    });

    drop(lent);
    step.scratch.moves = moves;
    step.scratch.move_boxes = move_boxes;
    step.scratch.fast_starts = fast_starts;
    step.scratch.connected_sets = connected_sets;
}

/// Makes room for `count` events, every one of which is written later, whatever an earlier step left there.
fn fit_events(moves: &mut Vec<MoveEvent>, state: &State, count: usize) {
    match state.bodies.handles().next() {
        Some(body) => moves.resize(
            count,
            MoveEvent {
                body,
                user_key: 0,
                pose: Pose::IDENTITY,
                fell_asleep: false,
            },
        ),
        None => moves.clear(),
    }
}

/// Marks what this stage and the solver write of the awake bodies, if changes are marked.
fn mark_written(
    awake: &[u32],
    poses: &mut PlainArray<BodyPose>,
    sims: &mut PlainArray<BodySim>,
    states: &mut PlainArray<BodyState>,
) {
    if poses.is_marked() {
        for run in runs(awake) {
            poses.mark_run(run.clone());
            sims.mark_run(run.clone());
            states.mark_run(run);
        }
    }
}

/// The runs of consecutive indices in a list. Bodies that were made and woke one after another are one, and their pages are
/// marked at once.
fn runs(indices: &[u32]) -> impl Iterator<Item = Range<usize>> {
    let runs = indices.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    runs.map(|run| run[0] as usize..run[0] as usize + run.len())
}

impl Finish<'_> {
    /// Prefetches the memory of the `i`-th awake body.
    ///
    /// # Safety
    ///
    /// No other worker writes to that body meanwhile.
    #[allow(unsafe_code)]
    unsafe fn prefetch_body(&self, i: usize) {
        let body = self.state.awake_bodies[i as u32] as usize;
        // SAFETY: the caller's contract.
        unsafe {
            prefetch(self.poses.get(body));
            prefetch(self.sims.get(body));
            prefetch(self.states.get(body));
        }
    }

    /// Prefetches the geometry of the first shape of the `i`-th awake body.
    ///
    /// # Safety
    ///
    /// No other worker writes to that body meanwhile.
    #[allow(unsafe_code)]
    unsafe fn prefetch_shape(&self, i: usize) {
        let body = self.state.awake_bodies[i as u32] as usize;
        // SAFETY: the caller's contract.
        let shape = unsafe { self.sims.get(body) }.first_shape;
        if shape != NONE {
            prefetch(&self.state.shape_geometries[shape]);
        }
    }

    /// Finishes the `i`-th awake body.
    ///
    /// # Safety
    ///
    /// No other worker touches that body, its shapes' boxes or the `i`-th event and starting pose meanwhile.
    #[allow(unsafe_code)]
    unsafe fn body(&self, i: usize, worker: &mut WorkerScratch) {
        let body = self.state.awake_bodies[i as u32];
        // SAFETY: the caller's contract.
        let (place, sim, motion, event) = unsafe {
            (
                self.poses.get_mut(body as usize),
                self.sims.get_mut(body as usize),
                self.states.get_mut(body as usize),
                self.moves.get_mut(i),
            )
        };
        self.limit_velocity(body, sim, motion);
        let moved = BodyDisplacement::take(motion);
        let substeps = self.substeps + self.connected_sets.extra_of(self.state, body);
        let distance = moved.distance(sim, self.dt * motion.angular_velocity, substeps);
        let is_valid = match moved.apply(place, motion) {
            Some(new) => {
                let start = core::mem::replace(place, new);
                let is_fast = distance > fast_motion(sim.extent_min) && sim.first_shape != NONE;
                // Bullets need the motion of every kinematic body near by, fast or not, and fast bodies can pass them
                // even while they are at rest.
                let is_asked = is_fast || sim.has(flag::BULLET);
                debug_assert!(
                    self.keeps_starts || !sim.has(flag::BULLET),
                    "a bullet that nobody noted"
                );
                if is_asked || self.keeps_starts || !sim.is_dynamic() {
                    // SAFETY: the caller's contract: this is the body's own place.
                    unsafe { *self.fast_starts.get_mut(i) = start };
                }
                if is_asked {
                    worker.fast_bodies.set(body as usize);
                }
                true
            }
            None => {
                // SAFETY: the caller's contract: this is the body's own place.
                unsafe { *self.fast_starts.get_mut(i) = *place };
                motion.linear_velocity = Vec2::ZERO;
                motion.angular_velocity = 0.0;
                worker.broken_bodies.set(body as usize);
                false
            }
        };
        if sim.flags & (flag::HELD | flag::DROPPING) != 0 {
            self.follow_flags(body, sim, is_valid, worker);
        }
        self.update_sleep_timer(body, sim, motion, distance, worker);
        sim.force = Vec2::ZERO;
        sim.torque = 0.0;
        // SAFETY: the caller's contract: the shapes are this body's.
        let whole = unsafe { self.renew_boxes(sim, place.pose, worker) };
        if !self.move_boxes.is_empty() {
            // SAFETY: the caller's contract: this is the `i`-th event's.
            unsafe { *self.move_boxes.get_mut(i) = whole };
        }

        event.body = self.state.bodies.live_id(body);
        event.user_key = self.state.bodies.live(body).user_key;
        event.pose = place.pose;
        event.fell_asleep = false;
    }

    /// Limits the velocity that a dynamic body keeps: what constraints did after the last motion of the body, and to
    /// bodies without limits of their own in all substeps.
    #[inline]
    fn limit_velocity(&self, body: u32, sim: &BodySim, motion: &mut BodyState) {
        if !sim.is_dynamic() {
            return;
        }
        if sim.has(flag::CONTROLLED) {
            let control = &self.state.body_controls[body];
            (motion.linear_velocity, motion.angular_velocity) =
                control.limit(motion.linear_velocity, motion.angular_velocity);
        }
        let speed_squared = motion.linear_velocity.length_squared();
        if speed_squared > self.speed_max * self.speed_max {
            motion.linear_velocity *= self.speed_max / sqrt(speed_squared);
        }
    }

    /// Reports a body that continuous collision held, unless its pose is not valid, and clears the flags that no longer
    /// hold.
    fn follow_flags(&self, body: u32, sim: &mut BodySim, is_valid: bool, worker: &mut WorkerScratch) {
        if is_valid && sim.has(flag::HELD) {
            sim.set(flag::HELD, false);
            worker.held_bodies.set(body as usize);
        }
        if sim.has(flag::DROPPING) && !self.state.is_passing(body) {
            sim.set(flag::DROPPING, false);
        }
    }

    /// Updates the sleep timer of a body that moved by `distance` and marks its island.
    fn update_sleep_timer(
        &self,
        body: u32,
        sim: &mut BodySim,
        motion: &BodyState,
        distance: f32,
        worker: &mut WorkerScratch,
    ) {
        if !self.sleeping {
            // Nothing asks which islands move.
            sim.sleep_time_s = 0.0;
            return;
        }
        let extent = if sim.first_shape == NONE {
            EXTENT_WITHOUT_SHAPES_M
        } else if motion.angular_velocity != 0.0 && self.has_no_end(sim) {
            f32::MAX
        } else {
            sim.extent_max
        };
        let speed = motion.linear_velocity.length() + extent * motion.angular_velocity.abs();
        let pace = speed.max(CORRECTION_SHARE * distance / self.dt);
        if sim.has(flag::ALLOW_SLEEP) && pace <= sim.sleep_threshold {
            sim.sleep_time_s += self.dt;
            // Asked in each step from then on: what kept the body may be gone, and its island awake for other reasons.
            let is_ready = sim.sleep_time_s >= TIME_TO_SLEEP_S;
            if is_ready && speed > 0.0 && self.is_free_and_pushed(body, sim, extent) {
                sim.sleep_time_s = 0.0;
            }
        } else {
            sim.sleep_time_s = 0.0;
        }
        let ready = sim.sleep_time_s >= TIME_TO_SLEEP_S;
        if sim.kind() == BodyKind::Dynamic {
            let island = self
                .state
                .islands
                .island_of(body)
                .expect("an enabled dynamic body has an island");
            let marks = if ready {
                &mut worker.sleep_ready_islands
            } else {
                &mut worker.moving_islands
            };
            marks.set(island as usize);
        } else if speed > 0.0 {
            // A body that touches or is joined to a moving kinematic body cannot rest, however still it is.
            for index in self.state.contacts_of(body) {
                let contact = &self.state.contacts.contacts[self.state.contacts.place_of(index)];
                if contact.is_pushing() {
                    self.keep_awake(contact.other_body(body), worker);
                }
            }
            for index in self.state.joints_of(body) {
                let joint = &self.state.joint_sims[index];
                if joint.is_constraint() {
                    self.keep_awake(joint.other_body(body), worker);
                }
            }
        } else if ready {
            worker.sleep_ready_bodies.set(body as usize);
        }
    }

    /// Whether a dynamic body that no contact pushed and no joint held in this step is accelerated by forces or gravity:
    /// it does not stay as slow as it is. Not where the acceleration is less than [`FREE_CHANGE_SHARE`] says. A wall
    /// beside it and a slack rope do not hold it.
    #[inline(never)]
    fn is_free_and_pushed(&self, body: u32, sim: &BodySim, extent: f32) -> bool {
        let pushed = |index| {
            let place = self.state.contacts.place_of(index);
            let points = &self.state.contacts.cached_manifolds[place].points;
            self.state.contacts.contacts[place].is_pushing()
                && points.iter().any(|point| point.total_normal_impulse > 0.0)
        };
        let held = |index: u32| {
            let joint = &self.state.joint_sims[index];
            joint.is_constraint() && (joint.force != Vec2::ZERO || joint.torque != 0.0)
        };
        if !sim.is_dynamic()
            || self.state.contacts_of(body).any(pushed)
            || self.state.joints_of(body).any(held)
        {
            return false;
        }
        let control = self.state.control_of_sim(body, sim);
        let acceleration = sim.inverse_mass * (sim.force + control.lasting_force)
            + sim.gravity_scale * self.state.settings().gravity;
        let turning = sim.inverse_inertia * (sim.torque + control.lasting_torque);
        let change = control.on_free_axes(acceleration).length() + extent * turning.abs();
        change * TIME_TO_SLEEP_S > FREE_CHANGE_SHARE * sim.sleep_threshold
    }

    /// Whether a body has a half-space, which has no farthest point: however slowly it turns, some point of it moves
    /// fast.
    fn has_no_end(&self, sim: &BodySim) -> bool {
        if sim.is_dynamic() {
            return false;
        }
        let mut shape = sim.first_shape;
        while shape != NONE {
            if self.state.shape_geometries[shape].is_half_space() {
                return true;
            }
            shape = self.state.shape_links[shape].next;
        }
        false
    }

    fn keep_awake(&self, carried: u32, worker: &mut WorkerScratch) {
        if let Some(island) = self.state.islands.island_of(carried) {
            worker.moving_islands.set(island as usize);
        }
    }

    /// Renews the fat boxes of a body's shapes that left them. Returns the box around all shapes, if it is reported.
    ///
    /// # Safety
    ///
    /// No other worker touches the boxes of these shapes meanwhile.
    #[allow(unsafe_code)]
    unsafe fn renew_boxes(&self, sim: &BodySim, pose: Pose, worker: &mut WorkerScratch) -> Aabb {
        let has_skins = sim.has(flag::SKINS);
        let reports = !self.move_boxes.is_empty();
        let mut whole = Aabb::EMPTY;
        let mut next = sim.first_shape;
        while next != NONE {
            let shape = next;
            let link = &self.state.shape_links[shape];
            next = link.next;
            // Sensors have no proxy.
            let has_proxy = link.proxy != NONE;
            if !has_proxy && !reports {
                continue;
            }
            let tight = self.state.shape_geometries[shape].aabb(pose);
            whole = whole.union(tight);
            if !has_proxy {
                continue;
            }
            // SAFETY: the caller's contract.
            let fat = unsafe { self.boxes.get_mut(link.proxy as usize) };
            let mut reach = BOX_REACH_M;
            if has_skins {
                reach += self.state.materials[shape].contact_skin();
            }
            if !fat.contains(tight.grown(reach)) {
                *fat = tight.grown(reach + link.margin);
                worker.moved_proxies.set(link.proxy as usize);
            }
        }
        whole
    }
}

/// The displacement of a body by the solver.
struct BodyDisplacement {
    position: Vec2,
    rotation: Rot,
}

impl BodyDisplacement {
    /// Takes the displacement out of a body's state, which starts the next step from zero.
    fn take(motion: &mut BodyState) -> Self {
        let moved = Self {
            position: motion.delta_position,
            rotation: Rot {
                cos: motion.delta_cos,
                sin: motion.delta_sin,
            },
        };
        *motion = BodyState {
            // Minus zero would be another bit pattern of the same number: adding zero converts it to zero.
            linear_velocity: motion.linear_velocity + Vec2::ZERO,
            angular_velocity: motion.angular_velocity + 0.0,
            colors: motion.colors,
            ..BodyState::default()
        };
        moved
    }

    /// An upper bound of the distance in meters by which the part farthest from the center of mass moved; `spin` is the
    /// angular velocity times the step.
    fn distance(&self, sim: &BodySim, spin: f32, substeps: u32) -> f32 {
        self.position.length() + turn_distance(sim, self.rotation, spin, substeps)
    }

    /// The new pose of the body, or `None` if that or its velocity is not a number or out of range.
    fn apply(&self, place: &BodyPose, motion: &BodyState) -> Option<BodyPose> {
        let center = place.center + self.position + Vec2::ZERO;
        let rotation = place.pose.rotation.then(self.rotation).normalized();
        let rotation = Rot {
            cos: rotation.cos + 0.0,
            sin: rotation.sin + 0.0,
        };
        let origin = center - rotation.rotate(place.local_center);
        let fine = center.abs().max_element() <= POSITION_MAX_M
            && rotation.is_valid()
            && origin.is_finite()
            && motion.linear_velocity.is_finite()
            && motion.angular_velocity.is_finite();
        let pose = Pose {
            position: origin,
            rotation,
        };
        fine.then_some(BodyPose {
            pose,
            center,
            local_center: place.local_center,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::runs;
    use alloc::vec::Vec;

    #[test]
    fn runs_are_of_indices_that_follow_each_other() {
        let of = |indices: &[u32]| runs(indices).collect::<Vec<_>>();
        assert!(of(&[]).is_empty());
        assert!(of(&[7]).iter().eq([&(7..8)]));
        assert_eq!(of(&[3, 4, 5, 9, 8, 7, 8]), [3..6, 9..10, 8..9, 7..9]);
        let last = u32::MAX as usize;
        assert_eq!(of(&[u32::MAX - 2, u32::MAX - 1, 0]), [last - 2..last, 0..1]);
    }
}
