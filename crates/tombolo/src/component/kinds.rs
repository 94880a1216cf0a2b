//! [`Register`]: the kinds of the engine's own components with their properties, by the numbers of their managers.

use alloc::sync::Arc;

use tombolo_entity::{Dense, EntitySystem, ManagerId, NameHash, SystemError};

use super::register::{KindEntry, Link, Registered};
use super::{
    AGENT, Agent, BODY, Body, CHARACTER, COLLIDER, Character, Collider, FIELD, Field, JOINT, Joint, KINDS,
    NAMES, RENDER_DATA, RIGID_WELD, RenderData, RigidWeld, SCRIPT, SPAWNER, SPRITE, Script, Spawner, Sprite,
    TAG, TILES, TRANSFORM, TRIGGER, Tag, Tiles, Transform, Trigger, ZONE, Zone,
};

/// The engine's own kinds by the numbers of their managers.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    kinds: Arc<[Arc<KindEntry>]>,
}

impl Register {
    pub(crate) fn new() -> Self {
        fn new<T: Registered>(manager: ManagerId) -> Arc<KindEntry> {
            KindEntry::new::<T>(manager, KINDS[usize::from(manager.0)])
        }
        let kinds = [
            new::<Transform>(TRANSFORM),
            new::<Body>(BODY),
            new::<Collider>(COLLIDER),
            new::<Joint>(JOINT),
            new::<Trigger>(TRIGGER),
            new::<Sprite>(SPRITE),
            new::<RenderData>(RENDER_DATA),
            new::<Tag>(TAG),
            new::<Script>(SCRIPT),
            new::<Spawner>(SPAWNER),
            new::<Agent>(AGENT),
            new::<Zone>(ZONE),
            new::<Field>(FIELD),
            new::<Character>(CHARACTER),
            new::<Tiles>(TILES),
            new::<RigidWeld>(RIGID_WELD),
        ];
        Self {
            kinds: Arc::new(kinds),
        }
    }

    pub(crate) fn kinds(&self) -> &[Arc<KindEntry>] {
        &self.kinds
    }

    /// The link of a manager's property by its index; `None` for managers of a game.
    #[inline]
    pub(crate) fn link(&self, manager: ManagerId, property: usize) -> Option<&Link> {
        let entry = self.kinds.get(usize::from(manager.0))?.entries().get(property)?;
        Some(&entry.link)
    }

    /// The link of a manager's property by the hash of its name.
    pub(crate) fn link_of(&self, manager: ManagerId, property: NameHash) -> Option<&Link> {
        let entries = self.kinds.get(usize::from(manager.0))?.entries();
        let entry = entries.iter().find(|entry| entry.property().hash == property)?;
        Some(&entry.link)
    }
}

/// Registers the engine's own managers with a system that has none yet.
pub(crate) fn register(system: &mut EntitySystem) -> Result<(), SystemError> {
    let numbers = [
        system.register(NAMES[0], Dense::<Transform>::new())?,
        // Objects in physics are destroyed when these components end.
        system.register(NAMES[1], Dense::<Body>::keeping_ended())?,
        system.register(NAMES[2], Dense::<Collider>::keeping_ended())?,
        system.register(NAMES[3], Dense::<Joint>::keeping_ended())?,
        system.register(NAMES[4], Dense::<Trigger>::keeping_ended())?,
        system.register(NAMES[5], Dense::<Sprite>::new())?,
        system.register(NAMES[6], Dense::<RenderData>::new())?,
        system.register(NAMES[7], Dense::<Tag>::new())?,
        system.register(NAMES[8], Dense::<Script>::new())?,
        system.register(NAMES[9], Dense::<Spawner>::new())?,
        system.register(NAMES[10], Dense::<Agent>::new())?,
        // Visitors leave the zone when it ends.
        system.register(NAMES[11], Dense::<Zone>::keeping_ended())?,
        system.register(NAMES[12], Dense::<Field>::keeping_ended())?,
        system.register(NAMES[13], Dense::<Character>::new())?,
        system.register(NAMES[14], Dense::<Tiles>::keeping_ended())?,
        system.register(NAMES[15], Dense::<RigidWeld>::keeping_ended())?,
    ];
    debug_assert!(
        numbers
            .iter()
            .enumerate()
            .all(|(place, number)| usize::from(number.0) == place)
    );
    Ok(())
}
