//! Entities, component managers, and every property of every component by name.
//!
//! A component's data is stored by its [`ComponentManager`]. Beside the managers an index records which manager holds
//! which *named* component of an entity, so that a script, an inspector, a scene file or a network peer can say "this
//! entity's `Fog`, property `density`". Entities with the same components share one [`PrototypeId`], so the index costs
//! 6 bytes an entity. No physics, no threads, no unsafe code.
//!
//! Priorities, in order: a name never leads to another entity's component, also under hash collisions; the same calls
//! give the same ids everywhere; bad input changes nothing and gives an error that names it; cheap look-ups and upkeep;
//! memory.
//!
//! | file | contents |
//! | --- | --- |
//! | `entities.rs` | the set of living entities |
//! | `name.rs` | names, their 32-bit hashes, and the refusal of collisions |
//! | `manager.rs` | the trait of component managers, and the list of them |
//! | `bytes.rs` | the byte format of saves: writer and reader |
//! | `saved/` | the description of managers and properties, by which other builds read a save |
//! | `rows.rs` | values in chunks, of which images share those that have not changed |
//! | `kept.rs` | a value of which images share one copy until it changes |
//! | `dense/` | a manager for any type that is [`Component`] |
//! | `index/` | the index by prototypes |
//! | `value/` | values and their kinds |
//! | `property/` | the properties of components: declaration, reading and writing |
//! | `path.rs` | paths to properties, parsed and cached |
//! | `system/` | [`EntitySystem`]: the parts together |
//! | `resource/` | the resources that entities are spawned from, and the cache of shared assets |
//!
//! ```
//! use tombolo_entity::{Component, Dense, EntitySystem, Schema, Value};
//!
//! #[derive(Clone, Default)]
//! struct Fog {
//!     density: f32,
//! }
//!
//! impl Component for Fog {
//!     fn schema() -> Schema<Self> {
//!         Schema::new().property("density", |fog: &Fog| fog.density, |fog, density| fog.density = density)
//!     }
//! }
//!
//! let mut system = EntitySystem::new();
//! let fogs = system.register("Fog", Dense::<Fog>::new())?;
//! let valley = system.create();
//! system.add(valley, fogs, "Mist")?; // two of one manager, told apart by name
//! system.add(valley, fogs, "Smoke")?;
//! system.set(valley, "Smoke.density", Value::F32(0.5))?;
//! assert_eq!(system.get(valley, "Smoke.density")?, Value::F32(0.5));
//! assert_eq!(system.get(valley, "Mist.density")?, Value::F32(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod bytes;
mod dense;
mod entities;
mod index;
mod kept;
mod manager;
mod name;
mod path;
mod property;
mod resource;
mod rows;
mod saved;
mod system;
mod value;

pub use bytes::{DataError, LIST_DEPTH_MAX, Reader, Writer, hash_bytes};
pub use dense::{Dense, DenseParts, DensePlaces, Ended};
pub use entities::{Entities, Entity, EntityMark};
pub use index::{
    COMPONENTS_MAX, ComponentEntry, ENTITIES_MAX, ENTRIES_MAX, EntityIndex, FoldMix, HOLDERS_MAX, IndexError,
    IndexMemory, IndexRestoreError, Located, Mix, PrototypeId, PrototypeIndex, PrototypeStamp, SavedIndex,
    SavedPrototype,
};
pub use kept::Kept;
pub use manager::{ComponentManager, ManagerChange, ManagerError, ManagerImage, PreparedManager};
pub use name::{InstanceId, ManagerId, NAME_BYTES_MAX, NameError, NameHash, Names};
pub use path::{Accessor, PropertyPlace, RecentPaths};
pub use property::{
    Component, Property, PropertyError, PropertyValue, Refusal, Schema, Settable, ShortNumber,
};
pub use resource::{
    Asset, CacheError, ComponentDefinition, Factory, Given, Library, LoadReport, Override, Planned,
    ResourceCache, ResourceDefinition, ResourceError, ResourceHandle, ResourceKind, Spawned,
};
pub use rows::{RowChanges, Rows, RowsDifference, RowsImage};
pub use saved::{SavedManager, SavedManagers};
pub use system::{Change, EntitySystem, EntitySystemImage, PreparedSystem, SystemError};
pub use value::plain::Plain;
pub use value::saved::SavedForm;
pub use value::{Color, Kind, Value};

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
