//! [`EntityIndex`]: what every index does, and how it refuses.

use alloc::vec::Vec;

use super::entry::{
    COMPONENTS_MAX, ComponentEntry, ENTITIES_MAX, ENTRIES_MAX, HOLDERS_MAX, Located, PrototypeStamp,
};
use crate::entities::Entity;
use crate::name::{ManagerId, NameHash};

/// Why an index refuses a change. The index is then as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The entity has a component of this name.
    #[error("{entity:?} already has a component named {name:?}, held by {manager:?}")]
    NameTaken {
        /// The entity.
        entity: Entity,
        /// The name.
        name: NameHash,
        /// Who holds the component that has it.
        manager: ManagerId,
    },
    /// The same name stands twice in a list of entries.
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
    /// The index knows a later entity of the same slot.
    #[error("{entity:?} is dead: its slot belongs to a later entity")]
    Stale {
        /// The entity.
        entity: Entity,
    },
    /// More than [`COMPONENTS_MAX`].
    #[error("an entity has at most {COMPONENTS_MAX} named components")]
    TooMany,
    /// A slot of [`ENTITIES_MAX`] or more, no number left for a prototype, [`ENTRIES_MAX`] entries or [`HOLDERS_MAX`]
    /// holders.
    #[error(
        "the index is full: slots and prototypes are below {ENTITIES_MAX}, a prototype has at most {HOLDERS_MAX} holders, \
         all of them have at most {ENTRIES_MAX} entries"
    )]
    Full,
    /// The stamp's prototype has been collected.
    #[error("{0:?} has been collected")]
    Collected(PrototypeStamp),
}

/// What an index weighs, in bytes of its tables, allocated but unused room included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexMemory {
    /// From entity to prototype or list.
    pub entities_bytes: usize,
    /// Prototypes, entries, and what leads to them.
    pub prototypes_bytes: usize,
    /// The number of prototypes, the empty one not counted.
    pub prototype_count: usize,
}

/// From an entity and a name to the manager and the instance.
///
/// An index does not know which entities are alive. It tells the lives of a slot apart, so it never answers for another
/// entity than the one asked for; whoever destroys an entity also calls [`EntityIndex::forget`].
///
/// Of each slot it knows one entity: the last that was given a component, until it is forgotten. A later entity of the
/// slot takes its place, and what the earlier one had is dropped. An earlier one is stale: it is given nothing
/// ([`IndexError::Stale`]), and has nothing. Every design answers so.
pub trait EntityIndex {
    /// Whether the entity may be given components: it is not stale, and its slot is in range.
    ///
    /// # Errors
    ///
    /// [`IndexError::Stale`] or [`IndexError::Full`].
    fn check(&self, entity: Entity) -> Result<(), IndexError>;

    /// Adds a component, after those that are there.
    ///
    /// # Errors
    ///
    /// If the name is taken, the entity is stale, or a limit is reached.
    fn add(&mut self, entity: Entity, entry: ComponentEntry) -> Result<(), IndexError>;

    /// Removes a component; the order of the others stays.
    ///
    /// # Errors
    ///
    /// If the entity has no component of this name.
    fn remove(&mut self, entity: Entity, name: NameHash) -> Result<(), IndexError>;

    /// Where the component of this name is.
    fn find(&self, entity: Entity, name: NameHash) -> Option<Located>;

    /// The entity's components in the order in which they were added.
    fn entries(&self, entity: Entity) -> Vec<ComponentEntry>;

    /// Drops all that is known of an entity; whether anything was.
    fn forget(&mut self, entity: Entity) -> bool;

    /// Gives back prototypes that nothing uses, looking at no more than `budget`; how many were given back.
    /// Indexes that do not collect answer 0.
    fn collect(&mut self, budget: usize) -> usize {
        let _ = budget;
        0
    }

    /// What the index weighs.
    fn memory(&self) -> IndexMemory;

    /// Adds the same components to many entities, whatever they have already, as if one after the other; all of it or
    /// nothing. So an entity that stands twice in the list is refused, as its names are taken, and so is an earlier life
    /// of a slot behind a later one. An empty list of entries changes nothing.
    ///
    /// # Errors
    ///
    /// As [`EntityIndex::add`], for the first entity that would be refused; or if a name stands twice in `entries`.
    fn add_many(&mut self, entities: &[Entity], entries: &[ComponentEntry]) -> Result<(), IndexError>;
}

/// Refuses a list of entries in which a name stands twice. O(n log n).
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
