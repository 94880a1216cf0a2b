//! The engine's own kinds of components: their structs and their properties by name. A file for each.
//!
//! They are held by managers of type [`Dense`], registered under their names in the order of [`NAMES`], so their
//! numbers are constants. [`Body`], [`Collider`], [`Joint`] and [`Trigger`] hold what was requested of physics and
//! the ids of what it created; `world/physical/` carries changes from one to the other.

/// The name of a property that is a field.
macro_rules! name_of {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident as $name:literal) => {
        $name
    };
}

/// Adds properties that are fields: the field's name, its unit and its range if it has them, and what it is.
macro_rules! fields {
    ($schema:expr; $($field:ident $(as $name:literal)? $([$unit:literal])? $(in $range:expr)? => $doc:literal),+ $(,)?) => {
        $schema$(
            .property(
                name_of!($field $(as $name)?),
                |component: &Self| Clone::clone(&component.$field),
                |component, value| component.$field = value,
            )
            $(.range($range))?
            $(.unit($unit))?
            .doc($doc)
        )+
    };
}

mod agent;
mod body;
mod collider;
mod data;
mod joint;
mod look;
mod script;
mod shape_geometry;
mod spawner;
mod transform;
mod trigger;

use tombolo_entity::{Component, Dense, EntitySystem, ManagerId, Schema, SystemError};

pub use agent::{Agent, AgentState};
pub(crate) use agent::{CLEARANCE_MAX, SPEED_MAX};
pub use body::Body;
pub use collider::Collider;
pub use data::{DATA_COUNT_MAX, DATA_DEPTH_MAX, Data};
pub use joint::Joint;
pub use look::{RenderData, Sprite};
#[cfg(feature = "script")]
pub(crate) use script::Timer;
pub use script::{Script, TIMERS_MAX};
pub use shape_geometry::{BuiltGeometry, GeometryKind, ShapeGeometry};
pub use spawner::Spawner;
pub(crate) use transform::SCALE_MAX;
pub use transform::Transform;
pub(crate) use transform::is_place;
pub use trigger::Trigger;

/// The number of the manager of [`Transform`].
pub const TRANSFORM: ManagerId = ManagerId(0);
/// The number of the manager of [`Body`].
pub const BODY: ManagerId = ManagerId(1);
/// The number of the manager of [`Collider`].
pub const COLLIDER: ManagerId = ManagerId(2);
/// The number of the manager of [`Joint`].
pub const JOINT: ManagerId = ManagerId(3);
/// The number of the manager of [`Trigger`].
pub const TRIGGER: ManagerId = ManagerId(4);
/// The number of the manager of [`Sprite`].
pub const SPRITE: ManagerId = ManagerId(5);
/// The number of the manager of [`RenderData`].
pub const RENDER_DATA: ManagerId = ManagerId(6);
/// The number of the manager of [`Tag`].
pub const TAG: ManagerId = ManagerId(7);
/// The number of the manager of [`Script`].
pub const SCRIPT: ManagerId = ManagerId(8);
/// The number of the manager of [`Spawner`].
pub const SPAWNER: ManagerId = ManagerId(9);

/// The number of the manager of [`Agent`].
pub const AGENT: ManagerId = ManagerId(10);

/// The names of the engine's own managers, in the order of their numbers.
pub const NAMES: [&str; 11] = [
    "Transform",
    "Body",
    "Collider",
    "Joint",
    "Trigger",
    "Sprite",
    "RenderData",
    "Tag",
    "Script",
    "Spawner",
    "Agent",
];

/// A mark. The component's name is what it says: an entity with a tag `"enemy"` is an enemy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag;

impl Component for Tag {
    fn schema() -> Schema<Self> {
        Schema::new()
    }
}

/// Registers the engine's own managers with a system that has none yet.
pub(crate) fn register(system: &mut EntitySystem) -> Result<(), SystemError> {
    let numbers = [
        system.register(NAMES[0], Dense::<Transform>::new())?,
        // What physics made for these is to go when they end.
        system.register(NAMES[1], Dense::<Body>::keeping_ended())?,
        system.register(NAMES[2], Dense::<Collider>::keeping_ended())?,
        system.register(NAMES[3], Dense::<Joint>::keeping_ended())?,
        system.register(NAMES[4], Dense::<Trigger>::keeping_ended())?,
        system.register(NAMES[5], Dense::<Sprite>::new())?,
        system.register(NAMES[6], Dense::<RenderData>::new())?,
        system.register(NAMES[7], Dense::<Tag>::new())?,
        system.register(NAMES[8], Dense::<Script>::new())?,
        system.register(NAMES[9], Dense::<Spawner>::new())?,
        system.register(NAMES[10], Dense::<Agent>::new())?,
    ];
    debug_assert!(
        numbers
            .iter()
            .enumerate()
            .all(|(place, number)| usize::from(number.0) == place)
    );
    Ok(())
}
