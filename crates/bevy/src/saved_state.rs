//! [`SavedState`]: what the plugin knows about the physics world beside it, and saves and restores with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tombolo_physics::{
    BodyDef, BodyId, Character, CharacterTouch, FieldDef, FieldId, JointDef, JointId, TileGridDef, TileGridId,
};

use crate::applied::{Applied, ColliderDefs};
use crate::key::StableKey;

/// Keys that were given, and the objects that the world does not name by a key of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct SavedState {
    /// The last key that was given automatically, counted from the first.
    pub(crate) next_key: u64,
    /// The bodies that entities got.
    pub(crate) body_ids: Ids<BodyId>,
    /// The joints that entities got and that did not break.
    pub(crate) joint_ids: Ids<JointId>,
    /// The keys of those that broke and were not made again.
    pub(crate) broken_joints: Ids<()>,
    /// The number of colliders without a key that each body has had, by the body's key.
    pub(crate) colliders_given: BTreeMap<u64, u32>,
    /// The definitions that components last gave to bodies, without their poses and velocities.
    pub(crate) bodies: Applied<BodyId, BodyDef>,
    /// Likewise to the colliders of each body.
    pub(crate) colliders: Applied<BodyId, ColliderDefs>,
    /// Likewise to joints.
    pub(crate) joints: Applied<JointId, JointDef>,
    /// The tile grids of entities, by the keys of their bodies.
    pub(crate) grids: BTreeMap<u64, Grid>,
    /// The fields of entities, by key. One that a call has destroyed stays until the entity loses the component.
    pub(crate) fields: BTreeMap<u64, SavedField>,
    /// The characters, by the keys of their bodies.
    pub(crate) characters: BTreeMap<u64, SavedCharacter>,
    /// The keys of the bodies that the last step moved to the targets of [`MoveTo`](crate::MoveTo).
    pub(crate) targeted: BTreeSet<u64>,
    /// The pairs of materials that had a rule in [`ContactRules`](crate::ContactRules) when it was last applied.
    pub(crate) ruled_materials: BTreeSet<[u32; 2]>,
    /// Likewise the pairs of categories.
    pub(crate) ruled_categories: BTreeSet<[u64; 2]>,
}

/// The objects that entities got, by key: what calls create is not among them, whatever its user key. One that a call has
/// destroyed stays until its entity loses the component, and by that is told from one that is still to be created.
#[derive(Clone, Debug)]
pub(crate) struct Ids<I> {
    /// Shared with snapshots until it changes.
    by_key: Arc<BTreeMap<u64, I>>,
}

impl<I> Default for Ids<I> {
    fn default() -> Self {
        Self {
            by_key: Arc::default(),
        }
    }
}

impl<I: Copy + PartialEq> Ids<I> {
    pub(crate) fn get(&self, key: u64) -> Option<I> {
        self.by_key.get(&key).copied()
    }

    pub(crate) fn has(&self, key: u64) -> bool {
        self.by_key.contains_key(&key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    pub(crate) fn set(&mut self, key: u64, id: I) {
        if self.get(key) != Some(id) {
            Arc::make_mut(&mut self.by_key).insert(key, id);
        }
    }

    pub(crate) fn remove(&mut self, key: u64) {
        if self.has(key) {
            Arc::make_mut(&mut self.by_key).remove(&key);
        }
    }

    /// All of them, by key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, I)> {
        self.by_key.iter().map(|(&key, &id)| (key, id))
    }
}

/// The tile grid of an entity.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) id: TileGridId,
    /// The definition from which it was made; its cells may have changed since.
    pub(crate) def: Arc<TileGridDef>,
}

/// The field of an entity.
#[derive(Clone, Debug)]
pub(crate) struct SavedField {
    pub(crate) id: FieldId,
    /// The definition that its component and its entity's pose last gave to it.
    pub(crate) def: Arc<FieldDef>,
}

/// A character between two moves.
#[derive(Clone, Debug)]
pub(crate) struct SavedCharacter {
    pub(crate) state: Character,
    /// The shapes that it touched at the end of its last move, by shape index.
    pub(crate) touches: Vec<CharacterTouch>,
}

impl SavedState {
    /// Whether a key had been given automatically by then: to an entity without an object too, whose value was refused.
    pub(crate) fn had_given(&self, key: u64) -> bool {
        key.checked_sub(StableKey::GIVEN_FROM)
            .is_some_and(|number| (1..=self.next_key).contains(&number))
    }

    /// Forgets what was kept for a body.
    pub(crate) fn remove_body(&mut self, key: u64) {
        self.body_ids.remove(key);
        self.colliders_given.remove(&key);
        self.grids.remove(&key);
        self.characters.remove(&key);
        self.targeted.remove(&key);
    }
}
