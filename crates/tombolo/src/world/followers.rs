//! [`Followers`]: where the Transforms and boxes of entities with bodies are, by body, so that a step need not look each up by its
//! entity.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity};
use tombolo_geometry::orthtree::GridSpot;
use tombolo_physics::{BodyId, MoveEvent};
use tombolo_threads::ClaimedSlice;

use crate::component::{Body, Transform};

/// Where the Transform and the box of the entity of a body are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Follower {
    /// The entity of the body, whose user key it is; `None` while nothing is known.
    pub(super) entity: Option<Entity>,
    /// The generation of the body.
    generation: u32,
    /// The place of the entity's Transform.
    place: u32,
    /// Where its box was in the grid.
    pub(super) spot: GridSpot,
}

const _: () = assert!(size_of::<Follower>() == 24);

impl Follower {
    pub(super) const UNKNOWN: Self = Self {
        entity: None,
        generation: 0,
        place: 0,
        spot: GridSpot::NOWHERE,
    };

    /// The entity whose body moved, and the place of its Transform, if it is the one that is known here.
    #[inline]
    pub(super) fn of(&self, event: &MoveEvent) -> Option<(Entity, usize)> {
        let entity = self.entity?;
        let is_known = entity.to_bits() == event.user_key && self.generation == event.body.generation();
        is_known.then_some((entity, self.place as usize))
    }

    /// The follower of a body, of whose box nothing is known yet. `None` for a place beyond any that a manager has.
    pub(super) fn new(entity: Entity, body: BodyId, place: usize) -> Option<Self> {
        Some(Self {
            entity: Some(entity),
            generation: body.generation(),
            place: u32::try_from(place).ok()?,
            spot: GridSpot::NOWHERE,
        })
    }
}

/// Places of Transforms and of boxes by the indices of bodies. What was found is known as long as no Body was handed out for change,
/// and no entity has got or lost a Body or Transform; the place of a box is a guess. A world in which one is in every step finds all anew in each, and keeps nothing.
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
            self.rows.resize(body_slots, Follower::UNKNOWN);
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
    /// What is known of the follower of a body, for change; `None` in a step in which nothing is kept.
    ///
    /// # Safety
    ///
    /// While the reference is live, there is no other for a body with the same index.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "each worker has other bodies")]
    pub(super) unsafe fn row(&self, body: BodyId) -> Option<&mut Follower> {
        let index = body.index() as usize;
        // SAFETY: in bounds, and no other thread has the row of this body, as the caller promises.
        (index < self.rows.len()).then(|| unsafe { self.rows.get_mut(index) })
    }
}
