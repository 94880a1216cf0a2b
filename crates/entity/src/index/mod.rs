//! The entity index: the map from an entity and a component's name to the manager that holds the component.
//!
//! [`PrototypeIndex`] descends from the designs of "Rebuilding the Entity Index" (Stingray blog, 2017). Other designs
//! implement [`EntityIndex`] too, outside of this crate, for comparison in the bench and the tests.

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
