//! `Entities`: which entities are alive. An entity is a handle and nothing more; what it has is the managers' business.

use alloc::vec::Vec;

use tombolo_handles::{Handle, HandleMap};

/// What an [`Entity`] names: nothing but a place among the living.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntityMark;

/// An entity: 64 bits, never zero, never reused for another entity.
pub type Entity = Handle<EntityMark>;

const _: () = assert!(size_of::<Option<Entity>>() == 8);

/// The living entities.
///
/// Slots of the dead are reused, the oldest first, with a new generation, so a stale handle is known by its number.
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
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new entity. O(1).
    ///
    /// # Panics
    ///
    /// If all 2³² − 1 slots are taken.
    #[inline]
    pub fn create(&mut self) -> Entity {
        self.living.insert(EntityMark)
    }

    /// `count` new entities, in order: the same as as many calls of [`Entities::create`].
    ///
    /// # Panics
    ///
    /// In the same cases as [`Entities::create`].
    pub fn create_many(&mut self, count: usize) -> Vec<Entity> {
        self.living.insert_many(count, EntityMark)
    }

    /// The entities that [`Entities::create_many`] makes next.
    pub fn next_many(&self, count: usize) -> Vec<Entity> {
        self.living.next_handles(count)
    }

    /// Ends an entity; whether it was alive. Its components stay with their managers until those collect. O(1).
    #[inline]
    pub fn destroy(&mut self, entity: Entity) -> bool {
        self.living.remove(entity).is_some()
    }

    /// Whether the handle names a living entity. O(1).
    #[inline]
    pub fn is_alive(&self, entity: Entity) -> bool {
        self.living.contains(entity)
    }

    /// Whether the handle names an entity that is alive or was. O(1).
    pub fn has_lived(&self, entity: Entity) -> bool {
        self.living.has_held(entity)
    }

    /// How many are alive.
    pub fn len(&self) -> usize {
        self.living.len()
    }

    /// Whether none is alive.
    pub fn is_empty(&self) -> bool {
        self.living.is_empty()
    }

    /// The living, in the order in which the map keeps them: that of creation until one dies, the same on every machine.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity> {
        self.living.iter().map(|(entity, _)| entity)
    }

    /// The map, to save it with [`HandleMap::raw_parts`].
    pub const fn as_map(&self) -> &HandleMap<EntityMark> {
        &self.living
    }

    /// Entities from a map that was read back with [`HandleMap::from_raw_parts`].
    pub const fn from_map(living: HandleMap<EntityMark>) -> Self {
        Self { living }
    }
}
