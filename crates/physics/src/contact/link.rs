//! What beginning and ending touch means for everyone else: islands, colours, waking, events.

use super::flag;
use crate::awake::contact_edge;
use crate::contact::pool::BodyArrays;
use crate::events::TouchEvent;
use crate::state::State;

impl State {
    /// The two shapes and the id of a contact, as an event names them.
    pub(crate) fn touch_event(&self, index: u32) -> TouchEvent {
        let [a, b] = self.contacts.links_of(index).shapes;
        let shape = |shape: u32| {
            self.shapes
                .handle_of_slot(shape)
                .expect("contacts have live shapes")
        };
        TouchEvent {
            shape_a: shape(a),
            shape_b: shape(b),
            contact: self.contacts.id_of(index),
        }
    }

    /// A contact's shapes have begun to touch: the islands become one, whoever slept wakes, the contact is solved.
    pub(crate) fn begin_touch(&mut self, index: u32) {
        let place = self.contacts.place_of(index);
        let contact = &mut self.contacts.contacts[place];
        debug_assert!(!contact.is_touching(), "begin and end come in turns");
        contact.flags |= flag::TOUCHING;
        let (a, b) = (contact.body_a, contact.body_b);
        self.wake(a);
        self.wake(b);
        if self.body_sims[a].is_dynamic() && self.body_sims[b].is_dynamic() {
            self.islands
                .link(contact_edge(index), a, b)
                .expect("both bodies have nodes and are awake");
        }
        // Waking may have moved the contact, or coloured it already.
        let place = self.contacts.place_of(index);
        if self.contacts.contacts[place].colour == crate::body::NONE {
            self.colour_contact(place);
        }
    }

    /// A contact's shapes have ended touching: it is solved no more, the island may come apart, and whoever rested on
    /// the other wakes. The end is reported with the events of the step.
    pub(crate) fn end_touch(&mut self, index: u32) {
        let place = self.contacts.place_of(index);
        let contact = &mut self.contacts.contacts[place];
        debug_assert!(contact.is_touching(), "begin and end come in turns");
        contact.flags &= !flag::TOUCHING;
        let (a, b) = (contact.body_a, contact.body_b);
        if contact.flags & flag::EVENTS != 0 {
            let event = self.touch_event(index);
            self.pending_ends.push(event.into());
        }
        self.wake(a);
        self.wake(b);
        self.uncolour_contact(self.contacts.place_of(index));
        if self.body_sims[a].is_dynamic() && self.body_sims[b].is_dynamic() {
            self.islands
                .unlink(contact_edge(index))
                .expect("a touching contact is an edge");
        }
    }

    /// Removes a contact, ending its touch first.
    pub(crate) fn destroy_contact(&mut self, index: u32) {
        if self.contacts.contacts[self.contacts.place_of(index)].is_touching() {
            self.end_touch(index);
        }
        let Self {
            contacts,
            graph,
            bodies,
            body_sims,
            body_states,
            ..
        } = self;
        contacts.destroy(
            index,
            graph,
            &mut BodyArrays {
                bodies,
                sims: body_sims,
                states: body_states,
            },
        );
    }
}
