//! Properties: what can be read and written of a component by name, and how.
//!
//! `value.rs` says what a value is, `plain.rs` which go the short way, `schema.rs` how a type declares its properties once,
//! `access.rs` how one is read and written, `path.rs` how a path is taken
//! apart, resolved and remembered, `error.rs` what can go wrong, `serialise.rs` how values are written and read.

mod access;
mod error;
mod path;
mod plain;
mod schema;
mod serialise;
mod value;

pub use error::{PropertyError, ShortNumber};
pub use path::Accessor;
pub(crate) use path::{Identity, Path, Resolved, Trace};
pub use plain::{Plain, Settable};
pub use schema::{Component, Property, PropertyValue, Schema};
pub use value::{Colour, Kind, Value};
