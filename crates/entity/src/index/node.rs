//! `Node`: the users of one list of components, and the search for a name in it. The list itself is in `lists.rs`.
//!
//! Only `prototypes.rs`, which keeps the counts, and `save.rs` use it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::entry::{COMPONENTS_MAX, ComponentEntry, PrototypeId, PrototypeStamp};
use super::lists::Lists;
use crate::name::{ManagerId, NameHash};

/// The longest list that is searched linearly, or by a table once it has users; longer ones have a binary search in an
/// order by name.
const SCANNED_ENTRIES_MAX: usize = 16;

/// The number of users from which a list gets a table: a list that an entity passes through while it is put together
/// does not.
const TABLE_USERS: u32 = 8;

/// The number of bits of a place in a table, whose length is a power of two.
const TABLE_BITS: u32 = 5;
const TABLE_LEN: usize = 1 << TABLE_BITS;

/// The content of a table's place without a name: beyond every list that has a table.
const NO_PLACE: u8 = u8::MAX;

/// The number of multipliers that are tried. Eleven names find one in about 6 tries, sixteen in 50.
const MULTIPLIERS_TRIED: u32 = 1000;

/// A search structure for the place of each name in a list.
#[derive(Clone, Debug)]
enum ByName {
    /// The place of each name, stored at its hash times the multiplier.
    Table {
        multiplier: u32,
        places: [u8; TABLE_LEN],
    },
    /// All places, sorted by name.
    Order(Box<[u16]>),
}

/// Bits of [`Node::len_and_flags`]; the others are the length.
const LIVE: u16 = 1 << 14;
const QUEUED: u16 = 1 << 15;

const _: () = assert!(COMPONENTS_MAX < LIVE as usize);

/// One list of components.
///
/// Invariants: the list is the parent's and one more entry (the root has none); no name occurs twice; `child_count`
/// counts the live nodes with this parent; a node without uses is in the queue.
#[derive(Clone, Debug)]
pub(super) struct Node {
    // `None`: the list is searched linearly.
    by_name: Option<Box<ByName>>,
    /// The number of the list in [`Lists`].
    pub(super) list: u32,
    // A copy of the list's last entry, so that a search for a child need not read the list.
    last_name: NameHash,
    last_manager: ManagerId,
    // The length of the list, with LIVE and QUEUED.
    len_and_flags: u16,
    pub(super) parent: u32,
    /// The number of entities that have this list, holders, and children: one count, so that a change updates one
    /// number.
    pub(super) use_count: u32,
    pub(super) child_count: u32,
    pub(super) epoch: u32,
    // The number of uses from which a table is considered.
    table_at: u32,
}

// The memory of prototypes is measured by it.
const _: () = assert!(size_of::<Node>() == 40 || cfg!(target_pointer_width = "32"));

impl Node {
    /// The node of the empty list.
    pub(super) fn root() -> Self {
        Self {
            len_and_flags: LIVE,
            ..Self::dead(0)
        }
    }

    /// The child of a parent whose list has `list` and `entries`.
    pub(super) fn new(list: u32, entries: &[ComponentEntry], parent: u32, epoch: u32) -> Self {
        let (by_name, table_at) = match entries.len() {
            0 | 1 => (None, u32::MAX),
            2..=SCANNED_ENTRIES_MAX => (None, TABLE_USERS),
            _ => (Some(order_by_name(entries)), u32::MAX),
        };
        let last = entries.last();
        Self {
            by_name,
            list,
            last_name: last.map_or(NameHash::from_bits(0), |last| last.name),
            last_manager: last.map_or(ManagerId(0), |last| last.manager),
            len_and_flags: entries.len() as u16 | LIVE,
            parent,
            use_count: 0,
            child_count: 0,
            epoch,
            table_at,
        }
    }

    /// The node of a number that no prototype has now.
    pub(super) fn dead(epoch: u32) -> Self {
        Self {
            len_and_flags: 0,
            ..Self::new(Lists::ROOT, &[], 0, epoch)
        }
    }

    /// The number of entries of the list.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        (self.len_and_flags & !(LIVE | QUEUED)) as usize
    }

    /// The last entry of the list; `None` for the root and for dead nodes.
    pub(super) fn last_entry(&self) -> Option<ComponentEntry> {
        let entry = ComponentEntry {
            name: self.last_name,
            manager: self.last_manager,
        };
        (self.len() > 0).then_some(entry)
    }

    /// Whether this is the child of `parent` that adds an entry.
    #[inline]
    pub(super) fn adds(&self, parent: u32, entry: ComponentEntry) -> bool {
        // One test of all: a branch for each would be one more to predict.
        (self.parent == parent) & (self.last_name == entry.name) & (self.last_manager == entry.manager)
    }

    pub(super) const fn is_live(&self) -> bool {
        self.len_and_flags & LIVE != 0
    }

    pub(super) const fn is_queued(&self) -> bool {
        self.len_and_flags & QUEUED != 0
    }

    pub(super) const fn set_queued(&mut self, queued: bool) {
        self.len_and_flags = self.len_and_flags & !QUEUED | if queued { QUEUED } else { 0 };
    }

    /// The number of entities and holders.
    pub(super) const fn user_count(&self) -> u32 {
        self.use_count - self.child_count
    }

    pub(super) const fn is_unused(&self) -> bool {
        self.is_live() && self.use_count == 0
    }

    /// The place of a name in `entries`, the list of this node.
    #[inline]
    pub(super) fn position(&self, entries: &[ComponentEntry], name: NameHash) -> Option<usize> {
        match self.by_name.as_deref() {
            Some(ByName::Table { multiplier, places }) => {
                let place = usize::from(places[table_place(name, *multiplier)]);
                entries
                    .get(place)
                    .filter(|entry| entry.name == name)
                    .map(|_| place)
            }
            Some(ByName::Order(order)) => {
                let name_at = |place: &u16| entries[usize::from(*place)].name;
                let found = order.binary_search_by_key(&name, name_at).ok()?;
                Some(usize::from(order[found]))
            }
            None => {
                // Without an early exit: the place of a name is hard to predict, the length of the list less so.
                let mut found = None;
                for (place, entry) in entries.iter().enumerate() {
                    if entry.name == name {
                        found = Some(place);
                    }
                }
                found
            }
        }
    }

    /// Counts new users; returns whether [`Node::consider_table`] is due.
    #[inline]
    pub(super) fn retain(&mut self, count: u32) -> bool {
        self.use_count += count;
        self.use_count >= self.table_at
    }

    /// Makes the table of a node with these entries if it has many users, children not counted.
    #[cold]
    pub(super) fn consider_table(&mut self, entries: &[ComponentEntry]) {
        if self.user_count() < TABLE_USERS {
            self.table_at = self.child_count + TABLE_USERS;
            return;
        }
        self.table_at = u32::MAX;
        self.by_name = Some(make_table(entries).unwrap_or_else(|| order_by_name(entries)));
    }

    /// The size in bytes outside the node itself, and outside the list.
    pub(super) fn bytes(&self) -> usize {
        self.by_name.as_deref().map_or(0, |by_name| {
            size_of_val(by_name)
                + match by_name {
                    ByName::Table { .. } => 0,
                    ByName::Order(order) => size_of_val(&**order),
                }
        })
    }
}

/// Searches a multiplier under which no two names collide, and makes the table.
fn make_table(entries: &[ComponentEntry]) -> Option<Box<ByName>> {
    // Odd numbers in a fixed order, so that every run makes the same tables.
    for number in 1..=MULTIPLIERS_TRIED {
        let multiplier = number.wrapping_mul(0x9E37_79B9) | 1;
        let mut places = [NO_PLACE; TABLE_LEN];
        let fits = entries.iter().enumerate().all(|(place, entry)| {
            let slot = &mut places[table_place(entry.name, multiplier)];
            core::mem::replace(slot, place as u8) == NO_PLACE
        });
        if fits {
            return Some(Box::new(ByName::Table { multiplier, places }));
        }
    }
    None
}

impl PrototypeStamp {
    /// A stamp of no prototype: the empty one is never collected, so its epoch is 0.
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
