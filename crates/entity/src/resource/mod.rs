//! Resources, from which entities are spawned, and the assets that entities share.
//!
//! `definition.rs` has the content of a file; `plan.rs` resolves it for the managers, or finds the error in it;
//! `library.rs` holds the plans and spawns from them; `reload.rs` updates the living entities when a definition
//! changes; `save.rs` writes and reads a library's records of living entities; `cache.rs` holds shared assets of any
//! kind.

mod cache;
mod definition;
mod library;
mod plan;
mod reload;
mod save;

pub use cache::{Asset, CacheError, Factory, Given, ResourceCache, ResourceHandle, ResourceKind};
pub use definition::{ComponentDefinition, Override, ResourceDefinition, ResourceError};
pub use library::{Library, LoadReport, Planned, Spawned};
