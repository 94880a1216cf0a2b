//! The stage find pairs: parallel search for boxes that overlap since the last step, then contacts in sorted order.
//!
//! Which pairs get no contact, and why, is in `objects/should_collide.rs`. The data of new contacts is looked up in
//! parallel too; `objects/contacts.rs` creates the contacts from it. Where no box has changed the stage does nothing.

use super::lent::Lent;
use super::stage::Step;
use crate::body::{BodyKind, NONE};
use crate::broad_phase::Pair;
use crate::contact::{ContactDef, flag, flags_asked_by};
use crate::state::State;
use crate::state::edges::contact_edge;
use core::mem::swap;
use tombolo_threads::parallel_chunks;

/// The number of new contacts whose data is looked up in one block of work: a few microseconds.
const CONTACTS_PER_BLOCK: usize = 64;

pub(crate) fn find_pairs(step: &mut Step<'_>) {
    let pairs = &mut step.scratch.pairs;
    pairs.clear();
    if !step.world.state.broad_phase.has_changed() {
        return;
    }
    // The search reads bodies and existing contacts, and changes only the trees' own marks.
    let mut lent = Lent::of(step.world.state, |state, broad_phase| {
        swap(&mut state.broad_phase, broad_phase)
    });
    let (state, broad_phase) = lent.split();
    let callbacks = step.world.callbacks;
    // Two shapes that slept while their boxes parted still have their contact when the boxes overlap again. A contact
    // with an awake body has been updated since, unless the body woke after that.
    let none_woke = step.scratch.none_woke_late && state.pending_woken.is_empty();
    let should_collide = |a: u32, b: u32, did_overlap: bool| {
        let bodies = [a, b].map(|shape| state.shape_links[shape].body);
        let is_awake = || bodies.iter().any(|&body| state.bodies.live(body).is_awake());
        let may_have_contact = did_overlap || !none_woke || !is_awake();
        debug_assert!(
            may_have_contact || state.contact_of([a, b], bodies).is_none(),
            "a contact was not looked at"
        );
        !(may_have_contact && state.contact_of([a, b], bodies).is_some())
            && state.should_collide(callbacks, [a, b])
    };
    broad_phase.find_pairs(step.executor, &should_collide, pairs);
    drop(lent);

    let (state, pairs, defs) = (&*step.world.state, &*pairs, &mut step.scratch.new_contacts);
    defs.clear();
    defs.resize(pairs.len(), ContactDef::default());
    parallel_chunks(step.executor, defs, CONTACTS_PER_BLOCK, &|_, first, block| {
        for (def, pair) in block.iter_mut().zip(&pairs[first..]) {
            *def = state.contact_def(*pair);
        }
    });
    let State {
        contacts,
        graph,
        bodies,
        islands,
        ..
    } = &mut *step.world.state;
    contacts.create(step.executor, defs, graph, bodies);
    // Where thousands of contacts sleep, the first two bodies that touch have the last contact.
    islands.make_room_for_edges(contact_edge(contacts.links.slot_count() as u32));
}

impl State {
    /// The contact of two shapes, the lower first, of two bodies. Cost: O(the shorter of the bodies' lists).
    pub(crate) fn contact_of(&self, shapes: [u32; 2], bodies: [u32; 2]) -> Option<u32> {
        let [count_a, count_b] = bodies.map(|body| self.bodies.live(body).contact_count);
        let few = if count_a <= count_b { bodies[0] } else { bodies[1] };
        if count_a.min(count_b) == 0 {
            return None;
        }
        self.contacts_of(few)
            .find(|&index| self.contacts.links.live(index).shapes == shapes)
    }

    /// The definition of the contact of two shapes; awake if one of its bodies is.
    fn contact_def(&self, pair: Pair) -> ContactDef {
        let shapes = [pair.shape_a, pair.shape_b];
        let links = shapes.map(|shape| &self.shape_links[shape]);
        let bodies = links.map(|link| link.body);
        let [a, b] = shapes.map(|shape| flags_asked_by(self.shapes.live(shape)));
        let is_static = bodies.map(|body| self.body_sims[body].kind() == BodyKind::Static);
        let kinds = [flag::STATIC_A, flag::STATIC_B].into_iter().zip(is_static);
        let kinds = kinds.fold(0, |flags, (bit, set)| if set { flags | bit } else { flags });
        ContactDef {
            shapes,
            bodies,
            proxies: links.map(|link| link.proxy),
            flags: a | b | kinds | self.recycling_flag(bodies) | self.rule_flags(shapes),
            awake: bodies.iter().any(|&body| self.bodies.live(body).is_awake()),
            index: NONE,
        }
    }
}
