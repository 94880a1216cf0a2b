//! `PrototypeIndex`: the index that the engine uses. It maps an entity's slot to its prototype, and that to its
//! component entries.

use alloc::vec::Vec;

use tombolo_handles::{DefaultLayout, Layout};

use super::contract::{EntityIndex, IndexError, IndexMemory, check_distinct};
use super::entry::{COMPONENTS_MAX, ComponentEntry, ENTITIES_MAX, Located, PrototypeId, PrototypeStamp};
use super::mix::{FoldMix, Mix};
use super::node::Node;
use super::prototypes::{Prototypes, Refused};
use crate::entities::Entity;
use crate::name::NameHash;

/// The record of a slot. Generation 0: none; then the prototype is the empty one.
///
/// Packed, since there is one for each slot: without the two bytes of padding a third more of them fits into a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, packed(2))]
pub(super) struct SlotRecord {
    pub(super) prototype: u32,
    pub(super) generation: u16,
}

const _: () = assert!(size_of::<SlotRecord>() == 6);

impl SlotRecord {
    /// An entity's generation in the width of a record.
    #[inline]
    fn generation_of(entity: Entity) -> u16 {
        const { assert!(DefaultLayout::GENERATION_BITS <= u16::BITS) };
        entity.generation() as u16
    }
}

/// An index from entities to shared prototypes: 6 bytes for each slot, and each distinct list of components once.
///
/// The order of adding counts: the same components added in another order make another prototype, with the same results
/// of look-ups. Prototype numbers depend on nothing but the order of calls, so they are the same in every run.
///
/// Costs: `find` reads the entity's record, its prototype and one short array (beyond 16 components with a binary
/// search); `add` and `remove` follow a cached edge or make one hash look-up; a list seen for the first time is copied.
///
/// ```
/// use tombolo_entity::{Entities, EntityIndex, ManagerId, NameHash, PrototypeIndex, ComponentEntry};
/// let (fog, sparks) = (
///     ComponentEntry { name: NameHash::of("Fog"), manager: ManagerId(0) },
///     ComponentEntry { name: NameHash::of("Sparks"), manager: ManagerId(1) },
/// );
/// let mut entities = Entities::new();
/// let mut index = PrototypeIndex::new();
/// let (valley, forge) = (entities.create(), entities.create());
/// index.add_many(&[valley, forge], &[fog, sparks])?;
/// assert_eq!(index.prototype(valley), index.prototype(forge));
/// index.remove(forge, fog.name)?;
/// assert_eq!(index.entries(forge), [sparks]);
/// assert_eq!(index.find(valley, fog.name).unwrap().manager, ManagerId(0));
/// # Ok::<(), tombolo_entity::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PrototypeIndex<M = FoldMix> {
    // Indexed by slot.
    pub(super) records: Vec<SlotRecord>,
    pub(super) prototypes: Prototypes<M>,
}

impl PrototypeIndex {
    /// An index without entities.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<M: Mix> Default for PrototypeIndex<M> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            prototypes: Prototypes::new(),
        }
    }
}

impl<M: Mix> PrototypeIndex<M> {
    /// The entity's prototype; the empty one for an entity without a record.
    #[inline]
    pub fn prototype(&self, entity: Entity) -> PrototypeStamp {
        self.prototypes.stamp(self.number(entity))
    }

    /// Whether the entity has this prototype, which is not the empty one.
    #[inline]
    pub(crate) fn has_prototype(&self, entity: Entity, id: PrototypeId) -> bool {
        let record = self.records.get(entity.index() as usize);
        record.is_some_and(|record| {
            record.generation == SlotRecord::generation_of(entity) && record.prototype == id.get()
        })
    }

    /// The number of prototypes that [`EntityIndex::collect`] would visit, without those that it leaves unused itself.
    pub(crate) fn unused_count(&self) -> usize {
        self.prototypes.queue.len()
    }

    /// The prototype of the empty list.
    #[inline]
    pub fn empty_prototype(&self) -> PrototypeStamp {
        self.prototypes.stamp(PrototypeId::EMPTY.get())
    }

    /// The components of a prototype in the order in which they were added; `None` if it was collected.
    pub fn prototype_entries(&self, stamp: PrototypeStamp) -> Option<&[ComponentEntry]> {
        self.prototypes
            .get(stamp)
            .map(|_| self.prototypes.entries(stamp.id.0))
    }

    /// The number of entities and holders that have exactly this list; 0 if it was collected. Of the empty list it counts
    /// the entities that have lost their components, as the index does not know of those that never had any.
    pub fn user_count(&self, stamp: PrototypeStamp) -> u32 {
        self.prototypes.get(stamp).map_or(0, Node::user_count)
    }

    /// Every live prototype, in the order of numbers, the empty one first.
    pub fn prototypes(&self) -> impl Iterator<Item = PrototypeStamp> {
        let live = |id: &u32| self.prototypes.nodes[*id as usize].is_live();
        let all = 0..self.prototypes.nodes.len() as u32;
        all.filter(live).map(|id| self.prototypes.stamp(id))
    }

    /// The number of slots with records: all up to the highest whose entity had a component.
    pub fn slot_count(&self) -> usize {
        self.records.len()
    }

    /// The slots of the entities that have exactly this list, in order; of the empty list as
    /// [`user_count`](Self::user_count) counts. Visits all records: 6 bytes a slot.
    pub fn slots_of(&self, stamp: PrototypeStamp) -> impl Iterator<Item = u32> {
        let wanted = self.prototypes.get(stamp).map(|_| stamp.id.0);
        let records = self.records.iter().zip(0_u32..);
        records.filter_map(move |(record, slot)| {
            (record.generation != 0 && Some(record.prototype) == wanted).then_some(slot)
        })
    }

    /// Finds or creates the prototype of a list, and holds it: it stays until [`PrototypeIndex::unhold`], also without
    /// entities. Each hold counts.
    ///
    /// # Errors
    ///
    /// If a name occurs twice, the list is too long, or a limit is reached.
    pub fn hold(&mut self, entries: &[ComponentEntry]) -> Result<PrototypeStamp, IndexError> {
        check_distinct(entries)?;
        let list = entries
            .iter()
            .try_fold(0, |id, &entry| self.prototypes.with(id, entry));
        // The names are distinct, so the only possible failure is a limit.
        let id = list.map_err(|_| IndexError::Full)?;
        self.prototypes.hold(id).map_err(|_| IndexError::Full)?;
        Ok(self.prototypes.stamp(id))
    }

    /// Ends one [`PrototypeIndex::hold`]; false if none is left, also where entities have the list.
    pub fn unhold(&mut self, stamp: PrototypeStamp) -> bool {
        self.prototypes.get(stamp).is_some() && self.prototypes.unhold(stamp.id.0)
    }

    /// The number of holds of exactly this list that have not ended; 0 if it was collected.
    pub fn holder_count(&self, stamp: PrototypeStamp) -> u32 {
        match self.prototypes.get(stamp) {
            Some(_) => self.prototypes.holder_count(stamp.id.0),
            None => 0,
        }
    }

    /// Gives entities a whole list at once, in place of their components, as if one after the other. One write an
    /// entity.
    ///
    /// # Errors
    ///
    /// If the prototype was collected, or an entity is out of range or stale, also by another one before it; nothing is
    /// changed then.
    pub fn place(&mut self, entities: &[Entity], stamp: PrototypeStamp) -> Result<(), IndexError> {
        if self.prototypes.get(stamp).is_none() {
            return Err(IndexError::Collected(stamp));
        }
        self.change_all(entities, |_, _, _| Ok(stamp.id.0))
    }

    /// Fails in the same cases as [`add`](EntityIndex::add), and changes nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`add`](EntityIndex::add).
    pub fn check_add(&self, entity: Entity, entry: ComponentEntry) -> Result<(), IndexError> {
        self.check(entity)?;
        let checked = self.prototypes.check_with(self.number(entity), entry);
        checked.map_err(|refused| Self::explain(refused, entity, entry.name))
    }

    /// Moves each entity to the prototype that `target` returns for it and its present one, or none of them.
    ///
    /// One after the other, so that each call of `target` sees the changes to the entities before.
    fn change_all(
        &mut self,
        entities: &[Entity],
        mut target: impl FnMut(&mut Prototypes<M>, Entity, u32) -> Result<u32, IndexError>,
    ) -> Result<(), IndexError> {
        let slot_count = self.records.len();
        let mut before: Vec<SlotRecord> = Vec::with_capacity(entities.len());
        for &entity in entities {
            let from = self.number(entity);
            let to = self
                .check(entity)
                .and_then(|()| target(&mut self.prototypes, entity, from));
            match to {
                Ok(to) => {
                    self.reach(entity);
                    before.push(self.records[entity.index() as usize]);
                    self.move_to(entity, to);
                }
                Err(error) => {
                    self.restore_record(entities, &before);
                    self.records.truncate(slot_count);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Restores the earlier records of the first entities of a list, the last first.
    #[cold]
    fn restore_record(&mut self, entities: &[Entity], before: &[SlotRecord]) {
        for (entity, &before) in entities.iter().zip(before).rev() {
            let record = &mut self.records[entity.index() as usize];
            let now = core::mem::replace(record, before);
            if before.generation != 0 {
                self.prototypes.retain(before.prototype, 1);
            }
            self.prototypes.release(now.prototype);
        }
    }

    #[inline]
    fn number(&self, entity: Entity) -> u32 {
        match self.records.get(entity.index() as usize) {
            Some(record) if record.generation == SlotRecord::generation_of(entity) => record.prototype,
            _ => 0,
        }
    }

    /// Creates the slot's record if there is none.
    #[inline]
    fn reach(&mut self, entity: Entity) {
        let slot = entity.index() as usize;
        if slot >= self.records.len() {
            self.grow_to(slot);
        }
    }

    /// Grows by an eighth at a time: doubling would leave up to 6 bytes a slot unused.
    #[cold]
    fn grow_to(&mut self, slot: usize) {
        if slot >= self.records.capacity() {
            let wanted = slot + 1 + (slot / 8).max(64);
            self.records.reserve_exact(wanted - self.records.len());
        }
        self.records.resize(slot + 1, SlotRecord::default());
    }

    /// The only function that changes a record, so that users stay counted. The slot has a record.
    #[inline]
    fn move_to(&mut self, entity: Entity, prototype: u32) {
        let record = &mut self.records[entity.index() as usize];
        let left = *record;
        *record = SlotRecord {
            prototype,
            generation: SlotRecord::generation_of(entity),
        };
        // The new user first, so that a prototype that stays in use is not queued.
        self.prototypes.retain(prototype, 1);
        if left.generation != 0 {
            self.prototypes.release(left.prototype);
        }
    }

    /// The part of `add` for a first component and for errors.
    #[inline(never)]
    fn add_slowly(&mut self, entity: Entity, entry: ComponentEntry) -> Result<(), IndexError> {
        self.check(entity)?;
        let target = self
            .prototypes
            .with(self.number(entity), entry)
            .map_err(|refused| Self::explain(refused, entity, entry.name))?;
        self.reach(entity);
        self.move_to(entity, target);
        Ok(())
    }

    #[cold]
    fn explain(refused: Refused, entity: Entity, name: NameHash) -> IndexError {
        match refused {
            Refused::NameTaken(manager) => IndexError::NameTaken {
                entity,
                name,
                manager,
            },
            Refused::TooMany => IndexError::TooMany,
            Refused::Full => IndexError::Full,
        }
    }
}

impl<M: Mix> EntityIndex for PrototypeIndex<M> {
    #[inline]
    fn check(&self, entity: Entity) -> Result<(), IndexError> {
        match self.records.get(entity.index() as usize) {
            Some(record) if record.generation > SlotRecord::generation_of(entity) => {
                Err(IndexError::Stale { entity })
            }
            Some(_) => Ok(()),
            None if entity.index() >= ENTITIES_MAX => Err(IndexError::Full),
            None => Ok(()),
        }
    }

    #[inline]
    fn add(&mut self, entity: Entity, entry: ComponentEntry) -> Result<(), IndexError> {
        // The most frequent case: the entity has components.
        if let Some(record) = self.records.get_mut(entity.index() as usize)
            && record.generation == SlotRecord::generation_of(entity)
            && let Ok(target) = self.prototypes.with(record.prototype, entry)
        {
            self.prototypes.descend(record.prototype, target);
            record.prototype = target;
            return Ok(());
        }
        self.add_slowly(entity, entry)
    }

    fn remove(&mut self, entity: Entity, name: NameHash) -> Result<(), IndexError> {
        let missing = IndexError::NoName { entity, name };
        let target = self
            .prototypes
            .without(self.number(entity), name)
            .ok_or(missing)?;
        let target = target.map_err(|refused| Self::explain(refused, entity, name))?;
        self.move_to(entity, target);
        Ok(())
    }

    #[inline]
    fn find(&self, entity: Entity, name: NameHash) -> Option<Located> {
        self.prototypes.find(self.number(entity), name).map(Located::from)
    }

    fn entries(&self, entity: Entity) -> Vec<ComponentEntry> {
        self.prototypes.entries(self.number(entity)).to_vec()
    }

    #[inline]
    fn forget(&mut self, entity: Entity) -> bool {
        match self.records.get_mut(entity.index() as usize) {
            Some(record) if record.generation == SlotRecord::generation_of(entity) => {
                let left = core::mem::take(record).prototype;
                self.prototypes.release(left);
                true
            }
            _ => false,
        }
    }

    fn collect(&mut self, budget: usize) -> usize {
        self.prototypes.collect(budget)
    }

    fn memory(&self) -> IndexMemory {
        IndexMemory {
            entities_bytes: self.records.capacity() * size_of::<SlotRecord>(),
            prototypes_bytes: self.prototypes.bytes(),
            prototype_count: self.prototypes.count(),
        }
    }

    /// Follows the list once for each run of entities that have the same prototype.
    fn add_many(&mut self, entities: &[Entity], entries: &[ComponentEntry]) -> Result<(), IndexError> {
        check_distinct(entries)?;
        if entries.is_empty() {
            return entities.iter().try_for_each(|&entity| self.check(entity));
        }
        let mut last = None;
        self.change_all(entities, |prototypes, entity, from| {
            let target = match last {
                Some((known, target)) if known == from => target,
                _ => entries.iter().try_fold(from, |id, &entry| {
                    let next = prototypes.with(id, entry);
                    next.map_err(|refused| Self::explain(refused, entity, entry.name))
                })?,
            };
            last = Some((from, target));
            Ok(target)
        })
    }
}

const _: () = assert!(COMPONENTS_MAX <= u16::MAX as usize);
