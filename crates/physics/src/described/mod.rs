//! Self-describing values: written together with the names, kinds and fields of their types, so that another build,
//! whose definitions have grown, reads them by name.
//!
//! Public for worlds that are built on physics and record themselves, like the engine's; not part of the crate's public
//! interface.

mod data;
mod geometry;
mod unfit;
mod value;

pub use data::{Bytes, Data, NamedFields, data_choice, data_struct, kind_of_field};
pub use unfit::Unfit;
pub(crate) use value::read_text;
pub use value::{Form, Kind, Schema, Value, form, only_form, write_number, write_text};
