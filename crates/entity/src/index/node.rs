//! `Node`: one list of components, who uses it, and how a name is found in it.
//!
//! What may touch it: `prototypes.rs`, which keeps the counts, and `save.rs`.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::entry::{ComponentEntry, PrototypeId, PrototypeStamp};
use crate::name::NameHash;

/// Lists up to this long are searched from the front, or by a table once they have users; longer ones by halving an order
/// by name.
const SCANNED_ENTRIES_MAX: usize = 16;

/// Lists that so many entities have get a table: those that an entity only passes through while it is put together do not.
const TABLE_USERS: u32 = 8;

/// Places in a table, a power of two.
const TABLE_BITS: u32 = 5;
const TABLE_LEN: usize = 1 << TABLE_BITS;

/// A place of a table where no name stands: beyond every list that has a table.
const NO_PLACE: u8 = u8::MAX;

/// How many multipliers are tried. Eleven names find one in 6 tries or so, sixteen in 50.
const MULTIPLIERS_TRIED: u32 = 1000;

/// Where each name stands in a list.
#[derive(Clone, Debug)]
enum ByName {
    /// Each name's place stands where its hash, times the node's multiplier, leads.
    Table([u8; TABLE_LEN]),
    /// All places in the order of names.
    Order(Box<[u16]>),
}

/// One list of components.
///
/// Invariants: `entries` is the parent's entries and one more (the root has none); no name stands twice; `child_count`
/// counts the live nodes with this parent; a node without uses is in the queue.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) entries: Box<[ComponentEntry]>,
    // None: the list is searched from the front.
    by_name: Option<Box<ByName>>,
    multiplier: u32,
    pub(super) parent: u32,
    /// Entities that have this list, holders, and children: one count, so that a change looks at one number.
    pub(super) use_count: u32,
    pub(super) child_count: u32,
    pub(super) epoch: u32,
    // From so many uses on it is asked whether a table would pay.
    table_at: u32,
    // Where the last removal led to; checked by its stamp, since the target may have been collected.
    pub(super) last_removal: (NameHash, PrototypeStamp),
    pub(super) live: bool,
    pub(super) queued: bool,
}

// One line of the cache, and an index that is shifted instead of multiplied. With pointers of 32 bits it is smaller.
const _: () = assert!(size_of::<Node>() == 64 || cfg!(target_pointer_width = "32"));

impl Node {
    pub(super) fn new(entries: Box<[ComponentEntry]>, parent: u32, epoch: u32) -> Self {
        let (by_name, table_at) = match entries.len() {
            0 | 1 => (None, u32::MAX),
            2..=SCANNED_ENTRIES_MAX => (None, TABLE_USERS),
            _ => (Some(order_by_name(&entries)), u32::MAX),
        };
        Self {
            entries,
            by_name,
            multiplier: 0,
            parent,
            use_count: 0,
            child_count: 0,
            epoch,
            table_at,
            last_removal: (NameHash::from_bits(0), PrototypeStamp::NOWHERE),
            live: true,
            queued: false,
        }
    }

    /// A number that no prototype has now.
    pub(super) fn dead(epoch: u32) -> Self {
        Self {
            live: false,
            ..Self::new(Box::default(), 0, epoch)
        }
    }

    /// Entities and holders.
    pub(super) const fn user_count(&self) -> u32 {
        self.use_count - self.child_count
    }

    pub(super) const fn is_unused(&self) -> bool {
        self.live && self.use_count == 0
    }

    /// The place of a name in `entries`.
    #[inline]
    pub(super) fn position(&self, name: NameHash) -> Option<usize> {
        match self.by_name.as_deref() {
            Some(ByName::Table(table)) => {
                let place = usize::from(table[table_place(name, self.multiplier)]);
                self.entries
                    .get(place)
                    .filter(|entry| entry.name == name)
                    .map(|_| place)
            }
            Some(ByName::Order(order)) => {
                let name_at = |place: &u16| self.entries[usize::from(*place)].name;
                let found = order.binary_search_by_key(&name, name_at).ok()?;
                Some(usize::from(order[found]))
            }
            None => {
                // To the end in any case: where a name stands is hard to foretell, how long the list is less so.
                let mut found = None;
                for (place, entry) in self.entries.iter().enumerate() {
                    if entry.name == name {
                        found = Some(place);
                    }
                }
                found
            }
        }
    }

    /// Counts new users.
    #[inline]
    pub(super) fn retain(&mut self, count: u32) {
        self.use_count += count;
        if self.use_count >= self.table_at {
            self.consider_table();
        }
    }

    /// Makes the table if users are many, not children.
    #[cold]
    fn consider_table(&mut self) {
        if self.user_count() < TABLE_USERS {
            self.table_at = self.child_count + TABLE_USERS;
            return;
        }
        self.table_at = u32::MAX;
        self.by_name = Some(self.make_table().unwrap_or_else(|| order_by_name(&self.entries)));
    }

    /// Looks for a multiplier under which no two names meet, and makes the table.
    fn make_table(&mut self) -> Option<Box<ByName>> {
        // Odd numbers in a fixed order, so that every run makes the same tables.
        for number in 1..=MULTIPLIERS_TRIED {
            let multiplier = number.wrapping_mul(0x9E37_79B9) | 1;
            let mut table = [NO_PLACE; TABLE_LEN];
            let fits = self.entries.iter().enumerate().all(|(place, entry)| {
                let slot = &mut table[table_place(entry.name, multiplier)];
                core::mem::replace(slot, place as u8) == NO_PLACE
            });
            if fits {
                self.multiplier = multiplier;
                return Some(Box::new(ByName::Table(table)));
            }
        }
        None
    }

    /// Bytes outside the node itself.
    pub(super) fn bytes(&self) -> usize {
        let by_name = self.by_name.as_deref().map_or(0, |by_name| {
            size_of_val(by_name)
                + match by_name {
                    ByName::Table(_) => 0,
                    ByName::Order(order) => size_of_val(&**order),
                }
        });
        size_of_val(&*self.entries) + by_name
    }
}

impl PrototypeStamp {
    /// No prototype has this stamp: the empty one is never collected, so its epoch is 0.
    pub(crate) const NOWHERE: Self = Self {
        id: PrototypeId::EMPTY,
        epoch: u32::MAX,
    };
}

#[inline]
const fn table_place(name: NameHash, multiplier: u32) -> usize {
    (name.to_bits().wrapping_mul(multiplier) >> (u32::BITS - TABLE_BITS)) as usize
}

fn order_by_name(entries: &[ComponentEntry]) -> Box<ByName> {
    let mut order: Vec<u16> = (0..entries.len() as u16).collect();
    order.sort_unstable_by_key(|&place| entries[usize::from(place)].name);
    Box::new(ByName::Order(order.into()))
}
