//! `LegacyIndex`: the design that the source replaced. A list of its own for each entity, with instance ids that the
//! managers choose. For comparison.

use alloc::vec::Vec;
use core::hash::BuildHasherDefault;

use hashbrown::HashMap;

use super::mix::WordHasher;
use super::{COMPONENTS_MAX, EntityIndex, IndexError, IndexMemory, Located, Row};
use crate::entities::Entity;
use crate::name::{InstanceId, NameHash};

/// A list for each entity: nothing is shared, since each instance has a number of its own.
///
/// The numbers stand in for those that managers would choose: each manager counts its instances.
#[derive(Clone, Debug, Default)]
pub struct LegacyIndex {
    // Never walked.
    lists: HashMap<Entity, Vec<(Row, InstanceId)>, BuildHasherDefault<WordHasher>>,
    // By manager.
    next_instance: Vec<u32>,
}

impl LegacyIndex {
    /// An index that knows nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number that a manager gives its next instance.
    fn number(&mut self, row: Row) -> InstanceId {
        let manager = usize::from(row.manager.0);
        if manager >= self.next_instance.len() {
            self.next_instance.resize(manager + 1, 0);
        }
        let number = self.next_instance[manager];
        self.next_instance[manager] = number.wrapping_add(1);
        InstanceId(number)
    }
}

impl EntityIndex for LegacyIndex {
    fn add(&mut self, entity: Entity, row: Row) -> Result<(), IndexError> {
        let instance = self.number(row);
        let list = self.lists.entry(entity).or_default();
        if let Some((taken, _)) = list.iter().find(|(other, _)| other.name == row.name) {
            let (name, manager) = (row.name, taken.manager);
            return Err(IndexError::NameTaken {
                entity,
                name,
                manager,
            });
        }
        if list.len() >= COMPONENTS_MAX {
            return Err(IndexError::TooMany);
        }
        list.push((row, instance));
        Ok(())
    }

    fn remove(&mut self, entity: Entity, name: NameHash) -> Result<(), IndexError> {
        let missing = IndexError::NoName { entity, name };
        let list = self.lists.get_mut(&entity).ok_or(missing)?;
        let place = list.iter().position(|(row, _)| row.name == name).ok_or(missing)?;
        list.remove(place);
        Ok(())
    }

    fn find(&self, entity: Entity, name: NameHash) -> Option<Located> {
        let (row, instance) = self
            .lists
            .get(&entity)?
            .iter()
            .find(|(row, _)| row.name == name)?;
        Some(Located {
            manager: row.manager,
            instance: *instance,
        })
    }

    fn rows(&self, entity: Entity) -> Vec<Row> {
        let list = self.lists.get(&entity);
        list.map_or_else(Vec::new, |list| list.iter().map(|(row, _)| *row).collect())
    }

    fn forget(&mut self, entity: Entity) -> bool {
        self.lists.remove(&entity).is_some()
    }

    fn memory(&self) -> IndexMemory {
        // A sum does not depend on the order of the walk.
        let lists: usize = self.lists.values().map(Vec::capacity).sum();
        IndexMemory {
            entities_bytes: self.lists.allocation_size() + lists * size_of::<(Row, InstanceId)>(),
            prototypes_bytes: 0,
            prototype_count: 0,
        }
    }
}
