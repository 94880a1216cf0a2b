//! Resources: what entities are made from, and the assets that they share.
//!
//! `definition.rs` is what a file says; `plan.rs` works out what that means for the managers, or what is wrong with it;
//! `library.rs` holds the plans, spawns from them, and brings the living up to date when a definition changes;
//! `save.rs` writes and reads
//! what a library remembers of the living; `cache.rs` holds shared assets of any kind.

mod cache;
mod definition;
mod library;
mod plan;
mod reload;
mod save;

pub use cache::{Asset, CacheError, Factory, Given, ResourceCache, ResourceHandle, ResourceKind};
pub use definition::{ComponentDefinition, Override, ResourceDefinition, ResourceError};
pub use library::{Library, LoadReport, Planned, Spawned};
