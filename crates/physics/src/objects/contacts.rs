//! Creating many contacts at once: the pairs that the broad phase found.
//!
//! One worker hands out the ids, in the order of the pairs. Then two tasks that have no array in common run in
//! parallel: [`ContactRecords`] appends what the narrow phase and the solver see, [`ContactLists`] links the contacts into their
//! bodies' lists. Last, the awake ones are moved before the sleeping ones, in order, as if each had been created
//! alone.

use crate::body::{Body, NONE};
use crate::contact::graph::ConstraintGraph;
use crate::contact::pool::{ContactPool, body_mut, body_ref, links_mut};
use crate::contact::{CachedManifold, Contact, ContactDef, ContactLinks};
use crate::persistent::{PlainArray, PlainMap};
use tombolo_threads::{Executor, Inline, parallel_chunks};

/// How many contacts before its own the memory that one is hung in is asked for. What must be read to know where the
/// next piece lies is asked for as long again before.
const PREFETCH_AHEAD: usize = 4;

/// Below so many contacts two tasks cost more than they save.
const CONTACTS_TO_DIVIDE: usize = 128;

impl ContactPool {
    /// Adds contacts in the order given and hangs them into their bodies' lists; notes their indices in `defs`. Costs O(1)
    /// each.
    pub(crate) fn create(
        &mut self,
        executor: &dyn Executor,
        defs: &mut [ContactDef],
        graph: &mut ConstraintGraph,
        bodies: &mut PlainMap<Body>,
    ) {
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
}

/// The two tasks.
enum CreateTask<'a> {
    ContactLists(ContactLists<'a>),
    ContactRecords(ContactRecords<'a>),
}

/// What the narrow phase and the solver see of contacts.
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
                let body = body_mut(self.bodies, body);
                let head = core::mem::replace(&mut body.first_contact, key);
                body.contact_count += 1;
                links_mut(self.links, def.index).next[end as usize] = head;
                if head != NONE {
                    links_mut(self.links, head >> 1).previous[(head & 1) as usize] = key;
                }
            }
        }
    }

    /// Asks for the memory of bodies and heads of lists that contacts soon to come will touch.
    fn fetch(&self, next: &[ContactDef]) {
        let bodies = |steps: usize| next.get(steps * PREFETCH_AHEAD).map(|def| def.bodies);
        // The head of an empty list is no slot, which is as good a hint as any.
        let head = |body: u32| body_ref(self.bodies, body).first_contact >> 1;
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
