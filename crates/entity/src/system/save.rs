//! Saving and restoring a whole system: entities, names, index and the contents of every manager.
//!
//! Managers are code, so they are not saved: a system that restores a save must have the same managers under the same
//! names. All input is checked, since it may come from a broken file.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tombolo_handles::{HandleMap, Header};

use super::EntitySystem;
use crate::bytes::{DataError, Reader, Writer};
use crate::entities::{Entities, EntityMark};
use crate::index::{ComponentEntry, PrototypeIndex, SavedIndex, SavedPrototype};
use crate::manager::Managers;
use crate::name::{ManagerId, NameHash, Names};
use crate::path::Identity;

impl EntitySystem {
    /// Writes the contents of the system except the record of changes. Equal systems write equal bytes.
    pub fn save(&self, out: &mut Writer) {
        save_entities(&self.entities, out);
        out.length(self.names.iter().len());
        for (_, name) in self.names.iter() {
            out.text(name);
        }
        save_index(&self.index.save(), out);
        out.length(self.managers.iter().len());
        for (_, name, manager) in self.managers.iter() {
            out.u32(name.to_bits());
            let mut data = Writer::new();
            manager.save(&mut data);
            out.blob(&data.finish());
        }
    }

    /// Replaces the contents of the system by what [`EntitySystem::save`] wrote: every later call gives the same
    /// results and numbers as in the saved one. The record of changes is dropped.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::restored`]. The system is unchanged then.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), DataError> {
        *self = self.restored(from)?;
        Ok(())
    }

    /// The system that [`EntitySystem::save`] wrote, with managers like this one's. Takes about four bytes of memory
    /// for each byte that is read, and for each list of components in the index its memory there; see
    /// [`ENTRIES_MAX`](crate::ENTRIES_MAX).
    ///
    /// # Errors
    ///
    /// If the bytes are broken, or were written by a system with other managers.
    pub fn restored(&self, from: &mut Reader<'_>) -> Result<Self, DataError> {
        let entities = restore_entities(from)?;
        let names = restore_names(from)?;
        let saved = restore_index(from)?;
        let index = PrototypeIndex::restore(&saved).map_err(|error| DataError::broken(format!("{error}")))?;
        check_index(&entities, &saved)?;
        let entries: Vec<ComponentEntry> = saved
            .prototypes
            .iter()
            .filter_map(|prototype| prototype.entry)
            .collect();
        drop(saved);
        let managers = self.restore_managers(from)?;
        check_fit(&entities, &names, &managers, &entries)?;
        Ok(Self {
            entities,
            names,
            managers,
            index,
            changes: self.changes.as_ref().map(|_| Vec::new()),
            identity: Identity::default(),
        })
    }

    fn restore_managers(&self, from: &mut Reader<'_>) -> Result<Managers, DataError> {
        let count = from.length(12, "managers")?;
        if count != self.managers.iter().len() {
            let here = self.managers.iter().len();
            return Err(DataError::unfit(format!(
                "{count} managers were saved, {here} are here"
            )));
        }
        let mut managers = Managers::default();
        for (id, name, like) in self.managers.iter() {
            if from.u32("a manager's name")? != name.to_bits() {
                let here = self.managers_name(id);
                return Err(DataError::unfit(format!(
                    "the manager at the place of `{here}` is another"
                )));
            }
            let mut data = Reader::new(from.blob("a manager's data")?);
            let mut manager = like.clone_boxed();
            let restored = manager.restore(&mut data).and_then(|()| data.end());
            restored.map_err(|error| {
                DataError::broken(format!("manager `{}`: {error}", self.managers_name(id)))
            })?;
            managers.push(name, manager);
        }
        Ok(managers)
    }
}

fn save_entities(entities: &Entities, out: &mut Writer) {
    let parts = entities.as_map().raw_parts();
    out.blob(bytemuck::bytes_of(&parts.header));
    out.blob(bytemuck::cast_slice(parts.slots));
    out.numbers(parts.owners);
}

fn restore_entities(from: &mut Reader<'_>) -> Result<Entities, DataError> {
    let header: Header = bytemuck::try_pod_read_unaligned(from.blob("the head of the entities")?)
        .map_err(|_| DataError::broken("the head of the entities has another size"))?;
    let slots = from.blob("the entities' slots")?;
    if slots.len() % 8 != 0 {
        return Err(DataError::broken("the entities' slots end in the middle of one"));
    }
    let slots = bytemuck::pod_collect_to_vec(slots);
    let owners = from.numbers("the entities' owners")?;
    let values = alloc::vec![EntityMark; owners.len()];
    let map = HandleMap::from_raw_parts(header, slots, values, owners);
    map.map(Entities::from_map)
        .map_err(|error| DataError::broken(format!("entities: {error}")))
}

fn restore_names(from: &mut Reader<'_>) -> Result<Names, DataError> {
    let mut names = Names::new();
    for _ in 0..from.length(8, "names")? {
        let name = from.text("a name")?;
        names
            .register(&name)
            .map_err(|error| DataError::broken(format!("{error}")))?;
    }
    Ok(names)
}

fn save_index(index: &SavedIndex, out: &mut Writer) {
    out.length(index.records.len());
    for (generation, prototype) in &index.records {
        out.u32(*generation);
        out.u32(*prototype);
    }
    out.length(index.prototypes.len());
    for prototype in &index.prototypes {
        out.u32(prototype.parent);
        out.flag(prototype.entry.is_some());
        let entry = prototype.entry.unwrap_or(ComponentEntry {
            name: NameHash::from_bits(0),
            manager: ManagerId(0),
        });
        out.u32(entry.name.to_bits());
        out.u32(u32::from(entry.manager.0));
        out.u32(prototype.epoch);
        out.u32(prototype.holder_count);
    }
    out.numbers(&index.free);
    out.numbers(&index.queue);
}

fn restore_index(from: &mut Reader<'_>) -> Result<SavedIndex, DataError> {
    let mut saved = SavedIndex::default();
    let count = from.length(8, "records")?;
    saved.records.reserve_exact(count);
    for _ in 0..count {
        saved.records.push((from.u32("a record")?, from.u32("a record")?));
    }
    const WHAT: &str = "a prototype";
    let count = from.length(21, "prototypes")?;
    saved.prototypes.reserve_exact(count);
    for _ in 0..count {
        let parent = from.u32(WHAT)?;
        let has_entry = from.flag(WHAT)?;
        let name = NameHash::from_bits(from.u32(WHAT)?);
        let manager = u16::try_from(from.u32(WHAT)?).map_err(|_| DataError::broken("a manager's number"))?;
        saved.prototypes.push(SavedPrototype {
            parent,
            entry: has_entry.then_some(ComponentEntry {
                name,
                manager: ManagerId(manager),
            }),
            epoch: from.u32(WHAT)?,
            holder_count: from.u32(WHAT)?,
        });
    }
    saved.free = from.numbers("free prototypes")?;
    saved.queue = from.numbers("queued prototypes")?;
    Ok(saved)
}

/// Every entity in the index is alive.
fn check_index(entities: &Entities, index: &SavedIndex) -> Result<(), DataError> {
    for (slot, (generation, _)) in index.records.iter().enumerate() {
        let living = entities.as_map().handle_of_slot(slot as u32);
        if *generation != 0 && living.is_none_or(|entity| entity.generation() != *generation) {
            return Err(DataError::broken("the index knows an entity that is dead"));
        }
    }
    Ok(())
}

/// Checks what each of the parts relies on in the others.
fn check_fit(
    entities: &Entities,
    names: &Names,
    managers: &Managers,
    entries: &[ComponentEntry],
) -> Result<(), DataError> {
    for entry in entries {
        if managers.get(entry.manager).is_none() || names.get(entry.name).is_none() {
            return Err(DataError::broken(
                "the index has a component without manager or name",
            ));
        }
    }
    for (_, name, manager) in managers.iter() {
        if names.get(name).is_none() {
            return Err(DataError::broken("a manager's name is missing"));
        }
        if !manager.have_lived(entities) {
            return Err(DataError::broken(
                "an instance of an entity that there has never been",
            ));
        }
    }
    Ok(())
}

/// Kept small: a message contains names, so it owns them.
const _: () = assert!(size_of::<DataError>() <= 4 * size_of::<Box<str>>());
