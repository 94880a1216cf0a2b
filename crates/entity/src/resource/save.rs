//! Saving a library's records of living entities: the resource that each was spawned from, the overridden properties,
//! by their names, and the held prototypes. The resources themselves belong to the program, so they are compared and not
//! saved.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use tombolo_handles::SecondaryMap;

use super::library::{Library, Origin, Overridden, OverriddenProperty};
use super::plan::PlannedComponent;
use crate::bytes::{DataError, Reader, Writer};
use crate::entities::Entity;
use crate::index::{PrototypeId, PrototypeStamp};
use crate::name::NameHash;
use crate::property::Property;
use crate::system::EntitySystem;

/// The version of what a library writes. Since 2 the number of a resource has the flag [`PLACED`].
const VERSION: u32 = 2;

/// Beside the number of an entity's resource: the entity was placed.
const PLACED: u32 = 1 << 31;

impl Library {
    /// Writes the records of the entities that the library spawned. Saved together with its system.
    pub fn save(&self, out: &mut Writer) {
        out.u32(VERSION);
        self.save_origins(out, |origin| {
            origin.number | if origin.is_placed { PLACED } else { 0 }
        });
        self.save_overridden(out, |one, out| {
            out.u32(one.place);
            out.u32(one.property.to_bits());
        });
    }

    /// Writes what [`Library::save`] writes, without the names of properties and without who was placed, which matters to
    /// no step: the bytes that state hashes cover.
    pub fn save_state(&self, out: &mut Writer) {
        self.save_origins(out, |origin| origin.number);
        self.save_overridden(out, |one, out| out.u32(one.place));
    }

    fn save_origins(&self, out: &mut Writer, number: impl Fn(&Origin) -> u32) {
        out.length(self.plans.len());
        for (name, plan) in &self.plans {
            out.text(name);
            out.u32(plan.stamp.id.get());
            out.u32(plan.stamp.epoch);
        }
        out.length(self.numbers.len());
        self.numbers.iter().for_each(|name| out.text(name));
        out.length(self.origins.iter().count());
        for (entity, origin) in self.origins.iter() {
            out.entity(Some(entity));
            out.u32(number(origin));
        }
    }

    fn save_overridden(&self, out: &mut Writer, save_property: impl Fn(&OverriddenProperty, &mut Writer)) {
        out.length(self.overridden.len());
        for (entity, list) in &self.overridden {
            out.entity(Some(*entity));
            out.length(list.len());
            for one in list {
                out.u32(one.component.to_bits());
                save_property(one, out);
            }
        }
    }

    /// Replaces the library's records by those that [`Library::save`] wrote. `system` is the one that was saved with
    /// it, restored already.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Library::restored`]. The library is unchanged then.
    pub fn restore(&mut self, system: &EntitySystem, from: &mut Reader<'_>) -> Result<(), DataError> {
        *self = self.restored(system, from)?;
        Ok(())
    }

    /// A library with these resources and the records that [`Library::save`] wrote. `system` is the one that was saved
    /// with it, restored already.
    ///
    /// # Errors
    ///
    /// If the bytes are broken, or were written with other resources.
    pub fn restored(&self, system: &EntitySystem, from: &mut Reader<'_>) -> Result<Self, DataError> {
        let flags = match from.version(VERSION, "the records of resources")? {
            1 => 0,
            _ => PLACED,
        };
        let count = from.length(16, "resources")?;
        let mut stamps = Vec::new();
        for _ in 0..count {
            let name = from.text("a resource's name")?;
            let stamp = PrototypeStamp {
                id: PrototypeId::from_number(from.u32("a resource's prototype")?),
                epoch: from.u32("a resource's prototype")?,
            };
            stamps.push((name, stamp));
        }
        self.check_resources(system, &stamps)?;
        let mut numbers = Vec::new();
        for _ in 0..from.length(8, "names of resources")? {
            let name = from.text("a resource's name")?;
            if !self.plans.contains_key(&name) {
                return Err(DataError::unfit(format!("there is no resource `{name}`")));
            }
            numbers.push(name);
        }
        let mut origins = SecondaryMap::new();
        for _ in 0..from.length(12, "origins")? {
            let entity = from.entity("a spawned entity")?;
            let entity = entity.ok_or_else(|| DataError::broken("a resource of no entity"))?;
            let saved = from.u32("the number of a resource")?;
            let (number, is_placed) = (saved & !flags, saved & flags != 0);
            if number as usize >= numbers.len() {
                return Err(DataError::broken("an entity of no resource"));
            }
            // Before memory is allocated for it: the table covers all slots up to the entity's.
            check_lived(system, entity)?;
            origins.insert(entity, Origin { number, is_placed });
        }
        let mut overridden = BTreeMap::new();
        for _ in 0..from.length(16, "overridden entities")? {
            let entity = from.entity("an overridden entity")?;
            let entity = entity.ok_or_else(|| DataError::broken("overrides of no entity"))?;
            check_lived(system, entity)?;
            let origin = origins
                .get(entity)
                .map(|origin: &Origin| &*numbers[origin.number as usize]);
            let components = origin.map_or(&[][..], |name| &self.plans[name].components);
            overridden.insert(entity, restore_overridden(system, components, from)?);
        }
        let mut plans = self.plans.clone();
        for ((_, plan), (_, stamp)) in plans.iter_mut().zip(stamps) {
            plan.stamp = stamp;
        }
        Ok(Self {
            definitions: self.definitions.clone(),
            plans,
            numbers,
            origins,
            placing: self.placing.clone(),
            overridden,
        })
    }

    /// Checks that the saved resources are these, and that their prototypes are held in the system.
    fn check_resources(
        &self,
        system: &EntitySystem,
        stamps: &[(alloc::boxed::Box<str>, PrototypeStamp)],
    ) -> Result<(), DataError> {
        if !self.plans.keys().eq(stamps.iter().map(|(name, _)| name)) {
            return Err(DataError::unfit("other resources were loaded when it was saved"));
        }
        let mut holders = BTreeMap::new();
        for (plan, (name, stamp)) in self.plans.values().zip(stamps) {
            let holder_count: &mut u32 = holders.entry(stamp.id).or_default();
            *holder_count += 1;
            let entries = system.index().prototype_entries(*stamp);
            let fits = entries
                .is_some_and(|entries| entries.iter().eq(plan.components.iter().map(|part| &part.entry)));
            if !fits || system.index().holder_count(*stamp) < *holder_count {
                return Err(DataError::unfit(format!(
                    "resource `{name}` had other components"
                )));
            }
        }
        Ok(())
    }
}

/// Reads the overridden properties of an entity that was spawned with these components. Each has its present name and
/// place; one that there is not any more is dropped. Of a component that the resource no longer has, the saved ones are
/// kept.
fn restore_overridden(
    system: &EntitySystem,
    components: &[PlannedComponent],
    from: &mut Reader<'_>,
) -> Result<Overridden, DataError> {
    let mut list = Overridden::new();
    for _ in 0..from.length(12, "overridden properties")? {
        let saved = OverriddenProperty {
            component: NameHash::from_bits(from.u32("an overridden component")?),
            place: from.u32("an overridden property")?,
            property: NameHash::from_bits(from.u32("an overridden property's name")?),
        };
        let part = components.iter().find(|part| part.entry.name == saved.component);
        let Some(manager) = part.and_then(|part| system.any_manager(part.entry.manager)) else {
            list.push(saved);
            continue;
        };
        let properties = manager.properties();
        let same = properties.get(saved.place as usize);
        if same.is_some_and(|property| property.hash == saved.property) {
            list.push(saved);
            continue;
        }
        let place = Property::find_saved(properties, |name| NameHash::of(name) == saved.property);
        list.extend(place.map(|place| OverriddenProperty {
            property: properties[place].hash,
            place: place as u32,
            ..saved
        }));
    }
    Ok(list)
}

/// Refuses an entity that has not been created yet: its record would apply to the entity that later gets this handle.
fn check_lived(system: &EntitySystem, entity: Entity) -> Result<(), DataError> {
    if system.entities().has_lived(entity) {
        return Ok(());
    }
    Err(DataError::broken("an entity that there has never been"))
}
