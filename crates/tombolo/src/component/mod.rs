//! The engine's own kinds of components: their structs and their properties by name, a file for each kind.
//!
//! Managers of type [`Dense`](tombolo_entity::Dense) hold them, registered under their names in the order of
//! [`NAMES`], so that their numbers are constants. [`Body`], [`Collider`], [`Joint`] and [`Trigger`] hold the
//! requested definitions and the ids of the created objects; `world/physical/` carries changes from one to the other.

/// The name of a property, which is that of the field unless another is given.
macro_rules! name_of {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident as $name:literal) => {
        $name
    };
}

/// Adds properties that are fields to [`Entries`](register::Entries): for all of them the function that applies a
/// change and whether it wakes a body; then for each the field, its property's name if that differs, its unit, range,
/// place in scene files and kinds of joints if it has them, and its documentation.
macro_rules! fields {
    ($entries:expr, $apply:expr, $wakes:expr; $(
        $field:ident $(.$inner:ident)? $(as $name:literal)? $([$unit:literal])? $(in $range:expr)? $(, zero or $above:expr)? $(, at $scene:expr)? $(, of $kinds:expr)?
            => $doc:literal
    ),+ $(,)?) => {
        $entries$(
            .property(
                name_of!($field $(as $name)?),
                |component: &Self| Clone::clone(&component.$field$(.$inner)?),
                |component, value| component.$field$(.$inner)? = value,
                $apply,
                $wakes,
            )
            $(.range($range))?
            $(.zero_or($above))?
            $(.unit($unit))?
            $(.in_scene($scene))?
            $(.of_kinds($kinds))?
            .doc($doc)
        )+
    };
}

mod agent;
mod body;
mod character;
mod collider;
mod data;
mod field;
pub(crate) mod joint;
mod kinds;
mod look;
pub(crate) mod register;
mod rigid_weld;
pub(crate) mod script;
mod shape_geometry;
mod spawner;
mod tag;
mod tiles;
mod transform;
mod trigger;
mod zone;

pub(crate) use agent::SPEED_MAX;
pub use agent::{Agent, AgentState};
pub use body::Body;
pub use character::Character;
pub use collider::Collider;
pub(crate) use collider::MATERIAL_MAX;
pub use data::{DATA_COUNT_MAX, DATA_DEPTH_MAX, Data};
pub use field::{Field, FieldAction};
pub use joint::{Joint, JointAxis, JointKinds};
pub use kinds::{
    AGENT, BODY, CHARACTER, COLLIDER, FIELD, JOINT, NAMES, RENDER_DATA, RIGID_WELD, SCRIPT, SPAWNER, SPRITE,
    TAG, TILES, TRANSFORM, TRIGGER, ZONE,
};
pub(crate) use kinds::{Register, register};
pub use look::{RenderData, Sprite};
pub use register::{Entry, InScene, KindEntry, SceneForm, Wakes};
pub use rigid_weld::RigidWeld;
#[cfg(feature = "script")]
pub(crate) use script::Timer;
pub use script::{Script, TIMERS_MAX};
pub use shape_geometry::{BuiltGeometry, GeometryKind, ShapeGeometry};
pub use spawner::Spawner;
pub use tag::Tag;
pub use tiles::Tiles;
pub use transform::Transform;
pub(crate) use transform::is_place;
pub use trigger::Trigger;
pub use zone::Zone;
