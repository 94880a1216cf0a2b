//! The stage collide: parallel update of the awake contacts' manifolds.
//!
//! A contact that began or ended touching, or whose boxes parted, is marked by its index in its worker's bit array, and
//! a change entry with the data that the stage `link_islands` needs is written while the contact is in the cache.
//!
//! Each block takes two passes: the first classifies its contacts in lanes (`classify.rs`), the second computes the
//! manifolds that are no longer valid. Both read scattered memory, so both prefetch what the next contacts need.

use super::classify::{CONTACTS_PER_BLOCK, Classify, KEPT, PARTED, STALE, UNKNOWN};
use super::lent::Lent;
use super::scratch::WorkerScratch;
use super::stage::Step;
use crate::callback::Callbacks;
use crate::contact::manifold::{AppliedRule, ContactSide};
use crate::contact::{CachedManifold, Contact, flag, mark};
use crate::persistent::PlainArray;
use crate::prefetch::{prefetch, prefetch_in};
use crate::solver::lanes::{BLOCK, LaneWidth};
use crate::state::State;
use core::mem::swap;
use tombolo_threads::{ClaimedSlice, parallel_chunks};

/// The number of manifolds ahead for which memory is prefetched: some hundred nanoseconds.
const PREFETCH_AHEAD: usize = 4;

pub(crate) fn collide(step: &mut Step<'_>) {
    let state = &mut *step.world.state;
    step.scratch.woken_before_collide = state.pending_woken.len();
    let awake = state.contacts.awake_len();
    let contact_slots = state.contacts.links.slot_count();
    // A worker may get more contacts than ever before: each has capacity for as many changes as all had together.
    // Contacts that were created just now may all begin at one worker.
    let changes_max = step.scratch.changes.capacity().max(step.scratch.pairs.len());
    let workers = step.scratch.workers();
    for worker in workers.iter_mut() {
        worker.changed_contacts.reset(contact_slots);
        worker.changes.clear();
        worker.changes.reserve(changes_max);
    }

    let mut lent: LentContacts<'_> = Lent::of(state, |state, (contacts, cached_manifolds)| {
        swap(&mut state.contacts.contacts, contacts);
        swap(&mut state.contacts.cached_manifolds, cached_manifolds);
    });
    let unwound = UnwoundUpdate {
        lent: &mut lent,
        awake,
    };
    let (state, (contacts, cached_manifolds)) = unwound.lent.split();
    let (workers, dt) = (&*workers, step.dt);
    let (callbacks, lanes) = (step.world.callbacks, step.world.lanes);
    let has_dominant_bodies = state.settings().dominant_bodies > 0;
    let awake_manifolds = ClaimedSlice::new(cached_manifolds.slice_mut(0..awake));
    let awake_contacts = contacts.slice_mut(0..awake);
    parallel_chunks(
        step.executor,
        awake_contacts,
        CONTACTS_PER_BLOCK,
        &|worker, first, contacts| {
            // SAFETY: each worker takes its own slot only.
            #[allow(unsafe_code)]
            let worker = unsafe { workers.get_mut(worker) };
            // SAFETY: there is a cached manifold for each contact, at the same place: these belong to this block too.
            #[allow(unsafe_code)]
            let cached_manifolds = unsafe { awake_manifolds.slice_mut(first..first + contacts.len()) };
            let mut block = Block {
                state,
                callbacks,
                worker,
                first,
                contacts,
                cached_manifolds,
                dt,
                has_dominant_bodies,
            };
            let mut stale = [0; CONTACTS_PER_BLOCK];
            let stale = block.classify(lanes, &mut stale);
            block.compute(stale);
        },
    );
    core::mem::forget(unwound);
    drop(lent);
    *step.world.recycled_contacts = step
        .scratch
        .workers()
        .iter_mut()
        .map(|worker| worker.recycled)
        .sum();
}

/// The contacts and their cached manifolds.
type LentContacts<'a> = Lent<'a, (PlainArray<Contact>, PlainArray<CachedManifold>)>;

/// A guard of the update of the contacts, which a callback may end by a panic: whatever the workers had found out is lost
/// then, so that the next step has to find it anew.
struct UnwoundUpdate<'a, 'l> {
    lent: &'a mut LentContacts<'l>,
    awake: usize,
}

impl Drop for UnwoundUpdate<'_, '_> {
    fn drop(&mut self) {
        let (_, (contacts, cached_manifolds)) = self.lent.split();
        let contacts = contacts.slice_mut(0..self.awake);
        for (contact, cached_manifold) in contacts.iter_mut().zip(cached_manifolds.slice_mut(0..self.awake)) {
            contact.forget_change_of_touch(cached_manifold);
        }
    }
}

/// Adjacent awake contacts, and the worker that updates them.
struct Block<'a> {
    state: &'a State,
    callbacks: &'a Callbacks,
    worker: &'a mut WorkerScratch,
    /// The place of the first contact.
    first: usize,
    contacts: &'a mut [Contact],
    cached_manifolds: &'a mut [CachedManifold],
    /// The length of the step, in seconds.
    dt: f32,
    /// Whether a body of the world dominates others.
    has_dominant_bodies: bool,
}

impl Block<'_> {
    /// Marks the contacts whose boxes parted, and returns the places in the block of those whose manifold is no longer
    /// valid.
    fn classify<'s>(&mut self, lanes: LaneWidth, stale: &'s mut [usize; CONTACTS_PER_BLOCK]) -> &'s [usize] {
        let mut classes = UNKNOWN;
        let classify = Classify {
            contacts: self.contacts,
            poses: &self.state.body_poses,
            boxes: &self.state.broad_phase.boxes,
        };
        classify.run(lanes, &mut classes);
        let mut count = 0;
        let mut recycled = 0;
        for (group, classes) in classes
            .iter()
            .enumerate()
            .take(self.contacts.len().div_ceil(BLOCK))
        {
            let first = group * BLOCK;
            let classes = &classes.0[..BLOCK.min(self.contacts.len() - first)];
            for (place, &class) in (first..).zip(classes) {
                stale[count] = place;
                count += usize::from(class == STALE);
                recycled += usize::from(class == KEPT);
                if class == PARTED {
                    self.note_change(place, true);
                }
            }
        }
        self.worker.recycled += recycled;
        &stale[..count]
    }

    /// Computes the manifolds of the contacts `stale` and marks those that began or ended touching.
    fn compute(&mut self, stale: &[usize]) {
        for &place in stale.iter().take(PREFETCH_AHEAD) {
            self.prefetch_to_compute(place);
        }
        for (i, &place) in stale.iter().enumerate() {
            if let Some(&later) = stale.get(i + PREFETCH_AHEAD) {
                self.prefetch_to_compute(later);
            }
            let contact = &mut self.contacts[place];
            let side = |body: u32, shape: u32| ContactSide {
                pose: &self.state.body_poses[body],
                shape: &self.state.shape_geometries[shape],
                material: &self.state.materials[shape],
            };
            let a = side(contact.body_a, contact.shape_a);
            let b = side(contact.body_b, contact.shape_b);
            let applied_rule = if contact.flags & flag::HAS_RULE == 0 {
                AppliedRule::default()
            } else {
                self.state.applied_rule(contact, self.dt)
            };
            let manifold = self.state.manifold_of(contact, a, b);
            let cached_manifold = &mut self.cached_manifolds[place];
            contact.update_manifold(cached_manifold, a, b, manifold, applied_rule);
            if contact.flags & flag::PRE_SOLVE != 0 {
                contact.flags &= !flag::LET_PASS;
                if contact.point_count > 0 {
                    self.state.ask_pre_solve(self.callbacks, contact, cached_manifold);
                }
            }
            contact.forget_lost_resistance(&mut cached_manifold.surface);
            if self.has_dominant_bodies {
                cached_manifold.surface.marks |= self.state.dominance_marks(contact);
            }
            if contact.is_touching() != (contact.point_count > 0) {
                self.note_change(place, false);
            }
        }
    }

    /// Records that the contact at `place` of the block began or ended touching, or that it `is_removed`.
    fn note_change(&mut self, place: usize, is_removed: bool) {
        let contact = &self.contacts[place];
        self.worker.changed_contacts.set(contact.index as usize);
        let place_of_all = (self.first + place) as u32;
        let change = self.state.touch_change_of(contact, place_of_all, is_removed);
        if change.begins() {
            self.cached_manifolds[place].surface.both_movable = f32::from(u8::from(change.is_edge()));
        }
        self.worker.changes.push(change);
    }

    /// Prefetches the memory that computing the manifold at `place` of the block reads.
    fn prefetch_to_compute(&self, place: usize) {
        let contact = &self.contacts[place];
        prefetch(&self.cached_manifolds[place]);
        for shape in [contact.shape_a, contact.shape_b] {
            prefetch_in(&self.state.shape_geometries, shape as usize);
            prefetch_in(&self.state.materials, shape as usize);
        }
    }
}

impl State {
    /// The bits of [`mark`] for the body of a contact that dominates the other, if both are dynamic.
    fn dominance_marks(&self, contact: &Contact) -> u32 {
        let [a, b] = [contact.body_a, contact.body_b].map(|body| self.control_of(body).dominance);
        let are_dynamic = [contact.body_a, contact.body_b].map(|body| self.body_sims[body].is_dynamic());
        if a == b || are_dynamic != [true; 2] {
            return 0;
        }
        mark::DOMINANT[usize::from(b > a)]
    }

    /// Whether the boxes of a contact's shapes still overlap; if not, the contact must be removed.
    pub(crate) fn boxes_overlap(&self, contact: &Contact) -> bool {
        let [a, b] = [contact.proxy_a, contact.proxy_b].map(|proxy| self.broad_phase.fat_box(proxy));
        a.overlaps(b)
    }
}
