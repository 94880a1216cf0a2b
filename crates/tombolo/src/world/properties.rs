//! Reading and writing by name. The register of properties (`component/register.rs`) says where each is read and what
//! follows when it is set: properties of physics go through `physical/`, poses through `poses.rs`; everything else
//! belongs to the managers.

use alloc::vec::Vec;

use tombolo_entity::{
    Accessor, Dense, Entity, NameHash, PropertyError, PropertyPlace, PrototypeStamp, Value,
};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::error::WorldError;
use super::physical::Physical;
use crate::component::register::{Apply, ToPose};
use crate::component::{BODY, Body};

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
        let live = self.register.link(place.manager, place.property)?.live;
        let owner = (entity, place.instance);
        let value = Physical::read(&self.physics, &self.entities, owner, live)?;
        match place.part {
            None => Some(value),
            Some(part) => value.part(part),
        }
    }

    /// Sets by `set`, then does what the property's entry in the register says; if that is refused, the old value comes
    /// back.
    fn write(
        &mut self,
        entity: Entity,
        place: PropertyPlace,
        value: Value,
        set: impl FnOnce(&mut Self, Value) -> Result<(), PropertyError>,
    ) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        let link = self.register.link(place.manager, place.property);
        let (apply, refused_later) =
            link.map_or((Apply::Kept, None), |link| (link.apply, link.refused_later));
        if let Some(why) = refused_later.and_then(|refuse| refuse(&value)) {
            return Err(self.unfit(entity, place, why));
        }
        match apply {
            Apply::Kept => Ok(set(self, value)?),
            Apply::Extent => {
                set(self, value)?;
                self.note_place(entity);
                Ok(())
            }
            Apply::Pose(to) => self.write_pose(entity, place, value, to, set),
            Apply::Body(_) => self.write_body(entity, place, value, apply, set),
            Apply::Shapes(_) | Apply::Sensor | Apply::Joint(_) => {
                let before = self.whole_value(entity, place);
                set(self, value)?;
                let pushed = self.push(entity, place, apply);
                if pushed.is_err() {
                    self.set_whole(entity, place, before);
                }
                pushed
            }
        }
    }

    fn write_pose(
        &mut self,
        entity: Entity,
        place: PropertyPlace,
        value: Value,
        to: ToPose,
        set: impl FnOnce(&mut Self, Value) -> Result<(), PropertyError>,
    ) -> Result<(), WorldError> {
        if let (ToPose::Parent, Value::Entity(Some(parent))) = (to, &value) {
            self.check_parent(entity, *parent)?;
        }
        let before = self.whole_value(entity, place);
        set(self, value)?;
        let placed = self.place_anew(entity, to);
        if placed.is_err() {
            self.set_whole(entity, place, before);
            if to == ToPose::Parent {
                self.hierarchy.reparent(&self.entities, entity);
            }
        }
        placed
    }

    /// The component takes over first what steps have changed, so that a part of a value finds the rest as it is now.
    fn write_body(
        &mut self,
        entity: Entity,
        place: PropertyPlace,
        value: Value,
        apply: Apply,
        set: impl FnOnce(&mut Self, Value) -> Result<(), PropertyError>,
    ) -> Result<(), WorldError> {
        let bodies: Option<&Dense<Body>> = self.entities.manager(BODY);
        let before = bodies.and_then(|bodies| bodies.value(entity, place.instance).cloned());
        self.pull(entity, place);
        let done = match set(self, value) {
            Ok(()) => self.push(entity, place, apply),
            Err(error) => Err(error.into()),
        };
        if done.is_err() {
            let bodies: Option<&mut Dense<Body>> = self.entities.manager_mut(BODY);
            let body = bodies.and_then(|bodies| bodies.value_mut(entity, place.instance));
            if let (Some(body), Some(before)) = (body, before) {
                *body = before;
            }
        }
        done
    }

    /// Writes into a component what steps have changed of its counterpart in physics.
    fn pull(&mut self, entity: Entity, place: PropertyPlace) {
        let Some(kind) = self.register.kinds().get(usize::from(place.manager.0)) else {
            return;
        };
        for (property, entry) in kind.entries().iter().enumerate() {
            if !entry.link.drifts {
                continue;
            }
            let owner = (entity, place.instance);
            let now = Physical::read(&self.physics, &self.entities, owner, entry.link.live);
            if let (Some(now), Some(manager)) = (now, self.entities.any_manager_mut(place.manager)) {
                drop(manager.set(entity, place.instance, property, &now));
            }
        }
    }

    fn push(&mut self, entity: Entity, place: PropertyPlace, apply: Apply) -> Result<(), WorldError> {
        let name = NameHash::from_bits(place.instance.0);
        let pushed = self.physical().push(entity, name, apply);
        self.note_place(entity);
        pushed
    }

    /// The component's own value of a property.
    fn whole_value(&self, entity: Entity, place: PropertyPlace) -> Option<Value> {
        let (_, _, manager) = self.entities.managers().nth(usize::from(place.manager.0))?;
        manager.get(entity, place.instance, place.property)
    }

    /// Gives a component's property the value that it had before.
    fn set_whole(&mut self, entity: Entity, place: PropertyPlace, value: Option<Value>) {
        if let (Some(manager), Some(value)) = (self.entities.any_manager_mut(place.manager), value) {
            drop(manager.set(entity, place.instance, place.property, &value));
        }
    }

    fn unfit(&self, entity: Entity, place: PropertyPlace, why: &str) -> WorldError {
        let name = NameHash::from_bits(place.instance.0);
        WorldError::Unfit {
            entity: self.show(entity),
            component: self.entities.names().get(name).unwrap_or_default().into(),
            why: why.into(),
        }
    }
}
