//! Properties: the values of components that can be read and written by name.
//!
//! `types.rs` lists the types that properties have, `description.rs` describes one, `schema.rs` has the declaration of a
//! type's properties, `access.rs` reads and writes one, `limits.rs` checks values against what one accepts, `form.rs`
//! matches those of a save with the present ones, `error.rs` has the errors.

mod access;
mod description;
mod error;
mod form;
mod limits;
mod schema;
mod types;

pub use description::Property;
pub use error::{PropertyError, Refusal, ShortNumber};
pub(crate) use form::describe;
pub(crate) use limits::Limits;
pub use schema::{Component, Schema};
pub use types::{PropertyValue, Settable};
