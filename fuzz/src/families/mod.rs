//! The families. A new one is a file here, a line in the list, and a row in docs/testing.md.

mod handles;
mod pool;

use crate::harness::Entry;

/// All families, in the order in which `all` runs them.
pub(crate) const FAMILIES: &[Entry] = &[Entry::of::<handles::Handles>(), Entry::of::<pool::Pools>()];
