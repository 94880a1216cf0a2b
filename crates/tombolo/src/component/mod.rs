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

/// Adds properties that are fields to [`Entries`](register::Entries): how all of them are applied and whether that wakes a
/// body; then of each the field, its property's name if that is another, its unit, range, way into scene files and kinds of
/// joints if it has them, and what it is.
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
pub(crate) mod script;
mod shape_geometry;
mod spawner;
mod tiles;
mod transform;
mod trigger;
mod zone;

use core::convert::Infallible;

use tombolo_entity::{Component, Dense, EntitySystem, ManagerId, Schema, SystemError};

pub(crate) use agent::SPEED_MAX;
pub use agent::{Agent, AgentState};
pub use body::Body;
pub use character::Character;
pub use collider::Collider;
pub(crate) use collider::MATERIAL_MAX;
pub use data::{DATA_COUNT_MAX, DATA_DEPTH_MAX, Data};
pub use field::{Field, FieldAction};
pub use joint::{Joint, JointAxis, JointKinds};
pub(crate) use kinds::Register;
pub use look::{RenderData, Sprite};
use register::{Entries, Kept, Registered};
pub use register::{Entry, InScene, KindEntry, SceneForm, Wakes};
#[cfg(feature = "script")]
pub(crate) use script::Timer;
pub use script::{Script, TIMERS_MAX};
pub use shape_geometry::{BuiltGeometry, GeometryKind, ShapeGeometry};
pub use spawner::Spawner;
pub use tiles::Tiles;
pub use transform::Transform;
pub(crate) use transform::is_place;
pub use trigger::Trigger;
pub use zone::Zone;

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
/// The number of the manager of [`Zone`].
pub const ZONE: ManagerId = ManagerId(11);
/// The number of the manager of [`Field`].
pub const FIELD: ManagerId = ManagerId(12);
/// The number of the manager of [`Character`].
pub const CHARACTER: ManagerId = ManagerId(13);
/// The number of the manager of [`Tiles`].
pub const TILES: ManagerId = ManagerId(14);

/// The engine's own kinds in the order of their managers' numbers: the manager's name, and what such a component is.
pub(crate) const KINDS: [(&str, &str); 15] = [
    (
        "Transform",
        "Where the entity is; every entity has one, given or not.",
    ),
    ("Body", "A rigid body; at most one of an entity."),
    (
        "Collider",
        "A shape on the entity's body, or a chain of them; several of one entity under different names.",
    ),
    ("Joint", "Ties two bodies, in one of several kinds of ways."),
    (
        "Trigger",
        "A region that notices which bodies come into it and leave it.",
    ),
    ("Sprite", "A picture at the entity's place, for who draws."),
    (
        "RenderData",
        "Numbers under names for an effect of the renderer: fog, a vignette, a lamp.",
    ),
    ("Tag", "A mark: the component's name is all that it says."),
    ("Script", "A script, by its name or with a text of its own."),
    ("Spawner", "Makes entities of a resource as time goes by."),
    ("Agent", "Walks to a goal around static bodies."),
    (
        "Zone",
        "An area, perhaps concave and with holes, that knows which entities are in it.",
    ),
    (
        "Field",
        "An area in which bodies are pushed: by wind, a fluid, or the gravity of a place.",
    ),
    (
        "Character",
        "Walks on ground of any kind, climbs steps, rides, jumps and pushes.",
    ),
    (
        "Tiles",
        "A grid of tiles on the entity's body, drawn with characters.",
    ),
];

/// The names of the engine's own managers, in the order of their numbers.
pub const NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = KINDS[place].0;
        place += 1;
    }
    names
};

/// A mark. The component's name is what it says: an entity with a tag `"enemy"` is an enemy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag;

impl Registered for Tag {
    type Apply = Kept;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        Entries::new()
    }
}

impl Component for Tag {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
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
        // Its visitors leave when it ends.
        system.register(NAMES[11], Dense::<Zone>::keeping_ended())?,
        system.register(NAMES[12], Dense::<Field>::keeping_ended())?,
        system.register(NAMES[13], Dense::<Character>::new())?,
        system.register(NAMES[14], Dense::<Tiles>::keeping_ended())?,
    ];
    debug_assert!(
        numbers
            .iter()
            .enumerate()
            .all(|(place, number)| usize::from(number.0) == place)
    );
    Ok(())
}
