//! `Node`: who uses one list of components, and how a name is found in it. The list itself is in `lists.rs`.
//!
//! What may touch it: `prototypes.rs`, which keeps the counts, and `save.rs`.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::entry::{COMPONENTS_MAX, ComponentEntry, PrototypeId, PrototypeStamp};
use super::lists::Lists;
use crate::name::{ManagerId, NameHash};

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
    /// Each name's place stands where its hash, times the multiplier, leads.
    Table {
        multiplier: u32,
        places: [u8; TABLE_LEN],
    },
    /// All places in the order of names.
    Order(Box<[u16]>),
}

/// Bits of [`Node::len_and_flags`]; the others are the length.
const LIVE: u16 = 1 << 14;
const QUEUED: u16 = 1 << 15;

const _: () = assert!(COMPONENTS_MAX < LIVE as usize);

/// One list of components.
///
/// Invariants: the list is the parent's and one more entry (the root has none); no name stands twice; `child_count`
/// counts the live nodes with this parent; a node without uses is in the queue.
#[derive(Clone, Debug)]
pub(super) struct Node {
    // None: the list is searched from the front.
    by_name: Option<Box<ByName>>,
    /// Where in [`Lists`] the list is.
    pub(super) list: u32,
    // The last entry of the list, so that whoever looks for a child need not look there.
    last_name: NameHash,
    last_manager: ManagerId,
    // How long the list is, with LIVE and QUEUED.
    len_and_flags: u16,
    pub(super) parent: u32,
    /// Entities that have this list, holders, and children: one count, so that a change looks at one number.
    pub(super) use_count: u32,
    pub(super) child_count: u32,
    pub(super) epoch: u32,
    // From so many uses on it is asked whether a table would pay.
    table_at: u32,
}

// Prototypes are weighed by it.
const _: () = assert!(size_of::<Node>() == 40 || cfg!(target_pointer_width = "32"));

impl Node {
    /// The list that is empty.
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

    /// A number that no prototype has now.
    pub(super) fn dead(epoch: u32) -> Self {
        Self {
            len_and_flags: 0,
            ..Self::new(Lists::ROOT, &[], 0, epoch)
        }
    }

    /// How many entries the list has.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        (self.len_and_flags & !(LIVE | QUEUED)) as usize
    }

    /// The last entry of the list; none of the root and of what is dead.
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
        // All at once: a branch for each would be one more to guess.
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

    /// Entities and holders.
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
                // To the end in any case: where a name stands is hard to foretell, how long the list is less so.
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

    /// Counts new users; whether [`Node::consider_table`] is due.
    #[inline]
    pub(super) fn retain(&mut self, count: u32) -> bool {
        self.use_count += count;
        self.use_count >= self.table_at
    }

    /// Makes the table of a node with these entries if users are many, not children.
    #[cold]
    pub(super) fn consider_table(&mut self, entries: &[ComponentEntry]) {
        if self.user_count() < TABLE_USERS {
            self.table_at = self.child_count + TABLE_USERS;
            return;
        }
        self.table_at = u32::MAX;
        self.by_name = Some(make_table(entries).unwrap_or_else(|| order_by_name(entries)));
    }

    /// Bytes outside the node itself, and outside the list.
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

/// Looks for a multiplier under which no two names meet, and makes the table.
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
