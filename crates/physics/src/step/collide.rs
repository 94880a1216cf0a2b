//! Stage 2, collide: parallel update of the awake contacts' manifolds.
//!
//! A contact that began or ended touching, or whose boxes parted, is marked by its index in its worker's bit array, and
//! what the stage `link_islands` must know of it is written down while the contact is at hand.

use super::Step;
use crate::contact::manifold::Side;
use crate::contact::{Contact, Patch, flag};
use crate::state::State;
use tombolo_threads::{ClaimedSlice, parallel_chunks};

/// Contacts in one block of work: some microseconds.
const CONTACTS_PER_BLOCK: usize = 64;

pub(crate) fn collide(step: &mut Step<'_>) {
    let state = &mut step.world.state;
    let mut contacts = core::mem::take(&mut state.contacts.contacts);
    let mut patches = core::mem::take(&mut state.contacts.patches);
    let awake = state.contacts.awake_len();
    let contact_slots = state.contacts.links.slot_count();
    // A worker may get other contacts than ever before: there is room for as many changes as all had together.
    let changes_max = step.scratch.changes.capacity();
    let workers = step.scratch.workers();
    for worker in workers.iter_mut() {
        worker.changed_contacts.reset(contact_slots);
        worker.changes.clear();
        worker.changes.reserve(changes_max);
        worker.hit_contacts.reset(contact_slots);
    }

    let (state, workers) = (&*state, &*workers);
    let awake_patches = ClaimedSlice::new(patches.slice_mut(0..awake));
    let awake_contacts = contacts.slice_mut(0..awake);
    parallel_chunks(
        step.executor,
        awake_contacts,
        CONTACTS_PER_BLOCK,
        &|worker, first, block| {
            // SAFETY: each worker takes its own place only.
            #[allow(unsafe_code)]
            let worker = unsafe { workers.get_mut(worker) };
            for (contact, place) in block.iter_mut().zip(first..) {
                // SAFETY: there is a patch for each contact, at the same place, which belongs to this block too.
                #[allow(unsafe_code)]
                let patch = unsafe { awake_patches.get_mut(place) };
                let outcome = update(state, contact, patch);
                match outcome {
                    Outcome::Kept => worker.recycled += 1,
                    Outcome::Computed => {}
                    Outcome::Turned | Outcome::Parted => {
                        worker.changed_contacts.set(contact.index as usize);
                        let goes = matches!(outcome, Outcome::Parted);
                        let change = state.change_found(contact, place as u32, goes);
                        if change.begins() {
                            patch.surface.both_movable = f32::from(u8::from(change.is_edge()));
                        }
                        worker.changes.push(change);
                    }
                }
                if contact.flags & flag::HITS != 0 {
                    worker.hit_contacts.set(contact.index as usize);
                }
            }
        },
    );
    step.world.state.contacts.contacts = contacts;
    step.world.state.contacts.patches = patches;
    step.world.recycled_contacts = step
        .scratch
        .workers()
        .iter_mut()
        .map(|worker| worker.recycled)
        .sum();
}

/// What updating a contact came to.
enum Outcome {
    /// The manifold still holds.
    Kept,
    /// The manifold is new, but touching is as it was.
    Computed,
    /// The contact began or ended touching.
    Turned,
    /// The boxes parted: the contact must go.
    Parted,
}

fn update(state: &State, contact: &mut Contact, patch: &mut Patch) -> Outcome {
    if !state.boxes_overlap(contact) {
        return Outcome::Parted;
    }
    let (a, b) = (
        &state.body_poses[contact.body_a],
        &state.body_poses[contact.body_b],
    );
    if contact.is_still_valid(a, b) {
        return Outcome::Kept;
    }
    let side = |pose, shape: u32| Side {
        pose,
        shape: &state.outlines[shape],
        material: &state.materials[shape],
    };
    contact.compute(patch, side(a, contact.shape_a), side(b, contact.shape_b));
    if contact.is_touching() == (contact.point_count > 0) {
        Outcome::Computed
    } else {
        Outcome::Turned
    }
}

impl State {
    /// Whether the boxes of a contact's shapes still overlap; if not, the contact must go.
    fn boxes_overlap(&self, contact: &Contact) -> bool {
        let [a, b] = [contact.proxy_a, contact.proxy_b].map(|proxy| self.broad_phase.fat_box(proxy));
        a.overlaps(b)
    }
}
