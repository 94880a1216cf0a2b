//! Properties: what can be read and written of a component by name, and how.
//!
//! `types.rs` lists the types that properties have, `schema.rs` how a type declares its properties once, `access.rs` how
//! one is read and written, `limits.rs` what one takes, `error.rs` what can go wrong.

mod access;
mod error;
mod limits;
mod schema;
mod types;

pub use error::{PropertyError, Refusal, ShortNumber};
pub(crate) use limits::Limits;
pub use schema::{Component, Property, Schema};
pub use types::{PropertyValue, Settable};
