//! `ComponentManager`: the trait of component managers, and the list of them.
//!
//! A manager stores the data of one kind of component in a layout of its own: in arrays, in another engine, in a file.
//! It is identified by a small number, given in the order of registration, never by its address: so numbers can be
//! saved.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

use crate::bytes::{DataError, Reader, Writer};
use crate::entities::{Entities, Entity};
use crate::name::{InstanceId, ManagerId, NameHash};
use crate::property::{Property, Refusal};
use crate::saved::SavedManager;
use crate::value::Value;
use crate::value::plain::Plain;
use crate::value::saved::SavedForm;

/// The reason why a manager does not create an instance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// The entity already has an instance of this number here.
    #[error("{entity:?} already has the instance {:#010x} in this manager", instance.0)]
    Taken {
        /// The entity.
        entity: Entity,
        /// The number.
        instance: InstanceId,
    },
    /// The entity's handle is older than the one in the manager's slot.
    #[error("{0:?} is dead: its slot belongs to a later entity")]
    Stale(Entity),
    /// An initial value of the instance is refused.
    #[error("property {property} of a new instance: {refusal}")]
    Refused {
        /// The property's place in the manager's list.
        property: usize,
        /// The reason.
        refusal: Refusal,
    },
    /// The manager's own reason.
    #[error("{0}")]
    Other(Box<str>),
}

/// Holds the components of one kind.
///
/// Only the first five functions, [`ComponentManager::clone_boxed`], [`ComponentManager::save`] and
/// [`ComponentManager::restore`] are required. A manager that overrides [`ComponentManager::properties`],
/// [`ComponentManager::get`] and [`ComponentManager::set`] can be read and written by name; `examples/own_manager.rs`
/// shows one. [`Dense`](crate::Dense) is a complete manager for any [`Component`](crate::Component).
pub trait ComponentManager: Any + fmt::Debug + Send + Sync {
    /// Creates an instance with default values. The caller chooses its number, unique for the entity in this manager.
    ///
    /// # Errors
    ///
    /// [`ManagerError::Taken`] if the number is taken; or the manager's own reasons. Nothing is changed then.
    fn create(&mut self, entity: Entity, instance: InstanceId) -> Result<(), ManagerError>;

    /// Whether the entity has this instance.
    fn contains(&self, entity: Entity, instance: InstanceId) -> bool;

    /// Destroys an instance; returns whether there was one.
    fn destroy(&mut self, entity: Entity, instance: InstanceId) -> bool;

    /// Visits part of the manager's slots, at most `budget`, and destroys the instances of dead entities there; returns
    /// their number. Calls go round: a manager documents after how many calls every instance was visited.
    fn collect(&mut self, entities: &Entities, budget: usize) -> usize;

    /// The number of instances, those of dead entities that were not collected yet included.
    fn len(&self) -> usize;

    /// A copy of the manager with all its contents.
    fn clone_boxed(&self) -> Box<dyn ComponentManager>;

    /// The contents of the manager as they are, for a frame of a world. By default a copy; a manager that knows what has
    /// changed since the image before overrides this, and shares the rest with it.
    fn image(&mut self) -> Arc<dyn ManagerImage> {
        Arc::new(Copied(self.clone_boxed()))
    }

    /// Writes all contents of the manager, so that [`ComponentManager::restore`] can restore them: the order of
    /// instances too, if anything depends on it. A state hash covers the same bytes.
    fn save(&self, out: &mut Writer);

    /// Replaces all contents of the manager by those that [`ComponentManager::save`] wrote, in this build or one of
    /// those whose saves [`ComponentManager::form`] accepts.
    ///
    /// # Errors
    ///
    /// If the bytes are not those of such a manager. The manager may then be in any valid state: the caller drops it.
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), DataError>;

    /// The version of what [`ComponentManager::save`] writes beside the properties. It goes up when that changes;
    /// [`ComponentManager::restore`] then asks [`Reader::is_before`].
    fn version(&self) -> u32 {
        1
    }

    /// The form in which a save holds the manager's data, for the reader that [`ComponentManager::restore`] gets. A
    /// manager that reads properties by their names overrides this by [`Schema::form`](crate::Schema::form).
    ///
    /// # Errors
    ///
    /// [`DataError::Unfit`] if it cannot read that save: by default, if a property that can be written has come, gone,
    /// or changed its name, its kind or its place, or if the version is later.
    fn form(&self, saved: &SavedManager<'_>) -> Result<SavedForm, DataError> {
        saved.same_form(self.properties(), self.version())
    }

    /// Removes all instances, as for a save of a build that did not have the manager yet.
    fn clear(&mut self) {
        self.collect(&Entities::new(), usize::MAX);
    }

    /// Whether each instance belongs to an entity that is alive or was once. An instance of an entity that is created
    /// later would be taken for that one's own, so a save with such an instance is refused.
    fn have_lived(&self, entities: &Entities) -> bool {
        let _ = entities;
        true
    }

    /// Whether there is no instance.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The properties that can be read and written by name, in a fixed order.
    fn properties(&self) -> &[Property] {
        &[]
    }

    /// The value of a property, by its place in [`ComponentManager::properties`]; `None` if there is no such instance or
    /// property.
    fn get(&self, entity: Entity, instance: InstanceId, property: usize) -> Option<Value> {
        let _ = (entity, instance, property);
        None
    }

    /// Sets a property, by its place in [`ComponentManager::properties`].
    ///
    /// The caller has checked kind, range and the read-only flag against that list.
    ///
    /// # Errors
    ///
    /// If there is no such instance or property, or the manager has a reason of its own. Nothing is changed then.
    fn set(
        &mut self,
        entity: Entity,
        instance: InstanceId,
        property: usize,
        value: &Value,
    ) -> Result<(), Refusal> {
        let _ = (entity, instance, property, value);
        Err(Refusal::NoProperty)
    }

    /// Sets a plain value; see [`ComponentManager::set`]. `false` if nothing was changed, and then `set` returns the
    /// reason. Called by an [`Accessor`](crate::Accessor): a manager with a faster path than `set` overrides it.
    fn set_plain(&mut self, entity: Entity, instance: InstanceId, property: usize, value: Plain) -> bool {
        self.set(entity, instance, property, &value.into()).is_ok()
    }

    /// Creates an instance of one number for each entity and sets its properties; all of it or nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`ComponentManager::create`] and [`ComponentManager::set`], for the first that is refused.
    fn create_many(
        &mut self,
        entities: &[Entity],
        instance: InstanceId,
        values: &[(usize, Value)],
    ) -> Result<(), ManagerError> {
        for (done, &entity) in entities.iter().enumerate() {
            let made = self.create(entity, instance);
            let fresh = made.is_ok();
            let made = made.and_then(|()| {
                values.iter().try_for_each(|(property, value)| {
                    let property = *property;
                    let refused = |refusal| ManagerError::Refused { property, refusal };
                    self.set(entity, instance, property, value).map_err(refused)
                })
            });
            if let Err(error) = made {
                for &entity in &entities[..done + usize::from(fresh)] {
                    self.destroy(entity, instance);
                }
                return Err(error);
            }
        }
        Ok(())
    }
}

/// The contents of a manager at one moment, from [`ComponentManager::image`].
pub trait ManagerImage: Any + fmt::Debug + Send + Sync {
    /// Writes what [`ComponentManager::save`] wrote at that moment.
    fn save(&self, out: &mut Writer);

    /// Prepares a manager to have these contents again. `now` is the manager of that number in the world that goes back, if
    /// it has one, which may be of another type. All copies are made here, since those of a game's own values may panic.
    fn prepare(&self, now: Option<&dyn ComponentManager>) -> PreparedManager;

    /// About how many bytes this image takes beside one before it, with which it may share memory. By default as many as
    /// [`save`](Self::save) writes, at the cost of that.
    fn bytes(&self, before: Option<&dyn ManagerImage>) -> usize {
        let _ = before;
        let mut data = Writer::new();
        self.save(&mut data);
        data.finish().len()
    }
}

/// What gives a manager other contents, in [`PreparedManager`].
pub type ManagerChange = Box<dyn FnOnce(&mut dyn ComponentManager)>;

/// The manager of an image, from [`ManagerImage::prepare`].
pub enum PreparedManager {
    /// A new one.
    New(Box<dyn ComponentManager>),
    /// The changes of the present one; applying them does not panic.
    Change(ManagerChange),
}

impl fmt::Debug for PreparedManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::New(_) => "New",
            Self::Change(_) => "Change",
        })
    }
}

/// The image of a manager that is copied as a whole.
#[derive(Debug)]
struct Copied(Box<dyn ComponentManager>);

impl ManagerImage for Copied {
    fn save(&self, out: &mut Writer) {
        self.0.save(out);
    }

    fn prepare(&self, _: Option<&dyn ComponentManager>) -> PreparedManager {
        PreparedManager::New(self.0.clone_boxed())
    }
}

/// The managers by number, each with its name.
#[derive(Debug, Default)]
pub(crate) struct Managers {
    // In the order of registration.
    list: Vec<(NameHash, Box<dyn ComponentManager>)>,
    former_names: FormerNames,
}

/// The names that managers had in earlier builds. No name is that of a manager too.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormerNames(Vec<(Box<str>, ManagerId)>);

impl FormerNames {
    /// The manager that had a name.
    pub(crate) fn find(&self, name: &str) -> Option<ManagerId> {
        let found = self.0.iter().find(|(known, _)| **known == *name)?;
        Some(found.1)
    }

    pub(crate) fn add(&mut self, name: &str, id: ManagerId) {
        self.0.push((name.into(), id));
    }
}

impl Clone for Managers {
    fn clone(&self) -> Self {
        let copy = |(name, manager): &(NameHash, Box<dyn ComponentManager>)| (*name, manager.clone_boxed());
        Self {
            list: self.list.iter().map(copy).collect(),
            former_names: self.former_names.clone(),
        }
    }
}

impl Managers {
    /// No managers, whose former names will be those of others.
    pub(crate) fn with_former_names_of(like: &Self) -> Self {
        Self {
            list: Vec::new(),
            former_names: like.former_names.clone(),
        }
    }

    pub(crate) const fn former_names(&self) -> &FormerNames {
        &self.former_names
    }

    pub(crate) fn former_names_mut(&mut self) -> &mut FormerNames {
        &mut self.former_names
    }

    /// The number of the next manager; `None` if there are 65,535 already.
    pub(crate) fn next_id(&self) -> Option<ManagerId> {
        u16::try_from(self.list.len())
            .ok()
            .filter(|id| *id < u16::MAX)
            .map(ManagerId)
    }

    /// Adds a manager under the number of [`Managers::next_id`].
    pub(crate) fn push(&mut self, name: NameHash, manager: Box<dyn ComponentManager>) {
        self.list.push((name, manager));
    }

    /// Replaces a manager by one of its type, and returns the one before; `None` if there is none of that number and type.
    pub(crate) fn replace(
        &mut self,
        id: ManagerId,
        manager: Box<dyn ComponentManager>,
    ) -> Option<Box<dyn ComponentManager>> {
        let (_, known) = self.list.get_mut(usize::from(id.0))?;
        let types: [&dyn Any; 2] = [&**known, &*manager];
        let [known_type, new_type] = types.map(Any::type_id);
        (known_type == new_type).then(|| core::mem::replace(known, manager))
    }

    /// The images of all managers.
    pub(crate) fn image(&mut self) -> ManagersImage {
        let images = self.list.iter_mut();
        ManagersImage {
            list: images.map(|(name, manager)| (*name, manager.image())).collect(),
            former_names: self.former_names.clone(),
        }
    }

    /// Gives the managers prepared contents.
    pub(crate) fn restore(&mut self, prepared: PreparedManagers) {
        self.list.truncate(prepared.list.len());
        for (place, (name, prepared)) in prepared.list.into_iter().enumerate() {
            match (prepared, self.list.get_mut(place)) {
                (PreparedManager::New(manager), Some(known)) => *known = (name, manager),
                (PreparedManager::New(manager), None) => self.list.push((name, manager)),
                (PreparedManager::Change(change), Some(known)) => {
                    known.0 = name;
                    change(&mut *known.1);
                }
                (PreparedManager::Change(_), None) => debug_assert!(false, "there is nothing to change"),
            }
        }
        self.former_names = prepared.former_names;
    }

    pub(crate) fn find(&self, name: NameHash) -> Option<ManagerId> {
        let place = self.list.iter().position(|(known, _)| *known == name)?;
        Some(ManagerId(place as u16))
    }

    pub(crate) fn name(&self, id: ManagerId) -> Option<NameHash> {
        self.list.get(usize::from(id.0)).map(|(name, _)| *name)
    }

    #[inline]
    pub(crate) fn get(&self, id: ManagerId) -> Option<&dyn ComponentManager> {
        self.list.get(usize::from(id.0)).map(|(_, manager)| &**manager)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: ManagerId) -> Option<&mut dyn ComponentManager> {
        self.list
            .get_mut(usize::from(id.0))
            .map(|(_, manager)| &mut **manager)
    }

    /// A manager, and another one for change; `None` if one of them is unknown, or both are one.
    pub(crate) fn get_beside(
        &mut self,
        read: ManagerId,
        written: ManagerId,
    ) -> Option<(&dyn ComponentManager, &mut dyn ComponentManager)> {
        let places = [read, written].map(|id| usize::from(id.0));
        let [(_, read), (_, written)] = self.list.get_disjoint_mut(places).ok()?;
        Some((&**read, &mut **written))
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (ManagerId, NameHash, &dyn ComponentManager)> {
        let numbered = self.list.iter().enumerate();
        numbered.map(|(place, (name, manager))| (ManagerId(place as u16), *name, &**manager))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut dyn ComponentManager> {
        self.list.iter_mut().map(|(_, manager)| &mut **manager)
    }
}

/// All managers at one moment.
#[derive(Clone, Debug)]
pub(crate) struct ManagersImage {
    list: Vec<(NameHash, Arc<dyn ManagerImage>)>,
    former_names: FormerNames,
}

/// The managers of an image, before they replace the present ones.
#[derive(Debug)]
pub(crate) struct PreparedManagers {
    list: Vec<(NameHash, PreparedManager)>,
    former_names: FormerNames,
}

impl ManagersImage {
    /// Each manager with its name.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (NameHash, &dyn ManagerImage)> {
        self.list.iter().map(|(name, image)| (*name, &**image))
    }

    /// About how many bytes these images take beside those before them.
    pub(crate) fn bytes(&self, before: Option<&Self>) -> usize {
        let images = self.list.iter().enumerate().map(|(place, (_, image))| {
            let before = before.and_then(|before| before.list.get(place));
            image.bytes(before.map(|(_, image)| &**image))
        });
        images.sum()
    }

    /// Makes the copies that the present managers need to equal those of the image.
    pub(crate) fn prepare(&self, now: &Managers) -> PreparedManagers {
        let list = self.list.iter().enumerate().map(|(place, (name, image))| {
            let known = now.list.get(place).map(|(_, manager)| &**manager);
            (*name, image.prepare(known))
        });
        PreparedManagers {
            list: list.collect(),
            former_names: self.former_names.clone(),
        }
    }
}
