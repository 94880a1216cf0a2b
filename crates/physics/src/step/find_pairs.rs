//! Stage 1, find pairs: parallel search for boxes that overlap since the last step, then contacts in sorted order.

use super::Step;
use crate::contact::ContactDef;
use crate::contact::pool::body_ref;
use crate::state::State;

pub(crate) fn find_pairs(step: &mut Step<'_>) {
    let pairs = &mut step.scratch.pairs;
    pairs.clear();
    // The search reads the bodies and the contacts that there are, and changes only the trees' own marks.
    let mut broad_phase = core::mem::take(&mut step.world.state.broad_phase);
    let state = &step.world.state;
    let known = |a: u32, b: u32| state.has_contact(a, b);
    let allowed =
        |a: u32, b: u32| !state.joint_keeps_apart(state.shape_links[a].body, state.shape_links[b].body);
    broad_phase.find_pairs(step.executor, &known, &allowed, pairs);
    step.world.state.broad_phase = broad_phase;
    for pair in pairs {
        step.world.state.create_contact(pair.shape_a, pair.shape_b);
    }
}

impl State {
    /// Whether there is a contact between two shapes. Costs the shorter of the two bodies' lists.
    fn has_contact(&self, shape_a: u32, shape_b: u32) -> bool {
        let bodies = [self.shape_links[shape_a].body, self.shape_links[shape_b].body];
        let [count_a, count_b] = bodies.map(|body| body_ref(&self.bodies, body).contact_count);
        let few = if count_a <= count_b { bodies[0] } else { bodies[1] };
        self.contacts_of(few)
            .any(|index| self.contacts.links_of(index).shapes == [shape_a, shape_b])
    }

    /// Makes a contact, awake if one of its bodies is.
    fn create_contact(&mut self, shape_a: u32, shape_b: u32) {
        let pair = [self.shape_links[shape_a].body, self.shape_links[shape_b].body];
        let [a, b] = [shape_a, shape_b].map(|shape| self.shape_record(shape).contact_flags());
        let awake = pair.iter().any(|&body| body_ref(&self.bodies, body).is_awake());
        let Self {
            contacts,
            graph,
            bodies,
            shape_links,
            ..
        } = self;
        let def = ContactDef {
            shapes: [shape_a, shape_b],
            bodies: pair,
            proxies: [shape_a, shape_b].map(|shape| shape_links[shape].proxy),
            flags: a | b,
        };
        contacts.create(&def, awake, graph, bodies);
    }
}
