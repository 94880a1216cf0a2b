//! [`ContactPool`]: all contacts of a world, awake ones before sleeping ones, and the colors they are solved in.
//!
//! Moving a contact within the array updates the two places that refer to it; only this file does so.
//!
//! The reasons are in `docs/decisions.md#contacts-in-one-array-awake-ones-first`.

use super::graph::ConstraintGraph;
use super::{CachedManifold, Contact, ContactLinks};
use crate::body::{Body, NONE};
use crate::persistent::{PlainArray, PlainMap};
use crate::prefetch::{prefetch, prefetch_in};

/// The number of contacts ahead for which the references to a contact that will be moved into a gap are prefetched; the
/// slot that leads to them is prefetched twice as far ahead.
const PREFETCH_AHEAD: usize = 4;

/// All contacts of a world.
#[derive(Clone, Debug)]
pub(crate) struct ContactPool {
    /// Ids and list links, by contact index.
    pub(crate) links: PlainMap<ContactLinks>,
    /// The contacts: those of awake bodies first.
    pub(crate) contacts: PlainArray<Contact>,
    /// Their cached manifolds, at the same places.
    pub(crate) cached_manifolds: PlainArray<CachedManifold>,
    /// The number of awake contacts: the narrow phase updates `contacts[..awake_count]`. One element.
    pub(crate) awake_count: PlainArray<u32>,
}

impl ContactPool {
    /// A pool without contacts whose ids come from `links`.
    pub(crate) fn new(links: PlainMap<ContactLinks>) -> Self {
        let mut awake_count = PlainArray::default();
        awake_count.push(0);
        Self {
            links,
            contacts: PlainArray::default(),
            cached_manifolds: PlainArray::default(),
            awake_count,
        }
    }

    /// The number of contacts that the narrow phase updates.
    pub(crate) fn awake_len(&self) -> usize {
        self.awake_count[0u32] as usize
    }

    /// The place in `contacts` of a contact that must exist.
    pub(crate) fn place_of(&self, index: u32) -> u32 {
        self.links.live(index).place
    }

    /// Prefetches the memory that removing a contact will touch; the contact was at `place` before others were removed.
    pub(crate) fn prefetch_to_remove(&self, index: u32, place: u32) {
        self.links.prefetch_value(index);
        self.contacts.get(place as usize).into_iter().for_each(prefetch);
        self.cached_manifolds
            .get(place as usize)
            .into_iter()
            .for_each(prefetch);
    }

    /// Prefetches the contact at `place`, which will be moved to the awake ones.
    pub(crate) fn prefetch_to_wake(&self, place: u32) {
        prefetch_in(&self.contacts, place as usize);
        prefetch_in(&self.cached_manifolds, place as usize);
    }

    /// Prefetches the references to the contacts after the first sleeping one, which will change places with contacts that
    /// wake.
    pub(crate) fn prefetch_to_give_way(&self) {
        let asleep = self.contacts.get(self.awake_len()..).unwrap_or_default();
        if let Some(contact) = asleep.get(2 * PREFETCH_AHEAD) {
            self.links.prefetch_slot(contact.index);
        }
        if let Some(contact) = asleep.get(PREFETCH_AHEAD) {
            self.links.prefetch_value(contact.index);
        }
    }

    /// Prefetches the references to the contacts before the last awake one, which will be moved into gaps.
    fn prefetch_to_update(&self, last_awake: u32, graph: &ConstraintGraph) {
        let ahead = |steps: u32| last_awake.checked_sub(steps * PREFETCH_AHEAD as u32);
        if let Some(place) = ahead(2) {
            self.links.prefetch_slot(self.contacts[place].index);
        }
        let Some(place) = ahead(1) else {
            return;
        };
        let Contact {
            index,
            color,
            place_in_color,
            ..
        } = self.contacts[place];
        self.links.prefetch_value(index);
        if color != NONE {
            prefetch(&graph.colors[color as usize].contacts[place_in_color]);
        }
    }

    /// Removes a contact that is no longer in any color or list. Cost: O(1).
    pub(crate) fn remove(&mut self, index: u32, graph: &mut ConstraintGraph) {
        let mut gap = self.place_of(index);
        debug_assert_eq!(
            self.contacts[gap].index, index,
            "a contact lies where its record says"
        );
        debug_assert_eq!(
            self.contacts.len(),
            self.cached_manifolds.len(),
            "a cached manifold for each contact"
        );
        debug_assert_eq!(self.contacts.len(), self.links.len(), "a record for each contact");
        debug_assert!(
            self.contacts[gap].color == NONE,
            "unlinked before it is destroyed"
        );
        if gap < self.awake_count[0u32] {
            self.awake_count[0u32] -= 1;
            let last_awake = self.awake_count[0u32];
            self.prefetch_to_update(last_awake, graph);
            self.fill(gap, last_awake, graph);
            gap = last_awake;
        }
        let last = self.contacts.len() as u32 - 1;
        self.fill(gap, last, graph);
        self.contacts.swap_remove(last as usize);
        self.cached_manifolds.swap_remove(last as usize);
        self.links.remove(self.links.live_id(index));
    }

    /// Moves the contact at `place` to those that the narrow phase updates, unless it is one of them.
    pub(crate) fn move_to_awake(&mut self, place: u32, graph: &mut ConstraintGraph) {
        let first_asleep = self.awake_count[0u32];
        debug_assert!(
            first_asleep <= self.contacts.count(),
            "awake contacts are contacts"
        );
        if place >= first_asleep {
            self.swap(place, first_asleep, graph);
            self.awake_count[0u32] += 1;
        }
    }

    /// Moves the contact at `place` to those that the narrow phase skips, unless it is one of them.
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
        self.contacts.swap(first as usize, second as usize);
        self.cached_manifolds.swap(first as usize, second as usize);
        self.update_place(first, graph);
        self.update_place(second, graph);
    }

    /// Moves the contact at `from` into the gap that a removed contact left.
    fn fill(&mut self, gap: u32, from: u32, graph: &mut ConstraintGraph) {
        if gap != from {
            self.contacts[gap] = self.contacts[from];
            self.cached_manifolds[gap] = self.cached_manifolds[from];
            self.update_place(gap, graph);
        }
    }

    /// Updates the references to the contact that was moved to `place`.
    fn update_place(&mut self, place: u32, graph: &mut ConstraintGraph) {
        let Contact {
            index,
            color,
            place_in_color,
            ..
        } = self.contacts[place];
        self.links.live_mut(index).place = place;
        debug_assert_eq!(color == NONE, place_in_color == NONE, "both or neither");
        if color != NONE {
            graph.colors[color as usize].contacts[place_in_color].place = place;
        }
    }
}

/// The neighbors of a contact in its two bodies' lists; an index that no contact has stands for none.
pub(crate) fn neighbors(links: &PlainMap<ContactLinks>, index: u32) -> [u32; 4] {
    let &ContactLinks { previous, next, .. } = links.live(index);
    [previous[0], previous[1], next[0], next[1]].map(|key| key >> 1)
}

/// Unlinks a contact from the lists of its two bodies. Cost: O(1).
pub(crate) fn delist_contact(links: &mut PlainMap<ContactLinks>, bodies: &mut PlainMap<Body>, index: u32) {
    for end in 0..2 {
        let ContactLinks {
            bodies: [a, b],
            previous,
            next,
            ..
        } = *links.live_mut(index);
        let (previous, next) = (previous[end], next[end]);
        let key = index << 1 | end as u32;
        let body = bodies.live_mut([a, b][end]);
        debug_assert!(body.contact_count > 0, "a body counts its contacts");
        body.contact_count -= 1;
        if previous == NONE {
            debug_assert_eq!(body.first_contact, key, "nothing is before the first");
            body.first_contact = next;
        } else {
            let after = &mut links.live_mut(previous >> 1).next[(previous & 1) as usize];
            debug_assert_eq!(*after, key, "neighbors in a body's list");
            *after = next;
        }
        if next != NONE {
            let before = &mut links.live_mut(next >> 1).previous[(next & 1) as usize];
            debug_assert_eq!(*before, key, "neighbors in a body's list");
            *before = previous;
        }
    }
}
