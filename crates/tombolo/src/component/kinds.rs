//! The table of the engine's own kinds of components: the number, struct, storage and documentation of each. From it come
//! the constants of the managers' numbers, [`NAMES`], the registration of the managers, and [`Register`], the kinds with
//! their properties.

use alloc::sync::Arc;

use tombolo_entity::{Dense, EntitySystem, ManagerId, NameHash, SystemError};

use super::register::{KindEntry, Link};
use super::{
    Agent, Body, Character, Collider, Field, Joint, RenderData, RigidWeld, Script, Spawner, Sprite, Tag,
    Tiles, Transform, Trigger, Zone,
};

/// Declares the kinds. A kind's place in the list is the number of its manager, and the name of its struct that of its
/// manager. `keeping_ended` is for kinds that something else has to be undone for when a component ends: objects of
/// physics that are destroyed, visitors that leave a zone.
macro_rules! kinds {
    ($($number:ident = $kind:ident, $storage:ident: $documentation:literal;)+) => {
        /// The kinds by their places in the list.
        enum Place {
            $($kind,)+
        }

        $(
            #[doc = concat!("The number of the manager of [`", stringify!($kind), "`](super::", stringify!($kind), ").")]
            pub const $number: ManagerId = ManagerId(Place::$kind as u16);
        )+

        /// The number of kinds.
        const COUNT: usize = [$(Place::$kind),+].len();

        /// The names of the engine's own managers, in the order of their numbers.
        pub const NAMES: [&str; COUNT] = [$(stringify!($kind)),+];

        /// Each kind with its properties, by the number of its manager.
        fn entries() -> [Arc<KindEntry>; COUNT] {
            [$(KindEntry::new::<$kind>($number, stringify!($kind), $documentation)),+]
        }

        /// Registers the engine's own managers with a system that has none yet.
        pub(crate) fn register(system: &mut EntitySystem) -> Result<(), SystemError> {
            $(
                let number = system.register(stringify!($kind), Dense::<$kind>::$storage())?;
                debug_assert_eq!(number, $number, "the system had no managers");
            )+
            Ok(())
        }
    };
}

kinds! {
    TRANSFORM = Transform, new: "Where the entity is; every entity has one, given or not.";
    BODY = Body, keeping_ended: "A rigid body; at most one of an entity.";
    COLLIDER = Collider, keeping_ended:
        "A shape on the entity's body, or a chain of them; several of one entity under different names.";
    JOINT = Joint, keeping_ended: "Ties two bodies, in one of several kinds of ways.";
    TRIGGER = Trigger, keeping_ended: "A region that notices which bodies come into it and leave it.";
    SPRITE = Sprite, new: "A picture at the entity's place, for who draws.";
    RENDER_DATA = RenderData, new:
        "Numbers under names for an effect of the renderer: fog, a vignette, a lamp.";
    TAG = Tag, new: "A mark: the component's name is all that it says.";
    SCRIPT = Script, new: "A script, by its name or with a text of its own.";
    SPAWNER = Spawner, new: "Makes entities of a resource as time goes by.";
    AGENT = Agent, new: "Walks to a goal around static bodies.";
    ZONE = Zone, keeping_ended:
        "An area, perhaps concave and with holes, that knows which entities are in it.";
    FIELD = Field, keeping_ended:
        "An area in which bodies are pushed: by wind, a fluid, or the gravity of a place.";
    CHARACTER = Character, new: "Walks on ground of any kind, climbs steps, rides, jumps and pushes.";
    TILES = Tiles, keeping_ended: "A grid of tiles on the entity's body, drawn with characters.";
    RIGID_WELD = RigidWeld, keeping_ended:
        "Makes the bodies of two entities one, and knows what it bears; where it breaks, they part.";
}

/// The engine's own kinds by the numbers of their managers.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    kinds: Arc<[Arc<KindEntry>]>,
}

impl Register {
    pub(crate) fn new() -> Self {
        Self {
            kinds: Arc::new(entries()),
        }
    }

    pub(crate) fn kinds(&self) -> &[Arc<KindEntry>] {
        &self.kinds
    }

    /// The link of a manager's property by its index; `None` for managers of a game.
    #[inline]
    pub(crate) fn link(&self, manager: ManagerId, property: usize) -> Option<&Link> {
        let entry = self.kinds.get(usize::from(manager.0))?.entries().get(property)?;
        Some(&entry.link)
    }

    /// The link of a manager's property by the hash of its name.
    pub(crate) fn link_of(&self, manager: ManagerId, property: NameHash) -> Option<&Link> {
        let entries = self.kinds.get(usize::from(manager.0))?.entries();
        let entry = entries.iter().find(|entry| entry.property().hash == property)?;
        Some(&entry.link)
    }
}
