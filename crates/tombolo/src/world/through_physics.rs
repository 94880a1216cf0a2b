//! [`ThroughPhysics`]: the bodies that calls of `physics_mut` changed, until the world has taken the changes over.
//!
//! Physics lists them while it is watched. A call that restores physics, or replaces it, ends the watch: then the body
//! of every entity counts as changed. (A clone that was taken within the watch is watched too, and has its list.)
//!
//! The shapes that were destroyed go to the events of the next step, which may name them.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::mem;

use tombolo_entity::{DataError, Dense, Entity, EntitySystem, Reader, Writer};
use tombolo_physics::{PhysicsWorld, ShapeId};

use crate::component::{BODY, Body};

/// The user keys of bodies that calls of `World::physics_mut` changed and that entities have not followed yet, in the
/// order of the calls; some more may still be in the physics that they were called on. A part of the state: saved and
/// cloned, so that neither has to take the changes over first. A save also has which of them were walls and no longer are, as
/// agents search their paths again if one that was a wall no longer is.
#[derive(Clone, Debug, Default)]
pub(super) struct ThroughPhysics {
    keys: Vec<u64>,
    /// Whether physics was handed out, and watched from then on.
    is_watching: bool,
    /// Whether a watch has ended without the world: the body of any entity may have changed.
    is_lost: bool,
}

impl ThroughPhysics {
    /// Watches physics, which is about to be handed out.
    pub(super) fn watch(&mut self, physics: &mut PhysicsWorld) {
        self.is_lost = self.has_lost(physics);
        self.is_watching = true;
        physics.watch_bodies();
    }

    /// Takes over the list of changed bodies from physics, and ends the watch.
    pub(super) fn end_watch(&mut self, physics: &mut PhysicsWorld) {
        self.is_lost = self.has_lost(physics);
        self.is_watching = false;
        self.keys.extend(physics.take_changed_bodies());
    }

    /// Takes out the keys of the changed bodies that were taken over; after a watch that was lost also those of all
    /// bodies.
    pub(super) fn take_changed(&mut self, entities: &EntitySystem) -> Vec<u64> {
        let mut keys = mem::take(&mut self.keys);
        if mem::take(&mut self.is_lost) {
            keys.extend(keys_of_bodies(entities));
        }
        keys
    }

    /// Whether there is nothing to follow, in any physics that is not watched.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.is_lost
    }

    fn has_lost(&self, physics: &PhysicsWorld) -> bool {
        self.is_lost || (self.is_watching && !physics.is_watching_bodies())
    }

    /// The entities of the keys that were read from a save. (A watch that was lost adds none: a save has all keys.)
    pub(super) fn restored_entities(&self) -> BTreeSet<Entity> {
        self.keys
            .iter()
            .filter_map(|key| Entity::from_bits(*key))
            .collect()
    }

    /// The keys of all changed bodies, including those that physics still lists; after a watch that was lost then those
    /// of all bodies.
    pub(super) fn all_changed<'a>(
        &'a self,
        physics: &'a PhysicsWorld,
        entities: &'a EntitySystem,
    ) -> impl Iterator<Item = u64> + 'a {
        let listed = self.keys.iter().chain(physics.changed_bodies()).copied();
        let all = self.has_lost(physics).then(|| keys_of_bodies(entities));
        listed.chain(all.into_iter().flatten())
    }

    /// All keys as bytes, each with whether it was of a wall and no longer is; empty if there are none.
    pub(super) fn save(
        &self,
        physics: &PhysicsWorld,
        entities: &EntitySystem,
        was_wall: impl Fn(u64) -> bool,
    ) -> Vec<u8> {
        let mut out = Writer::new();
        for key in self.all_changed(physics, entities) {
            out.u64(key);
            out.flag(was_wall(key));
        }
        out.finish()
    }

    /// Reads the output of [`Self::save`]; returns the keys of walls separately. Keys may have any value: those
    /// without an entity have no effect.
    pub(super) fn restore(bytes: &[u8]) -> Result<(Self, Vec<u64>), DataError> {
        const BYTES_OF_ONE: usize = size_of::<u64>() + 1;
        let mut from = Reader::new(bytes);
        let mut keys = Vec::with_capacity(bytes.len() / BYTES_OF_ONE);
        let mut walls = Vec::new();
        for _ in 0..bytes.len() / BYTES_OF_ONE {
            let key = from.u64("a body that was changed through physics")?;
            keys.push(key);
            if from.flag("whether it was a wall")? {
                walls.push(key);
            }
        }
        from.end()?;
        let restored = Self {
            keys,
            ..Self::default()
        };
        Ok((restored, walls))
    }
}

/// The shapes of entities that physics lists as destroyed. User keys of others may be anything.
pub(super) fn destroyed_shapes(
    physics: &PhysicsWorld,
    entities: &EntitySystem,
) -> impl Iterator<Item = (ShapeId, Entity)> {
    let listed = physics.destroyed_shapes().iter();
    let owned = listed.filter_map(|&(shape, key)| Some((shape, Entity::from_bits(key)?)));
    owned.filter(|(_, entity)| entities.entities().has_lived(*entity))
}

/// The user keys of the bodies of all entities.
fn keys_of_bodies(entities: &EntitySystem) -> impl Iterator<Item = u64> {
    let bodies: Option<&Dense<Body>> = entities.manager(BODY);
    let owners = bodies.into_iter().flat_map(Dense::owners);
    owners.map(|(entity, _)| entity.to_bits())
}
