//! [`List`]: doubly linked lists with the links inside the records: an island's nodes, and its gaps.
//!
//! Such a list is joined to another in a few writes and needs no memory of its own; an array per island would keep the
//! capacity of its largest size. Only `record.rs` changes lists.

use crate::persistent::PlainArray;
use bytemuck::Pod;
use tombolo_geometry::plain_data;

/// The index that stands for none.
pub(crate) const NONE: u32 = u32::MAX;

plain_data! {
    /// Neighbors in a list: [`NONE`] at its ends, and in a record that is in no list.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct Links {
        /// The next record.
        pub(crate) next: u32,
        /// The previous record.
        pub(crate) previous: u32,
    }

    /// A list of records.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct List {
        /// The first record, or [`NONE`].
        pub(crate) head: u32,
        /// The last record, or [`NONE`].
        pub(crate) tail: u32,
        /// The number of records.
        pub(crate) count: u32,
    }
}

impl Links {
    pub(super) const EMPTY: Self = Self {
        next: NONE,
        previous: NONE,
    };
}

/// A record that can be an element of a list.
pub(super) trait Linked {
    /// The record's links.
    fn links(&mut self) -> &mut Links;
}

impl Linked for Links {
    fn links(&mut self) -> &mut Links {
        self
    }
}

impl List {
    pub(super) const EMPTY: Self = Self {
        head: NONE,
        tail: NONE,
        count: 0,
    };

    /// The list of one record, whose links are empty.
    #[inline]
    pub(super) fn of(index: u32) -> Self {
        Self {
            head: index,
            tail: index,
            count: 1,
        }
    }

    /// Appends the record `index`, which is in no list.
    pub(super) fn push_back<T: Linked + Pod>(&mut self, records: &mut PlainArray<T>, index: u32) {
        debug_assert_eq!(self.count == 0, self.tail == NONE, "an empty list has no end");
        debug_assert!(self.tail != index && self.head != index, "in the list already");
        *records[index as usize].links() = Links {
            next: NONE,
            previous: self.tail,
        };
        match self.tail {
            NONE => self.head = index,
            tail => {
                debug_assert_eq!(
                    records[tail as usize].links().next,
                    NONE,
                    "nothing follows the last"
                );
                records[tail as usize].links().next = index;
            }
        }
        self.tail = index;
        self.count += 1;
    }

    /// Removes the record `index`, which is in this list.
    pub(super) fn remove<T: Linked + Pod>(&mut self, records: &mut PlainArray<T>, index: u32) {
        debug_assert!(self.count > 0, "taken out of an empty list");
        let Links { next, previous } = core::mem::replace(records[index as usize].links(), Links::EMPTY);
        match previous {
            NONE => {
                debug_assert_eq!(self.head, index, "nothing is before the first of this list");
                self.head = next;
            }
            previous => {
                debug_assert_eq!(records[previous as usize].links().next, index, "neighbors");
                records[previous as usize].links().next = next;
            }
        }
        match next {
            NONE => {
                debug_assert_eq!(self.tail, index, "nothing is behind the last of this list");
                self.tail = previous;
            }
            next => {
                debug_assert_eq!(records[next as usize].links().previous, index, "neighbors");
                records[next as usize].links().previous = previous;
            }
        }
        self.count -= 1;
        debug_assert_eq!(self.count == 0, self.head == NONE, "an empty list has no first");
    }

    /// Appends all records of `other`, in its order.
    pub(super) fn append<T: Linked + Pod>(&mut self, records: &mut PlainArray<T>, other: Self) {
        if other.count == 0 {
            return;
        }
        debug_assert!(other.head != self.head, "a list behind itself");
        debug_assert_eq!(
            records[other.head as usize].links().previous,
            NONE,
            "the first of its list"
        );
        records[other.head as usize].links().previous = self.tail;
        match self.tail {
            NONE => self.head = other.head,
            tail => records[tail as usize].links().next = other.head,
        }
        self.tail = other.tail;
        self.count += other.count;
    }
}
