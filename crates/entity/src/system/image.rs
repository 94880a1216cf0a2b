//! [`EntitySystemImage`]: what frames keep of a system; and the bytes of its state, which it shares with saves.

use alloc::sync::Arc;

use crate::bytes::Writer;
use crate::entities::Entities;
use crate::index::{ComponentEntry, PrototypeIndex, SavedIndex};
use crate::manager::{ManagersImage, PreparedManagers};
use crate::name::{ManagerId, NameHash, Names};

/// The contents of a system at one moment, from [`EntitySystem::image`](crate::EntitySystem::image). It is immutable; a
/// clone copies a pointer for each manager.
#[derive(Clone, Debug)]
pub struct EntitySystemImage {
    pub(super) entities: Arc<Entities>,
    pub(super) names: Arc<Names>,
    pub(super) index: Arc<PrototypeIndex>,
    pub(super) managers: ManagersImage,
}

/// What a system lacks to equal an image, from [`EntitySystem::prepare`](crate::EntitySystem::prepare).
#[derive(Debug)]
pub struct PreparedSystem {
    pub(super) image: EntitySystemImage,
    pub(super) managers: PreparedManagers,
}

impl EntitySystemImage {
    /// Writes what [`EntitySystem::save_state`](crate::EntitySystem::save_state) wrote at that moment.
    pub fn save_state(&self, out: &mut Writer) {
        let managers = self.managers.iter();
        let managers = managers.map(|(name, image)| (name, |data: &mut Writer| image.save(data)));
        write_state(&self.entities, &self.names, &self.index, managers, out);
    }

    /// About how many bytes this image takes beside one before it: those of components in a [`Dense`](crate::Dense) that
    /// changed, and of entities if any were created or destroyed. Names and prototypes, and what values hold elsewhere in
    /// memory, do not count. Costs O(components / 16).
    pub fn bytes(&self, before: Option<&Self>) -> usize {
        let has_same = before.is_some_and(|before| Arc::ptr_eq(&self.entities, &before.entities));
        let parts = self.entities.as_map().raw_parts();
        let entities = size_of_val(parts.slots) + size_of_val(parts.owners);
        self.managers.bytes(before.map(|before| &before.managers)) + if has_same { 0 } else { entities }
    }
}

/// Writes the state of a system, with what the function of each manager writes.
pub(super) fn write_state(
    entities: &Entities,
    names: &Names,
    index: &PrototypeIndex,
    managers: impl ExactSizeIterator<Item = (NameHash, impl FnOnce(&mut Writer))>,
    out: &mut Writer,
) {
    save_entities(entities, out);
    out.length(names.iter().len());
    for (_, name) in names.iter() {
        out.text(name);
    }
    save_index(&index.save(), out);
    out.length(managers.len());
    for (name, save) in managers {
        out.u32(name.to_bits());
        out.blob_of(save);
    }
}

fn save_entities(entities: &Entities, out: &mut Writer) {
    let parts = entities.as_map().raw_parts();
    out.blob(bytemuck::bytes_of(&parts.header));
    out.blob(bytemuck::cast_slice(parts.slots));
    out.numbers(parts.owners);
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
