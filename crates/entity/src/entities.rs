//! `Entities`: the set of living entities. An entity is only a handle; its components are stored by the managers.

use alloc::vec::Vec;

use tombolo_handles::{Handle, HandleMap};

/// The value type of the handle [`Entity`]: an empty mark for each living entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntityMark;

/// An entity: 64 bits, never zero, never reused for another entity.
pub type Entity = Handle<EntityMark>;

const _: () = assert!(size_of::<Option<Entity>>() == 8);

/// The set of living entities.
///
/// Free slots are reused, the oldest first, with a new generation, so a stale handle is recognized by its generation.
///
/// ```
/// let mut entities = tombolo_entity::Entities::new();
/// let first = entities.create();
/// assert!(entities.destroy(first));
/// let second = entities.create();
/// assert!(entities.is_alive(second) && !entities.is_alive(first));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Entities {
    living: HandleMap<EntityMark>,
}

impl Entities {
    /// A set without entities.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an entity. O(1).
    ///
    /// # Panics
    ///
    /// If all 2³² − 1 slots are taken.
    #[inline]
    pub fn create(&mut self) -> Entity {
        self.living.insert(EntityMark)
    }

    /// Creates `count` entities, in order: the same as that many calls of [`Entities::create`].
    ///
    /// # Panics
    ///
    /// In the same cases as [`Entities::create`].
    pub fn create_many(&mut self, count: usize) -> Vec<Entity> {
        self.living.insert_many(count, EntityMark)
    }

    /// The entities that the next [`Entities::create_many`] creates.
    pub fn next_many(&self, count: usize) -> Vec<Entity> {
        self.living.next_handles(count)
    }

    /// Destroys an entity; returns whether it was alive. Its components stay in their managers until those collect.
    /// O(1).
    #[inline]
    pub fn destroy(&mut self, entity: Entity) -> bool {
        self.living.remove(entity).is_some()
    }

    /// Whether the handle names a living entity. O(1).
    #[inline]
    pub fn is_alive(&self, entity: Entity) -> bool {
        self.living.contains(entity)
    }

    /// Whether the handle names an entity that is alive or was once. O(1).
    pub fn has_lived(&self, entity: Entity) -> bool {
        self.living.has_held(entity)
    }

    /// The number of living entities.
    pub fn len(&self) -> usize {
        self.living.len()
    }

    /// Whether no entity is alive.
    pub fn is_empty(&self) -> bool {
        self.living.is_empty()
    }

    /// The living entities, in the order of the map: the order of creation until one is destroyed, the same on every
    /// machine.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity> {
        self.living.iter().map(|(entity, _)| entity)
    }

    /// The map of living entities, for saving with [`HandleMap::raw_parts`].
    pub const fn as_map(&self) -> &HandleMap<EntityMark> {
        &self.living
    }

    /// Entities from a map that was read back with [`HandleMap::from_raw_parts`].
    pub const fn from_map(living: HandleMap<EntityMark>) -> Self {
        Self { living }
    }
}
