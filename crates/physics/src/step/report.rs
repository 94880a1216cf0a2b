//! Events: sorts the records of the stages into the order that [`Events`](crate::Events) states.

use super::stage::Step;
use crate::body::{BodyId, NONE, flag};
use crate::contact::{CachedManifold, Contact};
use crate::events::{ForceEvent, FrozenEvent, HitEvent, JointEvent, RigidWeldEvent, TouchEvent};
use crate::joint::flag as joint_flag;
use crate::link::touch_event;
use crate::shape::Watcher;
use crate::state::State;

pub(crate) fn report(step: &mut Step<'_>) {
    report_joints(step);
    report_rigid_welds(step);
    freeze_broken_bodies(step);
    let (state, events) = (&mut *step.world.state, &mut *step.world.events);
    events
        .end_touch
        .extend(state.pending_ends.iter().filter_map(|touch| touch.event()));
    state.pending_ends.clear();
    for cut in state.pending_cuts.iter() {
        cut.report(events);
    }
    state.pending_cuts.clear();
    let still_awake =
        |state: &State, id: &BodyId| state.bodies.contains(*id) && state.bodies.live(id.index()).is_awake();
    // A body that was disabled and enabled again between two steps woke twice, but is reported once.
    let reported = &mut step.scratch.reported;
    reported.reset(state.bodies.slot_count());
    let woken = state
        .pending_woken
        .iter()
        .filter_map(|&bits| BodyId::from_bits(bits));
    events
        .woke
        .extend(woken.filter(|id| still_awake(state, id) && reported.set(id.index() as usize)));
    step.scratch.none_woke_late = state.pending_woken.len() == step.scratch.woken_before_collide;
    state.pending_woken.clear();
    // The same for a body that calls put to sleep twice.
    reported.reset(state.bodies.slot_count());
    let asleep = state
        .pending_asleep
        .iter()
        .filter_map(|&bits| BodyId::from_bits(bits));
    let sleeps = |id: &BodyId| {
        state.bodies.contains(*id)
            && state.body_sims[id.index()].has(flag::ENABLED)
            && !state.bodies.live(id.index()).is_awake()
    };
    events
        .fell_asleep
        .extend(asleep.filter(|id| sleeps(id) && reported.set(id.index() as usize)));
    state.pending_asleep.clear();
    if step.dt > 0.0 {
        // In most steps no body falls asleep, and none needs to be checked.
        let asked = if step.scratch.some_fell_asleep {
            step.scratch.moves.as_mut_slice()
        } else {
            &mut []
        };
        for event in asked {
            // A body that was frozen does not sleep: it is not in the simulation.
            let takes_part = state.body_sims[event.body.index()].has(flag::ENABLED);
            event.fell_asleep = takes_part && !still_awake(state, &event.body);
            if event.fell_asleep {
                events.fell_asleep.push(event.body);
            }
        }
        core::mem::swap(&mut events.moved, &mut step.scratch.moves);
        core::mem::swap(&mut events.moved_boxes, &mut step.scratch.move_boxes);
    }
}

/// Reports the contacts whose approach speed exceeded the threshold, by contact index.
pub(crate) fn report_hits(step: &mut Step<'_>) {
    let (state, hits) = (&*step.world.state, &mut step.scratch.hits);
    if !(state.rules.is_empty() && state.category_rules.is_empty()) {
        hits.retain(|&place| state.is_hard(place));
    }
    hits.sort_unstable_by_key(|&place| state.contacts.contacts[place].index);
    let events = hits.iter().map(|&place| {
        state.hit_event(
            &state.contacts.contacts[place],
            &state.contacts.cached_manifolds[place],
        )
    });
    step.world.events.hit.extend(events);
}

/// Reports the touches whose force exceeds a threshold, by contact index. Costs the shapes with a threshold, and the contacts
/// of each one's body, or the awake contacts of the world if these are fewer.
pub(crate) fn report_forces(step: &mut Step<'_>) {
    let (state, found) = (&*step.world.state, &mut step.scratch.indices);
    if state.watchers.is_empty() {
        return;
    }
    let asks = |watcher: &Watcher| watcher.force_threshold > 0.0;
    // Contacts that are not solved, since nobody in them is awake who could be moved, have the force with which they fell
    // asleep, and are not reported again.
    let is_asked = |contact: &Contact| {
        contact.color != NONE
            && contact.is_touching()
            && [contact.shape_a, contact.shape_b].map(|shape| state.watcher_of(shape).is_some_and(asks))
                != [false; 2]
    };
    let bodies = || {
        let watchers = state.watchers.iter().filter(|watcher| asks(watcher));
        watchers.map(|watcher| state.shape_links[watcher.shape].body)
    };
    let awake = state.contacts.contacts.slice(0..state.contacts.awake_len());
    let counts = bodies().map(|body| state.bodies.live(body).contact_count as usize);
    found.clear();
    if counts.sum::<usize>() < awake.len() {
        let of_bodies = bodies().flat_map(|body| state.contacts_of(body));
        found.extend(
            of_bodies.filter(|&index| is_asked(&state.contacts.contacts[state.contacts.place_of(index)])),
        );
    } else {
        found.extend(
            awake
                .iter()
                .filter(|contact| is_asked(contact))
                .map(|contact| contact.index),
        );
    }
    found.sort_unstable();
    found.dedup();
    let of = |shape: u32| state.watcher_of(shape).map(|watcher| watcher.force_threshold);
    for &index in &*found {
        let place = state.contacts.place_of(index);
        let contact = &state.contacts.contacts[place];
        let thresholds = [contact.shape_a, contact.shape_b].into_iter().filter_map(of);
        let least = thresholds
            .filter(|&newtons| newtons > 0.0)
            .fold(f32::INFINITY, f32::min);
        let hit = state.hit_event(contact, &state.contacts.cached_manifolds[place]);
        let force = hit.impulse / step.dt;
        if force > least {
            step.world.events.force.push(ForceEvent {
                shape_a: hit.shape_a,
                shape_b: hit.shape_b,
                contact: hit.contact,
                point: hit.point,
                normal: hit.normal,
                force,
                impulse: hit.impulse,
            });
        }
    }
}

/// Reports the joints whose thresholds are exceeded, by joint index, and removes those that break.
fn report_joints(step: &mut Step<'_>) {
    let (state, strained) = (&mut step.world.state, &mut step.scratch.strained);
    strained.sort_unstable();
    for &joint in &*strained {
        let sim = &state.joint_sims[joint];
        let (force, torque, broke) = (sim.force, sim.torque, sim.has(joint_flag::BREAKS));
        let bodies = [sim.body_a, sim.body_b].map(|body| state.bodies.live_id(body));
        step.world.events.joint.push(JointEvent {
            joint: state.joints.live_id(joint),
            user_key: state.joints.live(joint).user_key,
            bodies,
            force,
            torque,
            broke,
        });
        if broke {
            state.wake_joint(joint);
            state.destroy_joint(joint);
        }
    }
}

/// Reports the rigid welds whose thresholds are exceeded, by weld index, removes those that break, and creates bodies
/// for the parts that came apart, in the order of the composites' first broken welds. A world without room for those
/// bodies keeps its welds. Costs each composite that lost welds once.
fn report_rigid_welds(step: &mut Step<'_>) {
    let (state, strained) = (&mut step.world.state, &mut step.scratch.composites.strained);
    if strained.is_empty() {
        return;
    }
    strained.sort_unstable();
    let has_room = state.check_room_for_parts(strained.len()).is_ok();
    let (bodies, reported) = (&mut step.scratch.indices, &mut step.scratch.reported);
    bodies.clear();
    reported.reset(state.bodies.slot_count());
    for &weld in &*strained {
        let record = *state.rigid_welds.live(weld);
        let body = state.members.live(record.members[0]).body;
        let broke = record.breaks() && has_room;
        step.world.events.rigid_weld.push(RigidWeldEvent {
            weld: state.rigid_welds.live_id(weld),
            user_key: record.user_key,
            body: state.bodies.live_id(body),
            members: record.members.map(|member| state.members.live_id(member)),
            force: record.force,
            torque: record.torque,
            broke,
        });
        if broke {
            state.remove_rigid_weld(weld);
            // Divided once, whatever number of its welds broke.
            if reported.set(body as usize) {
                bodies.push(body);
            }
        }
    }
    for &body in &*bodies {
        state.part_composite(body);
    }
}

impl State {
    /// The event of a hard hit: at the point with the greatest impulse.
    fn hit_event(&self, contact: &Contact, cached_manifold: &CachedManifold) -> HitEvent {
        let TouchEvent {
            shape_a,
            shape_b,
            contact: id,
        } = touch_event(&self.contacts.links, &self.shapes, contact.index);
        let points = &cached_manifold.points[..contact.point_count as usize];
        let strongest = points.iter().fold(&points[0], |best, point| {
            if point.total_normal_impulse > best.total_normal_impulse {
                point
            } else {
                best
            }
        });
        let (a, b) = (&self.body_poses[contact.body_a], &self.body_poses[contact.body_b]);
        let ([on_a, on_b], _) = cached_manifold.point_now(strongest, a, b);
        HitEvent {
            shape_a,
            shape_b,
            contact: id,
            point: (0.5 * (on_a + on_b)).into(),
            normal: cached_manifold.frame.normal,
            approach_speed: cached_manifold.surface.approach_speed,
            impulse: points.iter().map(|point| point.total_normal_impulse).sum(),
        }
    }
}

/// Removes bodies whose state is not a number from the simulation; they keep their last valid pose.
fn freeze_broken_bodies(step: &mut Step<'_>) {
    let slots = step.world.state.bodies.slot_count();
    step.scratch.merge(|worker| &mut worker.broken_bodies, slots);
    let broken = &step.scratch.merged.broken_bodies;
    let state = &mut *step.world.state;
    for body in broken.iter().map(|body| body as u32) {
        state.disable(body);
        state.body_sims[body].set(flag::FROZEN, true);
        // The impulses of its joints may be NaN too: they start from zero when it is enabled again.
        state.change_joints_of(body, |state, joint| state.joint_sims[joint].forget_impulses());
        step.world.events.frozen.push(FrozenEvent {
            body: state.bodies.live_id(body),
            user_key: state.bodies.live(body).user_key,
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::{BodyDef, PhysicsWorld, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef};

    #[test]
    fn bodies_that_a_joint_froze_are_whole_when_they_are_thawed() {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let bodies = [0.0, 1.0, 2.0].map(|x| {
            let body = world.create_body(&BodyDef::dynamic(x, 0.0)).unwrap();
            let shape = Shape::new_box(0.8, 0.8).unwrap();
            world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
            body
        });
        let half = Vec2::new(0.5, 0.0);
        let joints = [0, 1].map(|i| {
            let def = RevoluteDef {
                enable_spring: true,
                spring_hertz: 1.0,
                ..RevoluteDef::new(bodies[i], half, bodies[i + 1], -half)
            };
            world.create_joint(def).unwrap()
        });
        world.step(1.0 / 60.0).unwrap();
        // Sets values that no call can produce.
        let joint = &mut world.state.joint_sims[joints[0].index()];
        joint.impulses[0].soft = f32::NAN;
        joint.impulses[2].soft = f32::INFINITY;
        world.step(1.0 / 60.0).unwrap();
        assert!(!world.events().frozen().is_empty());
        for body in bodies {
            world.body_mut(body).unwrap().set_enabled(true);
        }
        for _ in 0..100 {
            world.step(1.0 / 60.0).unwrap();
            assert_eq!(world.events().frozen(), []);
        }
        let apart = world.joint(joints[0]).unwrap().anchors();
        assert!((apart[0].to_vec2() - apart[1].to_vec2()).length() < 0.01);
    }
}
