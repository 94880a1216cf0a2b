//! Errors of handles, full maps, grouping and saved maps. Each names what was requested and what was found.

use core::fmt;

/// The reason why a handle does not resolve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandleError {
    /// The handle was made by a map with another tag.
    WrongTag {
        /// The tag of the map that was called.
        wanted: u16,
        /// The tag of the handle.
        got: u16,
    },
    /// The map has fewer slots than the handle's index needs.
    OutOfRange {
        /// The slot that the handle names.
        index: u32,
        /// The number of slots of the map.
        slot_count: u32,
    },
    /// The value was removed and its slot is free.
    FreeSlot {
        /// The slot that the handle names.
        index: u32,
    },
    /// The value was removed and its slot holds another one (or the handle is from the future of a map that was rewound).
    Stale {
        /// The generation of the handle.
        wanted: u32,
        /// The generation of the slot now.
        found: u32,
    },
}

impl fmt::Display for HandleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::WrongTag { wanted, got } => {
                write!(
                    f,
                    "the handle belongs to another map: its tag is {got}, this map's tag is {wanted}"
                )
            }
            Self::OutOfRange { index, slot_count } => {
                write!(
                    f,
                    "the handle names slot {index}, but the map has {slot_count} slots"
                )
            }
            Self::FreeSlot { index } => {
                write!(f, "the value was removed: slot {index} is free")
            }
            Self::Stale { wanted, found } => write!(
                f,
                "the handle is stale: it names generation {wanted}, but its slot is at generation {found}"
            ),
        }
    }
}

impl core::error::Error for HandleError {}

/// The map has as many slots as its layout can number. Gives the value back.
pub struct MapFull<T> {
    value: T,
    slot_count: u32,
}

impl<T> MapFull<T> {
    pub(crate) const fn new(value: T, slot_count: u32) -> Self {
        Self { value, slot_count }
    }

    /// The value that was not inserted.
    pub fn into_value(self) -> T {
        self.value
    }
}

impl<T> fmt::Debug for MapFull<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapFull")
            .field("slot_count", &self.slot_count)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Display for MapFull<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the map is full: all {} slots of its layout are live or retired",
            self.slot_count
        )
    }
}

impl<T> core::error::Error for MapFull<T> {}

/// A key of [`HandleMap::group_by_key`](crate::HandleMap::group_by_key) names no group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupError {
    /// The dense index of the value with that key.
    pub dense: usize,
    /// The key.
    pub key: usize,
    /// The number of groups; keys are below it.
    pub group_count: usize,
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            dense,
            key,
            group_count,
        } = self;
        write!(
            f,
            "the value at dense index {dense} has key {key}, but there are {group_count} groups"
        )
    }
}

impl core::error::Error for GroupError {}

/// The first inconsistency found in the saved parts of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CorruptError {
    /// There are more slots than the layout can number.
    TooManySlots {
        /// The number of slots given.
        slot_count: usize,
    },
    /// Values and owners are not parallel.
    UnequalLengths {
        /// The number of values given.
        values: usize,
        /// The number of owners given.
        owners: usize,
    },
    /// Values and the data beside them have different lengths.
    UnequalMetas {
        /// The number of values given.
        values: usize,
        /// The number of pieces of data beside values given.
        metas: usize,
    },
    /// A field of the header contradicts the slots.
    Header {
        /// The name of the field.
        field: &'static str,
        /// The value of the field.
        said: u64,
        /// The value counted from the arrays (for a limit: the greatest value allowed).
        found: u64,
    },
    /// A slot has a generation, tag or unused bit that no slot of this map can have.
    SlotBits {
        /// The index of the slot.
        slot: u32,
    },
    /// A value's owner and the slot it names do not point at each other.
    Owner {
        /// The dense index of the value.
        dense: u32,
        /// The slot that its owner entry names.
        slot: u32,
    },
    /// A live slot names a value that belongs to another slot.
    SharedValue {
        /// The index of the slot.
        slot: u32,
        /// The dense index that the slot names.
        dense: u32,
    },
    /// The free list leaves the slots, reaches a slot that is not free, or forms a cycle.
    FreeList {
        /// The slot whose link is wrong (or the head of the list).
        slot: u32,
    },
}

impl fmt::Display for CorruptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooManySlots { slot_count } => {
                write!(f, "{slot_count} slots are more than the layout can number")
            }
            Self::UnequalLengths { values, owners } => {
                write!(f, "{values} values but {owners} owners")
            }
            Self::UnequalMetas { values, metas } => {
                write!(f, "{values} values but data beside {metas}")
            }
            Self::Header { field, said, found } => {
                write!(f, "the header's {field} is {said}, but the arrays show {found}")
            }
            Self::SlotBits { slot } => write!(f, "slot {slot} has bits that no slot of this map can have"),
            Self::Owner { dense, slot } => {
                write!(
                    f,
                    "value {dense} says that slot {slot} owns it, but the slot does not"
                )
            }
            Self::SharedValue { slot, dense } => {
                write!(
                    f,
                    "live slot {slot} names value {dense}, which is missing or belongs to another slot"
                )
            }
            Self::FreeList { slot } => write!(f, "the free list is broken at slot {slot}"),
        }
    }
}

impl core::error::Error for CorruptError {}
