//! [`ThroughPhysics`]: whom calls of `physics_mut` changed, until the world has followed.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::mem;

use tombolo_entity::{DataError, Entity, Reader, Writer};
use tombolo_physics::PhysicsWorld;

/// The user keys of bodies that calls of `World::physics_mut` changed and that entities have not followed yet, in the order
/// of the calls; some more may still stand in the physics that they were called on. A part of the state: saved and cloned, so
/// that neither need follow first. A save also holds which of them are walls in space, as agents look for their paths anew
/// if one that was a wall is none any more.
#[derive(Clone, Debug, Default)]
pub(super) struct ThroughPhysics {
    keys: Vec<u64>,
}

impl ThroughPhysics {
    /// Takes over what physics has noted, and ends the watch.
    pub(super) fn take_from(&mut self, physics: &mut PhysicsWorld) {
        let noted = physics.take_changed_bodies();
        self.keys.extend(noted);
    }

    /// All keys, taken out.
    pub(super) fn take(&mut self) -> Vec<u64> {
        mem::take(&mut self.keys)
    }

    /// The entities that have not followed yet.
    pub(super) fn entities(&self) -> BTreeSet<Entity> {
        self.keys
            .iter()
            .filter_map(|key| Entity::from_bits(*key))
            .collect()
    }

    /// The keys, and then those that physics has noted since.
    pub(super) fn with_those_of<'a>(&'a self, physics: &'a PhysicsWorld) -> impl Iterator<Item = u64> + 'a {
        self.keys.iter().chain(physics.changed_bodies()).copied()
    }

    /// All of them as bytes, each with whether it is of a wall; none if there are no keys.
    pub(super) fn save(&self, physics: &PhysicsWorld, is_wall: impl Fn(u64) -> bool) -> Vec<u8> {
        let mut out = Writer::new();
        for key in self.with_those_of(physics) {
            out.u64(key);
            out.flag(is_wall(key));
        }
        out.finish()
    }

    /// Reads what [`Self::save`] wrote, and the keys of walls apart. Keys may be any: those of nobody move nobody.
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
        Ok((Self { keys }, walls))
    }
}
