//! [`Kinds`]: the kinds of components that a scene may use, with the data that is needed to read them.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tombolo_entity::{Component, Property, Schema};

use crate::component::Register;
use crate::component::{
    Collider, Field, Joint, KindEntry, RenderData, RigidWeld, Script, Tiles, Transform, Trigger, Zone,
};

/// The kinds of components: the engine's own, and those of the managers that a game has registered.
/// [`Scene::parse_with`](super::Scene::parse_with) needs them of a world, from [`World::kinds`](crate::World::kinds).
///
/// ```
/// let kinds = tombolo::Kinds::default();
/// let body = kinds.iter().find(|kind| kind.name() == "Body").expect("the engine has bodies");
/// let damping = &body.entries()[3];
/// assert_eq!(&*damping.property().name, "linear_damping");
/// assert_eq!(damping.wakes(), tombolo::component::Wakes::No);
/// ```
#[derive(Clone, Debug)]
pub struct Kinds {
    register: Register,
    own: Vec<Arc<KindEntry>>,
    pub(crate) schemas: Arc<Schemas>,
}

/// The schemas of the engine's own components whose forms and checks involve several properties.
#[derive(Debug)]
pub(crate) struct Schemas {
    pub(crate) transform: Schema<Transform>,
    pub(crate) collider: Schema<Collider>,
    pub(crate) trigger: Schema<Trigger>,
    pub(crate) zone: Schema<Zone>,
    pub(crate) field: Schema<Field>,
    pub(crate) joint: Schema<Joint>,
    pub(crate) rigid_weld: Schema<RigidWeld>,
    pub(crate) render_data: Schema<RenderData>,
    pub(crate) script: Schema<Script>,
    pub(crate) tiles: Schema<Tiles>,
}

impl Default for Kinds {
    fn default() -> Self {
        Self::of(Register::new())
    }
}

impl Kinds {
    /// The engine's own kinds.
    pub(crate) fn of(register: Register) -> Self {
        let schemas = Schemas {
            transform: Transform::schema(),
            collider: Collider::schema(),
            trigger: Trigger::schema(),
            zone: Zone::schema(),
            field: Field::schema(),
            joint: Joint::schema(),
            rigid_weld: RigidWeld::schema(),
            render_data: RenderData::schema(),
            script: Script::schema(),
            tiles: Tiles::schema(),
        };
        Self {
            register,
            own: Vec::new(),
            schemas: Arc::new(schemas),
        }
    }

    /// Adds a kind of a game.
    pub(crate) fn add(&mut self, name: &str, properties: &[Property]) {
        self.own.push(KindEntry::of_game(name, properties));
    }

    /// All kinds: the engine's own in the order of their managers, then the game's.
    pub fn iter(&self) -> impl Iterator<Item = &KindEntry> {
        self.list().map(|kind| &**kind)
    }

    fn list(&self) -> impl Iterator<Item = &Arc<KindEntry>> {
        self.register.kinds().iter().chain(&self.own)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<KindEntry>> {
        self.list().find(|kind| kind.name() == name)
    }
}
