//! Applies the changes of touch that the narrow phase found: to islands, colors, sleep and events.
//!
//! The narrow phase writes a [`TouchChange`] for each contact that begins or ends touching, or is removed: one entry with
//! all the data that applying needs, written while the contact is in the cache. Two tasks that have no array in common
//! then apply the entries in order: [`ContactColors`] to the constraint graph, [`IslandTask`] to islands, lists and
//! events. Contacts are moved within their array after both, and bodies are woken between two runs of entries.

use crate::BodyKind;
use crate::body::{Body, NONE, flag as body_flag};
use crate::contact::colors::ContactColors;
use crate::contact::graph::Movable;
use crate::contact::pool::{delist_contact, neighbors};
use crate::contact::{Contact, ContactLinks, flag};
use crate::events::{PlainTouch, TouchEvent};
use crate::island::{Islands, NewEdge};
use crate::persistent::{PlainArray, PlainMap};
use crate::prefetch::prefetch;
use crate::shape::ShapeRecord;
use crate::state::State;
use crate::state::edges::contact_edge;
use alloc::vec::Vec;
use tombolo_threads::{Executor, Inline, parallel_chunks};

/// The number of changes ahead for which a task prefetches memory.
const PREFETCH_AHEAD: usize = 8;

/// The number of changes below which two tasks cost more than they save.
const CHANGES_TO_DIVIDE: usize = 128;

/// The number of consecutive new edges from which on they are linked at once.
const EDGES_TO_LINK_AT_ONCE: usize = 32;

/// The number of contacts of a body that are removed at once.
const REMOVED_AT_ONCE: usize = 16;

/// A contact that begins or ends touching, or is removed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TouchChange {
    /// The contact.
    pub(crate) index: u32,
    /// The contact's place in the array of contacts.
    place: u32,
    /// Its two bodies.
    bodies: [u32; 2],
    /// Bits of [`fact`].
    facts: u32,
}

/// Bits of [`TouchChange::facts`].
mod fact {
    /// The contact begins to touch.
    pub(super) const BEGINS: u32 = 1 << 0;
    /// The contact ends touching.
    pub(super) const ENDS: u32 = 1 << 1;
    /// The contact is removed.
    pub(super) const REMOVED: u32 = 1 << 2;
    /// The beginning and the end are reported.
    pub(super) const REPORTED: u32 = 1 << 3;
    /// The first body is dynamic, and pushed.
    pub(super) const MOVABLE_A: u32 = 1 << 4;
    /// The second body is dynamic, and pushed.
    pub(super) const MOVABLE_B: u32 = 1 << 5;
    /// Touch begins or ends, and one of the bodies sleeps.
    pub(super) const WAKES: u32 = 1 << 6;
}

impl TouchChange {
    /// An empty change, for tests that read only the index.
    #[cfg(test)]
    pub(crate) fn of(index: u32) -> Self {
        Self {
            index,
            ..Self::default()
        }
    }

    fn has_any(&self, facts: u32) -> bool {
        self.facts & facts != 0
    }

    fn movable(&self) -> Movable {
        let [a, b] = self.bodies;
        Movable {
            a: self.has_any(fact::MOVABLE_A).then_some(a),
            b: self.has_any(fact::MOVABLE_B).then_some(b),
        }
    }

    /// Whether both bodies are dynamic: then a touching contact is an edge of the island graph.
    pub(crate) fn is_edge(&self) -> bool {
        self.facts & (fact::MOVABLE_A | fact::MOVABLE_B) == fact::MOVABLE_A | fact::MOVABLE_B
    }

    pub(crate) fn begins(&self) -> bool {
        self.has_any(fact::BEGINS)
    }

    fn is_reported_beginning(&self) -> bool {
        self.begins() && self.has_any(fact::REPORTED)
    }
}

impl State {
    /// The change of the awake contact at `place`, whose touch begins or ends, or whose boxes parted if it `is_removed`.
    pub(crate) fn touch_change_of(&self, contact: &Contact, place: u32, is_removed: bool) -> TouchChange {
        let mut change = self.change(contact, place, is_removed);
        if contact.flags & flag::SENSOR != 0 {
            return change;
        }
        let is_kinematic = |&body: &u32| self.body_sims[body].kind() == BodyKind::Kinematic;
        // An awake contact has an awake body. The other is awake too, if it is in the first one's island, or static.
        let one_may_sleep = change.begins() && change.is_edge() || change.bodies.iter().any(is_kinematic);
        if one_may_sleep && self.touch_wakes(&change) {
            change.facts |= fact::WAKES;
        }
        change
    }

    fn change(&self, contact: &Contact, place: u32, is_removed: bool) -> TouchChange {
        let bodies = [contact.body_a, contact.body_b];
        let pushes = contact.flags & flag::SENSOR == 0;
        let [movable_a, movable_b] = bodies.map(|body| pushes && self.body_sims[body].is_dynamic());
        // A touch whose beginning was reported has its end reported, whatever settings changed since.
        let reported = if contact.is_touching() {
            flag::REPORTED
        } else {
            flag::EVENTS
        };
        let facts = [
            (fact::BEGINS, !is_removed && !contact.is_touching()),
            (fact::ENDS, contact.is_touching()),
            (fact::REMOVED, is_removed),
            (fact::REPORTED, contact.flags & reported != 0),
            (fact::MOVABLE_A, movable_a),
            (fact::MOVABLE_B, movable_b),
        ];
        TouchChange {
            index: contact.index,
            place,
            bodies,
            facts: facts
                .iter()
                .fold(0, |facts, &(fact, holds)| facts | if holds { fact } else { 0 }),
        }
    }

    /// Whether touch begins or ends, and one of the bodies sleeps.
    fn touch_wakes(&self, change: &TouchChange) -> bool {
        let sleeps = |&body: &u32| {
            let sim = &self.body_sims[body];
            sim.kind() != BodyKind::Static
                && sim.has(body_flag::ENABLED)
                && !self.bodies.live(body).is_awake()
        };
        change.has_any(fact::BEGINS | fact::ENDS) && change.bodies.iter().any(sleeps)
    }

    /// Applies changes in their order; contacts whose beginning is reported are appended to `begun`.
    pub(crate) fn apply_changes(
        &mut self,
        executor: &dyn Executor,
        changes: &mut [TouchChange],
        begun: &mut Vec<TouchEvent>,
    ) {
        let (mut first, mut have_moved) = (0, false);
        begun.reserve(
            changes
                .iter()
                .filter(|change| change.is_reported_beginning())
                .count(),
        );
        for at in 0..changes.len() {
            if changes[at].has_any(fact::WAKES) {
                self.apply_run(executor, &mut changes[first..at], have_moved, begun);
                self.wake_for(changes[at]);
                (first, have_moved) = (at, true);
            }
        }
        self.apply_run(executor, &mut changes[first..], have_moved, begun);
    }

    /// Wakes the bodies of a contact whose touch begins or ends; their contacts are colored in their current state.
    fn wake_for(&mut self, change: TouchChange) {
        let place = self.contacts.place_of(change.index);
        self.contacts.contacts[place].set_touching(change.begins());
        let [a, b] = change.bodies;
        self.wake(a);
        self.wake(b);
    }

    /// Applies changes that wake no body. Contacts may `have_moved` since the changes were written.
    fn apply_run(
        &mut self,
        executor: &dyn Executor,
        changes: &mut [TouchChange],
        have_moved: bool,
        begun: &mut Vec<TouchEvent>,
    ) {
        if have_moved {
            for change in changes.iter_mut() {
                change.place = self.contacts.place_of(change.index);
            }
        }
        let changes = &*changes;
        let executor = if changes.len() < CHANGES_TO_DIVIDE {
            &Inline
        } else {
            executor
        };
        let mut tasks = [
            LinkTask::Colors(ContactColors {
                contacts: &mut self.contacts.contacts,
                graph: &mut self.graph,
                states: &mut self.body_states,
            }),
            LinkTask::Islands(IslandTask {
                islands: &mut self.islands,
                links: &mut self.contacts.links,
                bodies: &mut self.bodies,
                shapes: &self.shapes,
                begun,
                ended: &mut self.pending_ends,
            }),
        ];
        parallel_chunks(
            executor,
            &mut tasks,
            1,
            &|_worker, _first, task| match &mut task[0] {
                LinkTask::Colors(colors) => colors.apply(changes),
                LinkTask::Islands(ties) => ties.apply(changes),
            },
        );
        for (at, change) in changes.iter().enumerate() {
            if let Some(later) = changes.get(at + 2 * PREFETCH_AHEAD) {
                self.contacts.links.prefetch_slot(later.index);
            }
            if let Some(later) = changes
                .get(at + PREFETCH_AHEAD)
                .filter(|later| later.has_any(fact::REMOVED))
            {
                self.contacts.prefetch_to_remove(later.index, later.place);
            }
            if change.has_any(fact::REMOVED) {
                self.contacts.remove(change.index, &mut self.graph);
            }
        }
    }

    /// Destroys a contact, ending its touch first.
    pub(crate) fn destroy_contact(&mut self, index: u32) {
        let change = self.removal_of(index);
        // A contact that is removed reports no beginning.
        self.apply_changes(&Inline, &mut [change], &mut Vec::new());
    }

    /// Destroys the contacts of a body in the order of its list, like [`State::destroy_contact`].
    pub(crate) fn destroy_contacts_of(&mut self, body: u32) {
        let mut key = self.bodies.live(body).first_contact;
        while key != NONE {
            let (mut changes, mut count) = ([TouchChange::default(); REMOVED_AT_ONCE], 0);
            while key != NONE && count < REMOVED_AT_ONCE {
                changes[count] = self.removal_of(key >> 1);
                count += 1;
                key = self.contacts.links.live(key >> 1).next[(key & 1) as usize];
            }
            self.apply_changes(&Inline, &mut changes[..count], &mut Vec::new());
        }
    }

    /// The change of a contact that is removed, awake or not.
    fn removal_of(&self, index: u32) -> TouchChange {
        let place = self.contacts.place_of(index);
        let mut change = self.change(&self.contacts.contacts[place], place, true);
        let pushes = self.contacts.contacts[place].is_pushing();
        if pushes && self.touch_wakes(&change) {
            change.facts |= fact::WAKES;
        }
        change
    }
}

/// The two tasks of a run of changes.
enum LinkTask<'a> {
    Colors(ContactColors<'a>),
    Islands(IslandTask<'a>),
}

impl ContactColors<'_> {
    /// Applies the changes to the constraint graph, in order.
    fn apply(&mut self, changes: &[TouchChange]) {
        for (at, change) in changes.iter().enumerate() {
            if let Some(next) = changes.get(at + PREFETCH_AHEAD) {
                prefetch(&self.contacts[next.place]);
                next.bodies.iter().for_each(|&body| prefetch(&self.states[body]));
            }
            if change.begins() {
                let contact = &mut self.contacts[change.place];
                contact.set_touching(true);
                // A contact that woke in this step has a color already.
                if contact.color == NONE {
                    self.assign_color(change.place, change.movable());
                }
            } else if change.has_any(fact::ENDS) {
                self.contacts[change.place].set_touching(false);
                self.release_color(change.place, change.movable());
            }
        }
    }
}

/// The changes before the first that ends an edge; that one alone if it is first.
fn run_without_ends(changes: &[TouchChange]) -> &[TouchChange] {
    let ends = |change: &TouchChange| change.has_any(fact::ENDS) && change.is_edge();
    let end = changes.iter().position(ends).unwrap_or(changes.len());
    &changes[..end.max(1)]
}

/// The task that updates islands, the bodies' lists of contacts, and events.
struct IslandTask<'a> {
    islands: &'a mut Islands,
    links: &'a mut PlainMap<ContactLinks>,
    bodies: &'a mut PlainMap<Body>,
    shapes: &'a PlainMap<ShapeRecord>,
    begun: &'a mut Vec<TouchEvent>,
    ended: &'a mut PlainArray<PlainTouch>,
}

impl IslandTask<'_> {
    fn apply(&mut self, changes: &[TouchChange]) {
        // The end of the run for which it is decided how edges are linked, and whether they are linked already.
        let (mut run_end, mut linked) = (0, false);
        for (at, change) in changes.iter().enumerate() {
            let &TouchChange { index, bodies, .. } = change;
            self.fetch(&changes[at + 1..]);
            if at == run_end {
                let run = run_without_ends(&changes[at..]);
                (run_end, linked) = (at + run.len(), self.link_at_once(run));
            }
            if change.begins() {
                if change.is_reported_beginning() {
                    self.begun.push(touch_event(self.links, self.shapes, index));
                }
                if change.is_edge() && !linked {
                    self.islands
                        .link(contact_edge(index), bodies[0], bodies[1])
                        .expect("both bodies have nodes and are awake");
                }
            } else if change.has_any(fact::ENDS) {
                if change.has_any(fact::REPORTED) {
                    self.ended
                        .push(touch_event(self.links, self.shapes, index).into());
                }
                if change.is_edge() {
                    self.islands
                        .unlink(contact_edge(index))
                        .expect("a touching contact is an edge");
                }
            }
            if change.has_any(fact::REMOVED) {
                delist_contact(self.links, self.bodies, index);
            }
        }
    }

    /// Links all edges that begin in a run of changes in which none ends, if there are many; otherwise returns false.
    fn link_at_once(&mut self, run: &[TouchChange]) -> bool {
        let edges = run
            .iter()
            .filter(|change| change.begins() && change.is_edge())
            .map(|change| NewEdge {
                edge: contact_edge(change.index),
                nodes: change.bodies,
            });
        let many = edges.clone().take(EDGES_TO_LINK_AT_ONCE).count() == EDGES_TO_LINK_AT_ONCE;
        if many {
            self.islands
                .link_many(edges)
                .expect("both bodies have nodes and are awake");
        }
        many
    }

    /// Prefetches the memory that the next changes will touch.
    fn fetch(&self, next: &[TouchChange]) {
        let going = |steps: usize| {
            let change = next.get(steps * PREFETCH_AHEAD / 2);
            change.filter(|change| change.has_any(fact::REMOVED))
        };
        if let Some(change) = going(5) {
            self.links.prefetch_slot(change.index);
            change
                .bodies
                .iter()
                .for_each(|&body| self.bodies.prefetch_slot(body));
        }
        if let Some(change) = going(4) {
            self.links.prefetch_value(change.index);
            change
                .bodies
                .iter()
                .for_each(|&body| self.bodies.prefetch_value(body));
        }
        if let Some(change) = going(2) {
            let neighbors = neighbors(self.links, change.index);
            neighbors
                .iter()
                .for_each(|&index| self.links.prefetch_slot(index));
        }
        if let Some(change) = going(1) {
            let neighbors = neighbors(self.links, change.index);
            neighbors
                .iter()
                .for_each(|&index| self.links.prefetch_value(index));
        }
        if let Some(change) = next.get(PREFETCH_AHEAD).filter(|change| change.is_edge()) {
            self.islands
                .prefetch_edge(contact_edge(change.index), change.bodies);
        }
    }
}

/// The two shapes and the id of a contact, for an event.
pub(crate) fn touch_event(
    links: &PlainMap<ContactLinks>,
    shapes: &PlainMap<ShapeRecord>,
    index: u32,
) -> TouchEvent {
    let [a, b] = links.live(index).shapes;
    TouchEvent {
        shape_a: shapes.live_id(a),
        shape_b: shapes.live_id(b),
        contact: links.live_id(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::awake::tests::heap;

    #[test]
    fn contacts_of_a_body_are_destroyed_as_if_one_by_one() {
        let (mut most, mut woken) = (0, 0);
        for seed in 0..30 {
            let mut world = heap(seed, seed % 2 == 0);
            world.frame();
            let count = world.bodies().count() as u64;
            // Now the floor, now the lift, now any other.
            let body = [0, 1, (seed * 7 % count) as u32][seed as usize % 3];
            most = most.max(world.state.bodies.live(body).contact_count);
            let asleep = world.state.awake_bodies.len();
            let mut one_by_one = world.clone();
            one_by_one.state.change_contacts_of(body, State::destroy_contact);
            world.state.destroy_contacts_of(body);
            assert_eq!(
                world.state_hash(),
                one_by_one.state_hash(),
                "seed {seed}, body {body}"
            );
            assert_eq!(world.state.bodies.live(body).contact_count, 0);
            // With debug assertions it stops at a page that has changed and is not marked.
            world.frame();
            world.validate();
            woken += world.state.awake_bodies.len() - asleep;
        }
        assert!(
            most as usize > REMOVED_AT_ONCE && woken > 100,
            "{most} contacts, {woken} woken"
        );
    }

    #[test]
    fn a_run_has_no_end_of_an_edge_in_it_and_an_end_is_alone() {
        let edge = fact::MOVABLE_A | fact::MOVABLE_B;
        let begins = TouchChange {
            facts: edge | fact::BEGINS,
            ..TouchChange::of(0)
        };
        let ends = TouchChange {
            facts: edge | fact::ENDS,
            ..TouchChange::of(1)
        };
        // No edge, since one of the bodies does not move.
        let ends_at_wall = TouchChange {
            facts: fact::MOVABLE_A | fact::ENDS | fact::REMOVED,
            ..TouchChange::of(2)
        };
        let lengths = |changes: &[TouchChange]| run_without_ends(changes).len();
        assert_eq!(lengths(&[ends, begins, begins]), 1);
        assert_eq!(lengths(&[begins, ends_at_wall, begins, ends, begins]), 3);
        assert_eq!(lengths(&[begins, begins]), 2);
        assert_eq!(lengths(&[ends]), 1);
    }
}
