//! `EntitySystem`: entities, names, managers and index together, so that they stay consistent.
//!
//! `mod.rs`: entities and their components. `properties.rs`: reading and writing by name. `save.rs`: saving and
//! restoring. `image.rs`, `frames.rs`: what frames keep. `error.rs`: the errors. References to an entity's components that the system gave out are valid until the
//! next call that changes it.

mod change;
mod error;
mod frames;
mod image;
mod properties;
mod save;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use crate::entities::{Entities, Entity};
use crate::index::{ComponentEntry, EntityIndex, IndexError, Located, PrototypeIndex, PrototypeStamp};
use crate::kept::Kept;
use crate::manager::{ComponentManager, Managers};
use crate::name::{InstanceId, ManagerId, NameHash, Names};
use crate::path::{Identity, RecentPaths};

pub use change::Change;
pub use error::SystemError;
pub use image::{EntitySystemImage, PreparedSystem};

/// Entities with named components in managers of any kind.
///
/// A component that is added here has a name, is in the index, and its instance id is the name's hash. Instances that a
/// program creates with a manager directly have no name; they are not in the index and cannot be reached by name.
///
/// Destroying an entity removes it from the index at once; its instances stay in the managers until
/// [`EntitySystem::collect`] reaches them. After ⌈slots / budget⌉ calls with one budget every manager of type
/// [`Dense`](crate::Dense) has freed the instances of all entities that were dead at the first.
#[derive(Clone, Debug, Default)]
pub struct EntitySystem {
    pub(crate) entities: Kept<Entities>,
    pub(crate) names: Kept<Names>,
    pub(crate) managers: Managers,
    pub(crate) index: Kept<PrototypeIndex>,
    // `None`: changes are not recorded.
    changes: Option<Vec<Change>>,
    identity: Identity,
    recent_paths: RecentPaths,
}

impl EntitySystem {
    /// A system without entities and managers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a manager under a name; its number is its place in the order of registration.
    ///
    /// # Errors
    ///
    /// If the name is taken by another manager or refused, or there are 65,535 managers.
    pub fn register(&mut self, name: &str, manager: impl ComponentManager) -> Result<ManagerId, SystemError> {
        let id = self.managers.next_id().ok_or(SystemError::TooManyManagers)?;
        let hash = self.names.check(name)?;
        self.check_manager_name(name, hash)?;
        self.names.register(name)?;
        self.managers.push(hash, Box::new(manager));
        Ok(id)
    }

    /// Says that a manager had another name in earlier builds: their saves, recordings and resources find it by that, too.
    /// What this build writes has the present name. A manager may have had several names.
    ///
    /// ```
    /// use tombolo_entity::{Component, Dense, EntitySystem, Reader, Schema, Writer};
    /// #[derive(Clone, Debug, Default)]
    /// struct Fog { density: f32 }
    /// impl Component for Fog {
    ///     fn schema() -> Schema<Self> {
    ///         Schema::new().property("density", |f: &Self| f.density, |f, density| f.density = density)
    ///     }
    /// }
    /// let mut old = EntitySystem::new();
    /// old.register("Mist", Dense::<Fog>::new())?;
    /// let mut save = Writer::new();
    /// old.save(&mut save);
    ///
    /// let mut system = EntitySystem::new();
    /// let fogs = system.register("Fog", Dense::<Fog>::new())?;
    /// system.manager_was(fogs, "Mist")?;
    /// system.restore(&mut Reader::new(&save.finish()))?;
    /// assert_eq!(system.manager_id("Mist"), Some(fogs));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the manager is unknown, or the name is refused or is, or was, that of a manager.
    pub fn manager_was(&mut self, id: ManagerId, name: &str) -> Result<(), SystemError> {
        if self.managers.get(id).is_none() {
            return Err(SystemError::NoManager { manager: id });
        }
        let hash = self.names.check(name)?;
        self.check_manager_name(name, hash)?;
        self.managers.former_names_mut().add(name, id);
        Ok(())
    }

    /// Fails if a name is, or was, that of a manager.
    fn check_manager_name(&self, name: &str, hash: NameHash) -> Result<(), SystemError> {
        if self.managers.find(hash).is_some() || self.managers.former_names().find(name).is_some() {
            return Err(SystemError::ManagerTaken { manager: name.into() });
        }
        Ok(())
    }

    /// The number of the manager that has this name, or [had](Self::manager_was) it. Linear in the number of managers.
    pub fn manager_id(&self, name: &str) -> Option<ManagerId> {
        self.managers
            .find(NameHash::of(name))
            .filter(|id| self.manager_name(*id) == Some(name))
            .or_else(|| self.managers.former_names().find(name))
    }

    /// The name of a manager.
    pub fn manager_name(&self, id: ManagerId) -> Option<&str> {
        self.names.get(self.managers.name(id)?)
    }

    /// A manager of a known type; `None` if the number is unknown or the manager is of another type.
    #[inline]
    pub fn manager<M: ComponentManager>(&self, id: ManagerId) -> Option<&M> {
        let any: &dyn Any = self.managers.get(id)?;
        any.downcast_ref()
    }

    /// A manager of a known type, for change.
    #[inline]
    pub fn manager_mut<M: ComponentManager>(&mut self, id: ManagerId) -> Option<&mut M> {
        let any: &mut dyn Any = self.managers.get_mut(id)?;
        any.downcast_mut()
    }

    /// A manager of a known type, and another one for change; `None` if one of them is unknown or of another type, or both
    /// are one.
    pub fn manager_beside<R: ComponentManager, W: ComponentManager>(
        &mut self,
        read: ManagerId,
        written: ManagerId,
    ) -> Option<(&R, &mut W)> {
        let (read, written) = self.managers.get_beside(read, written)?;
        let (read, written): (&dyn Any, &mut dyn Any) = (read, written);
        Some((read.downcast_ref()?, written.downcast_mut()?))
    }

    /// A manager of any type.
    pub fn any_manager(&self, id: ManagerId) -> Option<&dyn ComponentManager> {
        self.managers.get(id)
    }

    /// A manager of any type, for change. Changes made here are not reported.
    pub fn any_manager_mut(&mut self, id: ManagerId) -> Option<&mut dyn ComponentManager> {
        self.managers.get_mut(id)
    }

    /// Every manager with its number and name, in the order of registration.
    pub fn managers(&self) -> impl ExactSizeIterator<Item = (ManagerId, NameHash, &dyn ComponentManager)> {
        self.managers.iter()
    }

    /// The names of managers and components.
    pub const fn names(&self) -> &Names {
        Kept::get(&self.names)
    }

    /// The set of living entities.
    pub const fn entities(&self) -> &Entities {
        Kept::get(&self.entities)
    }

    /// The index, for reading.
    pub const fn index(&self) -> &PrototypeIndex {
        Kept::get(&self.index)
    }

    /// Creates an entity without components.
    ///
    /// # Panics
    ///
    /// In the same cases as [`Entities::create`].
    pub fn create(&mut self) -> Entity {
        self.entities.create()
    }

    /// Destroys an entity; returns whether it was alive. O(1): its instances are collected later.
    pub fn destroy(&mut self, entity: Entity) -> bool {
        // The index knows slots and generations, and would forget the entity that lives where this handle's did.
        if !self.entities.is_alive(entity) {
            return false;
        }
        self.index.forget(entity);
        self.entities.destroy(entity)
    }

    /// Destroys an entity and its named components at once; returns whether it was alive.
    pub fn destroy_now(&mut self, entity: Entity) -> bool {
        if !self.entities.is_alive(entity) {
            return false;
        }
        for entry in self.index.entries(entity) {
            if let Some(manager) = self.managers.get_mut(entry.manager) {
                manager.destroy(entity, entry.name.into());
            }
        }
        self.destroy(entity)
    }

    /// Collects part of the dead instances: `budget` slots of each manager and `budget` unused prototypes, or a quarter of
    /// them if that is more, so that they stay few however many are left behind between two calls. Returns the number
    /// of instances destroyed.
    pub fn collect(&mut self, budget: usize) -> usize {
        let managers = self.managers.iter_mut();
        let count = managers
            .map(|manager| manager.collect(&self.entities, budget))
            .sum();
        // Most steps leave no prototype unused, and the index as it is.
        let unused = self.index.unused_count();
        if unused > 0 && self.index.collect(budget.max(unused / 4)) > 0 {
            self.identity = Identity::default();
        }
        count
    }

    /// Collects everything that is dead or unused; returns the number of instances destroyed.
    pub fn collect_all(&mut self) -> usize {
        self.collect(usize::MAX)
    }

    /// Adds a component with default values under a name that is free in this entity; returns its instance id.
    ///
    /// # Errors
    ///
    /// If the entity is dead, the manager unknown, the name refused or taken, or the manager refuses. Nothing is changed
    /// then.
    pub fn add(&mut self, entity: Entity, manager: ManagerId, name: &str) -> Result<InstanceId, SystemError> {
        let hash = self.check_add(entity, manager, name)?;
        // The manager first: it may refuse for reasons of its own, and then the index has nothing to undo.
        let storage = self.managers.get_mut(manager);
        let made = storage.map_or(Ok(()), |storage| storage.create(entity, hash.into()));
        if let Err(error) = made {
            return Err(SystemError::Manager {
                manager: self.managers_name(manager),
                error,
            });
        }
        self.index.add(entity, ComponentEntry { name: hash, manager })?;
        self.names.register(name)?;
        Ok(hash.into())
    }

    /// Fails in the same cases as [`EntitySystem::add`] except for the manager's own reasons, and changes nothing;
    /// returns the name's hash.
    ///
    /// # Errors
    ///
    /// In the same cases as [`EntitySystem::add`].
    pub fn check_add(&self, entity: Entity, manager: ManagerId, name: &str) -> Result<NameHash, SystemError> {
        self.check_alive(entity)?;
        let hash = self.names.check(name)?;
        if self.managers.get(manager).is_none() {
            return Err(SystemError::NoManager { manager });
        }
        let fits = self
            .index
            .check_add(entity, ComponentEntry { name: hash, manager });
        fits.map_err(|error| match error {
            IndexError::NameTaken { manager, .. } => SystemError::NameTaken {
                entity,
                component: name.into(),
                manager: self.managers_name(manager),
            },
            error => error.into(),
        })?;
        Ok(hash)
    }

    /// Removes and destroys a named component.
    ///
    /// # Errors
    ///
    /// If the entity is dead or has no component of this name.
    pub fn remove(&mut self, entity: Entity, name: &str) -> Result<(), SystemError> {
        self.check_alive(entity)?;
        let Some(located) = self.find(entity, name) else {
            return Err(SystemError::NoComponent {
                entity,
                component: name.into(),
                known: self.known_names(entity),
            });
        };
        self.index.remove(entity, NameHash::of(name))?;
        if let Some(manager) = self.managers.get_mut(located.manager) {
            manager.destroy(entity, located.instance);
        }
        Ok(())
    }

    /// The location of a named component. A hash of the name, a look-up in [`PrototypeIndex`], and another in [`Names`]: a
    /// name that nobody has may have the hash of one that somebody has.
    #[inline]
    pub fn find(&self, entity: Entity, name: &str) -> Option<Located> {
        let hash = NameHash::of(name);
        let located = self.index.find(entity, hash)?;
        (self.names.get(hash) == Some(name)).then_some(located)
    }

    /// The entity's named components in the order in which they were added.
    pub fn components(&self, entity: Entity) -> &[ComponentEntry] {
        self.index
            .prototype_entries(self.index.prototype(entity))
            .unwrap_or_default()
    }

    /// The living entities with exactly this list of components, in the order of their slots. Visits all slots.
    pub fn entities_of(&self, stamp: PrototypeStamp) -> impl Iterator<Item = Entity> {
        let entities = self.entities.as_map();
        // Of those without a component only some have a record, so they are looked for among all.
        let is_empty = stamp == self.index.empty_prototype();
        let bare_slots = if is_empty { entities.slot_count() as u32 } else { 0 };
        let bare = (0..bare_slots)
            .filter_map(move |slot| entities.handle_of_slot(slot))
            .filter(move |&entity| self.index.prototype(entity) == stamp);
        let recorded = (!is_empty).then(|| self.index.slots_of(stamp));
        let recorded = recorded.into_iter().flatten();
        bare.chain(recorded.filter_map(move |slot| entities.handle_of_slot(slot)))
    }

    fn check_alive(&self, entity: Entity) -> Result<(), SystemError> {
        if self.entities.is_alive(entity) {
            return Ok(());
        }
        Err(SystemError::NoEntity { entity })
    }

    /// A manager's name for a message.
    pub(crate) fn managers_name(&self, id: ManagerId) -> Box<str> {
        self.manager_name(id).unwrap_or("unknown").into()
    }

    /// The names of an entity's components for a message.
    fn known_names(&self, entity: Entity) -> Box<str> {
        let names: Vec<Box<str>> = self
            .components(entity)
            .iter()
            .map(|entry| self.names.show(entry.name))
            .collect();
        if names.is_empty() {
            "none".into()
        } else {
            names.join(", ").into()
        }
    }
}
