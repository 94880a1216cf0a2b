//! The stage sleep: whole islands whose bodies have all been slow for long enough fall asleep, unless something drives
//! one of them, however slowly.

use super::stage::Step;
use crate::joint::JointSim;
use crate::state::State;
use glam::Vec2;
use tombolo_geometry::math::cross_scalar;

/// The share of a drive's speed from which a body counts as following it. A drive that is blocked leaves less of it: so
/// little that what it presses on sleeps.
const FOLLOWING_SHARE: f32 = 0.1;

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
    if state.islands.needs_split(island) {
        return;
    }
    if let Some(driven) = state
        .islands
        .nodes(island)
        .find(|&body| state.follows_drive(body))
    {
        // Nothing of the island is looked at again before this body may have come to rest.
        state.body_sims[driven].sleep_time_s = 0.0;
        return;
    }
    if state.islands.sleep(island).is_err() {
        return;
    }
    bodies.clear();
    bodies.extend(state.islands.nodes(island));
    for &body in bodies.iter() {
        state.put_to_sleep(body);
    }
}

impl State {
    /// Whether a motor or a running surface moves a body, however slowly. Costs the contacts and joints of one that moves.
    fn follows_drive(&self, body: u32) -> bool {
        let motion = &self.body_states[body];
        if motion.linear_velocity == Vec2::ZERO && motion.angular_velocity == 0.0 {
            return false;
        }
        let sim = &self.body_sims[body];
        let speed = motion.linear_velocity.length() + sim.extent_max * motion.angular_velocity.abs();
        let runs = |index: u32| {
            let place = self.contacts.place_of(index);
            let surface_speed = self.contacts.cached_manifolds[place].surface.tangent_speed.abs();
            surface_speed > 0.0
                && speed >= FOLLOWING_SHARE * surface_speed
                && self.contacts.contacts[place].is_pushing()
        };
        self.joints_of(body)
            .any(|index| self.follows_motor(&self.joint_sims[index]))
            || self.contacts_of(body).any(runs)
    }

    /// Whether the bodies of a joint move relative to each other as its motor drives them.
    fn follows_motor(&self, joint: &JointSim) -> bool {
        let [sliding, turning] = joint.drive_speeds();
        if sliding == 0.0 && turning == 0.0 {
            return false;
        }
        let [a, b] = [
            (joint.body_a, joint.local_anchor_a),
            (joint.body_b, joint.local_anchor_b),
        ]
        .map(|(body, anchor)| {
            // A kinematic body may have been created asleep with a velocity.
            if !self.bodies.live(body).is_awake() {
                return (Vec2::ZERO, 0.0);
            }
            let (place, motion) = (&self.body_poses[body], &self.body_states[body]);
            let arm = place.pose.transform_point(anchor) - place.center;
            let velocity = motion.linear_velocity + cross_scalar(motion.angular_velocity, arm);
            (velocity, motion.angular_velocity)
        });
        sliding > 0.0 && (b.0 - a.0).length() >= FOLLOWING_SHARE * sliding
            || turning > 0.0 && (b.1 - a.1).abs() >= FOLLOWING_SHARE * turning
    }
}
