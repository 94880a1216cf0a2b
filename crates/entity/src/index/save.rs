//! Saving an index and reading it back: the same numbers, and the same numbers for all that comes after.
//!
//! What is read back may come from a broken file, so everything that the index relies on is checked before it is used.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::mix::Mix;
use super::node::Node;
use super::prototypes::Prototypes;
use super::shared::{PrototypeIndex, Record};
use super::{COMPONENTS_MAX, Row};

/// A prototype as it is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedPrototype {
    /// The number of the list before the last row; 0 for the first.
    pub parent: u32,
    /// The row that was added last; `None` for the empty prototype and for numbers that no prototype has.
    pub row: Option<Row>,
    /// How many prototypes had the number before.
    pub epoch: u32,
    /// Holders that are not entities.
    pub holder_count: u32,
}

/// An index as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedIndex {
    /// By slot: generation (0 for none) and prototype.
    pub records: Vec<(u32, u32)>,
    /// By number; the first is the empty one.
    pub prototypes: Vec<SavedPrototype>,
    /// Numbers to be used again, the last first.
    pub free: Vec<u32>,
    /// Numbers that collection looks at, the last first.
    pub queue: Vec<u32>,
}

/// Why a saved index cannot be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The first prototype is missing or not the empty one.
    #[error("the saved index does not begin with the empty prototype")]
    NoRoot,
    /// A parent, record, free or queued number leads nowhere or to a prototype that cannot be meant.
    #[error("in the saved index, {place} {number} leads to prototype {target}, which is not there")]
    Dangling {
        /// Which table.
        place: &'static str,
        /// Which entry of it.
        number: usize,
        /// The number that it has.
        target: u32,
    },
    /// A list that has a name twice, no end, or more than [`COMPONENTS_MAX`] rows.
    #[error("in the saved index, prototype {number} has a name twice or no end")]
    BrokenList {
        /// The prototype.
        number: u32,
    },
    /// Two prototypes are the same list, or a number stands twice in a table.
    #[error("in the saved index, {place} {number} stands twice")]
    Twice {
        /// Which table.
        place: &'static str,
        /// The number.
        number: u32,
    },
    /// More users than a prototype can count.
    #[error("in the saved index, prototype {number} has too many users")]
    TooManyUsers {
        /// The prototype.
        number: u32,
    },
}

impl<M: Mix> PrototypeIndex<M> {
    /// The index as plain data. What is only remembered to be quick is left out.
    pub fn save(&self) -> SavedIndex {
        let mut holders: Vec<u32> = self.prototypes.nodes.iter().map(Node::user_count).collect();
        for record in self.records.iter().filter(|record| record.generation != 0) {
            holders[record.prototype as usize] -= 1;
        }
        let saved = |(node, holder_count): (&Node, u32)| SavedPrototype {
            parent: node.parent,
            row: node.rows.last().copied(),
            epoch: node.epoch,
            holder_count,
        };
        SavedIndex {
            records: self
                .records
                .iter()
                .map(|record| (u32::from(record.generation), record.prototype))
                .collect(),
            prototypes: self.prototypes.nodes.iter().zip(holders).map(saved).collect(),
            free: self.prototypes.free.clone(),
            queue: self.prototypes.queue.clone(),
        }
    }

    /// The index that was saved: every entity and every later call gets the numbers that it would have got.
    ///
    /// # Errors
    ///
    /// If the data is not that of an index; see [`RestoreError`].
    pub fn restore(saved: &SavedIndex) -> Result<Self, RestoreError> {
        let mut nodes = restore_nodes(&saved.prototypes)?;
        let records = restore_records(&saved.records, &mut nodes)?;
        check_numbers("free number", &saved.free, &nodes, false)?;
        check_numbers("queued number", &saved.queue, &nodes, true)?;
        let mut prototypes = Prototypes::from_nodes(nodes, saved.free.clone(), saved.queue.clone());
        prototypes.enqueue_unused();
        Ok(Self { records, prototypes })
    }
}

fn restore_nodes(saved: &[SavedPrototype]) -> Result<Vec<Node>, RestoreError> {
    if saved
        .first()
        .is_none_or(|root| root.row.is_some() || root.parent != 0)
    {
        return Err(RestoreError::NoRoot);
    }
    let mut seen = BTreeSet::new();
    let mut nodes = Vec::with_capacity(saved.len());
    for (number, prototype) in saved.iter().enumerate() {
        let mut node = match prototype.row {
            None if number > 0 => Node::dead(prototype.epoch),
            _ => Node::new(list_of(saved, number)?, prototype.parent, prototype.epoch),
        };
        if let Some(row) = prototype.row
            && !seen.insert((prototype.parent, row))
        {
            let (place, number) = ("prototype", number as u32);
            return Err(RestoreError::Twice { place, number });
        }
        node.use_count = prototype.holder_count;
        nodes.push(node);
    }
    count_children(&mut nodes)?;
    Ok(nodes)
}

/// Counts children as uses of their parents, which `list_of` has found to be there.
fn count_children(nodes: &mut [Node]) -> Result<(), RestoreError> {
    for child in 1..nodes.len() {
        let number = nodes[child].parent;
        if nodes[child].live {
            let parent = &mut nodes[number as usize];
            parent.child_count += 1;
            parent.use_count = one_more(parent.use_count, number)?;
        }
    }
    Ok(())
}

fn one_more(uses: u32, number: u32) -> Result<u32, RestoreError> {
    uses.checked_add(1).ok_or(RestoreError::TooManyUsers { number })
}

/// The rows on the way from the root to a prototype.
fn list_of(saved: &[SavedPrototype], number: usize) -> Result<Box<[Row]>, RestoreError> {
    let broken = RestoreError::BrokenList {
        number: number as u32,
    };
    let mut rows = Vec::new();
    let mut at = number;
    while at != 0 {
        let Some(SavedPrototype {
            parent,
            row: Some(row),
            ..
        }) = saved.get(at)
        else {
            let (place, target) = ("prototype", at as u32);
            return Err(RestoreError::Dangling {
                place,
                number,
                target,
            });
        };
        if rows.len() == COMPONENTS_MAX || rows.iter().any(|other: &Row| other.name == row.name) {
            return Err(broken);
        }
        rows.push(*row);
        at = *parent as usize;
    }
    rows.reverse();
    Ok(rows.into())
}

/// The records; their entities are counted as users.
fn restore_records(saved: &[(u32, u32)], nodes: &mut [Node]) -> Result<Vec<Record>, RestoreError> {
    let mut records = Vec::with_capacity(saved.len());
    for (slot, &(generation, prototype)) in saved.iter().enumerate() {
        let node = nodes.get_mut(prototype as usize).filter(|node| node.live);
        let node = node.filter(|_| generation != 0 || prototype == 0);
        let (Some(node), Ok(generation)) = (node, u16::try_from(generation)) else {
            let (place, target) = ("slot", prototype);
            return Err(RestoreError::Dangling {
                place,
                number: slot,
                target,
            });
        };
        if generation != 0 {
            node.use_count = one_more(node.use_count, prototype)?;
        }
        records.push(Record {
            prototype,
            generation,
        });
    }
    Ok(records)
}

/// Free numbers have no prototype, queued ones do; none stands twice.
fn check_numbers(
    place: &'static str,
    numbers: &[u32],
    nodes: &[Node],
    live: bool,
) -> Result<(), RestoreError> {
    let mut seen = BTreeSet::new();
    for (at, &number) in numbers.iter().enumerate() {
        let node = nodes.get(number as usize);
        if number == 0 || node.is_none_or(|node| node.live != live) {
            let target = number;
            return Err(RestoreError::Dangling {
                place,
                number: at,
                target,
            });
        }
        if !seen.insert(number) {
            return Err(RestoreError::Twice { place, number });
        }
    }
    Ok(())
}
