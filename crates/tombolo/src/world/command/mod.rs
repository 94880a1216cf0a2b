//! [`Command`]: a change of a world as plain data. Scripts and senders of an [inbox](super::inbox) store commands,
//! and the world applies them at a stated point of its step; a program may apply one at once.

mod apply;
mod save;

use alloc::boxed::Box;
use alloc::vec::Vec;

use tombolo_entity::{Entity, LIST_DEPTH_MAX, Override, Value};
use tombolo_geometry::{Pose, Position, Vec2};
use tombolo_physics::{ContactRule, ExplosionDef, TileBlock, TileCut};

use crate::scene::CallbackNames;

/// The bytes that a command counts beside its strings and values, see [`Command::byte_count`].
const COMMAND_BYTES: usize = 96;
/// The bytes that a spawn counts likewise.
const SPAWN_BYTES: usize = 128;
/// The bytes that an override counts likewise.
const OVERRIDE_BYTES: usize = 48;
/// The bytes that an element of a list counts likewise.
const VALUE_BYTES: usize = 32;

#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<Command>() <= COMMAND_BYTES && size_of::<SpawnCommand>() <= SPAWN_BYTES);
    assert!(size_of::<Override>() <= OVERRIDE_BYTES && size_of::<Value>() <= VALUE_BYTES);
};

/// An entity by its handle or by its name. A name is looked up when the command is applied, so it may be that of an
/// entity that an earlier command spawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntityRef {
    /// An entity by handle.
    Entity(Entity),
    /// An entity by name.
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

/// A change of a world, as plain data, for [`World::apply`](crate::World::apply) or for a stage of a later step.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Sets a property, like [`World::set`](crate::World::set).
    Set {
        /// The entity.
        entity: EntityRef,
        /// `component.property`, or a part of it.
        path: Box<str>,
        /// The new value.
        value: Value,
    },
    /// Moves an entity to a pose, like [`World::teleport`](crate::World::teleport).
    Teleport {
        /// The entity.
        entity: EntityRef,
        /// The new pose in the world.
        pose: Pose,
    },
    /// Pushes an entity's body, wakes it or puts it to sleep.
    Push {
        /// The entity with the body.
        entity: EntityRef,
        /// A force, an impulse or the like.
        push: Push,
    },
    /// Spawns an entity, like [`World::spawn`](crate::World::spawn).
    Spawn(Box<SpawnCommand>),
    /// Despawns an entity and its descendants, like [`World::despawn`](crate::World::despawn).
    Despawn(EntityRef),
    /// Cuts an entity's body along a line, like [`World::slice`](crate::World::slice).
    Slice {
        /// The entity with the body.
        entity: EntityRef,
        /// A point of the line.
        from: Position,
        /// A second point of the line.
        to: Position,
    },
    /// Cuts all bodies that a segment crosses, like [`World::cut_through`](crate::World::cut_through) without a
    /// filter.
    CutThrough {
        /// One end.
        from: Position,
        /// The other end.
        to: Position,
    },
    /// Pushes the bodies around a point, like [`World::explode`](crate::World::explode).
    Explode(ExplosionDef),
    /// Empties cells of tiles, like [`World::cut_tiles`](crate::World::cut_tiles).
    CutTiles(TileCut),
    /// Sets the contact rule of two materials, like [`World::set_contact_rule`](crate::World::set_contact_rule), or
    /// removes it.
    ContactRule {
        /// The two materials; a one-way rule is about leaving the first.
        materials: [u32; 2],
        /// The rule; `None` removes it.
        rule: Option<ContactRule>,
    },
    /// Sets the contact rule of shapes of two categories, like
    /// [`World::set_category_rule`](crate::World::set_category_rule), or removes it.
    CategoryRule {
        /// The two categories, each one bit.
        categories: [u64; 2],
        /// The rule; `None` removes it.
        rule: Option<ContactRule>,
    },
    /// Sets the callbacks in use, like [`World::use_callbacks`](crate::World::use_callbacks).
    UseCallbacks(CallbackNames),
    /// Sets an action, like [`World::set_action`](crate::World::set_action).
    SetAction {
        /// The name of the action.
        name: Box<str>,
        /// The new value.
        value: f32,
    },
    /// Fills cells of an entity's tiles, like [`World::fill_tiles`](crate::World::fill_tiles).
    FillTiles {
        /// The entity with the tiles.
        entity: EntityRef,
        /// The cells.
        block: TileBlock,
        /// The character of the legend that stands for the tile.
        tile: char,
    },
}

/// A spawn: [`SpawnDef`](crate::SpawnDef) as plain data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpawnCommand {
    /// The resource of the entity.
    pub resource: Box<str>,
    /// The name of the entity; none if not given.
    pub name: Option<Box<str>>,
    /// The pose, in the parent's frame or the world's; that of the resource if not given.
    pub pose: Option<Pose>,
    /// The parent, if the entity has one.
    pub parent: Option<EntityRef>,
    /// Properties that differ from the resource's.
    pub overrides: Vec<Override>,
}

/// A force or impulse on a body, or the like. Forces and torques act in the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Push {
    /// An impulse at the center of mass, in newton seconds.
    Impulse(Vec2),
    /// An impulse at a point, in newton seconds.
    ImpulseAt(Vec2, Position),
    /// An angular impulse, in newton meter seconds.
    AngularImpulse(f32),
    /// A force at the center of mass, in newtons.
    Force(Vec2),
    /// A force at a point, in newtons.
    ForceAt(Vec2, Position),
    /// A torque, in newton meters.
    Torque(f32),
    /// Lets the body fall through the one-way platforms that it stands on, like
    /// [`BodyMut::drop_through`](tombolo_physics::BodyMut::drop_through).
    DropThrough,
    /// An impulse at the center of mass along the axes of the body, in newton seconds.
    LocalImpulse(Vec2),
    /// A force at the center of mass along the axes of the body, in newtons.
    LocalForce(Vec2),
    /// Puts the body and its island to sleep, like [`BodyMut::sleep`](tombolo_physics::BodyMut::sleep). Refused where
    /// that is not possible.
    Sleep,
    /// Wakes the body and all that it touches or is joined to, like
    /// [`BodyMut::wake_touching`](tombolo_physics::BodyMut::wake_touching).
    WakeTouching,
}

impl Command {
    /// The entity that is changed; `None` if the command names none.
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
            | Self::CutTiles(_)
            | Self::ContactRule { .. }
            | Self::CategoryRule { .. }
            | Self::UseCallbacks(_)
            | Self::SetAction { .. } => None,
        }
    }

    /// Whether the nesting of its lists is within the depth that saves can be read with.
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

    /// The approximate size in memory in bytes, strings included: as on a machine of 64 bits, so that all machines accept
    /// the same commands.
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
            | Self::CutTiles(_)
            | Self::ContactRule { .. }
            | Self::CategoryRule { .. } => 0,
        };
        COMMAND_BYTES + texts
    }
}

impl EntityRef {
    /// The bytes of its strings.
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
        let overrides = overrides.map(|one| OVERRIDE_BYTES + one.path.len() + value_bytes(&one.value));
        SPAWN_BYTES + self.resource.len() + name + parent + overrides.sum::<usize>()
    }
}

/// Whether the nesting of lists is within a depth.
fn is_flat(value: &Value, depth: usize) -> bool {
    match value {
        Value::List(values) => depth > 0 && values.iter().all(|value| is_flat(value, depth - 1)),
        _ => true,
    }
}

/// The bytes of a value beside its own size.
fn value_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        Value::List(values) => values.iter().map(|value| VALUE_BYTES + value_bytes(value)).sum(),
        _ => 0,
    }
}
