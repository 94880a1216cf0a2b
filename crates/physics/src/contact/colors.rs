//! [`ContactColors`]: adds contacts to the constraint graph and removes them. Waking (`awake.rs`) and linking
//! (`link.rs`) use it.

use super::Contact;
use super::graph::{ConstraintEntry, ConstraintGraph, Movable, assign_color, release_color};
use crate::body::{BodyState, NONE};
use crate::persistent::PlainArray;

/// The arrays that change when a contact is added to the constraint graph or removed from it.
pub(crate) struct ContactColors<'a> {
    pub(crate) contacts: &'a mut PlainArray<Contact>,
    pub(crate) graph: &'a mut ConstraintGraph,
    pub(crate) states: &'a mut PlainArray<BodyState>,
}

impl ContactColors<'_> {
    /// Assigns a color to the touching contact at `place`, which may change the bodies `movable`: it is solved from now
    /// on.
    pub(crate) fn assign_color(&mut self, place: u32, movable: Movable) {
        let contact = &mut self.contacts[place];
        debug_assert!(contact.color == NONE, "a contact has one color");
        if movable.a.is_some() || movable.b.is_some() {
            contact.color = assign_color(self.states, movable);
            let entries = &mut self.graph.colors[contact.color as usize].contacts;
            contact.place_in_color = entries.len() as u32;
            entries.push(ConstraintEntry::new(
                place,
                [contact.body_a, contact.body_b],
                movable,
            ));
        }
    }

    /// Releases the color of the contact at `place`, which may change the bodies `movable`, if it has one.
    pub(crate) fn release_color(&mut self, place: u32, movable: Movable) {
        let contact = &mut self.contacts[place];
        let color = core::mem::replace(&mut contact.color, NONE);
        if color == NONE {
            return;
        }
        let gap = core::mem::replace(&mut contact.place_in_color, NONE);
        release_color(self.states, movable, color);
        let entries = &mut self.graph.colors[color as usize].contacts;
        let gone = entries.swap_remove(gap as usize);
        debug_assert_eq!(gone.place, place, "a contact knows its place in its color");
        if let Some(&moved) = entries.get(gap as usize) {
            debug_assert_eq!(self.contacts[moved.place].color, color, "an entry of its color");
            self.contacts[moved.place].place_in_color = gap;
        }
    }
}
