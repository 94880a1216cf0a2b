//! Reading and writing properties by name: one at a time, through an accessor, or for all entities of a prototype.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use super::EntitySystem;
use super::change::Change;
use crate::entities::Entity;
use crate::index::{ComponentEntry, PrototypeId, PrototypeStamp};
use crate::name::NameHash;
use crate::path::{Accessor, Identity, Path, PropertyPlace, Resolved, Trace};
use crate::property::{Property, PropertyError, Refusal, Settable};
use crate::value::Value;

impl EntitySystem {
    /// The location of the property at a path.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::get`]. Whether the manager still holds the instance is not checked.
    pub fn place(&self, entity: Entity, path: &str) -> Result<PropertyPlace, PropertyError> {
        let resolved = self.resolve(entity, &Path::parse(path)?)?;
        Ok(PropertyPlace::from(&resolved))
    }

    /// Like [`EntitySystem::place`], with the resolution of the path cached in the accessor.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::place`].
    #[inline]
    pub fn place_with(
        &self,
        accessor: &mut Accessor,
        entity: Entity,
    ) -> Result<PropertyPlace, PropertyError> {
        let (resolved, _) = self.remember(accessor, entity)?;
        Ok(PropertyPlace::from(resolved))
    }

    /// The value at `component.property` or `component.property.part`.
    ///
    /// Cost: a hash of each word, a look-up, and the manager's own; only the value itself may allocate.
    ///
    /// # Errors
    ///
    /// If the path is not valid, or entity, component, property or part is missing.
    pub fn get(&self, entity: Entity, path: &str) -> Result<Value, PropertyError> {
        let resolved = self.resolve(entity, &Path::parse(path)?)?;
        self.read(&resolved, Trace { entity, path })
    }

    /// Sets the value at a path. A part is set by reading the whole, changing the part and writing the whole.
    ///
    /// The system remembers the accessors of the paths that were set lately, so that where the entities of a loop have the same
    /// components this costs a comparison of the path and an [`EntitySystem::set_with`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::get`]; or if the value is of another kind, out of range or not finite, the
    /// property is read-only, or the manager refuses. Nothing is changed then.
    pub fn set(&mut self, entity: Entity, path: &str, value: Value) -> Result<(), PropertyError> {
        let mut paths = mem::take(&mut self.recent_paths);
        let accessor = paths.accessor(path);
        let set = accessor.and_then(|accessor| self.set_with(accessor, entity, value));
        self.recent_paths = paths;
        set
    }

    /// The whole value that [`EntitySystem::set`] would give a property, checked, and nothing changed: for callers that
    /// set it in the manager themselves and [record](EntitySystem::record) the change.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::set`], except the manager's own reasons.
    pub fn checked(&self, entity: Entity, path: &str, value: Value) -> Result<Value, PropertyError> {
        let resolved = self.resolve(entity, &Path::parse(path)?)?;
        self.whole(&resolved, Trace { entity, path }, value)
    }

    /// Like [`EntitySystem::checked`], with the resolution of the path cached in the accessor.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::checked`].
    pub fn checked_with(
        &self,
        accessor: &mut Accessor,
        entity: Entity,
        value: Value,
    ) -> Result<Value, PropertyError> {
        let (resolved, path) = self.remember(accessor, entity)?;
        self.whole(resolved, Trace { entity, path }, value)
    }

    /// Records that a property was set, if changes are recorded.
    pub fn record(&mut self, entity: Entity, place: PropertyPlace) {
        let manager = self.managers.get(place.manager);
        let property = manager.and_then(|manager| manager.properties().get(place.property));
        if let (Some(changes), Some(property)) = (&mut self.changes, property) {
            changes.push(Change {
                entity,
                component: NameHash::from_bits(place.instance.0),
                property: property.hash,
            });
        }
    }

    /// Like [`EntitySystem::get`], with the resolution of the path cached in the accessor.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::get`].
    #[inline]
    pub fn get_with(&self, accessor: &mut Accessor, entity: Entity) -> Result<Value, PropertyError> {
        let (resolved, path) = self.remember(accessor, entity)?;
        self.read(resolved, Trace { entity, path })
    }

    /// Like [`EntitySystem::set`], with the resolution of the path cached in the accessor. A number, flag, vector or
    /// entity by itself (`0.5_f32`) and a [`Value`] of one take the fast path; other values take some ten nanoseconds
    /// more.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::set`].
    #[inline]
    pub fn set_with(
        &mut self,
        accessor: &mut Accessor,
        entity: Entity,
        value: impl Settable,
    ) -> Result<(), PropertyError> {
        if !self.is_fresh(accessor, entity) {
            self.refresh(accessor, entity)?;
        }
        let resolved = &accessor.last;
        let value = match value.into_plain() {
            Ok(plain) => {
                if resolved.limits.admits(plain)
                    && let Some(manager) = self.managers.get_mut(resolved.manager)
                    && manager.set_plain(entity, resolved.instance, resolved.property, plain)
                {
                    return Ok(());
                }
                Value::from(plain)
            }
            Err(value) => value,
        };
        let path = &accessor.path;
        self.write_slowly(resolved, Trace { entity, path }, value)
    }

    /// The slow path of [`EntitySystem::write`]: a refused value is refused once more, with the reason.
    #[cold]
    fn write_slowly(
        &mut self,
        resolved: &Resolved,
        trace: Trace<'_>,
        value: Value,
    ) -> Result<(), PropertyError> {
        self.write(resolved, trace, value)
    }

    /// Visits a property of all living entities with exactly this list of components, in the order of their slots.
    /// Entities whose manager no longer holds the component are left out.
    ///
    /// # Errors
    ///
    /// If the prototype was collected, or has no such component, property or part (which is detected only if it has
    /// entities).
    pub fn get_all(
        &self,
        stamp: PrototypeStamp,
        accessor: &mut Accessor,
        mut visit: impl FnMut(Entity, Value),
    ) -> Result<(), PropertyError> {
        self.check_prototype(stamp, accessor)?;
        for entity in self.entities_of(stamp) {
            match self.get_with(accessor, entity) {
                Ok(value) => visit(entity, value),
                Err(PropertyError::NoInstance { .. } | PropertyError::NoPart { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sets a property of all living entities with exactly this list of components; returns the number set. An entity
    /// whose manager refuses, or no longer holds the component, keeps its value.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::get_all`], or if the value is of another kind or out of range; nothing is
    /// changed then.
    pub fn set_all(
        &mut self,
        stamp: PrototypeStamp,
        accessor: &mut Accessor,
        value: &Value,
    ) -> Result<usize, PropertyError> {
        self.check_prototype(stamp, accessor)?;
        let mut count = 0;
        let entities: Vec<Entity> = self.entities_of(stamp).collect();
        for entity in entities {
            match self.set_with(accessor, entity, value.clone()) {
                Ok(()) => count += 1,
                Err(
                    PropertyError::NoInstance { .. }
                    | PropertyError::NoPart { .. }
                    | PropertyError::Refused { .. },
                ) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// Starts or stops recording the changes that are made by name. Stopping drops the record.
    pub fn watch_changes(&mut self, watch: bool) {
        self.changes = watch.then(Vec::new);
        self.identity = Identity::default();
    }

    /// Whether changes that are made by name are recorded.
    pub fn is_watching_changes(&self) -> bool {
        self.changes.is_some()
    }

    /// The changes made by name since the last call, in order, one entry for each time. Empty if changes are not
    /// recorded.
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.changes.as_mut().map(mem::take).unwrap_or_default()
    }

    fn check_prototype(&self, stamp: PrototypeStamp, accessor: &Accessor) -> Result<(), PropertyError> {
        let missing = || PropertyError::NoPrototype {
            path: accessor.path().into(),
        };
        self.index
            .prototype_entries(stamp)
            .map(|_| ())
            .ok_or_else(missing)
    }

    /// The accessor's path resolved for the entity: the cached resolution, if the prototype is the same.
    ///
    /// A prototype with a component has only living entities, since dead ones are removed from the index; so a match
    /// also proves that the entity is alive.
    #[inline]
    fn remember<'a>(
        &self,
        accessor: &'a mut Accessor,
        entity: Entity,
    ) -> Result<(&'a Resolved, &'a str), PropertyError> {
        if !self.is_fresh(accessor, entity) {
            self.refresh(accessor, entity)?;
        }
        Ok((&accessor.last, &accessor.path))
    }

    #[inline]
    fn is_fresh(&self, accessor: &Accessor, entity: Entity) -> bool {
        let last = &accessor.last;
        last.system == self.identity.mark() && self.index.has_prototype(entity, last.prototype)
    }

    #[inline(never)]
    fn refresh(&self, accessor: &mut Accessor, entity: Entity) -> Result<(), PropertyError> {
        let mut resolved = self.resolve(entity, &Path::parse(&accessor.path)?)?;
        if self.changes.is_some() {
            // What is set has to be recorded.
            resolved.limits.admit_nothing();
        }
        accessor.last = resolved;
        Ok(())
    }

    fn resolve(&self, entity: Entity, path: &Path<'_>) -> Result<Resolved, PropertyError> {
        if !self.entities.is_alive(entity) {
            let path = path.whole.into();
            return Err(PropertyError::NoEntity { entity, path });
        }
        let Some(located) = self.find(entity, path.component) else {
            return Err(PropertyError::NoComponent {
                entity,
                component: path.component.into(),
                known: self.known_names(entity),
            });
        };
        let entry = ComponentEntry {
            name: NameHash::from_bits(located.instance.0),
            manager: located.manager,
        };
        self.resolve_entry(self.index.prototype(entity).id, entry, path)
    }

    /// A path resolved for a component.
    pub(crate) fn resolve_entry(
        &self,
        prototype: PrototypeId,
        entry: ComponentEntry,
        path: &Path<'_>,
    ) -> Result<Resolved, PropertyError> {
        let properties = self
            .managers
            .get(entry.manager)
            .map_or(&[][..], |manager| manager.properties());
        let hash = NameHash::of(path.property);
        let is_named = |property: &Property| property.hash == hash && *property.name == *path.property;
        let Some(place) = properties.iter().position(is_named) else {
            let known: Vec<&str> = properties.iter().map(|property| &*property.name).collect();
            return Err(PropertyError::NoProperty {
                component: path.component.into(),
                manager: self.managers_name(entry.manager),
                property: path.property.into(),
                known: if known.is_empty() {
                    "none".into()
                } else {
                    known.join(", ").into()
                },
            });
        };
        let property = &properties[place];
        let part = match path.part {
            Some(part) => Some(property.kind.part(part).ok_or_else(|| PropertyError::NoPart {
                path: path.whole.into(),
                kind: property.kind,
                part: part.into(),
            })?),
            None => None,
        };
        let place = PropertyPlace {
            manager: entry.manager,
            instance: entry.name.into(),
            property: place,
            part,
        };
        Ok(Resolved::new(place, (self.identity.mark(), prototype), property))
    }

    #[inline]
    fn read(&self, resolved: &Resolved, trace: Trace<'_>) -> Result<Value, PropertyError> {
        let manager = self.managers.get(resolved.manager);
        let value =
            manager.and_then(|manager| manager.get(trace.entity, resolved.instance, resolved.property));
        let Some(value) = value else {
            return Err(trace.refused(Refusal::NoInstance, self.managers_name(resolved.manager)));
        };
        match resolved.limits.part {
            None => Ok(value),
            Some(part) => value
                .part(part)
                .ok_or_else(|| trace.no_part(resolved.limits.kind)),
        }
    }

    #[inline]
    fn write(&mut self, resolved: &Resolved, trace: Trace<'_>, value: Value) -> Result<(), PropertyError> {
        let value = self.whole(resolved, trace, value)?;
        let Some(manager) = self.managers.get_mut(resolved.manager) else {
            return Err(trace.refused(Refusal::NoInstance, Box::default()));
        };
        let (instance, property) = (resolved.instance, resolved.property);
        if let Err(refusal) = manager.set(trace.entity, instance, property, &value) {
            return Err(trace.refused(refusal, self.managers_name(resolved.manager)));
        }
        if let Some(changes) = &mut self.changes {
            changes.push(Change {
                entity: trace.entity,
                component: NameHash::from_bits(instance.0),
                property: manager.properties()[property].hash,
            });
        }
        Ok(())
    }

    /// A value that was given for a property or a part of it, checked, as the property's whole value.
    #[inline]
    fn whole(&self, resolved: &Resolved, trace: Trace<'_>, value: Value) -> Result<Value, PropertyError> {
        let checked = resolved.limits.check(trace.path, value);
        let value = checked.map_err(|error| error.in_unit(self.unit_of(resolved)))?;
        match resolved.limits.part {
            None => Ok(value),
            Some(part) => self.with_part(resolved, trace, part, value),
        }
    }

    #[cold]
    fn unit_of(&self, resolved: &Resolved) -> &'static str {
        let manager = self.managers.get(resolved.manager);
        let property = manager.and_then(|manager| manager.properties().get(resolved.property));
        property.map_or("", |property| property.unit)
    }

    /// The whole value with one part replaced.
    fn with_part(
        &self,
        resolved: &Resolved,
        trace: Trace<'_>,
        part: u32,
        value: Value,
    ) -> Result<Value, PropertyError> {
        let mut whole = *resolved;
        whole.limits.part = None;
        let mut whole = self.read(&whole, trace)?;
        if whole.set_part(part, value) {
            return Ok(whole);
        }
        Err(trace.no_part(resolved.limits.kind))
    }
}
