//! Joints as edges of the island graph: linking and unlinking them, and linking everything anew under another island
//! algorithm. Contacts are linked by `link.rs`.

use crate::body::flag;
use crate::island::{IslandAlgorithm, Islands};
use crate::joint::flag as joint_flag;
use crate::state::State;
use crate::state::edges::{contact_edge, joint_edge};

impl State {
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

    /// Reverts [`State::link_joint`].
    pub(crate) fn unlink_joint(&mut self, index: u32) {
        if self.joint_sims[index].has(joint_flag::LINKED) {
            self.islands
                .unlink(joint_edge(index))
                .expect("a linked joint is an edge");
            self.joint_sims[index].set(joint_flag::LINKED, false);
        }
    }

    /// Replaces the islands by those of another algorithm, with all nodes and edges that there are. All bodies are awake.
    pub(crate) fn replace_island_algorithm(&mut self, algorithm: IslandAlgorithm) {
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
        islands.make_room_for_edges(contact_edge(self.contacts.links.slot_count() as u32));
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
}
