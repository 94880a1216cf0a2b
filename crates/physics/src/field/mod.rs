//! Fields: areas in which bodies are pushed in every step, by wind, by a fluid or by gravity of a place. Their definition
//! ([`FieldDef`], [`FieldKind`]), and how the world stores them. What they do in a step is in `step/fields/`.

mod def;
mod explosion;
pub(crate) mod record;

pub use def::{FieldDef, FieldKind};
pub use explosion::ExplosionDef;
pub use record::{FieldId, FieldRecord};
pub(crate) use record::{FieldPoint, reach_of};
