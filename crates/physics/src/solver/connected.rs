//! [`ConnectedSets`]: the awake bodies that are solved in more substeps than the world's, because they are connected
//! with a body that has extra substeps.
//!
//! Two bodies are connected if a constraint that is solved in this step, a touching contact or a joint, may change
//! both. So each constraint is in one set or in none, sets share no body that a constraint may change, and membership
//! depends neither on islands, which may be larger, nor on where the search began. Sets of equal numbers of substeps
//! are solved together, as *one group*.
//!
//! Sets are found anew in each step; without bodies that have extra substeps the search costs nothing.

use crate::body::{BodyKind, NONE};
use crate::state::State;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// The group of bodies that are in no connected set.
const NO_GROUP: u32 = 0;

/// The bodies that are solved in more substeps, by groups. Rebuilt in each step.
#[derive(Debug, Default)]
pub(crate) struct ConnectedSets {
    /// The extra substeps of each group; all different, in descending order.
    extras: Vec<u32>,
    /// One more than the group of each body, by body index; [`NO_GROUP`] for most. Not valid if there are no groups.
    groups: Vec<u32>,
    /// Awake kinematic bodies; empty if there are no groups.
    kinematic: Vec<u32>,
    /// The bodies that have extra substeps, the greatest number first.
    asking: Vec<(Reverse<u32>, u32)>,
    /// Bodies that were found and whose constraints are still to be followed.
    found: Vec<u32>,
}

impl ConnectedSets {
    /// Finds the sets. Cost: O(their bodies and constraints, the awake bodies), and one number for each body of the
    /// world; nothing without bodies that have extra substeps.
    pub(crate) fn find(&mut self, state: &State) {
        self.extras.clear();
        if state.extra_substeps.is_empty() {
            return;
        }
        let asks = |body: u32| {
            let is_awake = state.bodies.live(body).is_awake();
            is_awake && state.body_sims[body].is_dynamic()
        };
        self.asking.clear();
        let asking = state.extra_substeps.iter().filter(|asking| asks(asking.body));
        self.asking
            .extend(asking.map(|asking| (Reverse(asking.extra), asking.body)));
        if self.asking.is_empty() {
            return;
        }
        // Bodies with the most extra substeps go first, so a body that was found stays in the group in which it was
        // found.
        self.asking.sort_unstable();
        self.groups.clear();
        self.groups.resize(state.body_states.len(), NO_GROUP);
        for i in 0..self.asking.len() {
            let (Reverse(extra), body) = self.asking[i];
            if self.groups[body as usize] == NO_GROUP {
                if self.extras.last() != Some(&extra) {
                    self.extras.push(extra);
                }
                self.add_connected(state, body);
            }
        }
        let is_kinematic = |body: &u32| state.body_sims[*body].kind() == BodyKind::Kinematic;
        self.kinematic.clear();
        self.kinematic
            .extend(state.awake_bodies.iter().copied().filter(is_kinematic));
    }

    /// Adds a body, and all that are connected with it, to the last group.
    fn add_connected(&mut self, state: &State, body: u32) {
        let group = self.extras.len() as u32;
        let Self { groups, found, .. } = self;
        groups[body as usize] = group;
        found.push(body);
        while let Some(body) = found.pop() {
            let mut reach = |color: u32, bodies: [u32; 2]| {
                let other = bodies[0] ^ bodies[1] ^ body;
                if color != NONE && state.body_sims[other].is_dynamic() && groups[other as usize] == NO_GROUP
                {
                    groups[other as usize] = group;
                    found.push(other);
                }
            };
            for index in state.contacts_of(body) {
                let contact = &state.contacts.contacts[state.contacts.place_of(index)];
                reach(contact.color, [contact.body_a, contact.body_b]);
            }
            for index in state.joints_of(body) {
                let joint = &state.joint_sims[index];
                reach(joint.color, [joint.body_a, joint.body_b]);
            }
        }
    }

    /// Whether no body is solved in more substeps.
    pub(crate) fn is_empty(&self) -> bool {
        self.extras.is_empty()
    }

    /// The extra substeps of each group.
    pub(crate) fn extras(&self) -> &[u32] {
        &self.extras
    }

    /// The group of a body, if it is in one.
    pub(crate) fn group_of(&self, body: u32) -> Option<usize> {
        if self.extras.is_empty() {
            return None;
        }
        (self.groups[body as usize] as usize).checked_sub(1)
    }

    /// The awake kinematic bodies: they move within the substeps of each group.
    pub(crate) fn kinematic(&self) -> &[u32] {
        &self.kinematic
    }
}
