//! [`ThroughPhysics`]: whom calls of [`World::physics_mut`] changed, until the world has followed.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::mem;

use tombolo_entity::{DataError, Entity, Reader, Writer};
use tombolo_physics::PhysicsWorld;

use super::World;

/// The user keys of bodies that calls of [`World::physics_mut`] changed and that entities have not followed yet, in the order
/// of the calls; some more may still stand in the physics that they were called on. A part of the state: saved, cloned and
/// hashed, so that none of these need follow first.
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

    /// Reads what [`World::save_through_physics`] wrote. Keys may be any: those of nobody move nobody.
    pub(super) fn restore(bytes: &[u8]) -> Result<Self, DataError> {
        let mut from = Reader::new(bytes);
        let mut keys = Vec::with_capacity(bytes.len() / size_of::<u64>());
        for _ in 0..bytes.len() / size_of::<u64>() {
            keys.push(from.u64("a body that was changed through physics")?);
        }
        from.end()?;
        Ok(Self { keys })
    }
}

impl World {
    /// Whether Transforms and space show all that was done through [`physics_mut`](Self::physics_mut). If not, the next step
    /// begins by following it.
    pub fn is_synchronized(&self) -> bool {
        self.changed_through_physics().next().is_none()
    }

    /// What calls of `physics_mut` have changed since entities followed it, as bytes; none if there is nothing.
    pub(super) fn save_through_physics(&self) -> Vec<u8> {
        let mut out = Writer::new();
        self.changed_through_physics().for_each(|key| out.u64(key));
        out.finish()
    }

    fn changed_through_physics(&self) -> impl Iterator<Item = u64> {
        let noted = self.physics.changed_bodies();
        self.through_physics.keys.iter().chain(noted).copied()
    }
}
