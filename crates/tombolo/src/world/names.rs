//! The names of entities: unique, looked up in both directions. Names are given and removed here and nowhere else.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use tombolo_entity::{DataError, Entity, EntityMark, Reader, Writer};
use tombolo_handles::SecondaryMap;

/// Names of living entities. Most entities of a scene have one; those that are spawned while it runs need none.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    by_name: BTreeMap<Box<str>, Entity>,
    names: SecondaryMap<EntityMark, Box<str>>,
}

impl NameTable {
    pub(crate) fn find(&self, name: &str) -> Option<Entity> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn of(&self, entity: Entity) -> Option<&str> {
        self.names.get(entity).map(|name| &**name)
    }

    /// All names, in the order of their letters.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Entity)> + Clone {
        self.by_name.iter().map(|(name, entity)| (&**name, *entity))
    }

    /// Names an entity, which loses the name that it had; whether the name was free.
    pub(crate) fn give(&mut self, entity: Entity, name: &str) -> bool {
        match self.by_name.get(name) {
            Some(owner) => *owner == entity,
            None => {
                self.take(entity);
                self.by_name.insert(name.into(), entity);
                self.names.insert(entity, name.into());
                true
            }
        }
    }

    /// Forgets an entity's name.
    pub(crate) fn take(&mut self, entity: Entity) {
        if let Some(name) = self.names.remove(entity) {
            self.by_name.remove(&name);
        }
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.length(self.by_name.len());
        for (name, entity) in &self.by_name {
            out.text(name);
            out.entity(Some(*entity));
        }
    }

    /// The table that was saved; `is_alive` says who may have a name.
    pub(crate) fn restore(
        from: &mut Reader<'_>,
        is_alive: impl Fn(Entity) -> bool,
    ) -> Result<Self, DataError> {
        let mut table = Self::default();
        for _ in 0..from.length(16, "names of entities")? {
            let name = from.text("an entity's name")?;
            let entity = from.entity("a named entity")?.filter(|entity| is_alive(*entity));
            let entity = entity.ok_or_else(|| DataError::broken("a name of no living entity"))?;
            if table.names.contains(entity) || !table.give(entity, &name) {
                return Err(DataError::broken("an entity or a name stands twice"));
            }
        }
        Ok(table)
    }
}
