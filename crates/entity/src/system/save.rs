//! Saving and restoring a whole system: entities, names, index and the contents of every manager.
//!
//! Managers are code, so they are not saved: a system that restores a save must have those of the save, by their names.
//! All input is checked, since it may come from a broken file.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tombolo_handles::{HandleMap, Header};

use super::EntitySystem;
use super::image::write_state;
use crate::bytes::{DataError, Reader, Writer};
use crate::entities::{Entities, EntityMark};
use crate::index::{ComponentEntry, PrototypeIndex, SavedIndex, SavedPrototype};
use crate::manager::{ComponentManager, Managers};
use crate::name::{ManagerId, NameHash, Names};
use crate::path::{Identity, RecentPaths};
use crate::property::describe;
use crate::saved::{SavedManager, SavedManagers, VERSION};

const NEVER_LIVED: &str = "an instance of an entity that there has never been";

impl EntitySystem {
    /// Writes the contents of the system except the record of changes, described for other builds: the names of
    /// managers, and the names and kinds of their properties. Equal systems write equal bytes.
    pub fn save(&self, out: &mut Writer) {
        self.describe_managers(out);
        self.save_state(out);
    }

    /// Writes what [`SavedManagers::read`] reads.
    fn describe_managers(&self, out: &mut Writer) {
        out.u32(VERSION);
        out.length(self.managers.iter().len());
        for (id, _, manager) in self.managers.iter() {
            self.describe_manager(id, manager, out);
        }
    }

    fn describe_manager(&self, id: ManagerId, manager: &dyn ComponentManager, out: &mut Writer) {
        out.name(self.manager_name(id).unwrap_or_default());
        out.u32(manager.version());
        out.blob_of(|out| describe(manager.properties(), out));
    }

    /// Writes the contents of one manager, with its name and the names and kinds of its properties: what
    /// [`EntitySystem::restored_manager`] reads in this and later builds. Nothing for a number that is unknown.
    pub fn save_manager(&self, id: ManagerId, out: &mut Writer) {
        if let Some(manager) = self.managers.get(id) {
            self.describe_manager(id, manager, out);
            out.blob_of(|data| manager.save(data));
        }
    }

    /// The manager that [`EntitySystem::save_manager`] wrote in this or an earlier build, and its number here. This
    /// system is not changed.
    ///
    /// # Errors
    ///
    /// If the bytes are broken, there is no such manager here, its properties do not fit, or it has an instance of an
    /// entity that there has never been.
    pub fn restored_manager(
        &self,
        from: &mut Reader<'_>,
    ) -> Result<(ManagerId, Box<dyn ComponentManager>), DataError> {
        let saved = SavedManager::read(from)?;
        let id = self.present_manager(&saved)?;
        let data = from.blob("a manager's data")?;
        let like = self.managers.get(id).ok_or_else(|| no_manager(&saved))?;
        let manager = restore_manager(like, &saved, data).map_err(|error| error.of_manager(saved.name()))?;
        if !manager.have_lived(&self.entities) {
            return Err(DataError::broken(NEVER_LIVED));
        }
        Ok((id, manager))
    }

    /// Replaces a manager by one of the same type, such as [`EntitySystem::restored_manager`] gives, and returns the one
    /// before; `None`, and no change, if there is none of that number and type.
    pub fn replace_manager(
        &mut self,
        id: ManagerId,
        manager: Box<dyn ComponentManager>,
    ) -> Option<Box<dyn ComponentManager>> {
        self.managers.replace(id, manager)
    }

    /// Writes what [`EntitySystem::save`] writes, without the description: the bytes that state hashes cover.
    pub fn save_state(&self, out: &mut Writer) {
        self.save_state_with(&[], out);
    }

    /// As [`EntitySystem::save_state`], with other contents of some managers: the bytes of a system in which those were
    /// [replaced](EntitySystem::replace_manager).
    pub fn save_state_with(&self, others: &[(ManagerId, &dyn ComponentManager)], out: &mut Writer) {
        let managers = self.managers.iter().map(|(id, name, manager)| {
            let other = others.iter().find(|(other, _)| *other == id);
            (name, other.map_or(manager, |(_, other)| *other))
        });
        let managers = managers.map(|(name, manager)| (name, |data: &mut Writer| manager.save(data)));
        write_state(&self.entities, &self.names, &self.index, managers, out);
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

    /// The system that [`EntitySystem::save`] wrote in this or an earlier build, with managers like this one's. Takes
    /// about four bytes of memory for each byte that is read, and for each list of components in the index its memory
    /// there; see [`ENTRIES_MAX`](crate::ENTRIES_MAX).
    ///
    /// Managers and properties are found by their names. A manager that the save lacks is empty, a property that it
    /// lacks has its default; what else may differ, [`Schema`](crate::Schema) says.
    ///
    /// # Errors
    ///
    /// If the bytes are broken, or the save has a manager or property that there is not here, or one of another kind.
    pub fn restored(&self, from: &mut Reader<'_>) -> Result<Self, DataError> {
        let saved = SavedManagers::read(from)?;
        self.restored_as(&saved, from)
    }

    /// Like [`EntitySystem::restored`], after the description of the managers was read. For programs that save
    /// components elsewhere, too.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::restored`].
    pub fn restored_as(&self, saved: &SavedManagers<'_>, from: &mut Reader<'_>) -> Result<Self, DataError> {
        let present = self.present_managers(saved)?;
        let entities = restore_entities(from)?;
        let mut names = restore_names(from)?;
        let saved_index = restore_index(&present, from)?;
        let index =
            PrototypeIndex::restore(&saved_index).map_err(|error| DataError::broken(format!("{error}")))?;
        check_index(&entities, &saved_index)?;
        let entries: Vec<ComponentEntry> = saved_index
            .prototypes
            .iter()
            .filter_map(|prototype| prototype.entry)
            .collect();
        drop(saved_index);
        let restored = self.restore_managers(saved, &present, from)?;
        let managers = self.complete_managers(restored, &mut names)?;
        check_fit(&entities, &names, &managers, &entries)?;
        Ok(Self {
            entities: entities.into(),
            names: names.into(),
            managers,
            index: index.into(),
            changes: self.changes.as_ref().map(|_| Vec::new()),
            identity: Identity::default(),
            recent_paths: RecentPaths::default(),
        })
    }

    /// The present numbers of the managers of a save.
    fn present_managers(&self, saved: &SavedManagers<'_>) -> Result<Vec<ManagerId>, DataError> {
        let mut present: Vec<ManagerId> = Vec::new();
        for manager in saved.iter() {
            let id = self.present_manager(&manager)?;
            if present.contains(&id) {
                let name = manager.name();
                return Err(DataError::broken(format!("the manager `{name}` stands twice")));
            }
            present.push(id);
        }
        Ok(present)
    }

    /// The present number of a manager of a save.
    fn present_manager(&self, saved: &SavedManager<'_>) -> Result<ManagerId, DataError> {
        self.manager_id(saved.name()).ok_or_else(|| no_manager(saved))
    }

    /// Restores the managers of a save, by their present numbers; `None` for those that it lacks.
    fn restore_managers(
        &self,
        saved: &SavedManagers<'_>,
        present: &[ManagerId],
        from: &mut Reader<'_>,
    ) -> Result<Vec<Option<Box<dyn ComponentManager>>>, DataError> {
        if from.length(12, "managers")? != present.len() {
            return Err(DataError::broken("another number of managers than was described"));
        }
        let mut restored: Vec<Option<Box<dyn ComponentManager>>> = Vec::new();
        restored.resize_with(self.managers.iter().len(), || None);
        for (saved, id) in saved.iter().zip(present) {
            if from.u32("a manager's name")? != NameHash::of(saved.name()).to_bits() {
                return Err(DataError::broken("another manager than was described"));
            }
            let data = from.blob("a manager's data")?;
            let like = self.managers.get(*id);
            let manager = like.map(|like| restore_manager(like, &saved, data)).transpose();
            restored[usize::from(id.0)] = manager.map_err(|error| error.of_manager(saved.name()))?;
        }
        Ok(restored)
    }

    /// All managers. Those that the save lacks are empty. The names of those, and of managers that were renamed, are added
    /// to the names of the save.
    fn complete_managers(
        &self,
        restored: Vec<Option<Box<dyn ComponentManager>>>,
        names: &mut Names,
    ) -> Result<Managers, DataError> {
        let mut managers = Managers::with_former_names_of(&self.managers);
        for ((id, hash, like), restored) in self.managers.iter().zip(restored) {
            let name = self.manager_name(id).unwrap_or_default();
            let added = names.register(name);
            added.map_err(|error| DataError::unfit(format!("{error}")))?;
            if let Some(manager) = restored {
                managers.push(hash, manager);
                continue;
            }
            let mut manager = like.clone_boxed();
            manager.clear();
            if !manager.is_empty() {
                let message =
                    format!("the save has no manager `{name}`, and the one here is not to be emptied");
                return Err(DataError::unfit(message));
            }
            managers.push(hash, manager);
        }
        Ok(managers)
    }
}

fn no_manager(saved: &SavedManager<'_>) -> DataError {
    DataError::unfit(format!("there is no manager `{}` here", saved.name()))
}

fn restore_manager(
    like: &dyn ComponentManager,
    saved: &SavedManager<'_>,
    data: &[u8],
) -> Result<Box<dyn ComponentManager>, DataError> {
    let form = like.form(saved)?;
    let mut manager = like.clone_boxed();
    let mut data = Reader::new(data);
    data.in_form(form, |data| manager.restore(data))?;
    data.end()?;
    Ok(manager)
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

/// The index, with the present numbers of managers.
fn restore_index(present: &[ManagerId], from: &mut Reader<'_>) -> Result<SavedIndex, DataError> {
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
        let number = from.u32(WHAT)?;
        let entry = has_entry.then(|| {
            let manager = present.get(number as usize).copied();
            let manager =
                manager.ok_or_else(|| DataError::broken("the index has a component without manager"))?;
            Ok::<_, DataError>(ComponentEntry { name, manager })
        });
        saved.prototypes.push(SavedPrototype {
            parent,
            entry: entry.transpose()?,
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
    for (_, _, manager) in managers.iter() {
        if !manager.have_lived(entities) {
            return Err(DataError::broken(NEVER_LIVED));
        }
    }
    Ok(())
}

/// Kept small: a message contains names, so it owns them.
const _: () = assert!(size_of::<DataError>() <= 4 * size_of::<Box<str>>());
