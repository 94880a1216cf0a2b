//! Creating many contacts at once: the pairs found by the broad phase.
//!
//! One worker creates the ids, in the order of the pairs. Then two tasks without a common array run in parallel:
//! [`ContactRecords`] appends the data of the narrow phase and the solver, [`ContactLists`] links the contacts into
//! their bodies' lists. Last, the awake ones are moved before the sleeping ones, in order, as if each had been created
//! alone.

use crate::body::{Body, NONE};
use crate::contact::graph::ConstraintGraph;
use crate::contact::pool::ContactPool;
use crate::contact::{CachedManifold, Contact, ContactDef, ContactLinks};
use crate::persistent::{PlainArray, PlainMap};
use tombolo_threads::{Executor, Inline, parallel_chunks};

/// The distance in contacts at which memory is prefetched before a contact is linked. The values that give the
/// addresses of the next reads are prefetched twice as far ahead.
const PREFETCH_AHEAD: usize = 4;

/// The number of contacts below which two tasks cost more than they save.
const CONTACTS_TO_DIVIDE: usize = 128;

impl ContactPool {
    /// Adds contacts in the order given and links them into their bodies' lists; writes their indices to `defs`. Costs
    /// O(1) each.
    pub(crate) fn create(
        &mut self,
        executor: &dyn Executor,
        defs: &mut [ContactDef],
        graph: &mut ConstraintGraph,
        bodies: &mut PlainMap<Body>,
    ) {
        self.make_room_for(defs.len());
        let first = self.contacts.count();
        for (place, def) in (first..).zip(defs.iter_mut()) {
            let links = ContactLinks {
                place,
                shapes: def.shapes,
                bodies: def.bodies,
                previous: [NONE; 2],
                next: [NONE; 2],
            };
            def.index = self.links.insert(links).index();
        }
        let defs = &*defs;
        let executor = if defs.len() < CONTACTS_TO_DIVIDE {
            &Inline
        } else {
            executor
        };
        let mut tasks = [
            CreateTask::ContactLists(ContactLists {
                links: &mut self.links,
                bodies,
            }),
            CreateTask::ContactRecords(ContactRecords {
                contacts: &mut self.contacts,
                cached_manifolds: &mut self.cached_manifolds,
            }),
        ];
        parallel_chunks(
            executor,
            &mut tasks,
            1,
            &|_worker, _first, task| match &mut task[0] {
                CreateTask::ContactLists(lists) => lists.list_contacts(defs),
                CreateTask::ContactRecords(records) => records.append(defs),
            },
        );
        for (place, def) in (first..).zip(defs) {
            if def.awake {
                self.move_to_awake(place, graph);
            }
        }
    }

    /// Makes room for this many more contacts at once: an array that grows step by step while thousands are appended copies
    /// itself again and again, each time into memory that is new to the process.
    fn make_room_for(&mut self, more: usize) {
        let count = self.contacts.count() + more as u32;
        self.links.reserve_for(count);
        self.contacts.reserve_for(count);
        self.cached_manifolds.reserve_for(count);
    }
}

/// The two tasks of the creation of contacts.
enum CreateTask<'a> {
    ContactLists(ContactLists<'a>),
    ContactRecords(ContactRecords<'a>),
}

/// The data of contacts for the narrow phase and the solver.
struct ContactRecords<'a> {
    contacts: &'a mut PlainArray<Contact>,
    cached_manifolds: &'a mut PlainArray<CachedManifold>,
}

impl ContactRecords<'_> {
    fn append(&mut self, defs: &[ContactDef]) {
        for def in defs {
            self.contacts.push(Contact::new(def));
            self.cached_manifolds.push(CachedManifold::new(def.flags));
        }
    }
}

/// The bodies' lists of contacts.
struct ContactLists<'a> {
    links: &'a mut PlainMap<ContactLinks>,
    bodies: &'a mut PlainMap<Body>,
}

impl ContactLists<'_> {
    fn list_contacts(&mut self, defs: &[ContactDef]) {
        for (at, def) in defs.iter().enumerate() {
            self.fetch(&defs[at..]);
            for (end, &body) in (0..).zip(&def.bodies) {
                let key = def.index << 1 | end;
                let body = self.bodies.live_mut(body);
                let head = core::mem::replace(&mut body.first_contact, key);
                body.contact_count += 1;
                self.links.live_mut(def.index).next[end as usize] = head;
                if head != NONE {
                    self.links.live_mut(head >> 1).previous[(head & 1) as usize] = key;
                }
            }
        }
    }

    /// Prefetches the bodies and list heads of the next contacts.
    fn fetch(&self, next: &[ContactDef]) {
        let bodies = |steps: usize| next.get(steps * PREFETCH_AHEAD).map(|def| def.bodies);
        // The head of an empty list is not a slot, but any address will do for a hint.
        let head = |body: u32| self.bodies.live(body).first_contact >> 1;
        for body in bodies(4).into_iter().flatten() {
            self.bodies.prefetch_slot(body);
        }
        for body in bodies(3).into_iter().flatten() {
            self.bodies.prefetch_value(body);
        }
        for body in bodies(2).into_iter().flatten() {
            self.links.prefetch_slot(head(body));
        }
        for body in bodies(1).into_iter().flatten() {
            self.links.prefetch_value(head(body));
        }
    }
}
