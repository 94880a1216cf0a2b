//! Saving and restoring an index: prototypes keep their numbers, and later calls give the same numbers.
//!
//! The input may be a broken file, so everything that the index relies on is checked before it is used.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::entry::{COMPONENTS_MAX, ComponentEntry, ENTITIES_MAX, ENTRIES_MAX, HOLDERS_MAX};
use super::lists::Lists;
use super::mix::Mix;
use super::node::Node;
use super::prototypes::Prototypes;
use super::shared::{PrototypeIndex, SlotRecord};

/// A prototype in the form in which it is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedPrototype {
    /// The number of the list before the last entry; 0 for the first.
    pub parent: u32,
    /// The entry that was added last; `None` for the empty prototype and for numbers that no prototype has.
    pub entry: Option<ComponentEntry>,
    /// The number of prototypes that had the number before.
    pub epoch: u32,
    /// The number of holders that are not entities.
    pub holder_count: u32,
}

/// An index as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedIndex {
    /// By slot: generation (0 for none) and prototype.
    pub records: Vec<(u32, u32)>,
    /// By number; the first is the empty one.
    pub prototypes: Vec<SavedPrototype>,
    /// Numbers that will be reused, the last first.
    pub free: Vec<u32>,
    /// Numbers that collection visits, the last first.
    pub queue: Vec<u32>,
}

/// The reason why a saved index cannot be restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexRestoreError {
    /// The first prototype is missing or not the empty one.
    #[error("the saved index does not begin with the empty prototype")]
    NoRoot,
    /// A parent, record, free or queued number is out of range or names a prototype that cannot be its target.
    #[error("in the saved index, {place} {number} leads to prototype {target}, which is not there")]
    Dangling {
        /// The name of the table.
        place: &'static str,
        /// The number of the entry in the table.
        number: usize,
        /// The number that the entry holds.
        target: u32,
    },
    /// A list that has a name twice, no end, or more than [`COMPONENTS_MAX`] entries.
    #[error("in the saved index, prototype {number} has a name twice or no end")]
    BrokenList {
        /// The prototype.
        number: u32,
    },
    /// Two prototypes are the same list, or a number occurs twice in a table.
    #[error("in the saved index, {place} {number} stands twice")]
    Twice {
        /// The name of the table.
        place: &'static str,
        /// The number.
        number: u32,
    },
    /// More holders than a prototype can have, or holders of a number without a prototype.
    #[error("in the saved index, prototype {number} has too many users")]
    TooManyUsers {
        /// The prototype.
        number: u32,
    },
    /// More records, prototypes or entries than an index can have.
    #[error("the saved index has more {what} than there can be")]
    TooLarge {
        /// The items that are too many.
        what: &'static str,
    },
}

impl<M: Mix> PrototypeIndex<M> {
    /// The index as plain data, without its caches.
    pub fn save(&self) -> SavedIndex {
        let saved = |(number, node): (u32, &Node)| SavedPrototype {
            parent: node.parent,
            entry: node.last_entry(),
            epoch: node.epoch,
            holder_count: self.prototypes.holder_count(number),
        };
        SavedIndex {
            records: self
                .records
                .iter()
                .map(|record| (u32::from(record.generation), record.prototype))
                .collect(),
            prototypes: (0..).zip(&self.prototypes.nodes).map(saved).collect(),
            free: self.prototypes.free.clone(),
            queue: self.prototypes.queue.clone(),
        }
    }

    /// The saved index: every entity and every later call gets the same numbers as in the original. O(n log n) in the
    /// save and in the entries of all lists, of which there are [`ENTRIES_MAX`] at most.
    ///
    /// # Errors
    ///
    /// If the data is not that of an index; see [`IndexRestoreError`].
    pub fn restore(saved: &SavedIndex) -> Result<Self, IndexRestoreError> {
        let (mut nodes, lists) = restore_nodes(&saved.prototypes)?;
        let records = restore_records(&saved.records, &mut nodes)?;
        check_numbers("free number", &saved.free, &nodes, false)?;
        check_numbers("queued number", &saved.queue, &nodes, true)?;
        let holders = restore_holders(&saved.prototypes, &mut nodes)?;
        let mut prototypes =
            Prototypes::from_nodes(nodes, lists, saved.free.clone(), saved.queue.clone(), holders);
        prototypes.enqueue_unused();
        Ok(Self { records, prototypes })
    }
}

/// Children with their parents and last entries, grouped by parent.
struct ChildTable(Vec<(u32, ComponentEntry, u32)>);

impl ChildTable {
    /// Checks each parent and that no two children of it are the same list.
    fn of(saved: &[SavedPrototype]) -> Result<Self, IndexRestoreError> {
        let mut children = Vec::new();
        for (number, prototype) in saved.iter().enumerate() {
            let Some(entry) = prototype.entry else { continue };
            let target = prototype.parent;
            let parent = saved.get(target as usize);
            if parent.is_none_or(|parent| target != 0 && parent.entry.is_none()) {
                let place = "prototype";
                return Err(IndexRestoreError::Dangling {
                    place,
                    number,
                    target,
                });
            }
            children.push((target, entry, number as u32));
        }
        children.sort_unstable();
        match children
            .windows(2)
            .find(|two| two[0].0 == two[1].0 && two[0].1 == two[1].1)
        {
            Some(twins) => Err(IndexRestoreError::Twice {
                place: "prototype",
                number: twins[1].2,
            }),
            None => Ok(Self(children)),
        }
    }

    fn of_parent(&self, parent: u32) -> &[(u32, ComponentEntry, u32)] {
        let from = self.0.partition_point(|(other, ..)| *other < parent);
        let to = self.0.partition_point(|(other, ..)| *other <= parent);
        &self.0[from..to]
    }
}

/// Builds the tree from the root, each list from its parent's; a node that is not reached is part of a cycle.
fn restore_nodes(saved: &[SavedPrototype]) -> Result<(Vec<Node>, Lists), IndexRestoreError> {
    // The root's epoch is fixed: the cache of removals uses another one for "nowhere".
    if saved
        .first()
        .is_none_or(|root| root.entry.is_some() || root.parent != 0 || root.epoch != 0)
    {
        return Err(IndexRestoreError::NoRoot);
    }
    if saved.len() > ENTITIES_MAX as usize {
        return Err(IndexRestoreError::TooLarge { what: "prototypes" });
    }
    let children = ChildTable::of(saved)?;
    let mut nodes: Vec<Node> = saved
        .iter()
        .map(|prototype| Node::dead(prototype.epoch))
        .collect();
    nodes[0] = Node::root();
    let mut lists = Lists::new();
    let mut reached = Vec::from([0_u32]);
    let mut entry_count = 0;
    while let Some(parent) = reached.pop() {
        for &(_, entry, number) in children.of_parent(parent) {
            let above = &nodes[parent as usize];
            let (list, len) = (above.list, above.len());
            let entries = lists.entries(list, len);
            if len >= COMPONENTS_MAX || above.position(entries, entry.name).is_some() {
                return Err(IndexRestoreError::BrokenList { number });
            }
            entry_count += len + 1;
            if entry_count > ENTRIES_MAX {
                return Err(IndexRestoreError::TooLarge { what: "entries" });
            }
            let list = lists.append(list, len, entry);
            let entries = lists.entries(list, len + 1);
            nodes[number as usize] = Node::new(list, entries, parent, saved[number as usize].epoch);
            let above = &mut nodes[parent as usize];
            above.child_count += 1;
            above.use_count += 1;
            reached.push(number);
        }
    }
    let lost = saved
        .iter()
        .zip(&nodes)
        .position(|(saved, node)| saved.entry.is_some() && !node.is_live());
    match lost {
        Some(number) => Err(IndexRestoreError::BrokenList {
            number: number as u32,
        }),
        None => Ok((nodes, lists)),
    }
}

/// Restores the holders by prototype, and counts them as users.
fn restore_holders(
    saved: &[SavedPrototype],
    nodes: &mut [Node],
) -> Result<BTreeMap<u32, u32>, IndexRestoreError> {
    let mut holders = BTreeMap::new();
    for ((number, prototype), node) in (0..).zip(saved).zip(nodes) {
        let count = prototype.holder_count;
        if count > HOLDERS_MAX || (count > 0 && !node.is_live()) {
            return Err(IndexRestoreError::TooManyUsers { number });
        }
        if count > 0 {
            node.use_count += count;
            holders.insert(number, count);
        }
    }
    Ok(holders)
}

/// Restores the records, and counts their entities as users.
fn restore_records(saved: &[(u32, u32)], nodes: &mut [Node]) -> Result<Vec<SlotRecord>, IndexRestoreError> {
    if saved.len() > ENTITIES_MAX as usize {
        return Err(IndexRestoreError::TooLarge { what: "records" });
    }
    let mut records = Vec::with_capacity(saved.len());
    for (slot, &(generation, prototype)) in saved.iter().enumerate() {
        let node = nodes.get_mut(prototype as usize).filter(|node| node.is_live());
        let node = node.filter(|_| generation != 0 || prototype == 0);
        let (Some(node), Ok(generation)) = (node, u16::try_from(generation)) else {
            let (place, target) = ("slot", prototype);
            return Err(IndexRestoreError::Dangling {
                place,
                number: slot,
                target,
            });
        };
        if generation != 0 {
            node.use_count += 1;
        }
        records.push(SlotRecord {
            prototype,
            generation,
        });
    }
    Ok(records)
}

/// Checks that free numbers have no prototype, that queued ones do, and that none occurs twice.
fn check_numbers(
    place: &'static str,
    numbers: &[u32],
    nodes: &[Node],
    live: bool,
) -> Result<(), IndexRestoreError> {
    let mut seen = BTreeSet::new();
    for (at, &number) in numbers.iter().enumerate() {
        let node = nodes.get(number as usize);
        if number == 0 || node.is_none_or(|node| node.is_live() != live) {
            let target = number;
            return Err(IndexRestoreError::Dangling {
                place,
                number: at,
                target,
            });
        }
        if !seen.insert(number) {
            return Err(IndexRestoreError::Twice { place, number });
        }
    }
    Ok(())
}
