//! Reading and writing by name. Properties of physics go through `physical/`, poses through `poses.rs`; everything
//! else belongs to the managers.

use alloc::vec::Vec;

use tombolo_entity::{Accessor, Entity, PropertyError, PropertyPlace, PrototypeStamp, Value};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::error::WorldError;
use super::physical::{Physical, is_physical};
use crate::component::{SPRITE, TRANSFORM};

impl World {
    /// The value at `component.property` or `component.property.part`, as it is now.
    ///
    /// # Errors
    ///
    /// If the path is none, or entity, component, property or part is missing.
    pub fn get(&self, entity: Entity, path: &str) -> Result<Value, PropertyError> {
        let place = self.entities.place(entity, path)?;
        match self.live_value(entity, place) {
            Some(value) => Ok(value),
            None => self.entities.get(entity, path),
        }
    }

    /// As [`World::get`], remembering how the path was resolved.
    ///
    /// # Errors
    ///
    /// As [`World::get`].
    pub fn get_with(&self, accessor: &mut Accessor, entity: Entity) -> Result<Value, PropertyError> {
        let place = self.entities.place_with(accessor, entity)?;
        match self.live_value(entity, place) {
            Some(value) => Ok(value),
            None => self.entities.get_with(accessor, entity),
        }
    }

    /// Sets the value at a path. What is set of bodies, colliders, joints and triggers reaches physics at once; setting a
    /// Transform teleports, children included.
    ///
    /// # Errors
    ///
    /// As [`World::get`]; or if the value is of another kind, out of range or not finite, the property can be read only, or
    /// physics refuses. Nothing is changed then.
    pub fn set(&mut self, entity: Entity, path: &str, value: Value) -> Result<(), WorldError> {
        let place = self.entities.place(entity, path)?;
        self.write(entity, place, value, |world, value| {
            world.entities.set(entity, path, value)
        })
    }

    /// As [`World::set`], remembering how the path was resolved.
    ///
    /// # Errors
    ///
    /// As [`World::set`].
    pub fn set_with(
        &mut self,
        accessor: &mut Accessor,
        entity: Entity,
        value: Value,
    ) -> Result<(), WorldError> {
        let place = self.entities.place_with(accessor, entity)?;
        self.write(entity, place, value, |world, value| {
            world.entities.set_with(accessor, entity, value)
        })
    }

    /// Visits a property of all living entities with this very list of components, in the order of their slots.
    ///
    /// # Errors
    ///
    /// If there is no such component, property or part.
    pub fn get_all(
        &self,
        stamp: PrototypeStamp,
        accessor: &mut Accessor,
        mut visit: impl FnMut(Entity, Value),
    ) -> Result<(), PropertyError> {
        for entity in self.entities.entities_of(stamp) {
            let value = self.get_with(accessor, entity)?;
            visit(entity, value);
        }
        Ok(())
    }

    /// Sets a property of all living entities with this very list of components; how many were set.
    ///
    /// # Errors
    ///
    /// As [`World::set`], at the first that is refused; those before it keep the new value.
    pub fn set_all(
        &mut self,
        stamp: PrototypeStamp,
        accessor: &mut Accessor,
        value: &Value,
    ) -> Result<usize, WorldError> {
        let entities: Vec<Entity> = self.entities.entities_of(stamp).collect();
        for &entity in &entities {
            self.set_with(accessor, entity, value.clone())?;
        }
        Ok(entities.len())
    }

    /// What physics says of a property, its part taken; `None` where the component's own value holds.
    fn live_value(&self, entity: Entity, place: PropertyPlace) -> Option<Value> {
        if !is_physical(place.manager) {
            return None;
        }
        let owner = (entity, place.manager, place.instance);
        let value = Physical::read(&self.physics, &self.entities, owner, self.property_name(place))?;
        match place.part {
            None => Some(value),
            Some(part) => value.part(part),
        }
    }

    fn property_name(&self, place: PropertyPlace) -> &str {
        let manager = self.entities.managers().nth(usize::from(place.manager.0));
        let property = manager.and_then(|(_, _, manager)| manager.properties().get(place.property));
        property.map_or("", |property| &property.name)
    }

    /// Sets by `set`, then has physics and the poses follow; if they refuse, the old value comes back.
    fn write(
        &mut self,
        entity: Entity,
        place: PropertyPlace,
        value: Value,
        set: impl FnOnce(&mut Self, Value) -> Result<(), PropertyError>,
    ) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        if !is_physical(place.manager) && place.manager != TRANSFORM {
            set(self, value)?;
            if place.manager == SPRITE {
                self.note_place(entity);
            }
            return Ok(());
        }
        let property = alloc::string::String::from(self.property_name(place));
        if place.manager == TRANSFORM {
            if let ("parent", Value::Entity(Some(parent))) = (&*property, &value) {
                self.check_parent(entity, *parent)?;
            }
        } else {
            self.physical().pull(entity, place.instance);
        }
        if let ("awake", Value::Bool(false)) = (&*property, &value) {
            return Err(self.unfit(entity, place, "a body falls asleep by itself only"));
        }
        let before = self.whole_value(entity, place);
        set(self, value)?;
        let pushed = if place.manager == TRANSFORM {
            self.place_anew(entity, &property)
        } else {
            let name = tombolo_entity::NameHash::from_bits(place.instance.0);
            let pushed = self.physical().push(entity, place.manager, name, &property);
            self.note_place(entity);
            pushed
        };
        if pushed.is_err()
            && let Some(before) = before
        {
            self.set_whole(entity, place, &before);
            if &*property == "parent" {
                self.hierarchy.reparent(&self.entities, entity);
            }
        }
        pushed
    }

    /// The component's own value of a property.
    fn whole_value(&self, entity: Entity, place: PropertyPlace) -> Option<Value> {
        let (_, _, manager) = self.entities.managers().nth(usize::from(place.manager.0))?;
        manager.get(entity, place.instance, place.property)
    }

    /// Gives a component's property a value that it had before.
    fn set_whole(&mut self, entity: Entity, place: PropertyPlace, value: &Value) {
        if let Some(manager) = self.entities.any_manager_mut(place.manager) {
            drop(manager.set(entity, place.instance, place.property, value));
        }
    }

    fn unfit(&self, entity: Entity, place: PropertyPlace, why: &str) -> WorldError {
        let name = tombolo_entity::NameHash::from_bits(place.instance.0);
        WorldError::Unfit {
            entity: self.show(entity),
            component: self.entities.names().get(name).unwrap_or_default().into(),
            why: why.into(),
        }
    }
}
