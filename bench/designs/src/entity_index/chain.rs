//! `ChainIndex`: the design that the source arrived at. A prototype's number is a hash of its parent's number and the
//! component entry that was added, so adding needs no tree. Stored in both forms that the source considers.
//!
//! The source trusts its hashes: two prototypes of one number would give an entity another's components, and a hash of
//! 0 would make it empty. Here a number that belongs to another prototype, or is 0, is skipped, so the results are
//! right whatever the hash.

use core::fmt;
use core::hash::BuildHasherDefault;
use core::marker::PhantomData;

use hashbrown::HashMap;

use super::checks::{check_distinct, check_life};
use super::word_hasher::{GOLDEN, WordHasher};
use tombolo_entity::{
    COMPONENTS_MAX, ComponentEntry, Entity, EntityIndex, FoldMix, IndexError, IndexMemory, Located, Mix,
    NameHash,
};

type Map<K, V> = HashMap<K, V, BuildHasherDefault<WordHasher>>;

/// The stored form of a prototype in a chain index.
pub trait Description: Clone + fmt::Debug {
    /// The description of `base`, of number `base_key`, with one more entry.
    fn extend(base_key: u64, base: Option<&Self>, entry: ComponentEntry) -> Self;
    /// The number of the prototype before the last entry; 0 is the empty one.
    fn base(&self) -> u64;
    /// The entry that was added last.
    fn last(&self) -> ComponentEntry;
    /// All entries, if they are kept in one place.
    fn entries(&self) -> Option<&[ComponentEntry]>;
    /// Heap bytes of the description.
    fn bytes(&self) -> usize;
}

/// The last entry and the number of the base: 16 bytes, and a look-up that follows the chain.
#[derive(Clone, Debug)]
pub struct Linked {
    base: u64,
    last: ComponentEntry,
}

impl Description for Linked {
    fn extend(base_key: u64, _: Option<&Self>, last: ComponentEntry) -> Self {
        Self { base: base_key, last }
    }

    fn base(&self) -> u64 {
        self.base
    }

    fn last(&self) -> ComponentEntry {
        self.last
    }

    fn entries(&self) -> Option<&[ComponentEntry]> {
        None
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// All entries in one place: more memory, and a look-up that reads one array.
#[derive(Clone, Debug)]
pub struct FullEntries {
    base: u64,
    last: ComponentEntry,
    entries: Box<[ComponentEntry]>,
}

impl Description for FullEntries {
    fn extend(base_key: u64, base: Option<&Self>, last: ComponentEntry) -> Self {
        let before = base.map_or(&[][..], |base| &base.entries);
        Self {
            base: base_key,
            last,
            entries: before.iter().copied().chain([last]).collect(),
        }
    }

    fn base(&self) -> u64 {
        self.base
    }

    fn last(&self) -> ComponentEntry {
        self.last
    }

    fn entries(&self) -> Option<&[ComponentEntry]> {
        Some(&self.entries)
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.entries)
    }
}

/// An entity index whose prototypes are named by a chain of hashes; they are never collected.
///
/// `D` is the stored form of a prototype: [`Linked`] or [`FullEntries`].
#[derive(Debug)]
pub struct ChainIndex<D, M = FoldMix> {
    // By slot. No result depends on the iteration order of either map. An entity without a record, or with 0, has no
    // components.
    keys: Map<u32, ChainRecord>,
    descriptions: Map<u64, D>,
    mix: PhantomData<fn() -> M>,
}

/// The registered entity of a slot, and its prototype.
#[derive(Clone, Copy, Debug)]
struct ChainRecord {
    generation: u32,
    // In halves, so that a record and its slot take 16 bytes.
    key: [u32; 2],
}

impl ChainRecord {
    fn new(entity: Entity, key: u64) -> Self {
        Self {
            generation: entity.generation(),
            key: [key as u32, (key >> 32) as u32],
        }
    }

    fn key(self) -> u64 {
        u64::from(self.key[0]) | u64::from(self.key[1]) << 32
    }
}

impl<D, M> Default for ChainIndex<D, M> {
    fn default() -> Self {
        Self {
            keys: Map::default(),
            descriptions: Map::default(),
            mix: PhantomData,
        }
    }
}

impl<D: Description, M: Mix> ChainIndex<D, M> {
    /// The record of the entity.
    fn record(&self, entity: Entity) -> Option<ChainRecord> {
        let record = *self.keys.get(&entity.index())?;
        (record.generation == entity.generation()).then_some(record)
    }

    fn key(&self, entity: Entity) -> u64 {
        self.record(entity).map_or(0, ChainRecord::key)
    }

    /// Sets the prototype of the entity, which is not stale; returns the former record of its slot.
    fn set_key(&mut self, entity: Entity, key: u64) -> Option<ChainRecord> {
        self.keys.insert(entity.index(), ChainRecord::new(entity, key))
    }

    /// The number of `base` with one more entry, and whether it exists: the existing one, or the first that is free.
    fn successor(&self, base: u64, entry: ComponentEntry) -> (u64, bool) {
        let mut key = M::mix(base, entry);
        loop {
            if key != 0 {
                match self.descriptions.get(&key) {
                    Some(known) if known.base() == base && known.last() == entry => return (key, true),
                    Some(_) => {}
                    None => return (key, false),
                }
            }
            // The increment is odd, so every number comes up before one comes twice.
            key = key.wrapping_add(GOLDEN);
        }
    }

    /// The number of `base` with one more entry, for a caller that has checked that `base` has room and lacks the name.
    fn extend(&mut self, base: u64, entry: ComponentEntry) -> u64 {
        let (key, known) = self.successor(base, entry);
        if !known {
            let description = D::extend(base, self.descriptions.get(&base), entry);
            self.descriptions.insert(key, description);
        }
        key
    }

    fn locate(&self, mut key: u64, name: NameHash) -> Option<ComponentEntry> {
        while let Some(description) = self.descriptions.get(&key) {
            if let Some(entries) = description.entries() {
                return entries.iter().find(|entry| entry.name == name).copied();
            }
            if description.last().name == name {
                return Some(description.last());
            }
            key = description.base();
        }
        None
    }

    /// The entries of a prototype, in the order in which they were added.
    fn list(&self, mut key: u64) -> Vec<ComponentEntry> {
        let mut entries = Vec::new();
        while let Some(description) = self.descriptions.get(&key) {
            entries.push(description.last());
            key = description.base();
        }
        entries.reverse();
        entries
    }
}

impl<D: Description, M: Mix> EntityIndex for ChainIndex<D, M> {
    fn check(&self, entity: Entity) -> Result<(), IndexError> {
        let known = self.keys.get(&entity.index());
        check_life(entity, known.map(|record| record.generation))
    }

    fn add(&mut self, entity: Entity, entry: ComponentEntry) -> Result<(), IndexError> {
        self.check(entity)?;
        let base = self.key(entity);
        let (mut key, known) = self.successor(base, entry);
        // A prototype that exists was checked when it was made.
        if !known {
            if let Some(taken) = self.locate(base, entry.name) {
                let (name, manager) = (entry.name, taken.manager);
                return Err(IndexError::NameTaken {
                    entity,
                    name,
                    manager,
                });
            }
            if self.list(base).len() >= COMPONENTS_MAX {
                return Err(IndexError::TooMany);
            }
            key = self.extend(base, entry);
        }
        self.set_key(entity, key);
        Ok(())
    }

    fn remove(&mut self, entity: Entity, name: NameHash) -> Result<(), IndexError> {
        let entries = self.list(self.key(entity));
        let missing = IndexError::NoName { entity, name };
        let place = entries
            .iter()
            .position(|entry| entry.name == name)
            .ok_or(missing)?;
        let kept = entries[..place].iter().chain(&entries[place + 1..]);
        let key = kept.fold(0, |base, &entry| self.extend(base, entry));
        self.set_key(entity, key);
        Ok(())
    }

    fn find(&self, entity: Entity, name: NameHash) -> Option<Located> {
        self.locate(self.key(entity), name).map(Located::from)
    }

    fn entries(&self, entity: Entity) -> Vec<ComponentEntry> {
        self.list(self.key(entity))
    }

    fn forget(&mut self, entity: Entity) -> bool {
        self.record(entity).is_some() && self.keys.remove(&entity.index()).is_some()
    }

    fn add_many(&mut self, entities: &[Entity], entries: &[ComponentEntry]) -> Result<(), IndexError> {
        check_distinct(entries)?;
        let mut done = Vec::with_capacity(entities.len());
        for &entity in entities {
            let before = self.keys.get(&entity.index()).copied();
            done.push((entity.index(), before));
            let added = self
                .check(entity)
                .and_then(|()| entries.iter().try_for_each(|&entry| self.add(entity, entry)));
            if let Err(error) = added {
                for (slot, before) in done.into_iter().rev() {
                    match before {
                        Some(record) => self.keys.insert(slot, record),
                        None => self.keys.remove(&slot),
                    };
                }
                return Err(error);
            }
        }
        Ok(())
    }

    fn memory(&self) -> IndexMemory {
        // A sum does not depend on the order of iteration.
        let entries: usize = self.descriptions.values().map(D::bytes).sum();
        IndexMemory {
            entities_bytes: self.keys.allocation_size(),
            prototypes_bytes: self.descriptions.allocation_size() + entries,
            prototype_count: self.descriptions.len(),
        }
    }
}
