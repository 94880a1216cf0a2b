//! Properties: what can be read and written of a component by name, and how.
//!
//! `value.rs` defines values, `plain.rs` those with a faster path, `schema.rs` how a type declares its properties
//! once, `access.rs` how one is read and written, `path.rs` how a path is parsed, resolved and remembered,
//! `error.rs` errors, `serialize.rs` values through serde.

mod access;
mod error;
mod path;
mod plain;
mod schema;
mod serialize;
mod value;

pub use error::{PropertyError, ShortNumber};
pub use path::Accessor;
pub(crate) use path::{Identity, Path, Resolved, Trace};
pub use plain::{Plain, Settable};
pub use schema::{Component, Property, PropertyValue, Schema};
pub use value::{Color, Kind, Value};
