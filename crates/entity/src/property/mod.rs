//! Properties: what can be read and written of a component by name, and how.
//!
//! `value.rs` says what a value is, `schema.rs` how a type declares its properties once, `path.rs` how a path is taken
//! apart, resolved and remembered, `error.rs` what can go wrong, `serialise.rs` how values are written and read.

mod error;
mod path;
mod schema;
mod serialise;
mod value;

pub use error::PropertyError;
pub use path::Accessor;
pub(crate) use path::{Path, Resolved, Trace};
pub use schema::{Access, Component, Property, PropertyValue, Schema};
pub use value::{Colour, Kind, Value};
