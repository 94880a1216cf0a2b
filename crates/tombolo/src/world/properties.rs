//! Reading and writing by name. Properties of physics go through `physical/`, poses through `poses.rs`; everything
//! else belongs to the managers.

use alloc::vec::Vec;

use tombolo_entity::{
    Accessor, Component, Dense, Entity, EntitySystem, PropertyError, PropertyPlace, PrototypeStamp, Value,
};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::error::WorldError;
use super::physical::{Physical, is_physical};
use crate::component::{
    self, BODY, Body, COLLIDER, Collider, JOINT, Joint, SPRITE, TRANSFORM, TRIGGER, Transform, Trigger,
};

/// How a property was named.
enum Way<'a> {
    Path(&'a str),
    Accessor(&'a mut Accessor),
}

impl Way<'_> {
    fn set(self, world: &mut World, entity: Entity, value: Value) -> Result<(), PropertyError> {
        match self {
            Self::Path(path) => world.entities.set(entity, path, value),
            Self::Accessor(accessor) => world.entities.set_with(accessor, entity, value),
        }
    }

    /// The whole value that would be set.
    fn checked(self, world: &World, entity: Entity, value: Value) -> Result<Value, PropertyError> {
        match self {
            Self::Path(path) => world.entities.checked(entity, path, value),
            Self::Accessor(accessor) => world.entities.checked_with(accessor, entity, value),
        }
    }
}

/// A component as it was before it was set.
enum Kept {
    Transform(Transform),
    Body(Body),
    Collider(Collider),
    Joint(Joint),
    Trigger(Trigger),
}

impl Kept {
    fn of(entities: &EntitySystem, entity: Entity, place: PropertyPlace) -> Option<Self> {
        fn value<T: Component>(entities: &EntitySystem, entity: Entity, place: PropertyPlace) -> Option<T> {
            let parts: &Dense<T> = entities.manager(place.manager)?;
            parts.value(entity, place.instance).cloned()
        }
        match place.manager {
            TRANSFORM => value(entities, entity, place).map(Self::Transform),
            BODY => value(entities, entity, place).map(Self::Body),
            COLLIDER => value(entities, entity, place).map(Self::Collider),
            JOINT => value(entities, entity, place).map(Self::Joint),
            TRIGGER => value(entities, entity, place).map(Self::Trigger),
            _ => None,
        }
    }

    fn put_back(self, entities: &mut EntitySystem, entity: Entity, place: PropertyPlace) {
        fn put<T: Component>(entities: &mut EntitySystem, entity: Entity, place: PropertyPlace, kept: T) {
            let parts: Option<&mut Dense<T>> = entities.manager_mut(place.manager);
            if let Some(part) = parts.and_then(|parts| parts.value_mut(entity, place.instance)) {
                *part = kept;
            }
        }
        match self {
            Self::Transform(kept) => put(entities, entity, place, kept),
            Self::Body(kept) => put(entities, entity, place, kept),
            Self::Collider(kept) => put(entities, entity, place, kept),
            Self::Joint(kept) => put(entities, entity, place, kept),
            Self::Trigger(kept) => put(entities, entity, place, kept),
        }
    }
}

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
        self.write(entity, place, value, Way::Path(path))
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
        self.write(entity, place, value, Way::Accessor(accessor))
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
    /// Where the first may be taken and a later one refused (Transforms, colliders, joints, triggers, parts of a body's
    /// velocity, managers that a game registered), what could change is copied first: of the engine's own the whole world.
    ///
    /// # Errors
    ///
    /// As [`World::set`], for the first that is refused. Nothing is changed then.
    pub fn set_all(
        &mut self,
        stamp: PrototypeStamp,
        accessor: &mut Accessor,
        value: &Value,
    ) -> Result<usize, WorldError> {
        let entities: Vec<Entity> = self.entities.entities_of(stamp).collect();
        let Some((&first, later)) = entities.split_first() else {
            return Ok(0);
        };
        let place = self.entities.place_with(accessor, first)?;
        let before = (!later.is_empty() && self.may_differ(&entities, place)).then(|| self.clone());
        for &entity in &entities {
            if let Err(error) = self.set_with(accessor, entity, value.clone()) {
                if let Some(before) = before {
                    *self = before;
                }
                return Err(error);
            }
        }
        Ok(entities.len())
    }

    /// Whether a property may be set in some of these entities, which have the same components, and not in others.
    fn may_differ(&self, entities: &[Entity], place: PropertyPlace) -> bool {
        let has_body = |entity: &Entity| {
            let body = self.body_of(*entity);
            body.is_some_and(|body| self.physics.body(body).is_some())
        };
        match place.manager {
            BODY => place.part.is_some() || !entities.iter().all(has_body),
            manager => {
                let is_games = usize::from(manager.0) >= component::NAMES.len();
                is_games || manager == TRANSFORM || is_physical(manager)
            }
        }
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

    /// Sets a property by its way, and has physics and the poses follow; if they refuse, all is as it was.
    fn write(
        &mut self,
        entity: Entity,
        place: PropertyPlace,
        value: Value,
        way: Way<'_>,
    ) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        if !is_physical(place.manager) && place.manager != TRANSFORM {
            way.set(self, entity, value)?;
            if place.manager == SPRITE {
                self.note_moved(entity);
            }
            return Ok(());
        }
        let property = alloc::string::String::from(self.property_name(place));
        if let ("awake", Value::Bool(false)) = (&*property, &value) {
            return Err(self.unfit(entity, place, "a body falls asleep by itself only"));
        }
        let before = Kept::of(&self.entities, entity, place);
        let written = self.write_through(entity, place, &property, value, way);
        match (&written, before) {
            (Ok(()), _) => {
                if place.manager != TRANSFORM {
                    self.note_moved(entity);
                }
                self.entities.record(entity, place);
            }
            (Err(_), Some(before)) => {
                before.put_back(&mut self.entities, entity, place);
                if &*property == "parent" {
                    self.hierarchy.reparent(&self.entities, entity);
                }
            }
            (Err(_), None) => {}
        }
        written
    }

    /// Sets a property of a component that physics or the poses follow. What was set stays if they refuse.
    fn write_through(
        &mut self,
        entity: Entity,
        place: PropertyPlace,
        property: &str,
        value: Value,
        way: Way<'_>,
    ) -> Result<(), WorldError> {
        if place.manager == BODY {
            self.physical().pull(entity, place.instance);
        }
        let value = way.checked(self, entity, value)?;
        if let ("parent", Value::Entity(Some(parent))) = (property, &value)
            && place.manager == TRANSFORM
        {
            self.check_parent(entity, *parent)?;
        }
        let manager = self.entities.any_manager_mut(place.manager);
        let set = manager.map(|manager| manager.set(entity, place.instance, place.property, &value));
        if let Some(Err(refusal)) = set {
            return Err(self.unfit(entity, place, &alloc::format!("{refusal}")));
        }
        if place.manager == TRANSFORM {
            return self.place_anew(entity, property);
        }
        let name = tombolo_entity::NameHash::from_bits(place.instance.0);
        self.physical().push(entity, place.manager, name, property)
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
