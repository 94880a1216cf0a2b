//! [`ThroughPhysics`]: the bodies that calls of `physics_mut` changed, until the world has taken the changes over.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::mem;

use tombolo_entity::{DataError, Entity, Reader, Writer};
use tombolo_physics::PhysicsWorld;

/// The user keys of bodies that calls of `World::physics_mut` changed and that entities have not followed yet, in the
/// order of the calls; some more may still be in the physics that they were called on. A part of the state: saved and
/// cloned, so that neither has to take the changes over first. A save also has which of them are walls in space, as
/// agents search their paths again if one that was a wall no longer is.
#[derive(Clone, Debug, Default)]
pub(super) struct ThroughPhysics {
    keys: Vec<u64>,
}

impl ThroughPhysics {
    /// Takes the changed bodies from physics, and ends their recording there.
    pub(super) fn take_from(&mut self, physics: &mut PhysicsWorld) {
        let noted = physics.take_changed_bodies();
        self.keys.extend(noted);
    }

    /// Takes all keys out.
    pub(super) fn take(&mut self) -> Vec<u64> {
        mem::take(&mut self.keys)
    }

    /// The entities that have not been updated yet.
    pub(super) fn entities(&self) -> BTreeSet<Entity> {
        self.keys
            .iter()
            .filter_map(|key| Entity::from_bits(*key))
            .collect()
    }

    /// The keys, and then those that physics has recorded since.
    pub(super) fn with_those_of<'a>(&'a self, physics: &'a PhysicsWorld) -> impl Iterator<Item = u64> + 'a {
        self.keys.iter().chain(physics.changed_bodies()).copied()
    }

    /// All keys as bytes, each with whether it is of a wall; empty if there are none.
    pub(super) fn save(&self, physics: &PhysicsWorld, is_wall: impl Fn(u64) -> bool) -> Vec<u8> {
        let mut out = Writer::new();
        for key in self.with_those_of(physics) {
            out.u64(key);
            out.flag(is_wall(key));
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
        Ok((Self { keys }, walls))
    }
}
