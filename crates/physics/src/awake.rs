//! Waking and sleeping: the only file that wakes bodies and puts them to sleep.
//!
//! Dynamic bodies wake and sleep by whole islands: if one is awake, so are all that it touches, directly or through
//! others. Kinematic bodies belong to no island; they are awake while they move and sleep alone. Static bodies are
//! never awake.
//!
//! An awake body is on the list of awake bodies, its contacts are among those that the narrow phase updates, and its
//! touching contacts and its joints have colors. A body is woken by a call that moves or pushes it, by an awake body
//! that begins to touch it, and when a body that it rests on is removed.

use crate::body::{BodyState, NONE};
use crate::contact::colors::ContactColors;
use crate::contact::graph::{ConstraintEntry, Movable, assign_color, release_color};
use crate::island::{IslandAlgorithm, Islands};
use crate::joint::flag as joint_flag;
use crate::state::State;
use crate::state::edges::{contact_edge, joint_edge};
use crate::{BodyKind, body::flag};
use glam::Vec2;

impl State {
    /// Wakes a body and, if it is dynamic, its whole island. Does nothing to static, disabled and awake bodies. Cost:
    /// O(contacts and joints of all bodies that wake).
    pub(crate) fn wake(&mut self, body: u32) {
        let sim = &self.body_sims[body];
        if !sim.has(flag::ENABLED) || self.bodies.live(body).is_awake() {
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

    /// Wakes a body and all bodies that touch it or are joined to it.
    pub(crate) fn wake_touching(&mut self, body: u32) {
        self.wake(body);
        self.change_contacts_of(body, |state, index| {
            let contact = &state.contacts.contacts[state.contacts.place_of(index)];
            if contact.is_pushing() {
                state.wake(contact.other_body(body));
            }
        });
        self.change_joints_of(body, |state, index| {
            let joint = &state.joint_sims[index];
            if joint.is_constraint() {
                state.wake(joint.other_body(body));
            }
        });
    }

    /// Adds an enabled body that is not awake to the list of awake bodies, with its contacts and joints.
    fn wake_one(&mut self, body: u32) {
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

    /// Whether constraints between two bodies are solved: one of them is dynamic and awake.
    fn is_solved(&self, a: u32, b: u32) -> bool {
        [a, b]
            .iter()
            .any(|&body| self.body_sims[body].is_dynamic() && self.bodies.live(body).is_awake())
    }

    /// Removes a body from the list of awake bodies, with its joints and with the contacts that have no other awake
    /// body. Velocities become zero if `rest`.
    pub(crate) fn put_to_sleep(&mut self, body: u32, rest: bool) {
        let record = self.bodies.live_mut(body);
        let gap = core::mem::replace(&mut record.awake_index, NONE);
        if gap == NONE {
            return;
        }
        let gone = self.awake_bodies.swap_remove(gap as usize);
        debug_assert_eq!(gone, body, "an awake body knows its place");
        if let Some(&moved) = self.awake_bodies.get(gap as usize) {
            self.bodies.live_mut(moved).awake_index = gap;
        }
        if rest {
            let colors = self.body_states[body].colors;
            self.body_states[body] = BodyState {
                colors,
                ..BodyState::default()
            };
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

    /// Puts one awake body to sleep; the event is reported with the next step's events.
    pub(crate) fn put_to_sleep_by_call(&mut self, body: u32) {
        self.put_to_sleep(body, true);
        let id = self.bodies.live_id(body);
        self.pending_asleep.push(id.to_bits());
    }

    /// Puts the island of an awake dynamic body to sleep; parts that came apart from it stay awake. Returns whether it
    /// could: false if one of its bodies may not sleep, or is carried by a kinematic one that moves. Its one-step forces
    /// are discarded. Cost: O(island and its contacts and joints).
    pub(crate) fn put_island_of_to_sleep(&mut self, body: u32) -> bool {
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

    /// Whether a body touches or is joined to a kinematic one that moves. Costs its contacts and joints.
    fn is_carried(&self, body: u32) -> bool {
        let carries = |other: u32| {
            let (sim, motion) = (&self.body_sims[other], &self.body_states[other]);
            sim.kind() == BodyKind::Kinematic
                && sim.has(flag::ENABLED)
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

    /// Assigns a color to the touching contact at `place`: it is solved from now on.
    fn color_contact(&mut self, place: u32, movable: Movable) {
        self.colors().assign_color(place, movable);
    }

    /// Releases the color of the contact at `place`, if it has one.
    fn uncolor_contact(&mut self, place: u32, movable: Movable) {
        self.colors().release_color(place, movable);
    }

    fn colors(&mut self) -> ContactColors<'_> {
        ContactColors {
            contacts: &mut self.contacts.contacts,
            graph: &mut self.graph,
            states: &mut self.body_states,
        }
    }

    /// Assigns a color to a joint, if it is a constraint and has none, both its bodies are enabled and one of them is
    /// dynamic and awake: it is solved from now on.
    pub(crate) fn color_joint(&mut self, index: u32) {
        let joint = &self.joint_sims[index];
        let enabled = |body: u32| self.body_sims[body].has(flag::ENABLED);
        let (a, b) = (joint.body_a, joint.body_b);
        if joint.color != NONE || !enabled(a) || !enabled(b) || !self.is_solved(a, b) {
            return;
        }
        let Some(kind) = joint.block_kind() else {
            return;
        };
        let movable = self.movable(a, b);
        let color = assign_color(&mut self.body_states, movable);
        let indices = &mut self.graph.colors[color as usize].joints[kind];
        let joint = &mut self.joint_sims[index];
        joint.color = color;
        joint.place_in_color = indices.len() as u32;
        indices.push(ConstraintEntry::new(index, [a, b], movable));
    }

    /// Releases a joint's color, if it has one.
    pub(crate) fn uncolor_joint(&mut self, index: u32) {
        let joint = &mut self.joint_sims[index];
        let color = core::mem::replace(&mut joint.color, NONE);
        if color == NONE {
            return;
        }
        let gap = core::mem::replace(&mut joint.place_in_color, NONE);
        let kind = joint.block_kind().expect("what has a color is a constraint");
        let (a, b) = (joint.body_a, joint.body_b);
        let movable = self.movable(a, b);
        release_color(&mut self.body_states, movable, color);
        let indices = &mut self.graph.colors[color as usize].joints[kind];
        let gone = indices.swap_remove(gap as usize);
        debug_assert_eq!(gone.place, index, "a joint knows its place in its color");
        if let Some(&moved) = indices.get(gap as usize) {
            self.joint_sims[moved.place].place_in_color = gap;
        }
    }

    /// Wakes a constraint's bodies if either is awake, and links them in the island graph if both are dynamic and
    /// enabled.
    pub(crate) fn link_joint(&mut self, index: u32) {
        let joint = &self.joint_sims[index];
        let (a, b) = (joint.body_a, joint.body_b);
        if joint.has(joint_flag::LINKED) || !joint.is_constraint() {
            return;
        }
        if self.bodies.live(a).is_awake() || self.bodies.live(b).is_awake() {
            self.wake(a);
            self.wake(b);
        }
        let fit = |body: u32| self.body_sims[body].is_dynamic() && self.body_sims[body].has(flag::ENABLED);
        if !fit(a) || !fit(b) {
            return;
        }
        self.islands
            .link(joint_edge(index), a, b)
            .expect("both bodies have nodes and are awake or asleep alike");
        self.joint_sims[index].set(joint_flag::LINKED, true);
    }

    /// Switches to another island algorithm. All bodies are awake.
    pub(crate) fn find_islands_with(&mut self, algorithm: IslandAlgorithm) {
        const FRESH: &str = "nodes and edges are new to the islands, and all awake";
        let mut islands = Islands::new(algorithm);
        let is_node =
            |body: u32| self.body_sims[body].is_dynamic() && self.body_sims[body].has(flag::ENABLED);
        for body in self
            .bodies
            .handles()
            .map(|id| id.index())
            .filter(|&body| is_node(body))
        {
            islands.add_node(body).expect(FRESH);
        }
        for index in self.contacts.links.handles().map(|id| id.index()) {
            let contact = &self.contacts.contacts[self.contacts.place_of(index)];
            if contact.is_pushing() && is_node(contact.body_a) && is_node(contact.body_b) {
                islands
                    .link(contact_edge(index), contact.body_a, contact.body_b)
                    .expect(FRESH);
            }
        }
        for index in self.joints.handles().map(|id| id.index()) {
            let joint = &self.joint_sims[index];
            if joint.has(joint_flag::LINKED) {
                islands
                    .link(joint_edge(index), joint.body_a, joint.body_b)
                    .expect(FRESH);
            }
        }
        self.islands = islands;
    }

    /// Reverts [`State::link_joint`].
    pub(crate) fn unlink_joint(&mut self, index: u32) {
        if self.joint_sims[index].has(joint_flag::LINKED) {
            self.islands
                .unlink(joint_edge(index))
                .expect("a linked joint is an edge");
            self.joint_sims[index].set(joint_flag::LINKED, false);
        }
    }
}
