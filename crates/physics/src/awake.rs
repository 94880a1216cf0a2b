//! Waking and sleeping: the only file that wakes bodies and puts them to sleep.
//!
//! Dynamic bodies wake and sleep by whole islands: if one is awake, so are all that it touches, directly or through
//! others. Kinematic bodies belong to no island; they are awake while they move and sleep alone. Static bodies are
//! never awake.
//!
//! An awake body is on the list of awake bodies, its contacts are among those that the narrow phase updates, and its
//! touching contacts and its joints have colors (`coloring.rs`). Box2D calls the awake and the sleeping bodies solver
//! sets, Rapier calls this activation.
//!
//! A step wakes bodies in three places: before it, what kinematic bodies will sweep into
//! (`step/continuous/swept_into.rs`); where a touch begins or ends (`link.rs`); where a joint breaks or a body is frozen
//! (`step/report.rs`). Which call wakes what is listed in `docs/extending.md#which-call-wakes-which-bodies`.

use crate::body::{BodyKind, BodyState, NONE, flag};
use crate::broad_phase::TreeKind;
use crate::prefetch::prefetch;
use crate::state::State;
use glam::Vec2;

/// The number of contacts of an island that are looked up before the first of them is moved.
const CONTACTS_AT_ONCE: usize = 64;

/// The number of contacts ahead for which the bodies are prefetched.
const PREFETCH_AHEAD: usize = 4;

impl State {
    /// Wakes a body and, if it is dynamic, its whole island. Does nothing to static, disabled and awake bodies. Cost:
    /// O(contacts and joints of all bodies that wake).
    #[inline]
    pub(crate) fn wake(&mut self, body: u32) {
        if !self.bodies.live(body).is_awake() {
            self.wake_sleeping(body);
        }
    }

    /// [`State::wake`] of a body that is not awake.
    fn wake_sleeping(&mut self, body: u32) {
        let sim = &self.body_sims[body];
        if !sim.has(flag::ENABLED) {
            return;
        }
        match sim.kind() {
            BodyKind::Static => {}
            BodyKind::Kinematic => self.wake_one(body),
            BodyKind::Dynamic => {
                let island = self
                    .islands
                    .island_of(body)
                    .expect("an enabled dynamic body has an island");
                self.islands.wake(island).expect("the island of a live node");
                self.wake_members(island);
            }
        }
    }

    /// Adds the bodies of an awake island to the list of awake bodies, one after another, each with its contacts and
    /// joints. Contacts are looked up some time before they are moved, so that their memory is fetched meanwhile.
    fn wake_members(&mut self, island: u32) {
        let (mut found, mut count) = ([0; CONTACTS_AT_ONCE], 0);
        let mut next = self.islands.nodes(island).next();
        while let Some(body) = next {
            next = self.islands.node_after(body);
            if !self.list_awake(body) {
                continue;
            }
            let mut key = self.bodies.live(body).first_contact;
            while key != NONE {
                let links = self.contacts.links.live(key >> 1);
                self.contacts.prefetch_to_wake(links.place);
                found[count] = key >> 1;
                count += 1;
                key = links.next[(key & 1) as usize];
                if count == CONTACTS_AT_ONCE {
                    self.wake_contacts(&found);
                    count = 0;
                }
            }
            if self.bodies.live(body).first_joint != NONE {
                // Which color a joint gets depends on the contacts of the bodies before it.
                self.wake_contacts(&found[..count]);
                count = 0;
                self.change_joints_of(body, State::color_joint);
            }
        }
        self.wake_contacts(&found[..count]);
    }

    /// Moves contacts of bodies that woke to those that the narrow phase updates, in this order, and colors them.
    fn wake_contacts(&mut self, indices: &[u32]) {
        for (at, &index) in indices.iter().enumerate() {
            if let Some(&later) = indices.get(at + PREFETCH_AHEAD) {
                let contact = &self.contacts.contacts[self.contacts.place_of(later)];
                prefetch(&self.body_states[contact.body_a]);
                prefetch(&self.body_states[contact.body_b]);
            }
            self.contacts.prefetch_to_give_way();
            self.wake_contact(index);
        }
    }

    /// The place of an awake body in the list of awake bodies; no place for any other.
    #[inline]
    pub(crate) fn awake_index_of(&self, body: u32) -> usize {
        self.bodies.live(body).awake_index as usize
    }

    /// Wakes a body by a call that means to move it. One that is awake begins anew to be at rest: what is done to it in
    /// every step adds up, however little it is.
    #[inline]
    pub(crate) fn rouse(&mut self, body: u32) {
        if self.bodies.live(body).is_awake() {
            // A body that does not rest is only read: most that are pushed move.
            if self.body_sims[body].sleep_time_s != 0.0 {
                self.body_sims[body].sleep_time_s = 0.0;
            }
        } else {
            // What wakes has not rested yet.
            self.wake_sleeping(body);
        }
    }

    /// Whether all that touches a body that was just woken is awake, as far as it can be: a dynamic body is of one island
    /// with the dynamic ones that it touches, so only kinematic ones may be asleep.
    #[inline]
    pub(crate) fn touches_only_awake(&self, body: u32) -> bool {
        self.body_sims[body].is_dynamic() && self.broad_phase.trees[TreeKind::Kinematic as usize].is_empty()
    }

    /// Wakes a body and all bodies that touch it or are joined to it.
    pub(crate) fn wake_touching(&mut self, body: u32) {
        self.wake(body);
        if !self.touches_only_awake(body) {
            self.change_contacts_of(body, |state, index| {
                let contact = &state.contacts.contacts[state.contacts.place_of(index)];
                if contact.is_pushing() {
                    state.wake(contact.other_body(body));
                }
            });
        }
        self.wake_joined(body);
    }

    /// Wakes all bodies that are joined to a body.
    #[inline]
    pub(crate) fn wake_joined(&mut self, body: u32) {
        self.change_joints_of(body, |state, index| {
            let joint = &state.joint_sims[index];
            if joint.is_constraint() {
                state.wake(joint.other_body(body));
            }
        });
    }

    /// Adds an enabled body that is not awake, and whose island is, to the list of awake bodies, with its contacts and joints.
    pub(crate) fn wake_one(&mut self, body: u32) {
        if self.list_awake(body) {
            self.change_contacts_of(body, State::wake_contact);
            self.change_joints_of(body, State::color_joint);
        }
    }

    /// Adds a body to the list of awake bodies. Returns whether it was not there.
    fn list_awake(&mut self, body: u32) -> bool {
        let record = self.bodies.live_mut(body);
        if record.is_awake() {
            return false;
        }
        record.awake_index = self.awake_bodies.len() as u32;
        self.awake_bodies.push(body);
        self.body_sims[body].sleep_time_s = 0.0;
        let id = self.bodies.live_id(body);
        self.pending_woken.push(id.to_bits());
        true
    }

    /// Moves a contact of a body that woke to those that the narrow phase updates, and colors it.
    fn wake_contact(&mut self, index: u32) {
        let place = self.contacts.place_of(index);
        self.contacts.move_to_awake(place, &mut self.graph);
        let place = self.contacts.place_of(index);
        let contact = &self.contacts.contacts[place];
        if contact.is_pushing() && contact.color == NONE && self.is_solved(contact.body_a, contact.body_b) {
            let movable = self.movable(contact.body_a, contact.body_b);
            self.color_contact(place, movable);
        }
    }

    /// Puts an awake body to sleep, at rest; does nothing to a body that is not awake.
    pub(crate) fn put_to_sleep(&mut self, body: u32) {
        if !self.bodies.live(body).is_awake() {
            return;
        }
        self.remove_from_awake(body);
        let colors = self.body_states[body].colors;
        self.body_states[body] = BodyState {
            colors,
            ..BodyState::default()
        };
    }

    /// Removes a body from the list of awake bodies, if it is there, with its joints and with the contacts that have no
    /// other awake body. Its velocities stay.
    pub(crate) fn remove_from_awake(&mut self, body: u32) {
        let record = self.bodies.live_mut(body);
        let hole = core::mem::replace(&mut record.awake_index, NONE);
        if hole == NONE {
            return;
        }
        let gone = self.awake_bodies.swap_remove(hole as usize);
        debug_assert_eq!(gone, body, "an awake body knows its place");
        if let Some(&moved) = self.awake_bodies.get(hole as usize) {
            self.bodies.live_mut(moved).awake_index = hole;
        }
        self.change_contacts_of(body, |state, index| {
            let place = state.contacts.place_of(index);
            let contact = &state.contacts.contacts[place];
            let other = contact.other_body(body);
            let other_dynamic_is_awake =
                state.body_sims[other].is_dynamic() && state.bodies.live(other).is_awake();
            if !(contact.is_pushing() && other_dynamic_is_awake) {
                let movable = state.movable(contact.body_a, contact.body_b);
                state.uncolor_contact(place, movable);
            }
            if !state.bodies.live(other).is_awake() {
                state.contacts.move_to_sleeping(place, &mut state.graph);
            }
        });
        self.change_joints_of(body, |state, index| {
            let joint = &state.joint_sims[index];
            let other = joint.other_body(body);
            if !state.bodies.live(other).is_awake() || !state.body_sims[other].is_dynamic() {
                state.uncolor_joint(index);
            }
        });
    }

    /// Puts a body to sleep, with its whole island if it is dynamic. Returns whether it sleeps now: see
    /// [`BodyMut::sleep`](crate::BodyMut::sleep).
    pub(crate) fn try_sleep(&mut self, body: u32) -> bool {
        if !self.bodies.live(body).is_awake() {
            return true;
        }
        if self.settings().sleeping == 0 {
            return false;
        }
        if self.body_sims[body].is_dynamic() {
            return self.put_island_of_to_sleep(body);
        }
        let may_sleep = self.body_sims[body].has(flag::ALLOW_SLEEP);
        if may_sleep {
            self.put_to_sleep_by_call(body);
        }
        may_sleep
    }

    /// Puts one awake body to sleep; the event is reported with the next step's events.
    fn put_to_sleep_by_call(&mut self, body: u32) {
        self.put_to_sleep(body);
        let id = self.bodies.live_id(body);
        self.pending_asleep.push(id.to_bits());
    }

    /// Puts the island of an awake dynamic body to sleep; parts that came apart from it stay awake. Returns whether it
    /// could: false if one of its bodies may not sleep, or is carried by a kinematic one that moves. Its one-step forces
    /// are discarded. Cost: O(island and its contacts and joints).
    fn put_island_of_to_sleep(&mut self, body: u32) -> bool {
        const LIVE: &str = "an enabled dynamic body has an island";
        let island = self.islands.island_of(body).expect(LIVE);
        self.islands.split_now(island).expect(LIVE);
        let island = self.islands.island_of(body).expect(LIVE);
        let may_sleep = |body: u32| self.body_sims[body].has(flag::ALLOW_SLEEP) && !self.is_carried(body);
        if !self.islands.nodes(island).all(may_sleep) {
            return false;
        }
        self.islands.sleep(island).expect("it was split just now");
        let mut next = self.islands.nodes(island).next();
        while let Some(body) = next {
            next = self.islands.node_after(body);
            self.forget_forces(body);
            self.put_to_sleep_by_call(body);
        }
        true
    }

    /// Whether a body touches or is joined to a kinematic one that moves: one that sleeps does not, though it may have been
    /// created with a velocity. Costs its contacts and joints.
    fn is_carried(&self, body: u32) -> bool {
        let carries = |other: u32| {
            let (sim, motion) = (&self.body_sims[other], &self.body_states[other]);
            sim.kind() == BodyKind::Kinematic
                && self.bodies.live(other).is_awake()
                && (motion.linear_velocity != Vec2::ZERO || motion.angular_velocity != 0.0)
        };
        let by_touch = self.contacts_of(body).any(|index| {
            let contact = &self.contacts.contacts[self.contacts.place_of(index)];
            contact.is_pushing() && carries(contact.other_body(body))
        });
        by_touch
            || self.joints_of(body).any(|index| {
                let joint = &self.joint_sims[index];
                joint.is_constraint() && carries(joint.other_body(body))
            })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::island::IslandAlgorithm;
    use crate::{BodyDef, BodyKind, PhysicsWorld, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef};
    use alloc::vec::Vec;

    /// A heap of boxes and discs, of which some hang on each other and some have sensors, on a floor and a lift, after some
    /// steps; what of it is slow enough is put to sleep.
    pub(crate) fn heap(seed: u64, sleeps: bool) -> PhysicsWorld {
        let mut state = seed;
        let mut below = |end: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % u64::from(end)) as u32
        };
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let shapes = [
            Shape::new_box(1.0, 1.0).unwrap(),
            Shape::circle(Vec2::ZERO, 0.5).unwrap(),
        ];
        let floor = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
        let wide = Shape::new_box(40.0, 2.0).unwrap();
        world.create_shape(floor, &ShapeDef::default(), &wide).unwrap();
        let lift = BodyDef {
            kind: BodyKind::Kinematic,
            linear_velocity: Vec2::new(0.0, 0.2),
            ..BodyDef::fixed(5.0, 0.2)
        };
        let lift = world.create_body(&lift).unwrap();
        let plate = Shape::new_box(2.0, 0.4).unwrap();
        world.create_shape(lift, &ShapeDef::default(), &plate).unwrap();
        let mut before = None;
        for i in 0..40 + below(60) {
            let (x, y) = ((i % 20) as f32 - 10.0, 0.5 + (i / 20) as f32);
            let body = world.create_body(&BodyDef::dynamic(x, y)).unwrap();
            world
                .create_shape(body, &ShapeDef::default(), &shapes[below(2) as usize])
                .unwrap();
            if below(8) == 0 {
                let sensor = ShapeDef {
                    sensor: true,
                    ..ShapeDef::default()
                };
                world.create_shape(body, &sensor, &shapes[1]).unwrap();
            }
            if let Some(before) = before.filter(|_| i % 20 > 0 && below(6) == 0) {
                let half = Vec2::new(0.5, 0.0);
                world
                    .create_joint(RevoluteDef::new(before, half, body, -half))
                    .unwrap();
            }
            before = Some(body);
        }
        for _ in 0..20 + below(60) {
            world.step(1.0 / 60.0).unwrap();
        }
        if sleeps {
            let bodies: Vec<u32> = world.state.awake_bodies.to_vec();
            world.state.body_states[lift.index()].linear_velocity = Vec2::ZERO;
            bodies.into_iter().for_each(|body| {
                world.state.try_sleep(body);
            });
        }
        world
    }

    #[test]
    fn an_island_wakes_as_if_its_bodies_woke_one_by_one() {
        let (mut most, mut joined) = (0, 0);
        for seed in 0..40 {
            let mut world = heap(seed, true);
            assert_eq!(world.state.islands.algorithm(), IslandAlgorithm::default());
            world.frame();
            for body in world.bodies().map(|body| body.id().index()).collect::<Vec<_>>() {
                let Some(island) = world.state.islands.island_of(body) else {
                    continue;
                };
                if world.state.bodies.live(body).is_awake() {
                    continue;
                }
                let contacts = world.state.contacts.awake_len();
                let mut one_by_one = world.clone();
                let state = &mut one_by_one.state;
                state.islands.wake(island).unwrap();
                for member in state.islands.nodes(island).collect::<Vec<_>>() {
                    state.wake_one(member);
                    joined += u32::from(state.bodies.live(member).first_joint != super::NONE);
                }
                world.state.wake(body);
                assert_eq!(
                    world.state_hash(),
                    one_by_one.state_hash(),
                    "seed {seed}, body {body}"
                );
                // With debug assertions it stops at a page that has changed and is not marked.
                world.frame();
                world.validate();
                most = most.max(world.state.contacts.awake_len() - contacts);
            }
        }
        assert!(
            most > 2 * super::CONTACTS_AT_ONCE && joined > 100,
            "{most} contacts, {joined} joints"
        );
    }
}
