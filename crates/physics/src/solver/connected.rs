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

/// The bodies that are solved in more substeps, by groups. Rebuilt in each step.
#[derive(Debug, Default)]
pub(crate) struct ConnectedSets {
    /// The extra substeps of each group; all different, in descending order.
    extras: Vec<u32>,
    /// The group of each awake body, in the order of their list; [`NONE`] for most. Not valid if there are no groups.
    groups: Vec<u32>,
    /// Awake kinematic bodies, which are in no set but move within the substeps of each group. Not valid if there are
    /// no groups.
    kinematic: Vec<u32>,
    /// The awake dynamic bodies that have extra substeps, with their number, the greatest first: the search begins at
    /// each of them.
    starts: Vec<(Reverse<u32>, u32)>,
    /// Bodies that were found and whose constraints are still to be followed.
    found: Vec<u32>,
}

impl ConnectedSets {
    /// Finds the sets. Cost: O(their bodies and constraints, the awake bodies, the bodies that have extra substeps); nothing
    /// without such bodies.
    pub(crate) fn find(&mut self, state: &State) {
        self.extras.clear();
        if state.extra_substeps.is_empty() {
            return;
        }
        self.find_starts(state);
        if self.starts.is_empty() {
            return;
        }
        self.groups.clear();
        self.groups.resize(state.awake_bodies.len(), NONE);
        for i in 0..self.starts.len() {
            let (Reverse(extra), body) = self.starts[i];
            if self.groups[state.awake_index_of(body)] == NONE {
                if self.extras.last() != Some(&extra) {
                    self.extras.push(extra);
                }
                self.add_connected(state, body);
            }
        }
        self.find_kinematic(state);
    }

    /// Bodies with the most extra substeps go first, so a body that was found stays in the group in which it was found.
    fn find_starts(&mut self, state: &State) {
        let is_solved = |body: u32| state.bodies.live(body).is_awake() && state.body_sims[body].is_dynamic();
        let entries = state.extra_substeps.iter().filter(|entry| is_solved(entry.body));
        self.starts.clear();
        self.starts
            .extend(entries.map(|entry| (Reverse(entry.extra), entry.body)));
        self.starts.sort_unstable();
    }

    fn find_kinematic(&mut self, state: &State) {
        let is_kinematic = |body: &u32| state.body_sims[*body].kind() == BodyKind::Kinematic;
        self.kinematic.clear();
        self.kinematic
            .extend(state.awake_bodies.iter().copied().filter(is_kinematic));
    }

    /// Adds a body, and all that are connected with it, to the last group.
    fn add_connected(&mut self, state: &State, body: u32) {
        let group = self.extras.len() as u32 - 1;
        let Self { groups, found, .. } = self;
        groups[state.awake_index_of(body)] = group;
        found.push(body);
        while let Some(body) = found.pop() {
            let mut reach = |color: u32, other: u32| {
                if color == NONE || !state.body_sims[other].is_dynamic() {
                    return;
                }
                // What is solved moves two awake bodies, or one.
                let found_in = &mut groups[state.awake_index_of(other)];
                if *found_in == NONE {
                    *found_in = group;
                    found.push(other);
                }
            };
            for index in state.contacts_of(body) {
                let contact = &state.contacts.contacts[state.contacts.place_of(index)];
                reach(contact.color, contact.other_body(body));
            }
            for index in state.joints_of(body) {
                let joint = &state.joint_sims[index];
                reach(joint.color, joint.other_body(body));
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

    /// The group of an awake body, if it is in one.
    pub(crate) fn group_of(&self, state: &State, body: u32) -> Option<usize> {
        if self.extras.is_empty() {
            return None;
        }
        let group = self.groups[state.awake_index_of(body)];
        (group != NONE).then_some(group as usize)
    }

    /// The extra substeps in which an awake body is solved.
    pub(crate) fn extra_of(&self, state: &State, body: u32) -> u32 {
        self.group_of(state, body).map_or(0, |group| self.extras[group])
    }

    /// The awake kinematic bodies, for when there are groups.
    pub(crate) fn kinematic(&self) -> &[u32] {
        &self.kinematic
    }
}
