//! `Dense<T>`: a component manager for any `Component`.
//!
//! | file | contents |
//! | --- | --- |
//! | `table.rs` | the arrays, look-ups and changes |
//! | `image.rs` | what frames keep of it |
//! | `manager.rs` | the functions of a manager |

mod image;
mod manager;
mod table;

pub use table::{Dense, DenseParts, DensePlaces, Ended};
