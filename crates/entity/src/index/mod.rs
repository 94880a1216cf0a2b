//! Which manager holds which named component of an entity.
//!
//! [`PrototypeIndex`] descends from the designs of "Rebuilding the Entity Index" (Stingray blog, 2017). These implement
//! [`EntityIndex`] too, outside of this crate, for the bench and the tests to compare with.

mod contract;
mod edges;
mod entry;
mod lists;
mod mix;
mod node;
mod prototypes;
mod save;
mod shared;

pub use contract::{EntityIndex, IndexError, IndexMemory};
pub use entry::{
    COMPONENTS_MAX, ComponentEntry, ENTITIES_MAX, ENTRIES_MAX, HOLDERS_MAX, Located, PrototypeId,
    PrototypeStamp,
};
pub use mix::{FoldMix, Mix};
pub use save::{IndexRestoreError, SavedIndex, SavedPrototype};
pub use shared::PrototypeIndex;
