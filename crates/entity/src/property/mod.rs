//! Properties: the values of components that can be read and written by name.
//!
//! `types.rs` lists the types that properties have, `schema.rs` has the declaration of a type's properties, `access.rs`
//! reads and writes one, `limits.rs` checks values against what one accepts, `error.rs` has the errors.

mod access;
mod error;
mod limits;
mod schema;
mod types;

pub use error::{PropertyError, Refusal, ShortNumber};
pub(crate) use limits::Limits;
pub use schema::{Component, Property, Schema};
pub use types::{PropertyValue, Settable};
