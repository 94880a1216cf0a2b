//! Fields: areas in which bodies are pushed in every step, by wind, by a fluid or by a local gravity. Their definition
//! ([`FieldDef`], [`FieldKind`]), and the records in which the world stores them. Their forces in a step are computed
//! in `step/fields/`.

mod def;
mod explosion;
pub(crate) mod record;

pub use def::{FieldDef, FieldKind};
pub use explosion::ExplosionDef;
pub use record::{FieldId, FieldRecord};
pub(crate) use record::{FieldPoint, reach_of};
