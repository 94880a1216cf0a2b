//! Values that describe themselves: written beside the names, kinds and fields of their types, so that another build, whose
//! definitions have grown, reads them by name.

mod data;
mod geometry;
mod unfit;
mod value;

pub use data::Bytes;
pub(crate) use data::{Data, NamedFields, data_choice, data_struct, kind_of_field};
pub(crate) use unfit::Unfit;
pub(crate) use value::{Kind, Schema, Value, form, only_form, read_text, write_number, write_text};
