//! [`Command`]: a change of a world as plain data. Scripts and senders of an [inbox](super::inbox) record commands, and the
//! world applies them at a stated point of its step; a program may apply one at once.

mod apply;
mod save;

use alloc::boxed::Box;
use alloc::vec::Vec;

use tombolo_entity::{Entity, LIST_DEPTH_MAX, Override, Value};
use tombolo_geometry::{Pose, Position, Vec2};
use tombolo_physics::{ContactRule, ExplosionDef, TileBlock};

use crate::scene::CallbackNames;

/// An entity by its handle or by its name. A name is looked up when the command is applied, so it may be that of an entity
/// which an earlier command spawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntityRef {
    /// By handle.
    Entity(Entity),
    /// By name.
    Name(Box<str>),
}

impl From<Entity> for EntityRef {
    fn from(entity: Entity) -> Self {
        Self::Entity(entity)
    }
}

impl From<&str> for EntityRef {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

/// A change of a world, as plain data: what [`World::apply`](crate::World::apply) does, now or when its turn comes.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Sets a property, as [`World::set`](crate::World::set).
    Set {
        /// The entity.
        entity: EntityRef,
        /// `component.property`, or a part of it.
        path: Box<str>,
        /// The new value.
        value: Value,
    },
    /// Puts an entity elsewhere, as [`World::teleport`](crate::World::teleport).
    Teleport {
        /// The entity.
        entity: EntityRef,
        /// Its new pose in the world.
        pose: Pose,
    },
    /// Pushes an entity's body.
    Push {
        /// The entity with the body.
        entity: EntityRef,
        /// A force, an impulse or the like.
        push: Push,
    },
    /// Spawns an entity, as [`World::spawn`](crate::World::spawn).
    Spawn(Box<SpawnCommand>),
    /// Ends an entity and its descendants, as [`World::despawn`](crate::World::despawn).
    Despawn(EntityRef),
    /// Cuts an entity's body along a line, as [`World::slice`](crate::World::slice).
    Slice {
        /// The entity with the body.
        entity: EntityRef,
        /// A point of the line.
        from: Position,
        /// A second point of the line.
        to: Position,
    },
    /// Cuts everything that a segment crosses, as [`World::cut_through`](crate::World::cut_through) without a filter.
    CutThrough {
        /// One end.
        from: Position,
        /// The other.
        to: Position,
    },
    /// Pushes what is around a point, as [`World::explode`](crate::World::explode).
    Explode(ExplosionDef),
    /// Says what contacts of two materials are like, as [`World::set_contact_rule`](crate::World::set_contact_rule), or takes
    /// their rule away.
    ContactRule {
        /// The two materials; a one-way rule is about leaving the first.
        materials: [u32; 2],
        /// What they are like; `None` takes the rule away.
        rule: Option<ContactRule>,
    },
    /// Says what contacts of shapes of two categories are like, as
    /// [`World::set_category_rule`](crate::World::set_category_rule), or takes that away.
    CategoryRule {
        /// The two categories, each one bit.
        categories: [u64; 2],
        /// The rule; `None` takes it away.
        rule: Option<ContactRule>,
    },
    /// Says which callbacks are used, as [`World::use_callbacks`](crate::World::use_callbacks).
    UseCallbacks(CallbackNames),
    /// Sets an action, as [`World::set_action`](crate::World::set_action).
    SetAction {
        /// What it is called.
        name: Box<str>,
        /// What it becomes.
        value: f32,
    },
    /// Fills cells of an entity's tiles, as [`World::fill_tiles`](crate::World::fill_tiles).
    FillTiles {
        /// Whose tiles.
        entity: EntityRef,
        /// Which cells.
        block: TileBlock,
        /// The character of the legend that stands for the tile.
        tile: char,
    },
}

/// An entity that is to come: [`SpawnDef`](crate::SpawnDef) as plain data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpawnCommand {
    /// The resource that it is spawned from.
    pub resource: Box<str>,
    /// What it is called; nothing if not given.
    pub name: Option<Box<str>>,
    /// Where it is, in the parent's frame or the world's; as its resource says if not given.
    pub pose: Option<Pose>,
    /// Whose child it is.
    pub parent: Option<EntityRef>,
    /// Properties that differ from the resource's.
    pub overrides: Vec<Override>,
}

/// What moves a body. Forces and torques act in the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Push {
    /// Newton seconds, at the center of mass.
    Impulse(Vec2),
    /// Newton seconds, at a point.
    ImpulseAt(Vec2, Position),
    /// Newton meter seconds.
    AngularImpulse(f32),
    /// Newtons, at the center of mass.
    Force(Vec2),
    /// Newtons, at a point.
    ForceAt(Vec2, Position),
    /// Newton meters.
    Torque(f32),
    /// Lets it fall through the one-way platforms that it stands on, as
    /// [`BodyMut::drop_through`](tombolo_physics::BodyMut::drop_through).
    DropThrough,
}

impl Command {
    /// The entity that is changed; `None` if none is named.
    pub fn target(&self) -> Option<&EntityRef> {
        match self {
            Self::Set { entity, .. }
            | Self::Teleport { entity, .. }
            | Self::Push { entity, .. }
            | Self::Slice { entity, .. }
            | Self::FillTiles { entity, .. }
            | Self::Despawn(entity) => Some(entity),
            Self::Spawn(_)
            | Self::CutThrough { .. }
            | Self::Explode(_)
            | Self::ContactRule { .. }
            | Self::CategoryRule { .. }
            | Self::UseCallbacks(_)
            | Self::SetAction { .. } => None,
        }
    }

    /// Whether its lists nest no deeper than a save can be read.
    pub(super) fn is_flat(&self) -> bool {
        match self {
            Self::Set { value, .. } => is_flat(value, LIST_DEPTH_MAX),
            Self::Spawn(spawn) => {
                let mut overrides = spawn.overrides.iter();
                overrides.all(|one| is_flat(&one.value, LIST_DEPTH_MAX))
            }
            _ => true,
        }
    }

    /// About how many bytes it takes in memory, texts included.
    pub fn byte_count(&self) -> usize {
        let texts = match self {
            Self::Set { entity, path, value } => entity.byte_count() + path.len() + value_bytes(value),
            Self::Teleport { entity, .. }
            | Self::Push { entity, .. }
            | Self::Slice { entity, .. }
            | Self::FillTiles { entity, .. }
            | Self::Despawn(entity) => entity.byte_count(),
            Self::Spawn(spawn) => spawn.byte_count(),
            Self::SetAction { name, .. } => name.len(),
            Self::UseCallbacks(names) => {
                let names = [&names.custom_filter, &names.pre_solve];
                names.into_iter().flatten().map(|name| name.len()).sum()
            }
            Self::CutThrough { .. }
            | Self::Explode(_)
            | Self::ContactRule { .. }
            | Self::CategoryRule { .. } => 0,
        };
        size_of::<Self>() + texts
    }
}

impl EntityRef {
    /// Bytes of its text.
    fn byte_count(&self) -> usize {
        match self {
            Self::Entity(_) => 0,
            Self::Name(name) => name.len(),
        }
    }
}

impl SpawnCommand {
    fn byte_count(&self) -> usize {
        let name = self.name.as_ref().map_or(0, |name| name.len());
        let parent = self.parent.as_ref().map_or(0, EntityRef::byte_count);
        let overrides = self.overrides.iter();
        let overrides = overrides.map(|one| size_of::<Override>() + one.path.len() + value_bytes(&one.value));
        size_of::<Self>() + self.resource.len() + name + parent + overrides.sum::<usize>()
    }
}

/// Whether lists nest no deeper than so many.
fn is_flat(value: &Value, depth: usize) -> bool {
    match value {
        Value::List(values) => depth > 0 && values.iter().all(|value| is_flat(value, depth - 1)),
        _ => true,
    }
}

/// Bytes of a value beside its own size.
fn value_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        Value::List(values) => values
            .iter()
            .map(|value| size_of::<Value>() + value_bytes(value))
            .sum(),
        _ => 0,
    }
}
