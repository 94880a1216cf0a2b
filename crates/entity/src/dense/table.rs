//! [`Dense`]: values side by side in an array, in the order of creation until one is destroyed.

use alloc::vec::Vec;
use core::fmt;

use crate::bytes::DataError;
use crate::entities::Entity;
use crate::index::ENTITIES_MAX;
use crate::manager::ManagerError;
use crate::name::InstanceId;
use crate::property::{Component, PropertyError, Schema};
use crate::rows::{RowChanges, Rows};
use crate::value::Value;

/// The index of no entry.
const NONE: u32 = u32::MAX;

/// The owner of an entry's value, and the index of the entity's next entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) entity: Entity,
    pub(super) instance: InstanceId,
    pub(super) next: u32,
}

const _: () = assert!(size_of::<Key>() == 16);

/// Instances of any [`Component`], several for an entity if their numbers differ.
///
/// A look-up reads the entity's slot and one entry for each instance that the entity has here. Destroying an instance
/// moves the last entry into the gap.
///
/// Invariants: `keys` and `values` have the same length; each slot's list consists of the entries of *one* entity, dead
/// or alive; each entry is in one list.
///
/// Collection goes round by slot, not by entry, since entries move and slots do not: after ⌈slots / budget⌉ calls of
/// [`ComponentManager::collect`] with one budget, every entity that was dead at the first has been collected, a bound
/// that testing entries at random would not give. One call visits no more slots than its budget. When a new entity
/// reuses a slot, the dead one's entries are removed before the new one gets its first instance.
///
/// [`ComponentManager::collect`]: crate::ComponentManager::collect
pub struct Dense<T: Component> {
    // The first entry of each slot's list.
    pub(super) heads: Rows<u32>,
    pub(super) keys: Rows<Key>,
    pub(super) values: Rows<T>,
    // The slot that the next collection starts at.
    pub(super) cursor: u32,
    // The destroyed instances, if they are kept.
    pub(super) ended: Option<Vec<Ended<T>>>,
    pub(super) schema: Schema<T>,
}

/// The parts of a [`Dense`] for writers on several threads, from [`Dense::parts_mut`].
#[derive(Debug)]
pub struct DenseParts<'a, T> {
    /// Where the values of entities are.
    pub places: DensePlaces<'a>,
    /// All values, for change.
    pub values: &'a mut [T],
    /// The notes of changes: each value that is written has to be [noted](RowChanges::note), by its place.
    pub changes: RowChanges<'a>,
}

/// Where the values of entities are in a [`Dense`].
#[derive(Clone, Copy, Debug)]
pub struct DensePlaces<'a> {
    heads: &'a [u32],
    keys: &'a [Key],
}

impl DensePlaces<'_> {
    /// The place of the value of the entity's newest instance, as [`Dense::newest`] has it. Different entities have different
    /// places.
    #[inline]
    pub fn newest(&self, entity: Entity) -> Option<usize> {
        let head = *self.heads.get(entity.index() as usize)? as usize;
        let key = self.keys.get(head).filter(|key| key.entity == entity);
        key.map(|_| head)
    }
}

/// A destroyed instance, from [`Dense::take_ended`].
#[derive(Clone, Debug, PartialEq)]
pub struct Ended<T> {
    /// The entity that it belonged to.
    pub entity: Entity,
    /// The instance's number.
    pub instance: InstanceId,
    /// The value at the time of destruction.
    pub value: T,
}

impl<T: Component> Dense<T> {
    /// A manager without instances.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self {
            heads: Rows::new(),
            keys: Rows::new(),
            values: Rows::new(),
            cursor: 0,
            ended: None,
            schema: T::schema(),
        }
    }

    /// A manager without instances that keeps the values of destroyed instances until [`Dense::take_ended`], for
    /// programs that have to release what the values refer to.
    pub fn keeping_ended() -> Self {
        Self {
            ended: Some(Vec::new()),
            ..Self::new()
        }
    }

    /// The instances destroyed since the last call, in order; those of a spawn that another manager refused are among
    /// them. Empty unless the manager was made by [`Dense::keeping_ended`].
    pub fn take_ended(&mut self) -> Vec<Ended<T>> {
        self.ended.as_mut().map(core::mem::take).unwrap_or_default()
    }

    /// The entity's instances, the newest first, with their values.
    pub fn of(&self, entity: Entity) -> impl Iterator<Item = (InstanceId, &T)> {
        let mut instance_index = self.head(entity.index());
        core::iter::from_fn(move || {
            let key = self
                .keys
                .get(instance_index as usize)
                .filter(|key| key.entity == entity)?;
            let value = &self.values[instance_index as usize];
            instance_index = key.next;
            Some((key.instance, value))
        })
    }

    /// The value of the entity's newest instance, which is its only one as a rule.
    #[inline]
    pub fn newest(&self, entity: Entity) -> Option<&T> {
        let instance_index = self.head(entity.index()) as usize;
        let key = self.keys.get(instance_index).filter(|key| key.entity == entity);
        key.map(|_| &self.values[instance_index])
    }

    /// The value of the entity's newest instance, for change; see [`Dense::newest`].
    #[inline]
    pub fn newest_mut(&mut self, entity: Entity) -> Option<&mut T> {
        let instance_index = self.head(entity.index()) as usize;
        let key = self.keys.get(instance_index).filter(|key| key.entity == entity);
        key.is_some().then(|| self.values.row_mut(instance_index))
    }

    /// The value of an instance.
    #[inline]
    pub fn value(&self, entity: Entity, instance: InstanceId) -> Option<&T> {
        self.instance_index(entity, instance)
            .map(|instance_index| &self.values[instance_index])
    }

    /// The value of an instance, for change. Changes made here are not reported.
    #[inline]
    pub fn value_mut(&mut self, entity: Entity, instance: InstanceId) -> Option<&mut T> {
        self.instance_index(entity, instance)
            .map(|instance_index| self.values.row_mut(instance_index))
    }

    /// The number of slots in the table: all up to the highest whose entity had an instance here.
    pub fn slot_count(&self) -> usize {
        self.heads.len()
    }

    /// A number that grows with every change of the places of values: with each instance that is created or destroyed, and when a
    /// frame is restored. A clone goes on from it, and a manager that is restored or cleared begins anew: numbers of two managers
    /// say nothing about each other.
    pub fn places_version(&self) -> u64 {
        self.heads.version() + self.keys.version()
    }

    /// A number that also grows whenever a value is handed out for change; properties that are set by a plain value do not count.
    pub fn contents_version(&self) -> u64 {
        self.places_version() + self.values.version()
    }

    /// All values, side by side; [`Dense::owners`] has their entities.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, for change. A frame that follows copies all of them; see [`Dense::value_at_mut`].
    pub fn values_mut(&mut self) -> &mut [T] {
        self.values.all_mut()
    }

    /// The values for writers on several threads, which look up where they are and note what they change. Every place that
    /// [`DensePlaces::newest`] gives is one in the values.
    ///
    /// ```
    /// use tombolo_entity::{Component, Dense, Entities, InstanceId, Schema};
    /// #[derive(Clone, Default)]
    /// struct Heat(f32);
    /// impl Component for Heat {
    ///     fn schema() -> Schema<Self> {
    ///         Schema::new()
    ///     }
    /// }
    /// let mut entities = Entities::new();
    /// let (stove, stone) = (entities.create(), entities.create());
    /// let mut heats = Dense::<Heat>::new();
    /// heats.insert(stove, InstanceId(0), Heat(200.0))?;
    /// let parts = heats.parts_mut();
    /// if let Some(place) = parts.places.newest(stove) {
    ///     parts.values[place] = Heat(190.0);
    ///     parts.changes.note(place);
    /// }
    /// assert!(parts.places.newest(stone).is_none());
    /// assert_eq!(heats.newest(stove).map(|heat| heat.0), Some(190.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parts_mut(&mut self) -> DenseParts<'_, T> {
        // Writers on several threads index without a check of bounds what they were given a place for.
        assert_eq!(self.keys.len(), self.values.len(), "each value has an owner");
        let (values, changes) = self.values.parts_mut();
        DenseParts {
            places: DensePlaces {
                heads: &self.heads,
                keys: &self.keys,
            },
            values,
            changes,
        }
    }

    /// The value at a place in [`Dense::values`], for change.
    pub fn value_at_mut(&mut self, place: usize) -> Option<&mut T> {
        (place < self.values.len()).then(|| self.values.row_mut(place))
    }

    /// Checks the properties of a value that is about to become a component.
    ///
    /// # Errors
    ///
    /// Those of [`Schema::check`].
    pub fn check_value(&self, value: &T) -> Result<(), PropertyError> {
        self.schema.check(value)
    }

    /// The entity and instance of each value, in the order of [`Dense::values`].
    pub fn owners(&self) -> impl ExactSizeIterator<Item = (Entity, InstanceId)> {
        self.keys.iter().map(|key| (key.entity, key.instance))
    }

    /// Creates an instance with a value.
    ///
    /// # Errors
    ///
    /// In the same cases as [`ComponentManager::create`](crate::ComponentManager::create).
    pub fn insert(&mut self, entity: Entity, instance: InstanceId, value: T) -> Result<(), ManagerError> {
        self.check(entity, instance)?;
        self.push(entity, instance, value);
        Ok(())
    }

    /// The value of a new instance with these properties, each named by its place.
    ///
    /// # Errors
    ///
    /// In the same cases as [`ComponentManager::create_many`](crate::ComponentManager::create_many), for the first
    /// property that is refused.
    pub fn value_with(&self, values: &[(usize, Value)]) -> Result<T, ManagerError> {
        let mut model = T::default();
        for (property, value) in values {
            let property = *property;
            let refused = |refusal| ManagerError::Refused { property, refusal };
            self.schema.set(&mut model, property, value).map_err(refused)?;
        }
        Ok(model)
    }

    fn head(&self, slot: u32) -> u32 {
        self.heads.get(slot as usize).copied().unwrap_or(NONE)
    }

    #[inline]
    pub(super) fn instance_index(&self, entity: Entity, instance: InstanceId) -> Option<usize> {
        // Most entities have one instance.
        if let Some(first) = self.first_instance(entity, instance) {
            return Some(first);
        }
        let key = self.keys.get(self.head(entity.index()) as usize)?;
        self.later_instance(key.next, entity, instance)
    }

    /// The index of the entity's newest instance, if that is its number.
    #[inline]
    pub(super) fn first_instance(&self, entity: Entity, instance: InstanceId) -> Option<usize> {
        let head = *self.heads.get(entity.index() as usize)? as usize;
        let key = self.keys.get(head)?;
        (key.entity == entity && key.instance == instance).then_some(head)
    }

    #[inline(never)]
    fn later_instance(&self, mut instance_index: u32, entity: Entity, instance: InstanceId) -> Option<usize> {
        while let Some(key) = self.keys.get(instance_index as usize) {
            if key.entity == entity && key.instance == instance {
                return Some(instance_index as usize);
            }
            instance_index = key.next;
        }
        None
    }

    /// Whether an instance can be made.
    pub(super) fn check(&self, entity: Entity, instance: InstanceId) -> Result<(), ManagerError> {
        if self.instance_index(entity, instance).is_some() {
            return Err(ManagerError::Taken { entity, instance });
        }
        let owner = self.keys.get(self.head(entity.index()) as usize);
        if owner.is_some_and(|key| key.entity.generation() > entity.generation()) {
            return Err(ManagerError::Stale(entity));
        }
        if entity.index() >= ENTITIES_MAX || self.keys.len() >= NONE as usize {
            return Err(ManagerError::Other("the manager is full".into()));
        }
        Ok(())
    }

    /// Adds an entry at the head of the entity's list, which may be that of a dead entity. `check` has passed.
    pub(super) fn push(&mut self, entity: Entity, instance: InstanceId, value: T) {
        let slot = entity.index() as usize;
        if slot >= self.heads.len() {
            self.heads.resize(slot + 1, NONE);
        }
        let head = self.heads[slot];
        if head != NONE && self.keys[head as usize].entity != entity {
            self.clear_slot(slot as u32);
        }
        let instance_index = self.keys.len() as u32;
        self.keys.push(Key {
            entity,
            instance,
            next: self.heads[slot],
        });
        self.values.push(value);
        *self.heads.row_mut(slot) = instance_index;
    }

    /// Whether none of these slots has an entry, and there is room for all.
    pub(super) fn are_all_new(&self, entities: &[Entity]) -> bool {
        let is_new = |entity: &Entity| {
            let head = self.heads.get(entity.index() as usize);
            head.is_none_or(|head| *head == NONE) && entity.index() < ENTITIES_MAX
        };
        self.keys.len() + entities.len() < NONE as usize && entities.iter().all(is_new)
    }

    /// Adds an entry for each of these entities, whose slots have none. Returns false and changes nothing if two of
    /// them have one slot.
    pub(super) fn push_new(&mut self, entities: &[Entity], instance: InstanceId, model: &T) -> bool {
        let first = self.keys.len() as u32;
        let slot_count = self.heads.len();
        // A batch usually has consecutive new slots; then each is written once.
        let next = slot_count as u32..;
        if entities
            .iter()
            .zip(next)
            .all(|(entity, slot)| entity.index() == slot)
        {
            self.heads.extend(first..first + entities.len() as u32);
        } else {
            let highest = entities.iter().map(|entity| entity.index() as usize).max();
            self.heads
                .resize(highest.map_or(0, |highest| highest + 1).max(slot_count), NONE);
            for (instance_index, entity) in (first..).zip(entities) {
                let head = core::mem::replace(self.heads.row_mut(entity.index() as usize), instance_index);
                if head != NONE {
                    entities
                        .iter()
                        .for_each(|entity| *self.heads.row_mut(entity.index() as usize) = NONE);
                    self.heads.truncate(slot_count);
                    return false;
                }
            }
        }
        self.keys.extend(entities.iter().map(|&entity| Key {
            entity,
            instance,
            next: NONE,
        }));
        let filling = Filling {
            dense: self,
            first: first as usize,
            slot_count,
        };
        filling
            .dense
            .values
            .resize(filling.dense.keys.len(), model.clone());
        core::mem::forget(filling);
        true
    }

    /// Replaces the index `from` by `to` where it is stored: in the slot, or in the entry before. `from` is in the
    /// slot's list.
    fn redirect(&mut self, slot: u32, from: u32, to: u32) {
        let mut instance_index = self.heads[slot as usize];
        if instance_index == from {
            *self.heads.row_mut(slot as usize) = to;
            return;
        }
        while self.keys[instance_index as usize].next != from {
            instance_index = self.keys[instance_index as usize].next;
        }
        self.keys.row_mut(instance_index as usize).next = to;
    }

    /// Removes an entry and moves the last one into its place.
    pub(super) fn remove_instance(&mut self, instance_index: usize) {
        let Key { entity, next, .. } = self.keys[instance_index];
        self.redirect(entity.index(), instance_index as u32, next);
        let last = self.keys.len() - 1;
        if instance_index != last {
            let moved = self.keys[last].entity.index();
            self.redirect(moved, last as u32, instance_index as u32);
        }
        let key = self.keys.swap_remove(instance_index);
        let value = self.values.swap_remove(instance_index);
        if let Some(ended) = &mut self.ended {
            ended.push(Ended {
                entity: key.entity,
                instance: key.instance,
                value,
            });
        }
    }

    /// A manager like this one without instances, ended ones included.
    pub(super) fn emptied(&self) -> Self {
        Self {
            heads: Rows::new(),
            keys: Rows::new(),
            values: Rows::new(),
            cursor: 0,
            ended: self.ended.as_ref().map(|_| Vec::new()),
            schema: self.schema.clone(),
        }
    }

    /// Checks that lists and entries are consistent: every entry in one list, every list of one entity's slot.
    pub(super) fn check_lists(&self) -> Result<(), DataError> {
        let mut seen = alloc::vec![false; self.keys.len()];
        let mut instances = Vec::new();
        for (slot, &head) in self.heads.iter().enumerate() {
            let mut instance_index = head;
            let owner = self.keys.get(head as usize).map(|key| key.entity);
            while instance_index != NONE {
                let key = self.keys.get(instance_index as usize);
                let key = key.filter(|key| Some(key.entity) == owner && key.entity.index() as usize == slot);
                let fresh = key.filter(|_| !core::mem::replace(&mut seen[instance_index as usize], true));
                let Some(key) = fresh else {
                    return Err(DataError::broken("a list of instances leads astray"));
                };
                instances.push(key.instance.0);
                instance_index = key.next;
            }
            instances.sort_unstable();
            if instances.windows(2).any(|two| two[0] == two[1]) {
                return Err(DataError::broken("an entity has two instances of one number"));
            }
            instances.clear();
        }
        if seen.contains(&false) {
            return Err(DataError::broken("an instance is in no list"));
        }
        Ok(())
    }

    /// Removes all entries of a slot; returns their number.
    pub(super) fn clear_slot(&mut self, slot: u32) -> usize {
        let mut count = 0;
        while self.heads[slot as usize] != NONE {
            self.remove_instance(self.heads[slot as usize] as usize);
            count += 1;
        }
        count
    }
}

/// Guard over new entries whose values are being made: removes the entries again if a value's clone panics.
struct Filling<'a, T: Component> {
    dense: &'a mut Dense<T>,
    first: usize,
    slot_count: usize,
}

impl<T: Component> Drop for Filling<'_, T> {
    fn drop(&mut self) {
        let Dense {
            heads, keys, values, ..
        } = &mut *self.dense;
        keys[self.first..]
            .iter()
            .for_each(|key| *heads.row_mut(key.entity.index() as usize) = NONE);
        heads.truncate(self.slot_count);
        keys.truncate(self.first);
        values.truncate(self.first);
    }
}

impl<T: Component> Clone for Dense<T> {
    fn clone(&self) -> Self {
        Self {
            heads: self.heads.clone(),
            keys: self.keys.clone(),
            values: self.values.clone(),
            cursor: self.cursor,
            ended: self.ended.clone(),
            schema: self.schema.clone(),
        }
    }
}

impl<T: Component> fmt::Debug for Dense<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dense")
            .field("type", &core::any::type_name::<T>())
            .field("len", &self.keys.len())
            .finish_non_exhaustive()
    }
}
