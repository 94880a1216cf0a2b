//! [`Dense`] as a component manager.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::image::{DenseImage, save_instances};
use super::table::{Dense, Key};
use crate::bytes::{DataError, Reader, Writer};
use crate::entities::{Entities, Entity};
use crate::index::ENTITIES_MAX;
use crate::manager::{ComponentManager, ManagerError, ManagerImage};
use crate::name::InstanceId;
use crate::property::{Component, Property, Refusal};
use crate::saved::SavedManager;
use crate::value::Value;
use crate::value::plain::Plain;
use crate::value::saved::SavedForm;

impl<T: Component> ComponentManager for Dense<T> {
    fn create(&mut self, entity: Entity, instance: InstanceId) -> Result<(), ManagerError> {
        self.insert(entity, instance, T::default())
    }

    fn contains(&self, entity: Entity, instance: InstanceId) -> bool {
        self.instance_index(entity, instance).is_some()
    }

    fn destroy(&mut self, entity: Entity, instance: InstanceId) -> bool {
        let instance_index = self.instance_index(entity, instance);
        instance_index
            .map(|instance_index| self.remove_instance(instance_index))
            .is_some()
    }

    fn collect(&mut self, entities: &Entities, budget: usize) -> usize {
        let mut count = 0;
        for _ in 0..budget.min(self.heads.len()) {
            let slot = self.cursor;
            self.cursor = if slot as usize + 1 < self.heads.len() {
                slot + 1
            } else {
                0
            };
            let owner = self.keys.get(self.heads[slot as usize] as usize);
            if owner.is_some_and(|key| !entities.is_alive(key.entity)) {
                count += self.clear_slot(slot);
            }
        }
        count
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    fn clone_boxed(&self) -> Box<dyn ComponentManager> {
        Box::new(self.clone())
    }

    fn image(&mut self) -> Arc<dyn ManagerImage> {
        Arc::new(DenseImage::of(self))
    }

    fn save(&self, out: &mut Writer) {
        let rows = self.keys.iter().zip(self.values.iter());
        save_instances(self.cursor, &self.heads, self.keys.len(), rows, &self.schema, out);
    }

    /// Destroyed instances that were not taken are dropped.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), DataError> {
        let mut read = self.emptied();
        read.cursor = from.u32("the place of collecting")?;
        read.heads = from.numbers("slots")?.into();
        let last = read.heads.len().saturating_sub(1);
        if read.heads.len() > ENTITIES_MAX as usize || read.cursor as usize > last {
            return Err(DataError::broken("more slots than there can be"));
        }
        let count = from.length(16, "instances")?;
        let mut keys = Vec::with_capacity(count);
        let mut values: Vec<T> = Vec::new();
        for _ in 0..count {
            // The size of a value in the bytes is unknown, so memory for all cannot be reserved before they are read.
            if values.len() == values.capacity() {
                values.reserve_exact(16 + values.len() / 4);
            }
            let entity = from.entity("an instance's entity")?;
            keys.push(Key {
                entity: entity.ok_or_else(|| DataError::broken("an instance of no entity"))?,
                instance: InstanceId(from.u32("an instance's number")?),
                next: from.u32("the next instance")?,
            });
            let mut value = T::default();
            value.restore(&self.schema, from)?;
            values.push(value);
        }
        (read.keys, read.values) = (keys.into(), values.into());
        read.check_lists()?;
        *self = read;
        Ok(())
    }

    fn version(&self) -> u32 {
        T::VERSION
    }

    fn form(&self, saved: &SavedManager<'_>) -> Result<SavedForm, DataError> {
        self.schema.form(saved, T::VERSION)
    }

    fn clear(&mut self) {
        *self = self.emptied();
    }

    fn have_lived(&self, entities: &Entities) -> bool {
        self.keys.iter().all(|key| entities.has_lived(key.entity))
    }

    fn properties(&self) -> &[Property] {
        self.schema.properties()
    }

    fn get(&self, entity: Entity, instance: InstanceId, property: usize) -> Option<Value> {
        self.schema.get(self.value(entity, instance)?, property)
    }

    fn set(
        &mut self,
        entity: Entity,
        instance: InstanceId,
        property: usize,
        value: &Value,
    ) -> Result<(), Refusal> {
        let instance_index = self.instance_index(entity, instance).ok_or(Refusal::NoInstance)?;
        self.schema
            .set(self.values.row_mut(instance_index), property, value)
    }

    /// Without anything to note and for an entity's first instance, which most have alone, this function needs no registers
    /// of its caller: saving them is a tenth of its instructions.
    fn set_plain(&mut self, entity: Entity, instance: InstanceId, property: usize, value: Plain) -> bool {
        if let Some(instance_index) = self.first_instance(entity, instance)
            && let Some(component) = self.values.unnoted_row_mut(instance_index)
        {
            return self.schema.set_plain(component, property, value);
        }
        self.set_plain_noted(entity, instance, property, value)
    }

    /// Sets the values once and copies the result.
    fn create_many(
        &mut self,
        entities: &[Entity],
        instance: InstanceId,
        values: &[(usize, Value)],
    ) -> Result<(), ManagerError> {
        let model = self.value_with(values)?;
        if self.are_all_new(entities) && self.push_new(entities, instance, &model) {
            return Ok(());
        }
        self.keys.reserve(entities.len());
        self.values.reserve(entities.len());
        for (done, &entity) in entities.iter().enumerate() {
            if let Err(error) = self.check(entity, instance) {
                // What is taken back was never there.
                let ended = self.ended.take();
                for &entity in &entities[..done] {
                    self.destroy(entity, instance);
                }
                self.ended = ended;
                return Err(error);
            }
            self.push(entity, instance, model.clone());
        }
        Ok(())
    }
}

impl<T: Component> Dense<T> {
    /// [`ComponentManager::set_plain`] for any instance, whether or not changes are noted.
    #[inline(never)]
    fn set_plain_noted(
        &mut self,
        entity: Entity,
        instance: InstanceId,
        property: usize,
        value: Plain,
    ) -> bool {
        match self.instance_index(entity, instance) {
            Some(instance_index) => {
                self.schema
                    .set_plain(self.values.row_mut(instance_index), property, value)
            }
            None => false,
        }
    }
}
