//! Loading resources, and updating the living entities of resources that have changed.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::definition::{ResourceDefinition, ResourceError};
use super::library::{Library, LoadReport};
use super::plan::{PLANNED_MAX, Plan, PlannedComponent, plan};
use crate::entities::Entity;
use crate::index::EntityIndex;
use crate::name::{ManagerId, NameHash};
use crate::system::{Change, EntitySystem};
use crate::value::Value;

impl Library {
    /// Adds resources, or replaces those of the same names; all of it or nothing. They may refer to each other in any
    /// order.
    ///
    /// Living entities of a changed resource, changed by itself or through its ancestors, are updated: a component that
    /// it no longer has is destroyed, a new one is created if its name is free, and a property whose value in the
    /// resource changed gets the new value, unless it was overridden at the spawn or has been changed since. Children
    /// that were spawned stay.
    ///
    /// # Errors
    ///
    /// The first error found, see [`ResourceError`].
    pub fn load(
        &mut self,
        system: &mut EntitySystem,
        resources: Vec<ResourceDefinition>,
    ) -> Result<LoadReport, ResourceError> {
        let mut definitions = self.definitions.clone();
        let mut loaded: BTreeSet<Box<str>> = BTreeSet::new();
        for resource in resources {
            if !loaded.insert(resource.name.clone()) {
                return Err(ResourceError::Twice {
                    resource: resource.name,
                });
            }
            definitions.insert(resource.name.clone(), resource);
        }
        // A loaded resource can change the plans of others, so all plans are made again.
        let mut names = system.names.clone();
        let mut plans = BTreeMap::new();
        let mut left = PLANNED_MAX;
        for name in definitions.keys() {
            let plan = plan(system, &definitions, name, &mut names, &mut left)?;
            plans.insert(name.clone(), plan);
        }
        hold_all(system, &mut plans)?;
        system.names = names;
        self.definitions = definitions;
        let before = core::mem::replace(&mut self.plans, plans);
        Ok(Reload {
            library: self,
            system,
            before,
        }
        .run())
    }
}

/// A library with new plans, and the plans that it had before.
pub(super) struct Reload<'a> {
    pub(super) library: &'a mut Library,
    pub(super) system: &'a mut EntitySystem,
    pub(super) before: BTreeMap<Box<str>, Plan>,
}

impl Reload<'_> {
    pub(super) fn run(mut self) -> LoadReport {
        let mut report = LoadReport {
            added: self.library.plans.len() - self.before.len(),
            ..LoadReport::default()
        };
        let before = core::mem::take(&mut self.before);
        let changed = |(name, old): &(&str, &Plan)| self.library.plans[*name].components != old.components;
        let plans = before.iter().map(|(name, plan)| (&**name, plan));
        let changed: Vec<&str> = plans.filter(changed).map(|(name, _)| name).collect();
        report.changed = changed.len();
        self.remove_dead();
        for entity in self.entities_of(&changed) {
            let Some(name) = self.library.origin(entity) else {
                continue;
            };
            let (old, new) = (
                before[name].components.clone(),
                self.library.plans[name].components.clone(),
            );
            report.refused += self.update(entity, &old, &new, &mut report.changes);
            report.entities.push(entity);
        }
        // After the update, so that nothing that both plans use was collected in between.
        for plan in before.values() {
            self.system.index.unhold(plan.stamp);
        }
        report
    }

    fn remove_dead(&mut self) {
        let living = &self.system.entities;
        self.library.origins.retain(|entity, _| living.is_alive(entity));
        self.library
            .overridden
            .retain(|entity, _| living.is_alive(*entity));
    }

    /// The living entities of the changed resources, in the order of their slots.
    fn entities_of(&self, changed: &[&str]) -> Vec<Entity> {
        let is_changed: Vec<bool> = self
            .library
            .numbers
            .iter()
            .map(|name| changed.contains(&&**name))
            .collect();
        let origins = self.library.origins.iter();
        origins
            .filter(|(_, origin)| is_changed[origin.number as usize])
            .map(|(entity, _)| entity)
            .collect()
    }

    /// Updates one entity; returns the number of refused changes.
    fn update(
        &mut self,
        entity: Entity,
        old: &[PlannedComponent],
        new: &[PlannedComponent],
        changes: &mut Vec<Change>,
    ) -> usize {
        let mut refused = 0;
        for part in old {
            let stays = new.iter().any(|other| other.entry == part.entry);
            if !stays && self.has(entity, part) {
                refused += usize::from(self.system.remove(entity, &part.name).is_err());
            }
        }
        for part in new {
            match old.iter().find(|other| other.entry == part.entry) {
                Some(before) if self.has(entity, part) => {
                    refused += self.update_part(entity, before, part, changes);
                }
                // The game removed the component; it stays removed.
                Some(_) => {}
                None => refused += usize::from(!self.add(entity, part)),
            }
        }
        refused
    }

    /// Whether the entity still has the component from the manager that the resource gave it.
    fn has(&self, entity: Entity, part: &PlannedComponent) -> bool {
        let found = self.system.index.find(entity, part.entry.name);
        found.is_some_and(|located| located.manager == part.entry.manager)
    }

    fn add(&mut self, entity: Entity, part: &PlannedComponent) -> bool {
        let made = self.system.add(entity, part.entry.manager, &part.name);
        let values = part.values.iter();
        made.is_ok()
            && values.fold(true, |fine, (property, value)| {
                self.set(entity, part, *property, value) && fine
            })
    }

    /// Sets the properties whose value in the resource changed, where the entity still has the old value.
    fn update_part(
        &mut self,
        entity: Entity,
        old: &PlannedComponent,
        new: &PlannedComponent,
        changes: &mut Vec<Change>,
    ) -> usize {
        let mut places: Vec<usize> = old
            .values
            .iter()
            .chain(&new.values)
            .map(|(place, _)| *place)
            .collect();
        places.sort_unstable();
        places.dedup();
        let mut refused = 0;
        for place in places {
            let (before, after) = (self.value(old, place), self.value(new, place));
            let (Some(before), Some(after)) = (before, after) else {
                continue;
            };
            let Some(manager) = self.system.managers.get(new.entry.manager) else {
                continue;
            };
            let Some(property) = manager.properties().get(place) else {
                continue;
            };
            let (component, property) = (new.entry.name, property.hash);
            let now = manager.get(entity, component.into(), place);
            let is_own = self.is_overridden(entity, component, property)
                || self.is_placed_by(entity, new.entry.manager, property);
            if before != after && now == Some(before) && !is_own {
                if self.set(entity, new, place, &after) {
                    changes.push(Change {
                        entity,
                        component,
                        property,
                    });
                } else {
                    refused += 1;
                }
            }
        }
        refused
    }

    /// The initial value of a part's property.
    fn value(&self, part: &PlannedComponent, place: usize) -> Option<Value> {
        if let Some((_, value)) = part.values.iter().find(|(known, _)| *known == place) {
            return Some(value.clone());
        }
        let manager = self.system.managers.get(part.entry.manager)?;
        manager
            .properties()
            .get(place)
            .map(|property| property.default.clone())
    }

    fn is_overridden(&self, entity: Entity, component: NameHash, property: NameHash) -> bool {
        let list = self.library.overridden.get(&entity);
        list.is_some_and(|list| {
            list.iter()
                .any(|one| one.component == component && one.property == property)
        })
    }

    /// Whether placing the entity has overridden a property.
    fn is_placed_by(&self, entity: Entity, manager: ManagerId, property: NameHash) -> bool {
        let origin = self.library.origins.get(entity);
        origin.is_some_and(|origin| origin.is_placed) && self.library.placing.contains(&(manager, property))
    }

    fn set(&mut self, entity: Entity, part: &PlannedComponent, place: usize, value: &Value) -> bool {
        let manager = self.system.managers.get_mut(part.entry.manager);
        manager.is_some_and(|manager| manager.set(entity, part.entry.name.into(), place, value).is_ok())
    }
}

/// Holds the prototype of every plan; holds none if one fails.
fn hold_all(system: &mut EntitySystem, plans: &mut BTreeMap<Box<str>, Plan>) -> Result<(), ResourceError> {
    let mut held = Vec::new();
    for (name, plan) in plans {
        let entries: Vec<_> = plan.components.iter().map(|part| part.entry).collect();
        match system.index.hold(&entries) {
            Ok(stamp) => {
                plan.stamp = stamp;
                held.push(stamp);
            }
            Err(error) => {
                for stamp in held {
                    system.index.unhold(stamp);
                }
                return Err(ResourceError::Index {
                    resource: name.clone(),
                    error,
                });
            }
        }
    }
    Ok(())
}
