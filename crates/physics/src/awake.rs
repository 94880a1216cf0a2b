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
use crate::state::State;
use glam::Vec2;

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
                let mut next = self.islands.nodes(island).next();
                while let Some(body) = next {
                    self.wake_one(body);
                    next = self.islands.node_after(body);
                }
            }
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
            self.body_sims[body].sleep_time_s = 0.0;
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
        let record = self.bodies.live_mut(body);
        if record.is_awake() {
            return;
        }
        record.awake_index = self.awake_bodies.len() as u32;
        self.awake_bodies.push(body);
        self.body_sims[body].sleep_time_s = 0.0;
        let id = self.bodies.live_id(body);
        self.pending_woken.push(id.to_bits());

        self.change_contacts_of(body, |state, index| {
            let place = state.contacts.place_of(index);
            state.contacts.move_to_awake(place, &mut state.graph);
            let place = state.contacts.place_of(index);
            let contact = &state.contacts.contacts[place];
            if contact.is_pushing()
                && contact.color == NONE
                && state.is_solved(contact.body_a, contact.body_b)
            {
                let movable = state.movable(contact.body_a, contact.body_b);
                state.color_contact(place, movable);
            }
        });
        self.change_joints_of(body, State::color_joint);
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
