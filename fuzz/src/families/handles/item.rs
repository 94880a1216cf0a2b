//! The values of the maps under test: they are counted, and their clones and drops panic on purpose.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::family::hold;
use crate::harness::panic_text;

thread_local! {
    /// The number of items on this thread.
    pub(super) static ITEMS: Cell<i64> = const { Cell::new(0) };
    /// The clone of an item panics when this reaches 0.
    pub(super) static CLONES_LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A value that is counted, and may panic in its drop or its clone.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) number: u64,
    pub(super) panics: Cell<bool>,
}

impl Item {
    pub(super) fn new(number: u64) -> Self {
        ITEMS.set(ITEMS.get() + 1);
        Self {
            number,
            panics: Cell::new(false),
        }
    }
}

impl Clone for Item {
    fn clone(&self) -> Self {
        if let Some(left) = CLONES_LEFT.get() {
            assert!(left > 0, "planted in a clone");
            CLONES_LEFT.set(Some(left - 1));
        }
        Self::new(self.number)
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        ITEMS.set(ITEMS.get() - 1);
        assert!(!self.panics.replace(false), "planted in a drop");
    }
}

/// Makes a call that may panic on purpose; `Ok(None)` if it did.
pub(super) fn planted<T>(work: impl FnOnce() -> T) -> Result<Option<T>, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(value) => Ok(Some(value)),
        Err(payload) => {
            let text = panic_text(payload);
            let is_known = text.starts_with("planted")
                || text.contains("has used all its")
                || text.contains("the map is full")
                || text.contains("total order");
            hold!(is_known, "a panic of its own: {text}");
            Ok(None)
        }
    }
}

/// A countdown to a planted panic.
pub(super) fn countdown(mut left: Option<usize>) -> impl FnMut() {
    move || {
        if let Some(left) = &mut left {
            assert!(*left > 0, "planted in a call");
            *left -= 1;
        }
    }
}
