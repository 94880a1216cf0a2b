//! The numbers and names of the managers of the engine's own kinds, and a sentence about each kind. Managers are
//! registered in this order, so that the numbers are constants.

use tombolo_entity::ManagerId;

/// The number of the manager of [`Transform`](super::Transform).
pub const TRANSFORM: ManagerId = ManagerId(0);
/// The number of the manager of [`Body`](super::Body).
pub const BODY: ManagerId = ManagerId(1);
/// The number of the manager of [`Collider`](super::Collider).
pub const COLLIDER: ManagerId = ManagerId(2);
/// The number of the manager of [`Joint`](super::Joint).
pub const JOINT: ManagerId = ManagerId(3);
/// The number of the manager of [`Trigger`](super::Trigger).
pub const TRIGGER: ManagerId = ManagerId(4);
/// The number of the manager of [`Sprite`](super::Sprite).
pub const SPRITE: ManagerId = ManagerId(5);
/// The number of the manager of [`RenderData`](super::RenderData).
pub const RENDER_DATA: ManagerId = ManagerId(6);
/// The number of the manager of [`Tag`](super::Tag).
pub const TAG: ManagerId = ManagerId(7);
/// The number of the manager of [`Script`](super::Script).
pub const SCRIPT: ManagerId = ManagerId(8);
/// The number of the manager of [`Spawner`](super::Spawner).
pub const SPAWNER: ManagerId = ManagerId(9);
/// The number of the manager of [`Agent`](super::Agent).
pub const AGENT: ManagerId = ManagerId(10);
/// The number of the manager of [`Zone`](super::Zone).
pub const ZONE: ManagerId = ManagerId(11);
/// The number of the manager of [`Field`](super::Field).
pub const FIELD: ManagerId = ManagerId(12);
/// The number of the manager of [`Character`](super::Character).
pub const CHARACTER: ManagerId = ManagerId(13);
/// The number of the manager of [`Tiles`](super::Tiles).
pub const TILES: ManagerId = ManagerId(14);
/// The number of the manager of [`RigidWeld`](super::RigidWeld).
pub const RIGID_WELD: ManagerId = ManagerId(15);

/// The engine's own kinds in the order of their managers' numbers: the manager's name and the kind's documentation.
pub(crate) const KINDS: [(&str, &str); 16] = [
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
    (
        "RigidWeld",
        "Makes the bodies of two entities one, and knows what it bears; where it breaks, they part.",
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
