//! The designs of "Rebuilding the Entity Index" (Stingray blog, 2017), from which the engine's index descends:
//! [`LegacyIndex`], a list for each entity, and [`ChainIndex`], prototypes named by a chain of hashes. Their results
//! are those of the engine's index.

mod chain;
mod checks;
mod legacy;
mod word_hasher;

pub use chain::{ChainIndex, Description, FullEntries, Linked};
pub use legacy::LegacyIndex;
