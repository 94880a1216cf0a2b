//! `LegacyIndex`: the design that the source replaced. A list for each entity, with instance ids that the managers
//! choose.

use core::hash::BuildHasherDefault;

use hashbrown::HashMap;

use super::checks::{check_distinct, check_life};
use super::word_hasher::WordHasher;
use tombolo_entity::{
    COMPONENTS_MAX, ComponentEntry, Entity, EntityIndex, IndexError, IndexMemory, InstanceId, Located,
    NameHash,
};

/// A list for each entity: nothing is shared, since each instance has a number of its own.
///
/// The numbers stand in for those that managers would choose: each manager counts its instances.
#[derive(Clone, Debug, Default)]
pub struct LegacyIndex {
    // By slot. Never iterated.
    lists: HashMap<u64, EntityComponents, BuildHasherDefault<WordHasher>>,
    // By manager.
    next_instance: Vec<u32>,
}

/// The components of the registered entity of a slot.
#[derive(Clone, Debug)]
struct EntityComponents {
    generation: u32,
    entries: Vec<(ComponentEntry, InstanceId)>,
}

/// The way to undo a change of one slot.
enum Undo {
    /// Nothing was registered in the slot.
    Remove,
    /// The entity had fewer entries.
    Shorten,
    /// Another entity was registered.
    Return(EntityComponents),
}

impl LegacyIndex {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number that a manager gives its next instance.
    fn number(&mut self, entry: ComponentEntry) -> InstanceId {
        let manager = usize::from(entry.manager.0);
        if manager >= self.next_instance.len() {
            self.next_instance.resize(manager + 1, 0);
        }
        let number = self.next_instance[manager];
        self.next_instance[manager] = number.wrapping_add(1);
        InstanceId(number)
    }
}

fn slot(entity: Entity) -> u64 {
    u64::from(entity.index())
}

impl LegacyIndex {
    /// The entity's list, if it is registered.
    fn list(&self, entity: Entity) -> Option<&EntityComponents> {
        let list = self.lists.get(&slot(entity))?;
        (list.generation == entity.generation()).then_some(list)
    }

    fn list_mut(&mut self, entity: Entity) -> Option<&mut EntityComponents> {
        let list = self.lists.get_mut(&slot(entity))?;
        (list.generation == entity.generation()).then_some(list)
    }

    /// Registers the entity, which is not stale, in its slot.
    fn take_over(&mut self, entity: Entity) -> Undo {
        let generation = entity.generation();
        if self.list(entity).is_some() {
            return Undo::Shorten;
        }
        let entries = Vec::new();
        let before = self
            .lists
            .insert(slot(entity), EntityComponents { generation, entries });
        before.map_or(Undo::Remove, Undo::Return)
    }

    fn add_entries(&mut self, entity: Entity, entries: &[ComponentEntry]) -> Result<Undo, IndexError> {
        self.check(entity)?;
        let known = self.list(entity).map_or(&[][..], |list| &list.entries);
        for (added, entry) in entries.iter().enumerate() {
            if let Some((taken, _)) = known.iter().find(|(other, _)| other.name == entry.name) {
                let (name, manager) = (entry.name, taken.manager);
                return Err(IndexError::NameTaken {
                    entity,
                    name,
                    manager,
                });
            }
            if known.len() + added >= COMPONENTS_MAX {
                return Err(IndexError::TooMany);
            }
        }
        let undo = self.take_over(entity);
        for &entry in entries {
            let instance = self.number(entry);
            if let Some(list) = self.lists.get_mut(&slot(entity)) {
                list.entries.push((entry, instance));
            }
        }
        Ok(undo)
    }

    fn take_back(&mut self, entity: Entity, added: usize, undo: Undo) {
        match undo {
            Undo::Remove => _ = self.lists.remove(&slot(entity)),
            Undo::Return(list) => _ = self.lists.insert(slot(entity), list),
            Undo::Shorten => {
                if let Some(list) = self.list_mut(entity) {
                    list.entries.truncate(list.entries.len() - added);
                }
            }
        }
    }
}

impl EntityIndex for LegacyIndex {
    fn check(&self, entity: Entity) -> Result<(), IndexError> {
        check_life(entity, self.lists.get(&slot(entity)).map(|list| list.generation))
    }

    fn add(&mut self, entity: Entity, entry: ComponentEntry) -> Result<(), IndexError> {
        self.add_entries(entity, &[entry]).map(drop)
    }

    fn remove(&mut self, entity: Entity, name: NameHash) -> Result<(), IndexError> {
        let missing = IndexError::NoName { entity, name };
        let list = self.list_mut(entity).ok_or(missing)?;
        let place = list.entries.iter().position(|(entry, _)| entry.name == name);
        list.entries.remove(place.ok_or(missing)?);
        Ok(())
    }

    fn find(&self, entity: Entity, name: NameHash) -> Option<Located> {
        let entries = &self.list(entity)?.entries;
        let (entry, instance) = entries.iter().find(|(entry, _)| entry.name == name)?;
        Some(Located {
            manager: entry.manager,
            instance: *instance,
        })
    }

    fn entries(&self, entity: Entity) -> Vec<ComponentEntry> {
        let entries = |list: &EntityComponents| list.entries.iter().map(|(entry, _)| *entry).collect();
        self.list(entity).map_or_else(Vec::new, entries)
    }

    fn forget(&mut self, entity: Entity) -> bool {
        self.list(entity).is_some() && self.lists.remove(&slot(entity)).is_some()
    }

    fn add_many(&mut self, entities: &[Entity], entries: &[ComponentEntry]) -> Result<(), IndexError> {
        check_distinct(entries)?;
        if entries.is_empty() {
            return entities.iter().try_for_each(|&entity| self.check(entity));
        }
        let mut done = Vec::with_capacity(entities.len());
        for &entity in entities {
            match self.add_entries(entity, entries) {
                Ok(undo) => done.push((entity, undo)),
                Err(error) => {
                    for (entity, undo) in done.into_iter().rev() {
                        self.take_back(entity, entries.len(), undo);
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn memory(&self) -> IndexMemory {
        // A sum does not depend on the order of iteration.
        let lists: usize = self.lists.values().map(|list| list.entries.capacity()).sum();
        IndexMemory {
            entities_bytes: self.lists.allocation_size() + lists * size_of::<(ComponentEntry, InstanceId)>(),
            prototypes_bytes: 0,
            prototype_count: 0,
        }
    }
}
