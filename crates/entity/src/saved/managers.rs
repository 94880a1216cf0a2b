//! [`SavedManagers`]: the managers of a save.

use alloc::vec::Vec;

use crate::bytes::{DataError, Reader};

/// The version of what a system writes beside the data of managers: entities, names, index.
pub(crate) const VERSION: u32 = 1;

/// The managers of a save in its order, from bytes that [`EntitySystem::save`](crate::EntitySystem::save) wrote.
#[derive(Clone, Debug)]
pub struct SavedManagers<'a> {
    list: Vec<SavedManager<'a>>,
}

/// A manager in a save.
#[derive(Clone, Copy, Debug)]
pub struct SavedManager<'a> {
    name: &'a str,
    /// Of the data that it writes beside properties.
    pub(crate) version: u32,
    /// The description of the properties that the save holds of each component.
    pub(crate) properties: &'a [u8],
}

impl<'a> SavedManager<'a> {
    /// Its name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Reads the description of a manager.
    pub(crate) fn read(from: &mut Reader<'a>) -> Result<Self, DataError> {
        Ok(Self {
            name: from.name("a manager's name")?,
            version: from.u32("the version of a manager's data")?,
            properties: from.blob("a manager's properties")?,
        })
    }
}

impl<'a> SavedManagers<'a> {
    /// Reads the beginning of what [`EntitySystem::save`](crate::EntitySystem::save) wrote.
    ///
    /// # Errors
    ///
    /// If the bytes are none, or were written by a later build.
    pub fn read(from: &mut Reader<'a>) -> Result<Self, DataError> {
        from.version(VERSION, "the entities")?;
        let count = from.length(14, "descriptions of managers")?;
        let mut list = Vec::new();
        list.reserve_exact(count);
        for _ in 0..count {
            list.push(SavedManager::read(from)?);
        }
        Ok(Self { list })
    }

    /// The managers in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = SavedManager<'a>> {
        self.list.iter().copied()
    }

    /// The manager of this name.
    pub fn find(&self, name: &str) -> Option<SavedManager<'a>> {
        self.iter().find(|manager| manager.name == name)
    }
}
