//! [`ContactPool`]: all contacts of a world, awake ones before sleeping ones, and the colours they are solved in.
//!
//! Whoever moves a contact within the array repairs the three places that point at it; that is done here only.

use super::graph::{ConstraintGraph, Entry, Movable, give_back_colour, take_colour};
use super::{Contact, ContactDef, ContactId, ContactLinks, Patch};
use crate::body::{Body, BodySim, BodyState, NONE};
use crate::state::PlainArray;
use tombolo_handles::HandleMap;

/// All contacts of a world.
#[derive(Clone, Debug)]
pub(crate) struct ContactPool {
    /// Ids and list links, by contact index.
    pub(crate) links: HandleMap<ContactLinks>,
    /// The contacts: those of awake bodies first.
    pub(crate) contacts: PlainArray<Contact>,
    /// Their patches, place by place.
    pub(crate) patches: PlainArray<Patch>,
    /// How many contacts are awake: the narrow phase updates `contacts[..awake_count]`. One element.
    pub(crate) awake_count: PlainArray<u32>,
}

/// The arrays of bodies that linking contacts touches.
pub(crate) struct BodyArrays<'a> {
    pub(crate) bodies: &'a mut HandleMap<Body>,
    pub(crate) sims: &'a PlainArray<BodySim>,
    pub(crate) states: &'a mut PlainArray<BodyState>,
}

impl BodyArrays<'_> {
    fn body(&mut self, index: u32) -> &mut Body {
        body_mut(self.bodies, index)
    }
}

/// The record of a body that is known to live.
pub(crate) fn body_mut(bodies: &mut HandleMap<Body>, index: u32) -> &mut Body {
    let dense = bodies
        .dense_index_of_slot(index)
        .expect("internal body indices are live");
    bodies.value_at_mut(dense).expect("a dense index of a live body")
}

/// The record of a body that is known to live.
pub(crate) fn body_ref(bodies: &HandleMap<Body>, index: u32) -> &Body {
    let dense = bodies
        .dense_index_of_slot(index)
        .expect("internal body indices are live");
    bodies.value_at(dense).expect("a dense index of a live body")
}

impl ContactPool {
    /// A pool without contacts whose ids come from `links`.
    pub(crate) fn new(links: HandleMap<ContactLinks>) -> Self {
        let mut awake_count = PlainArray::default();
        awake_count.push(0);
        Self {
            links,
            contacts: PlainArray::default(),
            patches: PlainArray::default(),
            awake_count,
        }
    }

    /// The contacts that the narrow phase updates.
    pub(crate) fn awake_len(&self) -> usize {
        self.awake_count[0u32] as usize
    }

    /// The list record of a contact that is known to live.
    pub(crate) fn links_of(&self, index: u32) -> &ContactLinks {
        let dense = self
            .links
            .dense_index_of_slot(index)
            .expect("internal contact indices are live");
        self.links
            .value_at(dense)
            .expect("a dense index of a live contact")
    }

    fn links_mut(&mut self, index: u32) -> &mut ContactLinks {
        let dense = self
            .links
            .dense_index_of_slot(index)
            .expect("internal contact indices are live");
        self.links
            .value_at_mut(dense)
            .expect("a dense index of a live contact")
    }

    /// Where a contact that is known to live lies in `contacts`.
    pub(crate) fn place_of(&self, index: u32) -> u32 {
        self.links_of(index).place
    }

    /// The id of a contact that is known to live.
    pub(crate) fn id_of(&self, index: u32) -> ContactId {
        self.links
            .handle_of_slot(index)
            .expect("internal contact indices are live")
    }

    /// Adds a contact, awake or not, and hangs it into its bodies' lists. Costs O(1).
    pub(crate) fn create(
        &mut self,
        def: &ContactDef,
        awake: bool,
        graph: &mut ConstraintGraph,
        arrays: &mut BodyArrays<'_>,
    ) {
        let place = self.contacts.len() as u32;
        let links = ContactLinks {
            place,
            shapes: def.shapes,
            bodies: def.bodies,
            previous: [NONE; 2],
            next: [NONE; 2],
        };
        let index = self.links.insert(links).index();
        self.contacts.push(Contact::new(index, def));
        self.patches.push(Patch::new(def.flags));
        if awake {
            self.move_to_awake(place, graph);
        }
        for end in 0..2 {
            self.hang_in(index, end, arrays);
        }
    }

    fn hang_in(&mut self, index: u32, end: u32, arrays: &mut BodyArrays<'_>) {
        let key = index << 1 | end;
        let body = arrays.body(self.links_of(index).bodies[end as usize]);
        let head = core::mem::replace(&mut body.first_contact, key);
        body.contact_count += 1;
        if head != NONE {
            self.links_mut(head >> 1).previous[(head & 1) as usize] = key;
        }
        self.links_mut(index).next[end as usize] = head;
    }

    fn take_out(&mut self, index: u32, end: u32, arrays: &mut BodyArrays<'_>) {
        let links = *self.links_of(index);
        let (previous, next) = (links.previous[end as usize], links.next[end as usize]);
        let body = arrays.body(links.bodies[end as usize]);
        body.contact_count -= 1;
        if previous == NONE {
            body.first_contact = next;
        } else {
            self.links_mut(previous >> 1).next[(previous & 1) as usize] = next;
        }
        if next != NONE {
            self.links_mut(next >> 1).previous[(next & 1) as usize] = previous;
        }
    }

    /// Removes a contact that is in no colour any more. Costs O(1).
    pub(crate) fn destroy(&mut self, index: u32, graph: &mut ConstraintGraph, arrays: &mut BodyArrays<'_>) {
        for end in 0..2 {
            self.take_out(index, end, arrays);
        }
        self.move_to_sleeping(self.place_of(index), graph);
        let place = self.place_of(index);
        debug_assert!(
            self.contacts[place].colour == NONE,
            "unlinked before it is destroyed"
        );
        let last = self.contacts.len() as u32 - 1;
        self.swap(place, last, graph);
        self.contacts.swap_remove(last as usize);
        self.patches.swap_remove(last as usize);
        let id = self.id_of(index);
        self.links.remove(id);
    }

    /// Makes the contact at `place` one of those that the narrow phase updates, if it is not yet.
    pub(crate) fn move_to_awake(&mut self, place: u32, graph: &mut ConstraintGraph) {
        let first_asleep = self.awake_count[0u32];
        if place >= first_asleep {
            self.swap(place, first_asleep, graph);
            self.awake_count[0u32] += 1;
        }
    }

    /// Makes the contact at `place` one of those that the narrow phase passes over, if it is not yet.
    pub(crate) fn move_to_sleeping(&mut self, place: u32, graph: &mut ConstraintGraph) {
        if place < self.awake_count[0u32] {
            self.awake_count[0u32] -= 1;
            let last_awake = self.awake_count[0u32];
            self.swap(place, last_awake, graph);
        }
    }

    fn swap(&mut self, first: u32, second: u32, graph: &mut ConstraintGraph) {
        if first == second {
            return;
        }
        self.contacts.all_mut().swap(first as usize, second as usize);
        self.patches.all_mut().swap(first as usize, second as usize);
        for place in [first, second] {
            let Contact {
                index,
                colour,
                place_in_colour,
                ..
            } = self.contacts[place];
            self.links_mut(index).place = place;
            if colour != NONE {
                graph.colours[colour as usize].contacts[place_in_colour].place = place;
            }
        }
    }

    /// Gives the touching contact at `place` a colour: it is solved from now on.
    pub(crate) fn add_to_graph(
        &mut self,
        place: u32,
        graph: &mut ConstraintGraph,
        arrays: &mut BodyArrays<'_>,
    ) {
        let contact = &mut self.contacts[place];
        debug_assert!(contact.colour == NONE, "a contact has one colour");
        let movable = Movable::of(arrays.sims, contact.body_a, contact.body_b);
        if movable.a.is_none() && movable.b.is_none() {
            return;
        }
        self.patches[place].surface.both_movable = if movable.a.is_some() && movable.b.is_some() {
            1.0
        } else {
            0.0
        };
        contact.colour = take_colour(arrays.states, movable);
        let colour = &mut graph.colours[contact.colour as usize].contacts;
        contact.place_in_colour = colour.len() as u32;
        colour.push(Entry::new(place, [contact.body_a, contact.body_b], movable));
    }

    /// Takes the colour of the contact at `place` away, if it has one.
    pub(crate) fn remove_from_graph(
        &mut self,
        place: u32,
        graph: &mut ConstraintGraph,
        arrays: &mut BodyArrays<'_>,
    ) {
        let contact = &mut self.contacts[place];
        let colour = core::mem::replace(&mut contact.colour, NONE);
        if colour == NONE {
            return;
        }
        let gap = core::mem::replace(&mut contact.place_in_colour, NONE);
        let movable = Movable::of(arrays.sims, contact.body_a, contact.body_b);
        give_back_colour(arrays.states, movable, colour);
        let places = &mut graph.colours[colour as usize].contacts;
        places.swap_remove(gap as usize);
        if let Some(&moved) = places.get(gap as usize) {
            self.contacts[moved.place].place_in_colour = gap;
        }
    }
}
