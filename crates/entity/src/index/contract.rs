//! [`EntityIndex`]: the contract of every entity index, its errors, and its memory use.

use alloc::vec::Vec;

use super::entry::{
    COMPONENTS_MAX, ComponentEntry, ENTITIES_MAX, ENTRIES_MAX, HOLDERS_MAX, Located, PrototypeStamp,
};
use crate::entities::Entity;
use crate::name::{ManagerId, NameHash};

/// The reason why an index refuses a change. The index is unchanged then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The entity already has a component of this name.
    #[error("{entity:?} already has a component named {name:?}, held by {manager:?}")]
    NameTaken {
        /// The entity.
        entity: Entity,
        /// The name.
        name: NameHash,
        /// The manager of the component that has the name.
        manager: ManagerId,
    },
    /// The same name occurs twice in a list of entries.
    #[error("the name {name:?} stands twice in the list of components")]
    NameTwice {
        /// The name.
        name: NameHash,
    },
    /// The entity has no component of this name.
    #[error("{entity:?} has no component named {name:?}")]
    NoName {
        /// The entity.
        entity: Entity,
        /// The name.
        name: NameHash,
    },
    /// The index has a record of a later entity of the same slot.
    #[error("{entity:?} is dead: its slot belongs to a later entity")]
    Stale {
        /// The entity.
        entity: Entity,
    },
    /// The entity would have more than [`COMPONENTS_MAX`] components.
    #[error("an entity has at most {COMPONENTS_MAX} named components")]
    TooMany,
    /// A limit is reached: a slot of [`ENTITIES_MAX`] or more, no number left for a prototype, [`ENTRIES_MAX`] entries
    /// or [`HOLDERS_MAX`] holders.
    #[error(
        "the index is full: slots and prototypes are below {ENTITIES_MAX}, a prototype has at most {HOLDERS_MAX} holders, \
         all of them have at most {ENTRIES_MAX} entries"
    )]
    Full,
    /// The stamp's prototype has been collected.
    #[error("{0:?} has been collected")]
    Collected(PrototypeStamp),
}

/// The memory of an index, in bytes of its tables, allocated but unused room included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexMemory {
    /// Tables from entity to prototype or list.
    pub entities_bytes: usize,
    /// Prototypes, their entries, and the tables that find them.
    pub prototypes_bytes: usize,
    /// The number of prototypes, the empty one not counted.
    pub prototype_count: usize,
}

/// A map from an entity and a name to the manager and the instance.
///
/// An index does not know which entities are alive. It compares the generations of a slot, so its answers are always
/// for the entity in question and never for another of the same slot; a caller that destroys an entity also calls
/// [`EntityIndex::forget`].
///
/// Each slot has a record of one entity: the last that was given a component, until it is forgotten. A later entity of
/// the slot replaces it, and the earlier one's record is dropped. An earlier one is stale: adding to it fails
/// ([`IndexError::Stale`]), and it has no components. Every implementation behaves so.
pub trait EntityIndex {
    /// Whether the entity may be given components: it is not stale, and its slot is in range.
    ///
    /// # Errors
    ///
    /// [`IndexError::Stale`] or [`IndexError::Full`].
    fn check(&self, entity: Entity) -> Result<(), IndexError>;

    /// Adds a component, after the existing ones.
    ///
    /// # Errors
    ///
    /// If the name is taken, the entity is stale, or a limit is reached.
    fn add(&mut self, entity: Entity, entry: ComponentEntry) -> Result<(), IndexError>;

    /// Removes a component; the order of the others is kept.
    ///
    /// # Errors
    ///
    /// If the entity has no component of this name.
    fn remove(&mut self, entity: Entity, name: NameHash) -> Result<(), IndexError>;

    /// The manager and the instance of the component of this name.
    fn find(&self, entity: Entity, name: NameHash) -> Option<Located>;

    /// The entity's components in the order in which they were added.
    fn entries(&self, entity: Entity) -> Vec<ComponentEntry>;

    /// Drops the record of an entity; returns whether there was one.
    fn forget(&mut self, entity: Entity) -> bool;

    /// Frees prototypes without users, visiting no more than `budget`; returns the number freed. Indexes that do not
    /// collect return 0.
    fn collect(&mut self, budget: usize) -> usize {
        let _ = budget;
        0
    }

    /// The memory of the index.
    fn memory(&self) -> IndexMemory;

    /// Adds the same components to many entities, in addition to those they have, as if one after the other; all of it
    /// or nothing. So an entity that occurs twice in the list is refused, as its names are taken, and so is an earlier
    /// generation of a slot after a later one. An empty list of entries changes nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntityIndex::add`], for the first entity that would be refused; or if a name occurs twice
    /// in `entries`.
    fn add_many(&mut self, entities: &[Entity], entries: &[ComponentEntry]) -> Result<(), IndexError>;
}

/// Refuses a list of entries in which a name occurs twice. O(n log n).
pub(super) fn check_distinct(entries: &[ComponentEntry]) -> Result<(), IndexError> {
    if entries.len() > COMPONENTS_MAX {
        return Err(IndexError::TooMany);
    }
    let mut names: Vec<NameHash> = entries.iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(IndexError::NameTwice { name: pair[0] }),
        None => Ok(()),
    }
}
