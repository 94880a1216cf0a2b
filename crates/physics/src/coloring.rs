//! Coloring: adds contacts and joints to the constraint graph, where `assign_color` in `contact/graph.rs` picks their
//! color, so that they are solved, and removes them.
//!
//! A constraint is solved while one of its bodies is dynamic and awake. Waking (`awake.rs`) colors, and so do the calls
//! that create joints and enable bodies.

use crate::body::{NONE, flag};
use crate::contact::colors::ContactColors;
use crate::contact::graph::{ConstraintEntry, Movable, assign_color, release_color};
use crate::state::State;

impl State {
    /// Whether constraints between two bodies are solved: one of them is dynamic and awake.
    pub(crate) fn is_solved(&self, a: u32, b: u32) -> bool {
        [a, b]
            .iter()
            .any(|&body| self.body_sims[body].is_dynamic() && self.bodies.live(body).is_awake())
    }

    /// Assigns a color to the touching contact at `place`: it is solved from now on.
    pub(crate) fn color_contact(&mut self, place: u32, movable: Movable) {
        self.colors().assign_color(place, movable);
    }

    /// Releases the color of the contact at `place`, if it has one.
    pub(crate) fn uncolor_contact(&mut self, place: u32, movable: Movable) {
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
        let Some(kind) = joint.block_index() else {
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
        let hole = core::mem::replace(&mut joint.place_in_color, NONE);
        let kind = joint.block_index().expect("what has a color is a constraint");
        let (a, b) = (joint.body_a, joint.body_b);
        let movable = self.movable(a, b);
        release_color(&mut self.body_states, movable, color);
        let indices = &mut self.graph.colors[color as usize].joints[kind];
        let gone = indices.swap_remove(hole as usize);
        debug_assert_eq!(gone.place, index, "a joint knows its place in its color");
        if let Some(&moved) = indices.get(hole as usize) {
            self.joint_sims[moved.place].place_in_color = hole;
        }
    }
}
