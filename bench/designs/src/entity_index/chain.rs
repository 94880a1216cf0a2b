//! `ChainIndex`: the design that the source arrived at. A prototype's number is a hash of its parent's number and
//! the component entry that was added, so adding needs no tree. Stored in both forms that the source considers.
//!
//! The source trusts its hashes: two prototypes of one number would give an entity another's components, and a hash
//! of 0 would make it empty. Here a number that belongs to another prototype, or is 0, is skipped, so the answers
//! are right whatever the hash.

use core::fmt;
use core::hash::BuildHasherDefault;
use core::marker::PhantomData;

use hashbrown::HashMap;

use super::checks::{check_distinct, check_life};
use super::word_hasher::{GOLDEN, WordHasher};
use tombolo_entity::{
    COMPONENTS_MAX, Entity, EntityIndex, FoldMix, IndexError, IndexMemory, Located, Mix, NameHash, Row,
};

type Map<K, V> = HashMap<K, V, BuildHasherDefault<WordHasher>>;

/// What a chain index keeps for each prototype.
pub trait Description: Clone + fmt::Debug {
    /// The description of `base`, of number `base_key`, with one more row.
    fn extend(base_key: u64, base: Option<&Self>, row: Row) -> Self;
    /// The number of the prototype before the last row; 0 is the empty one.
    fn base(&self) -> u64;
    /// The row that was added last.
    fn last(&self) -> Row;
    /// All rows, if they are kept in one place.
    fn rows(&self) -> Option<&[Row]>;
    /// Bytes outside the description itself.
    fn bytes(&self) -> usize;
}

/// The last row and the way to the others: 16 bytes, and a look-up that follows the chain.
#[derive(Clone, Debug)]
pub struct Linked {
    base: u64,
    last: Row,
}

impl Description for Linked {
    fn extend(base_key: u64, _: Option<&Self>, last: Row) -> Self {
        Self { base: base_key, last }
    }

    fn base(&self) -> u64 {
        self.base
    }

    fn last(&self) -> Row {
        self.last
    }

    fn rows(&self) -> Option<&[Row]> {
        None
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// All rows in one place: more memory, and a look-up that reads one array.
#[derive(Clone, Debug)]
pub struct FullRows {
    base: u64,
    last: Row,
    rows: Box<[Row]>,
}

impl Description for FullRows {
    fn extend(base_key: u64, base: Option<&Self>, last: Row) -> Self {
        let before = base.map_or(&[][..], |base| &base.rows);
        Self {
            base: base_key,
            last,
            rows: before.iter().copied().chain([last]).collect(),
        }
    }

    fn base(&self) -> u64 {
        self.base
    }

    fn last(&self) -> Row {
        self.last
    }

    fn rows(&self) -> Option<&[Row]> {
        Some(&self.rows)
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.rows)
    }
}

/// Prototypes named by a chain of hashes; they are never collected.
///
/// `D` is how a prototype is stored: [`Linked`] or [`FullRows`].
#[derive(Debug)]
pub struct ChainIndex<D, M = FoldMix> {
    // By slot. Neither map is ever walked for an answer. An entity without a record, or with 0, has no components.
    keys: Map<u32, Record>,
    descriptions: Map<u64, D>,
    mix: PhantomData<fn() -> M>,
}

/// The known entity of a slot, and its prototype.
#[derive(Clone, Copy, Debug)]
struct Record {
    generation: u32,
    // In halves, so that a record and its slot take 16 bytes.
    key: [u32; 2],
}

impl Record {
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
    /// What is known of the entity.
    fn record(&self, entity: Entity) -> Option<Record> {
        let record = *self.keys.get(&entity.index())?;
        (record.generation == entity.generation()).then_some(record)
    }

    fn key(&self, entity: Entity) -> u64 {
        self.record(entity).map_or(0, Record::key)
    }

    /// Sets the prototype of the entity, which is not stale; what was known of its slot.
    fn set_key(&mut self, entity: Entity, key: u64) -> Option<Record> {
        self.keys.insert(entity.index(), Record::new(entity, key))
    }

    /// The number of `base` with one more row: known, or the first that is free.
    fn successor(&self, base: u64, row: Row) -> (u64, bool) {
        let mut key = M::mix(base, row);
        loop {
            if key != 0 {
                match self.descriptions.get(&key) {
                    Some(known) if known.base() == base && known.last() == row => return (key, true),
                    Some(_) => {}
                    None => return (key, false),
                }
            }
            // Odd, so every number comes up before one comes twice.
            key = key.wrapping_add(GOLDEN);
        }
    }

    /// The number of `base` with one more row, of which the caller knows that `base` has room and not the name.
    fn extend(&mut self, base: u64, row: Row) -> u64 {
        let (key, known) = self.successor(base, row);
        if !known {
            let description = D::extend(base, self.descriptions.get(&base), row);
            self.descriptions.insert(key, description);
        }
        key
    }

    fn locate(&self, mut key: u64, name: NameHash) -> Option<Row> {
        while let Some(description) = self.descriptions.get(&key) {
            if let Some(rows) = description.rows() {
                return rows.iter().find(|row| row.name == name).copied();
            }
            if description.last().name == name {
                return Some(description.last());
            }
            key = description.base();
        }
        None
    }

    /// The rows of a prototype, the first added first.
    fn list(&self, mut key: u64) -> Vec<Row> {
        let mut rows = Vec::new();
        while let Some(description) = self.descriptions.get(&key) {
            rows.push(description.last());
            key = description.base();
        }
        rows.reverse();
        rows
    }
}

impl<D: Description, M: Mix> EntityIndex for ChainIndex<D, M> {
    fn check(&self, entity: Entity) -> Result<(), IndexError> {
        let known = self.keys.get(&entity.index());
        check_life(entity, known.map(|record| record.generation))
    }

    fn add(&mut self, entity: Entity, row: Row) -> Result<(), IndexError> {
        self.check(entity)?;
        let base = self.key(entity);
        let (mut key, known) = self.successor(base, row);
        // A prototype that exists was checked when it was made.
        if !known {
            if let Some(taken) = self.locate(base, row.name) {
                let (name, manager) = (row.name, taken.manager);
                return Err(IndexError::NameTaken {
                    entity,
                    name,
                    manager,
                });
            }
            if self.list(base).len() >= COMPONENTS_MAX {
                return Err(IndexError::TooMany);
            }
            key = self.extend(base, row);
        }
        self.set_key(entity, key);
        Ok(())
    }

    fn remove(&mut self, entity: Entity, name: NameHash) -> Result<(), IndexError> {
        let rows = self.list(self.key(entity));
        let missing = IndexError::NoName { entity, name };
        let place = rows.iter().position(|row| row.name == name).ok_or(missing)?;
        let kept = rows[..place].iter().chain(&rows[place + 1..]);
        let key = kept.fold(0, |base, &row| self.extend(base, row));
        self.set_key(entity, key);
        Ok(())
    }

    fn find(&self, entity: Entity, name: NameHash) -> Option<Located> {
        self.locate(self.key(entity), name).map(Located::from)
    }

    fn rows(&self, entity: Entity) -> Vec<Row> {
        self.list(self.key(entity))
    }

    fn forget(&mut self, entity: Entity) -> bool {
        self.record(entity).is_some() && self.keys.remove(&entity.index()).is_some()
    }

    fn add_many(&mut self, entities: &[Entity], rows: &[Row]) -> Result<(), IndexError> {
        check_distinct(rows)?;
        let mut done = Vec::with_capacity(entities.len());
        for &entity in entities {
            let before = self.keys.get(&entity.index()).copied();
            done.push((entity.index(), before));
            let added = self
                .check(entity)
                .and_then(|()| rows.iter().try_for_each(|&row| self.add(entity, row)));
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
        // A sum does not depend on the order of the walk.
        let rows: usize = self.descriptions.values().map(D::bytes).sum();
        IndexMemory {
            entities_bytes: self.keys.allocation_size(),
            prototypes_bytes: self.descriptions.allocation_size() + rows,
            prototype_count: self.descriptions.len(),
        }
    }
}
