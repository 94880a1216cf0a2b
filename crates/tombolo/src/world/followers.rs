//! [`Followers`]: where the Transforms of entities with bodies are, by body, so that a step need not look each up by its entity.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use tombolo_entity::Dense;
use tombolo_physics::{BodyId, MoveEvent};
use tombolo_threads::ClaimedSlice;

use crate::component::{Body, Transform};

/// Where the Transform of the entity of a body is.
#[derive(Clone, Copy, Debug)]
struct Follower {
    /// `None` while nothing is known.
    body: Option<BodyId>,
    /// The entity as the body's user key.
    user_key: u64,
    /// The place of its Transform.
    place: u32,
}

const UNKNOWN: Follower = Follower {
    body: None,
    user_key: 0,
    place: 0,
};

/// Places of Transforms by the indices of bodies. What was found is known as long as no Body was handed out for change, and no
/// entity has got or lost a Body or Transform. A world in which one is in every step finds all anew in each, and keeps nothing.
/// A program that takes one of the managers for changes has everything forgotten.
///
/// Not part of the state, and in no clone: without it everything is looked up.
#[derive(Debug, Default)]
pub(super) struct Followers {
    /// The versions of the two managers for which `rows` hold.
    versions: [u64; 2],
    rows: Vec<Follower>,
}

impl Followers {
    /// What is known now, for the workers of a step.
    pub(super) fn known(
        &mut self,
        bodies: &Dense<Body>,
        transforms: &Dense<Transform>,
        body_slots: usize,
    ) -> KnownFollowers<'_> {
        let versions = [bodies.contents_version(), transforms.places_version()];
        if self.versions != versions {
            self.versions = versions;
            self.rows.clear();
        } else if self.rows.len() < body_slots {
            self.rows.resize(body_slots, UNKNOWN);
        }
        KnownFollowers {
            rows: ClaimedSlice::new(&mut self.rows),
        }
    }

    /// Forgets everything: a manager is about to be replaced, or handed out to somebody who may replace it.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// What is known of followers, for workers of which each has other bodies.
pub(super) struct KnownFollowers<'a> {
    /// Empty in a step in which nothing is kept.
    rows: ClaimedSlice<'a, Follower>,
}

impl KnownFollowers<'_> {
    /// The place of the Transform of the entity whose body moved: as it is known, or as `find` says, which it is then known as.
    /// `None` for a body that is nobody's.
    ///
    /// # Safety
    ///
    /// While one thread is in a call for a body, no other is in one for the same body.
    #[inline]
    pub(super) unsafe fn place(
        &self,
        event: &MoveEvent,
        find: impl FnOnce() -> Option<usize>,
    ) -> Option<usize> {
        let index = event.body.index() as usize;
        if index >= self.rows.len() {
            return find();
        }
        // SAFETY: no other thread has the row of this body, as the caller promises.
        let row = unsafe { self.rows.get_mut(index) };
        if row.body == Some(event.body) && row.user_key == event.user_key {
            return Some(row.place as usize);
        }
        let place = find()?;
        *row = Follower {
            body: Some(event.body),
            user_key: event.user_key,
            place: u32::try_from(place).ok()?,
        };
        Some(place)
    }
}
