//! [`Register`]: the kinds of the engine's own components with their properties, by the numbers of their managers.

use alloc::sync::Arc;

use tombolo_entity::{ManagerId, NameHash};

use super::register::{KindEntry, Link, Registered};
use super::{
    AGENT, Agent, BODY, Body, CHARACTER, COLLIDER, Character, Collider, FIELD, Field, JOINT, Joint, KINDS,
    RENDER_DATA, RenderData, SCRIPT, SPAWNER, SPRITE, Script, Spawner, Sprite, TAG, TILES, TRANSFORM,
    TRIGGER, Tag, Tiles, Transform, Trigger, ZONE, Zone,
};

/// The kinds of the engine's own by the numbers of their managers.
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
        ];
        Self {
            kinds: Arc::new(kinds),
        }
    }

    pub(crate) fn kinds(&self) -> &[Arc<KindEntry>] {
        &self.kinds
    }

    /// What is known of a manager's property by its place; nothing of a game's own.
    #[inline]
    pub(crate) fn link(&self, manager: ManagerId, property: usize) -> Option<&Link> {
        let entry = self.kinds.get(usize::from(manager.0))?.entries().get(property)?;
        Some(&entry.link)
    }

    /// The same by the hash of the property's name.
    pub(crate) fn link_of(&self, manager: ManagerId, property: NameHash) -> Option<&Link> {
        let entries = self.kinds.get(usize::from(manager.0))?.entries();
        let entry = entries.iter().find(|entry| entry.property().hash == property)?;
        Some(&entry.link)
    }
}
