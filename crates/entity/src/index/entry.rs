//! The types of an index, component entries and the numbers of prototypes, and the limits of their counts.

use serde::{Deserialize, Serialize};

use crate::name::{InstanceId, ManagerId, NameHash};

/// The most named components of one entity. An entity that gets all of them one by one leaves 1.2 MB of prototypes behind
/// until they are collected: their lists share memory, and each beyond 16 entries has its own order by name, 2 bytes an
/// entry.
pub const COMPONENTS_MAX: usize = 1024;

/// The limit of slots: entities in an index have slots below it. An index takes 6 bytes for each slot below the
/// highest, and a handle made from a broken file must not allocate all memory.
pub const ENTITIES_MAX: u32 = 1 << 28;

/// The most entries in the lists of all prototypes of an index together, each list counted whole: 128 MB, or less where
/// lists share memory. A save names a list of a thousand
/// entries in 21 bytes, so without a limit a small file could allocate all memory.
pub const ENTRIES_MAX: usize = 1 << 24;

/// The most holders of one prototype, see `PrototypeIndex::hold`.
pub const HOLDERS_MAX: u32 = 1 << 28;

/// A named component: its name, and the manager that holds it under that name's [`InstanceId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ComponentEntry {
    /// The component's name within its entity.
    pub name: NameHash,
    /// The manager that holds it.
    pub manager: ManagerId,
}

const _: () = assert!(size_of::<ComponentEntry>() == 8);

/// The location of a named component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// The manager that holds it.
    pub manager: ManagerId,
    /// The number of the instance in the manager.
    pub instance: InstanceId,
}

impl From<ComponentEntry> for Located {
    fn from(entry: ComponentEntry) -> Self {
        Self {
            manager: entry.manager,
            instance: entry.name.into(),
        }
    }
}

/// The number of a prototype: small, the same in every run that does the same calls, reused after collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PrototypeId(pub(super) u32);

impl PrototypeId {
    /// The empty list.
    pub const EMPTY: Self = Self(0);

    /// The number of the prototype.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The prototype of a number, which need not exist.
    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }
}

/// A prototype and the epoch of its number: safe to cache, since it never matches a later prototype of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrototypeStamp {
    /// The number.
    pub id: PrototypeId,
    /// The number of prototypes that had this number before.
    pub epoch: u32,
}
